//! The cells of records: metrics and entries of long tables.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

/// One cell: a metric, a count, a text, or blank if the metric is undefined (an empty field in a CSV, never 0).
///
/// In JSON a cell is a plain number, string or null and reads back as the same variant: a count is written without a
/// point, a number always with a point or an exponent.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number: messages, events, ranks.
    Count(u64),
    /// A finite number in the unit at the end of the metric's name.
    Number(f64),
    /// A name, such as the algorithm that was chosen.
    Text(String),
    /// Undefined for this run.
    #[default]
    Blank,
}

impl Value {
    /// The value as a number, if it is one.
    #[must_use]
    pub const fn number(&self) -> Option<f64> {
        match self {
            Self::Count(count) => Some(*count as f64),
            Self::Number(number) => Some(*number),
            Self::Text(_) | Self::Blank => None,
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Cell)
    }
}

/// Tells a count from a number by its notation; serde's `untagged` would copy each cell and try every variant.
struct Cell;

impl Visitor<'_> for Cell {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a text or null")
    }

    fn visit_u64<E: de::Error>(self, count: u64) -> Result<Value, E> {
        Ok(Value::Count(count))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Value, E> {
        Ok(u64::try_from(number).map_or(Value::Number(number as f64), Value::Count))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Blank)
    }
}

impl From<f64> for Value {
    /// A number that is not finite becomes blank.
    fn from(number: f64) -> Self {
        if number.is_finite() { Self::Number(number) } else { Self::Blank }
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<u32> for Value {
    fn from(count: u32) -> Self {
        Self::Count(u64::from(count))
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Blank, Into::into)
    }
}

/// Whether a number is written with an exponent: Display never uses one, so a tiny number would be a long row of zeros.
pub(super) fn takes_exponent(number: f64) -> bool {
    number != 0.0 && !(1e-5..1e16).contains(&number.abs())
}

impl fmt::Display for Value {
    /// The notation in a CSV: the shortest digits that read back as the same number, and nothing for a blank.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => count.fmt(f),
            Self::Number(number) if takes_exponent(*number) => f.pad(&format!("{number:e}")),
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.pad(text),
            Self::Blank => f.pad(""),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn back(value: &Value) -> Value {
        serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
    }

    #[test]
    fn a_whole_number_does_not_become_a_count() {
        for value in [
            Value::Number(3.0),
            Value::Number(-3.0),
            Value::Number(1e16),
            Value::Number(1e300),
            Value::Number(f64::MIN_POSITIVE / 4.0),
            Value::Count(3),
            Value::Count(u64::MAX),
            Value::Text("3.0".into()),
            Value::Text(String::new()),
            Value::Blank,
        ] {
            assert_eq!(back(&value), value);
        }
        assert!(matches!(back(&Value::Number(-0.0)), Value::Number(zero) if zero.is_sign_negative()));
    }

    #[test]
    fn what_is_not_a_cell_is_refused() {
        for text in ["true", "[1]", "{}"] {
            assert!(serde_json::from_str::<Value>(text).unwrap_err().to_string().contains("a number, a text or null"));
        }
    }

    proptest! {
        #[test]
        fn every_number_keeps_its_bits(bits: u64) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            prop_assert!(matches!(back(&Value::Number(number)), Value::Number(read) if read.to_bits() == bits));
            prop_assert_eq!(back(&Value::Count(bits)), Value::Count(bits));
        }
    }
}
