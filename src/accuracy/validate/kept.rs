//! Predictions in a file as they come, from which an interrupted validation goes on.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Predicted seconds, each by a number that differs where predictions may.
#[derive(Debug, Default)]
pub struct KeptPredictions {
    known: HashMap<u64, f64>,
    /// The file to which new ones are added; none by default.
    file: Option<Mutex<File>>,
}

impl KeptPredictions {
    /// Those of an earlier run, which has left this `text` in the `file`, open at its end: new ones are added there. Lines
    /// that cannot be read are skipped, since the last one may be cut off.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn new(text: &str, mut file: File) -> io::Result<Self> {
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        let bits = |word: &str| u64::from_str_radix(word, 16).ok().filter(|_| word.len() == DIGITS);
        let read = |line: &str| {
            let (number, seconds) = line.split_once(' ')?;
            Some((bits(number)?, f64::from_bits(bits(seconds)?)))
        };
        Ok(Self { known: text.lines().filter_map(read).collect(), file: Some(Mutex::new(file)) })
    }

    /// Whether no earlier run has left any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The prediction that an earlier run has left under this number.
    pub(super) fn get(&self, number: u64) -> Option<f64> {
        self.known.get(&number).copied()
    }

    /// Keeps one more. Where that fails, it is predicted again by the next run.
    pub(super) fn keep(&self, number: u64, seconds: f64) {
        let Some(file) = &self.file else { return };
        let line = format!("{number:0DIGITS$x} {:0DIGITS$x}\n", seconds.to_bits());
        if let Err(error) = file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes()) {
            log::warn!("a prediction can't be kept: {error}");
        }
    }
}

/// The digits of a number in the file.
const DIGITS: usize = 16;
