//! Converts platform files of SimGrid (XML, version 4.1) to tables of hetsim's own `[platform]`, each value with its
//! position in the XML.
//!
//! Everything in a file is translated exactly or refused with its position: nothing that affects a simulation is
//! silently ignored. The meaning of elements and attributes follows SimGrid's document type and the behaviour of its
//! reader. Properties without a meaning in SimGrid itself are ignored.

use std::ops::Range;

use thiserror::Error;

mod cluster;
mod collector;
mod config;
mod content;
mod decimal;
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
use super::problem::{Place, Problem, Problems, Source};
use collector::Collector;
use xml::Element;

/// The kinds of values.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Keys and values in the order of the text.
    Table(Vec<Entry>),
    /// A list of values.
    Array(Vec<Spanned>),
    /// A string.
    Text(String),
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Float(f64),
    /// True or false.
    Boolean(bool),
}

/// A value with its position.
#[derive(Debug, Clone, PartialEq)]
pub struct Spanned {
    /// What it is.
    pub value: Value,
    /// The position in bytes of the XML.
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

/// The reason why a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ReadError {
    /// The position in bytes of the XML.
    pub span: Range<usize>,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// Advice for a correction.
    pub help: Option<String>,
}

/// Whether a text is a platform of SimGrid and not other XML, by its first element.
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

/// Reads a platform file into the table `[platform]`.
///
/// `profile` returns the text of a file named in the XML, or a sentence with the reason why it cannot be read.
///
/// # Errors
/// The first item that is not well-formed, unknown, or without an exact counterpart in hetsim.
pub fn read(text: &str, profile: &mut dyn FnMut(&str) -> Result<String, String>) -> Result<Spanned, ReadError> {
    let root = Element::parse(text)?;
    let mut collector = Collector::new(profile);
    collector.platform(&root)?;
    write::platform(&collector.finish()?, root.span.clone())
}

/// As [`read`], for a file; further files are in its folder.
///
/// # Errors
/// As [`read`].
pub fn read_file(source: &Source) -> Result<Spanned, ReadError> {
    read(&source.text, &mut |name| {
        let profile = Source::read(&source.folder.join(name)).map_err(|error| error.to_string())?;
        Ok(profile.text.to_string())
    })
}

/// A file with a platform as TOML, in the form of a file for `platform.include`.
///
/// # Errors
/// As [`read`], with the place; a platform that TOML cannot hold.
pub fn as_toml(source: &Source) -> Result<Source, Problems> {
    let table =
        read_file(source).map_err(|error| Problems::new(vec![error.problem(0)], std::slice::from_ref(source)))?;
    let text = to_toml(&table);
    if !says(&text, &table) {
        return Err(Problems::general(format!("the platform of {} cannot be expressed in TOML", source.name)));
    }
    Ok(Source { name: format!("{} as TOML", source.name), text: text.into(), folder: source.folder.clone() })
}

impl ReadError {
    /// Converts the error to a problem in the source with this number.
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
    /// The same values with positions in the source with this number.
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

    /// Parses the text; an error gets this position.
    fn parse<T>(self, read: impl FnOnce(&'e str) -> Result<T, String>) -> Result<T, ReadError> {
        read(self.text).map_err(|message| self.fault(message))
    }
}
