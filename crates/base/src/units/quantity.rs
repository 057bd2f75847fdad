//! The quantities of a scenario: a number and a unit in one string.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

/// Why a text is not a quantity of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QuantityError {
    /// The number has no unit.
    #[error("the {kind} needs a unit, as in {example:?}")]
    NoUnit {
        /// The kind of quantity.
        kind: &'static str,
        /// A valid notation.
        example: &'static str,
    },
    /// The unit does not belong to this kind of quantity.
    #[error("{unit:?} is not a unit of {kind}; expected one of {known}")]
    UnknownUnit {
        /// The text in place of the unit.
        unit: String,
        /// The kind of quantity.
        kind: &'static str,
        /// The known units.
        known: String,
    },
    /// The text does not start with a number.
    #[error("{text:?} does not start with a number; write it like {example:?}")]
    NoNumber {
        /// The whole text.
        text: String,
        /// The kind of quantity.
        kind: &'static str,
        /// A valid notation.
        example: &'static str,
    },
    /// The number is negative, infinite, or (for bytes) not whole.
    #[error("the {kind} must be {range}")]
    OutOfRange {
        /// The kind of quantity.
        kind: &'static str,
        /// The allowed values.
        range: &'static str,
    },
}

/// What all quantities share: a name for messages, units, and the value in the base unit.
pub trait Quantity: Sized + Copy + FromStr<Err = QuantityError> + fmt::Display {
    /// The name of the kind in messages and in the schema's `format`.
    const KIND: &'static str;
    /// A valid notation, for messages and the schema.
    const EXAMPLE: &'static str;
    /// The base unit.
    const UNIT: &'static str;
    /// Whether only whole numbers of the base unit are values.
    const IS_WHOLE: bool;

    /// The value in the base unit (seconds, bytes, bytes a second, …).
    fn base(self) -> f64;

    /// The quantity of this many base units.
    ///
    /// # Errors
    /// [`QuantityError::OutOfRange`] if the kind does not allow the value.
    fn from_base(base: f64) -> Result<Self, QuantityError>;
}

/// A unit's name and its size as a decimal exponent and a factor: `value × factor × 10^exponent` base units.
type Unit = (&'static str, f64, i32);

/// Splits `text` into its number and its unit and returns the value in base units, correctly rounded: the decimal
/// exponent of the unit is added to the number's own before conversion to binary.
fn parse_with(text: &str, units: &[Unit], kind: &'static str, example: &'static str) -> Result<f64, QuantityError> {
    let text = text.trim();
    let end = number_length(text);
    let number: String = text[..end].chars().filter(|&c| c != '_').collect();
    if number.parse::<f64>().is_err() {
        return Err(QuantityError::NoNumber { text: text.to_owned(), kind, example });
    }
    let unit = text[end..].trim();
    if unit.is_empty() {
        return Err(QuantityError::NoUnit { kind, example });
    }
    // Keyboards write the Greek letter for the micro sign, which looks the same.
    let is_micro = |name: &str| unit.strip_prefix('μ').is_some_and(|rest| name.strip_prefix('µ') == Some(rest));
    let Some(&(_, factor, exponent)) = units.iter().find(|(name, ..)| *name == unit || is_micro(name)) else {
        let known = units.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(", ");
        return Err(QuantityError::UnknownUnit { unit: unit.to_owned(), kind, known });
    };
    let (mantissa, own) = number.split_once(['e', 'E']).unwrap_or((&number, "0"));
    let own: i32 = own.parse().unwrap_or(i32::MAX / 2);
    // A mantissa that parsed above also parses with another exponent.
    let value = format!("{mantissa}e{}", own.saturating_add(exponent)).parse::<f64>().unwrap_or(f64::NAN) * factor;
    Ok(value)
}

/// How many bytes at the start of `text` belong to a decimal number ("1e3" does, the "E" of "5EiB" does not).
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while at < bytes.len() && (bytes[at].is_ascii_digit() || bytes[at] == b'_') {
            at += 1;
        }
        at
    };
    let sign = |at: usize| at + usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let mut end = digits(sign(0));
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let start = sign(end + 1);
        let exponent = digits(start);
        if exponent > start {
            end = exponent;
        }
    }
    end
}

/// Writes `base` in the shortest notation that reads back as the same value, at 1 or above if possible, using only the
/// kind's own unit (the first) and its prefixes.
fn write_with(f: &mut fmt::Formatter<'_>, base: f64, units: &[Unit]) -> fmt::Result {
    let reads_back = |text: &str| parse_with(text, units, "", "") == Ok(base);
    let own = units.iter().filter(|(name, ..)| name.ends_with(units[0].0));
    let candidates = own.filter_map(|&(name, factor, exponent)| {
        let value = base / factor / 10f64.powi(exponent);
        // A division may leave an error in the last digit; 16 digits usually restore the original notation.
        [format!("{}", (value * 1e6).round() / 1e6), format!("{value}")]
            .into_iter()
            .map(|number| format!("{number}{name}"))
            .find(|text| reads_back(text))
            .map(|text| (value >= 1.0, text))
    });
    let best = candidates.min_by_key(|(at_least_one, text)| (!at_least_one, text.len()));
    match best {
        Some((_, text)) => f.pad(&text),
        None => f.pad(&format!("{base:e}{}", units[0].0)),
    }
}

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $example:literal, whole: $whole:literal, $units:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
        pub struct $name(f64);

        impl $name {
            const UNITS: &'static [Unit] = $units;
        }

        impl Quantity for $name {
            const KIND: &'static str = $kind;
            const EXAMPLE: &'static str = $example;
            const UNIT: &'static str = Self::UNITS[0].0;
            const IS_WHOLE: bool = $whole;

            fn base(self) -> f64 {
                self.0
            }

            fn from_base(base: f64) -> Result<Self, QuantityError> {
                if !(base.is_finite() && base >= 0.0) {
                    return Err(QuantityError::OutOfRange { kind: $kind, range: "zero or more, and finite" });
                }
                if $whole && (base.fract() != 0.0 || base > 9e15) {
                    return Err(QuantityError::OutOfRange { kind: $kind, range: "a whole number of bytes below 9 PB" });
                }
                Ok(Self(base))
            }
        }

        impl FromStr for $name {
            type Err = QuantityError;
            fn from_str(text: &str) -> Result<Self, QuantityError> {
                Self::from_base(parse_with(text, Self::UNITS, $kind, $example)?)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_with(f, self.0, Self::UNITS)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl de::Visitor<'_> for Visitor {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        write!(f, "a {} such as {:?}", $kind, $example)
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(Visitor)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "format": $kind, "examples": [$example] })
            }
        }
    };
}

quantity! {
    /// A length of time, in seconds: `"48.39us"`, `"1.5s"`, `"2h"`. Zero or more.
    Seconds, "duration", "48.39us", whole: false,
    &[("s", 1.0, 0), ("ms", 1.0, -3), ("us", 1.0, -6), ("µs", 1.0, -6), ("ns", 1.0, -9), ("ps", 1.0, -12),
      ("min", 60.0, 0), ("h", 3600.0, 0), ("d", 86400.0, 0)]
}

impl Seconds {
    /// A length of time with its unit, rounded to four digits for a sentence.
    #[must_use]
    pub fn shown(seconds: f64) -> String {
        let rounded = format!("{seconds:.3e}").parse().unwrap_or(seconds);
        Self::from_base(rounded).map_or_else(|_| seconds.to_string(), |seconds| seconds.to_string())
    }
}

quantity! {
    /// An amount of data, in whole bytes: `"8KiB"`, `"1MB"`, `"64B"`.
    Bytes, "size", "512KiB", whole: true,
    &[("B", 1.0, 0), ("KiB", 1024.0, 0), ("MiB", 1_048_576.0, 0), ("GiB", 1_073_741_824.0, 0),
      ("TiB", 1_099_511_627_776.0, 0), ("kB", 1.0, 3), ("KB", 1.0, 3), ("MB", 1.0, 6), ("GB", 1.0, 9), ("TB", 1.0, 12)]
}

quantity! {
    /// A bandwidth, in bytes per second: `"1Gbit/s"`, `"125MB/s"`.
    BytesPerSecond, "bandwidth", "1Gbit/s", whole: false,
    &[("B/s", 1.0, 0), ("kB/s", 1.0, 3), ("MB/s", 1.0, 6), ("GB/s", 1.0, 9), ("TB/s", 1.0, 12),
      ("KiB/s", 1024.0, 0), ("MiB/s", 1_048_576.0, 0), ("GiB/s", 1_073_741_824.0, 0),
      ("bit/s", 0.125, 0), ("kbit/s", 0.125, 3), ("Mbit/s", 0.125, 6), ("Gbit/s", 0.125, 9), ("Tbit/s", 0.125, 12)]
}

quantity! {
    /// A time per byte, in seconds per byte: `"6ns/B"`.
    SecondsPerByte, "time per byte", "6ns/B", whole: false,
    &[("s/B", 1.0, 0), ("ms/B", 1.0, -3), ("us/B", 1.0, -6), ("µs/B", 1.0, -6), ("ns/B", 1.0, -9), ("ps/B", 1.0, -12)]
}

quantity! {
    /// A speed, in operations per second: `"1.8Gop/s"`. The workload defines an operation.
    OperationsPerSecond, "speed", "1.8Gop/s", whole: false,
    &[("op/s", 1.0, 0), ("kop/s", 1.0, 3), ("Mop/s", 1.0, 6), ("Gop/s", 1.0, 9), ("Top/s", 1.0, 12),
      ("flop/s", 1.0, 0), ("kflop/s", 1.0, 3), ("Mflop/s", 1.0, 6), ("Gflop/s", 1.0, 9), ("Tflop/s", 1.0, 12),
      ("Hz", 1.0, 0), ("MHz", 1.0, 6), ("GHz", 1.0, 9)]
}

quantity! {
    /// An amount of work, in operations: `"4Mop"`.
    Operations, "work", "4Mop", whole: false,
    &[("op", 1.0, 0), ("kop", 1.0, 3), ("Mop", 1.0, 6), ("Gop", 1.0, 9), ("Top", 1.0, 12),
      ("flop", 1.0, 0), ("kflop", 1.0, 3), ("Mflop", 1.0, 6), ("Gflop", 1.0, 9), ("Tflop", 1.0, 12)]
}

quantity! {
    /// A power, in watts: `"95W"`, `"1.2kW"`. Zero or more.
    Watts, "power", "95W", whole: false,
    &[("W", 1.0, 0), ("mW", 1.0, -3), ("kW", 1.0, 3), ("MW", 1.0, 6)]
}

impl Bytes {
    /// This many bytes.
    #[must_use]
    pub const fn new(bytes: u64) -> Self {
        Self(bytes as f64)
    }

    /// The whole number of bytes.
    #[must_use]
    pub const fn count(self) -> u64 {
        self.0 as u64
    }

    /// The size that an environment variable says, where it is set: a number of bytes, or a quantity such as `4GiB`.
    ///
    /// # Errors
    /// A sentence where it says something else.
    pub fn from_environment(variable: &str) -> Result<Option<Self>, String> {
        match std::env::var(variable) {
            Ok(text) => Self::read(&text).map(Some),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
        .map_err(|fault| format!("the environment variable {variable} is not a size such as 4GiB: {fault}"))
    }

    fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        text.parse::<u64>().map(Self::new).or_else(|_| text.parse::<Self>()).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_numbers_or_quantities() {
        let read = |text| Bytes::read(text).ok().map(Bytes::count);
        assert_eq!(["8GiB", " 4096 ", "lots"].map(read), [Some(8 << 30), Some(4096), None]);
    }

    #[test]
    fn units_scale() {
        assert_eq!("48.39us".parse::<Seconds>().map(Quantity::base), Ok(48.39e-6));
        assert_eq!("1Gbit/s".parse::<BytesPerSecond>().map(Quantity::base), Ok(125e6));
        assert_eq!("512KiB".parse::<Bytes>().map(Bytes::count), Ok(524_288));
        assert_eq!("6 ns/B".parse::<SecondsPerByte>().map(Quantity::base), Ok(6e-9));
        assert_eq!("1.5e3ms".parse::<Seconds>().map(Quantity::base), Ok(1.5));
        assert_eq!("1_000B".parse::<Bytes>().map(Bytes::count), Ok(1000));
        assert_eq!("1.2kW".parse::<Watts>().map(Quantity::base), Ok(1200.0));
        assert_eq!("7 mW".parse::<Watts>().map(Quantity::base), Ok(0.007));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(matches!("5".parse::<Seconds>(), Err(QuantityError::NoUnit { .. })));
        assert!(matches!("5kg".parse::<Seconds>(), Err(QuantityError::UnknownUnit { .. })));
        assert!(matches!("fast".parse::<BytesPerSecond>(), Err(QuantityError::NoNumber { .. })));
        for text in ["-5us", "1e999s"] {
            assert!(matches!(text.parse::<Seconds>(), Err(QuantityError::OutOfRange { .. })), "{text}");
        }
        assert!(matches!("1.5B".parse::<Bytes>(), Err(QuantityError::OutOfRange { .. })));
    }

    #[test]
    fn printing_reads_back() {
        for text in ["48.39us", "1.5s", "0s", "8837us", "2h"] {
            let value: Seconds = text.parse().expect("valid");
            assert_eq!(value.to_string().parse::<Seconds>(), Ok(value), "{text} printed as {value}");
        }
        assert_eq!("48.39us".parse::<Seconds>().map(|v| v.to_string()), Ok("48.39us".to_owned()));
        assert_eq!(Bytes::new(524_288).to_string(), "512KiB");
        assert_eq!(Bytes::new(1000).to_string(), "1kB");
        assert_eq!(Bytes::new(0).to_string(), "0B");
    }
}
