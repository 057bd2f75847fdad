//! Platform files of SimGrid (XML, version 4.1) as tables of hetsim's own `[platform]`, each value with its place in the XML.
//!
//! What a file says is translated exactly or refused with its place: nothing that bears on a simulation is left out in
//! silence. The meaning of elements and attributes follows SimGrid's document type and the behaviour of its reader; properties
//! that SimGrid itself gives no meaning are left alone.

use std::ops::Range;

use thiserror::Error;

mod cluster;
mod config;
mod content;
mod decimal;
mod gather;
mod link;
mod names;
mod part;
mod power;
mod profile;
mod quantity;
mod route;
mod star;
mod toml;
mod write;
mod xml;
mod zone;

#[cfg(test)]
mod tests;

pub use toml::{says, to_toml};

use super::node::{Entry as NodeEntry, Node, Value as NodeValue};
use super::problem::{Place, Problem, Source};
use gather::Gather;
use xml::Element;

/// The kinds of values.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Keys and values, in the order of the text.
    Table(Vec<Entry>),
    /// Values in a row.
    Array(Vec<Spanned>),
    /// A string.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Float(f64),
    /// True or false.
    Boolean(bool),
}

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Spanned {
    /// What it is.
    pub value: Value,
    /// Where it stands: bytes of the XML.
    pub span: Range<usize>,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Spanned,
}

/// Why a text is not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ReadError {
    /// Where it shows: bytes of the XML.
    pub span: Range<usize>,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// Whether a text looks like a platform of SimGrid rather than other XML: its first element says.
#[must_use]
pub fn is_platform(text: &str) -> bool {
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        if !rest.starts_with(['?', '!']) {
            return rest
                .strip_prefix("platform")
                .is_some_and(|rest| rest.starts_with([' ', '\t', '\n', '\r', '>', '/']));
        }
    }
    false
}

/// Reads a platform file: the table `[platform]`.
///
/// `profile` gives the text of a file that the XML names, or a sentence that says why it can't be read.
///
/// # Errors
/// The first thing that is not well-formed, not known, or that hetsim has no exact counterpart of.
pub fn read(text: &str, profile: &mut dyn FnMut(&str) -> Result<String, String>) -> Result<Spanned, ReadError> {
    let root = Element::parse(text)?;
    let mut gather = Gather::new(profile);
    gather.platform(&root)?;
    write::platform(&gather.finish()?, root.span.clone())
}

/// [`read`] for a file, whose own files are in its folder.
///
/// # Errors
/// Likewise.
pub fn read_file(source: &Source) -> Result<Spanned, ReadError> {
    read(&source.text, &mut |name| Source::read(&source.folder.join(name)).map(|profile| profile.text.to_string()))
}

impl ReadError {
    /// The problem with its place in the source of that number.
    #[must_use]
    pub fn problem(self, source: usize) -> Problem {
        let problem = Problem::at(&Place { source, span: self.span }, self.message);
        match self.help {
            Some(help) => problem.with_help(help),
            None => problem,
        }
    }
}

impl Node {
    /// The same values with their places in the source of that number.
    pub(super) fn from_simgrid(spanned: &Spanned, source: usize) -> Self {
        let place = |span: &Range<usize>| Place { source, span: span.clone() };
        let value = match &spanned.value {
            Value::Table(entries) => NodeValue::Table(
                entries
                    .iter()
                    .map(|entry| NodeEntry {
                        key: entry.key.clone(),
                        place: place(&entry.value.span),
                        value: Self::from_simgrid(&entry.value, source),
                    })
                    .collect(),
            ),
            Value::Array(items) => {
                NodeValue::Array(items.iter().map(|item| Self::from_simgrid(item, source)).collect())
            }
            Value::Text(text) => NodeValue::Text(text.clone()),
            Value::Integer(number) => NodeValue::Integer(*number),
            Value::Float(number) => NodeValue::Float(*number),
            Value::Boolean(truth) => NodeValue::Boolean(*truth),
        };
        Self { value, place: place(&spanned.span) }
    }
}

impl Spanned {
    fn new(value: Value, span: &Range<usize>) -> Self {
        Self { value, span: span.clone() }
    }

    fn text(text: impl Into<String>, span: &Range<usize>) -> Self {
        Self::new(Value::Text(text.into()), span)
    }

    fn integer(number: impl Into<i64>, span: &Range<usize>) -> Self {
        Self::new(Value::Integer(number.into()), span)
    }

    fn array(items: impl IntoIterator<Item = Self>, span: &Range<usize>) -> Self {
        Self::new(Value::Array(items.into_iter().collect()), span)
    }

    fn table<'k>(entries: impl IntoIterator<Item = (&'k str, Self)>, span: &Range<usize>) -> Self {
        let entries = entries.into_iter().map(|(key, value)| Entry { key: key.to_owned(), value });
        Self::new(Value::Table(entries.collect()), span)
    }
}

impl ReadError {
    fn at(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    fn with_help(mut self, help: Option<impl Into<String>>) -> Self {
        self.help = help.map(Into::into);
        self
    }
}

/// The value of an attribute.
#[derive(Debug, Clone, Copy)]
struct Word<'e> {
    text: &'e str,
    span: &'e Range<usize>,
}

impl<'e> Word<'e> {
    fn fault(self, message: impl Into<String>) -> ReadError {
        ReadError::at(self.span.clone(), message)
    }

    /// The text as a value.
    fn value(self) -> Spanned {
        Spanned::text(self.text, self.span)
    }

    /// What a function of the text gives, or its complaint at this place.
    fn parse<T>(self, read: impl FnOnce(&'e str) -> Result<T, String>) -> Result<T, ReadError> {
        read(self.text).map_err(|message| self.fault(message))
    }
}
