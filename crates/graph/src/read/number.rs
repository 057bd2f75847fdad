//! Numbers and quantities in files.

use crate::whole_bytes;
use hetsim_base::units::{Bytes, Operations, Quantity, Seconds};

/// Work: a number of operations, with or without a unit.
pub(super) fn operations(text: &str) -> Result<f64, String> {
    let value = match text.trim().parse::<f64>() {
        Ok(value) => value,
        Err(_) => text.trim().parse::<Operations>().map_err(|error| error.to_string())?.base(),
    };
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(format!("{text} is not 0 or more, and finite")) }
}

/// Whether a text is work with its unit.
pub(super) fn is_in_operations(text: &str) -> bool {
    text.trim().parse::<f64>().is_err() && operations(text).is_ok()
}

/// Says that work with its unit is no time.
pub(super) fn no_time(work: &str) -> String {
    format!("`{}` is work and no time, so that no speed changes it", work.trim())
}

/// Work, or a time on a reference processor of one operation per second.
pub(super) fn work(text: &str) -> Result<f64, String> {
    operations(text).or_else(|message| text.trim().parse::<Seconds>().map(Quantity::base).map_err(|_| message))
}

/// A time: a number of seconds, with or without a unit.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    text.trim()
        .parse()
        .or_else(|_| text.trim().parse::<Seconds>().map(Quantity::base).map_err(|error| error.to_string()))
}

/// Data: a number of bytes rounded to the nearest integer, or a number with a unit.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    // Integers above 2⁵³ stay exact.
    if let Ok(value) = text.trim().parse::<u64>() {
        return Ok(value);
    }
    match text.trim().parse::<f64>() {
        Ok(value) => whole_bytes(value).ok_or_else(|| format!("{text} is not a number of bytes")),
        Err(_) => text.trim().parse::<Bytes>().map(Bytes::count).map_err(|error| error.to_string()),
    }
}

/// A number of bytes in JSON, rounded to the nearest integer.
pub(super) fn json_bytes(number: &serde_json::Number) -> Result<u64, String> {
    let rounded = || number.as_f64().and_then(whole_bytes);
    number.as_u64().or_else(rounded).ok_or_else(|| format!("{number} is not a number of bytes"))
}
