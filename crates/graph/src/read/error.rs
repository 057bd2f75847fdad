//! An error in a file and its position.

use std::fmt;

use crate::GraphError;
use hetsim_base::printable::shortened;

/// The position of an error without a place: beyond every text.
pub(super) const NOWHERE: usize = u32::MAX as usize;

/// The longest message, in bytes: it may quote a text of any length.
const LONGEST: usize = 800;

/// The reason why a text is not a task graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    message: String,
    /// The byte position of the error.
    offset: Option<usize>,
    line: usize,
    column: usize,
}

impl ReadError {
    /// An error of the text as a whole.
    pub(super) fn general(message: impl Into<String>) -> Self {
        Self { message: shortened(message.into(), LONGEST), offset: None, line: 0, column: 0 }
    }

    /// An error at a byte of the text, which may be inside of a character, or at [`NOWHERE`].
    pub(super) fn at(text: &str, offset: usize, message: impl Into<String>) -> Self {
        if offset == NOWHERE {
            return Self::general(message);
        }
        let offset = text.floor_char_boundary(offset);
        let before = &text.as_bytes()[..offset];
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        let line = before.split(|&byte| byte == b'\n').count();
        // Columns count characters: skip the continuation bytes.
        let column = 1 + before[start..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        Self { offset: Some(offset), line, column, ..Self::general(message) }
    }

    /// An error from serde_json.
    pub(super) fn json(text: &str, error: &serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        if line == 0 {
            return Self::general(error.to_string());
        }
        let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let full = error.to_string();
        let place = format!(" at line {line} column {column}");
        Self::at(text, start + column.saturating_sub(1), full.strip_suffix(&place).unwrap_or(&full))
    }

    /// An error of the graph as a whole.
    pub(super) fn graph(error: &GraphError) -> Self {
        Self::general(error.to_string())
    }

    /// The error as a sentence without its position.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The byte position of a character in the text, or its end, if there is one.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.offset
    }

    /// Line and column (in characters), both from 1, if there is a position.
    #[must_use]
    pub fn place(&self) -> Option<(usize, usize)> {
        self.offset.map(|_| (self.line, self.column))
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place() {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ReadError {}
