//! Results as text that people read: values with their units, headings, values of swept keys, tables of text.

use crate::record::quantity_of;
use crate::scenario::{Axis, AxisValue};
use crate::units::QuantityKind;

pub use hetsim_chart::kind::Kind;
pub(super) use hetsim_chart::kind::usable;

/// How the values of a column are shown: by the format of a swept key, or by the unit at the end of a metric's name.
#[must_use]
pub fn kind(name: &str, format: Option<&str>) -> Kind {
    match format.and_then(QuantityKind::named).or_else(|| quantity_of(name)).map(|kind| kind.unit) {
        Some("B") => Kind::Bytes,
        Some("s") => Kind::Seconds,
        Some(unit) => Kind::Unit(unit),
        None => Kind::Number,
    }
}

/// A metric or a value of an axis as a person reads it, by the unit that its name ends with.
#[must_use]
pub fn humane(name: &str, value: f64) -> String {
    kind(name, None).format(value)
}

/// A value of a swept key as a person reads it.
#[must_use]
pub fn axis_text(format: Option<&str>, value: &AxisValue) -> String {
    match (format, value.cell.number()) {
        (Some("size" | "duration"), Some(number)) => kind("", format).format(number),
        (Some(_), Some(_)) => spaced(&value.shown),
        _ => value.shown.clone(),
    }
}

/// A quantity with a space before its unit: `1.25 Gop/s`.
fn spaced(quantity: &str) -> String {
    let ends = quantity.char_indices().map(|(end, _)| end).skip(1);
    let is_number = |text: &str| text.trim_end().parse::<f64>().is_ok();
    let number = ends.filter(|&end| !is_number(quantity) && is_number(&quantity[..end])).last();
    let split = number.map(|end| (quantity[..end].trim_end(), quantity[end..].trim_start()));
    split.map_or_else(|| quantity.to_owned(), |(number, unit)| format!("{number}\u{a0}{unit}"))
}

/// All values of a swept key as a person reads them; no two of them look alike.
pub(super) fn axis_texts(axis: &Axis) -> Vec<String> {
    let numbers: Option<Vec<f64>> = axis.values.iter().map(|value| value.cell.number()).collect();
    match (axis.format.as_deref(), numbers) {
        (format @ Some("size" | "duration"), Some(numbers)) => kind("", format).format_apart(&numbers),
        _ => axis.values.iter().map(|value| axis_text(axis.format.as_deref(), value)).collect(),
    }
}

/// The heading of a metric's or a key's column: words, without the unit that the cells show.
pub(super) fn heading(name: &str) -> String {
    let plain = match kind(name, None) {
        Kind::Seconds => name.trim_end_matches("_s"),
        Kind::Bytes => name.trim_end_matches("_bytes"),
        Kind::Number | Kind::Unit(_) | Kind::Category(_) => name,
    };
    plain.replace('_', " ")
}

/// A sentence with its capital letter and its full stop.
pub(super) fn finished(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    // A symbol such as n keeps its case.
    let first = if text.starts_with("n = ") { letters.next() } else { None };
    let first = first.map(String::from).or_else(|| letters.next().map(|letter| letter.to_uppercase().collect()));
    let end = if text.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{}{}{end}", first.unwrap_or_default(), letters.as_str())
}

/// The heading of a swept key's column: of a dotted key so many of its last parts as tell it from the others.
pub(super) fn axis_heading(axes: &[Axis], number: usize) -> String {
    let own = &axes[number];
    let is_end = |axis: &Axis, end: &str| axis.key == end || axis.key.ends_with(&format!(".{end}"));
    let ends = own.name.rmatch_indices('.').map(|(dot, _)| &own.name[dot + 1..]);
    let told = ends.into_iter().find(|end| axes.iter().filter(|axis| is_end(axis, end)).count() == 1);
    heading(told.unwrap_or(&own.name))
}

/// A table ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextTable {
    /// The heading.
    pub title: String,
    /// The columns' headings.
    pub columns: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
    /// How many of the first columns say what a row is; where a table is shown in several blocks of columns each has
    /// them. One if it is 0.
    pub keys: usize,
    /// The key whose values head the other columns.
    pub over: Option<String>,
    /// What is to be said below it.
    pub notes: Vec<String>,
    /// The cells that are best among those that they are compared with, by row and column, in the order of rows.
    pub best: Vec<(usize, usize, BestCell)>,
}

/// How a cell is best among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BestCell {
    /// Better than all others.
    Alone,
    /// Equal to another that is best, too.
    Equal,
    /// Not told from the best by a test.
    Untold,
}

impl TextTable {
    /// How many of the first columns say what a row is.
    #[must_use]
    pub const fn key_columns(&self) -> usize {
        if self.keys == 0 { 1 } else { self.keys }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stand_apart_from_their_numbers() {
        let written = ["1.25Gop/s", "1e3W", "10 Mbit/s", "none", "12"].map(|text| spaced(text).replace('\u{a0}', " "));
        assert_eq!(written, ["1.25 Gop/s", "1e3 W", "10 Mbit/s", "none", "12"]);
    }

    #[test]
    fn values_that_differ_look_different() {
        assert_eq!(Kind::Bytes.format_apart(&[1024.0, 2048.0]), ["1\u{a0}KiB", "2\u{a0}KiB"]);
        assert_eq!(Kind::Bytes.format_apart(&[1e6, 1_000_001.0]), ["976.562\u{a0}KiB", "976.563\u{a0}KiB"]);
        assert_eq!(Kind::Seconds.format_apart(&[0.1, 0.100_04, 0.1]), ["100\u{a0}ms", "100.04\u{a0}ms", "100\u{a0}ms"]);
        let near = [1.0, 1.0 + f64::EPSILON];
        let texts = Kind::Number.format_apart(&near);
        assert_ne!(texts[0], texts[1]);
    }
}
