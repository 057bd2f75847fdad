//! The form in which the store keeps a record: the JSON of the run's key and of its record. A batch writes and reads
//! millions of them, so this stands in the package that is optimised in full.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Record, Table, Value};

/// What the JSON begins with. The key comes first, so that an index is made without reading the rest.
const BEFORE_KEY: &[u8] = b"{\"key\":";

#[derive(Serialize)]
struct Written<'a> {
    key: &'a str,
    record: &'a Record,
}

/// What is read of it, once the key is known.
#[derive(Deserialize)]
struct Content<T> {
    record: T,
}

/// A record of which as little as possible is copied.
#[derive(Debug, Deserialize)]
pub struct Borrowed<'a> {
    /// As [`Record::metrics`].
    #[serde(borrow, rename = "figures")]
    pub metrics: Vec<(Name<'a>, Value)>,
    /// As [`Record::timings`].
    #[serde(default, borrow)]
    pub timings: Vec<(Name<'a>, f64)>,
    /// As [`Record::tables`].
    #[serde(default)]
    pub tables: Vec<Table>,
}

/// The name of a metric.
#[derive(Debug, Deserialize)]
pub struct Name<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// Writes the JSON of a run's key and record at the end of `line`.
///
/// # Errors
///
/// The record cannot be written as JSON.
pub fn write(line: &mut Vec<u8>, key: &str, record: &Record) -> serde_json::Result<()> {
    serde_json::to_writer(line, &Written { key, record })
}

/// The key of a line's JSON.
#[must_use]
pub fn key(body: &[u8]) -> Option<String> {
    serde_json::Deserializer::from_slice(body.strip_prefix(BEFORE_KEY)?).into_iter().next()?.ok()
}

/// The record of a line's JSON.
///
/// # Errors
///
/// It is another version's.
pub fn record(body: &[u8]) -> serde_json::Result<Record> {
    serde_json::from_slice::<Content<Record>>(body).map(|content| content.record)
}

/// The record of a line's JSON, with names that are not copied.
///
/// # Errors
///
/// As [`record`].
pub fn borrowed(body: &[u8]) -> serde_json::Result<Borrowed<'_>> {
    serde_json::from_slice::<Content<Borrowed<'_>>>(body).map(|content| content.record)
}
