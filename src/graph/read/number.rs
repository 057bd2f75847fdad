//! Numbers and quantities as files write them.

use crate::graph::whole_bytes;
use crate::units::{Bytes, Operations, Quantity, Seconds};

/// A work: a plain number of operations, or one with a unit.
pub(super) fn operations(text: &str) -> Result<f64, String> {
    let value = match text.trim().parse::<f64>() {
        Ok(value) => value,
        Err(_) => text.trim().parse::<Operations>().map_err(|error| error.to_string())?.base(),
    };
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(format!("{text} is not 0 or more, and finite")) }
}

/// A work, or a time on a reference processor of one operation a second.
pub(super) fn work(text: &str) -> Result<f64, String> {
    operations(text).or_else(|message| text.trim().parse::<Seconds>().map(Quantity::base).map_err(|_| message))
}

/// Data: a plain number of bytes, rounded to the nearest whole one, or one with a unit.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    // Whole numbers above 2⁵³ stay exact.
    if let Ok(value) = text.trim().parse::<u64>() {
        return Ok(value);
    }
    match text.trim().parse::<f64>() {
        Ok(value) => whole_bytes(value).ok_or_else(|| format!("{text} is not a count of bytes")),
        Err(_) => text.trim().parse::<Bytes>().map(Bytes::count).map_err(|error| error.to_string()),
    }
}
