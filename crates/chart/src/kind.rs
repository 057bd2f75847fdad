//! Values with their units, as charts and tables show them.

use std::collections::HashSet;

use super::format;

/// What is measured, which decides where ticks stand and what they say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Kind {
    /// Plain numbers.
    #[default]
    Number,
    /// Sizes in bytes, in powers of two: 1 B, 64 KiB, 1 MiB.
    Bytes,
    /// Durations in seconds, with prefixes: 10 µs, 1 ms, 100 s.
    Seconds,
    /// Amounts of a unit that takes prefixes: 12.5 MB/s, 4 Gop.
    Unit(&'static str),
    /// Names; the value of a point is the index of its name.
    Category(Vec<String>),
}

impl Kind {
    /// `value` in few digits with its unit, as cells of charts and tables show it; nothing for an undefined one.
    #[must_use]
    pub fn format(&self, value: f64) -> String {
        self.with_digits(value, 3)
    }

    /// `value` with its unit in more digits, for a value that somebody has published.
    #[must_use]
    pub fn format_finely(&self, value: f64) -> String {
        self.with_digits(value, 6)
    }

    /// An interval from its low to its high end, both with more digits.
    pub(crate) fn format_interval(&self, low: f64, high: f64) -> String {
        format!("{} to {}", self.format_finely(low), self.format_finely(high))
    }

    /// Several values in as few digits as tell them apart, so that no two of them look alike.
    #[must_use]
    pub fn format_apart(&self, values: &[f64]) -> Vec<String> {
        let texts = |digits| values.iter().map(|&value| self.with_digits(value, digits)).collect::<Vec<_>>();
        let count = |values: &mut dyn Iterator<Item = String>| values.collect::<HashSet<_>>().len();
        // Both zeros are one number, and what is undefined is blank.
        let bits = |value: &f64| if usable(*value) { (value + 0.0).to_bits().to_string() } else { String::new() };
        let different = count(&mut values.iter().map(bits));
        // Seventeen digits tell any two floats apart.
        let apart = (3..17).find(|&digits| count(&mut texts(digits).into_iter()) == different);
        texts(apart.unwrap_or(17))
    }

    fn with_digits(&self, value: f64, digits: i32) -> String {
        match self {
            _ if !usable(value) => String::new(),
            Self::Number => format::significant(value, digits),
            Self::Bytes => format::size(value, digits),
            Self::Seconds => format::duration(value, digits),
            Self::Unit(unit) => format::amount(value, digits, unit),
            Self::Category(names) => names.get(value.round() as usize).cloned().unwrap_or_default(),
        }
    }
}

/// Values of this size and more have no place on any axis.
pub(crate) const LARGEST: f64 = 1e100;

/// Finite, and far from where sums and products overflow.
#[must_use]
pub fn usable(value: f64) -> bool {
    value.is_finite() && value.abs() < LARGEST
}
