//! The result of a run: named metrics, and long tables with a row per node, moment or message.

pub mod stored;

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

impl fmt::Display for Value {
    /// The notation in a CSV: the shortest digits that read back as the same number, and nothing for a blank.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => count.fmt(f),
            // Display never uses an exponent, so a tiny number would be a long row of zeros.
            Self::Number(number) if *number != 0.0 && !(1e-5..1e16).contains(&number.abs()) => {
                f.pad(&format!("{number:e}"))
            }
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.pad(text),
            Self::Blank => f.pad(""),
        }
    }
}

/// Whether a metric of that name is a length of time in seconds: its name ends in `_s` and it is not a rate.
#[must_use]
pub fn is_duration(metric: &str) -> bool {
    metric.ends_with("_s") && !metric.ends_with("_per_s") && !metric.ends_with("_bytes_s")
}

/// A long table of a run: a file of its own, with the run's number before each row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The name, which is also the file's stem: `nodes` is written to `nodes.csv`.
    pub name: String,
    /// The columns' names, units included.
    pub columns: Vec<String>,
    /// The rows, each as long as `columns`.
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// A table of a declared shape, without rows.
    #[must_use]
    pub fn new(shape: &TableShape) -> Self {
        Self {
            name: shape.name.to_owned(),
            columns: shape.columns.iter().map(|column| column.name.to_owned()).collect(),
            rows: Vec::new(),
        }
    }
}

/// The long tables of a run that somebody wants.
#[derive(Debug)]
pub struct WantedTables<'a> {
    names: &'a [String],
    kept: Vec<Table>,
}

impl<'a> WantedTables<'a> {
    /// None so far, of those with these names.
    #[must_use]
    pub const fn new(names: &'a [String]) -> Self {
        Self { names, kept: Vec::new() }
    }

    /// Whether a table is wanted.
    #[must_use]
    pub fn wants(&self, shape: &TableShape) -> bool {
        self.names.iter().any(|name| name == shape.name)
    }

    /// Keeps a table if it is wanted; its rows are made only then.
    pub fn keep<R: IntoIterator<Item = Vec<Value>>>(&mut self, shape: &TableShape, rows: impl FnOnce() -> R) {
        if self.wants(shape) {
            self.kept.push(Table { rows: rows().into_iter().collect(), ..Table::new(shape) });
        }
    }

    /// The tables in the order of the names.
    #[must_use]
    pub fn into_tables(mut self) -> Vec<Table> {
        self.kept.sort_by_key(|table| self.names.iter().position(|name| *name == table.name));
        self.kept
    }
}

/// A long table that a workload can record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableShape {
    /// Its name.
    pub name: &'static str,
    /// What a row describes.
    pub about: &'static str,
    /// Its columns, in order.
    pub columns: &'static [Metric],
}

/// A metric of a workload's runs, or a column of one of their long tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metric {
    /// Its name, with its unit at the end.
    pub name: &'static str,
    /// A description.
    pub about: &'static str,
    /// The kind of its values.
    pub kind: MetricKind,
    /// Whether less or more of it is better. Every numeric metric has a direction; columns of long tables have none.
    pub direction: Option<Direction>,
    /// What it is a share of, if it counts how often something happened.
    pub share: Option<Share>,
}

/// Whether less or more of a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Less is better: times, errors, energy.
    Less,
    /// More is better: speedups, efficiencies, throughputs.
    More,
    /// Neither: it describes the platform, the program or the simulation.
    Neither,
}

impl Direction {
    /// The direction of the inverse of a metric.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Less => Self::More,
            Self::More => Self::Less,
            Self::Neither => Self::Neither,
        }
    }

    /// The direction in words; `None` for [`Direction::Neither`].
    #[must_use]
    pub const fn words(self) -> Option<&'static str> {
        match self {
            Self::Less => Some("less is better"),
            Self::More => Some("more is better"),
            Self::Neither => None,
        }
    }
}

/// What a metric is a share of. Its mean is a proportion, whose interval is not that of a mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Of replicas: a run gives 1 or 0.
    Runs,
    /// Of the draws of each run; the metric of this name holds their number.
    Draws(&'static str),
}

/// The kind of a metric's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// Numbers, simulated or computed.
    Number,
    /// Names, such as the algorithm that was chosen.
    Name,
    /// Seconds on this computer's clock, different each time. They stand in `timings.csv`.
    Timing,
}

impl Metric {
    /// A metric that is a number.
    #[must_use]
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self::of_kind(name, about, MetricKind::Number)
    }

    /// The metric, whose values are names.
    #[must_use]
    pub const fn text(self) -> Self {
        Self { kind: MetricKind::Name, ..self }
    }

    /// The metric, which this machine's clock measures.
    #[must_use]
    pub const fn clocked(self) -> Self {
        Self { kind: MetricKind::Timing, ..self }
    }

    const fn of_kind(name: &'static str, about: &'static str, kind: MetricKind) -> Self {
        Self { name, about, kind, direction: None, share: None }
    }

    /// A metric that is a number.
    #[must_use]
    pub const fn number(name: &'static str, about: &'static str) -> Self {
        Self::of_kind(name, about, MetricKind::Number)
    }

    /// A metric that is a name.
    #[must_use]
    pub const fn name(name: &'static str, about: &'static str) -> Self {
        Self::of_kind(name, about, MetricKind::Name)
    }

    /// The metric with the direction "less is better".
    #[must_use]
    pub const fn less(self) -> Self {
        Self { direction: Some(Direction::Less), ..self }
    }

    /// The metric with the direction "more is better".
    #[must_use]
    pub const fn more(self) -> Self {
        Self { direction: Some(Direction::More), ..self }
    }

    /// The metric with the direction "neither".
    #[must_use]
    pub const fn neither(self) -> Self {
        Self { direction: Some(Direction::Neither), ..self }
    }

    /// The metric as an outcome: 1 in runs in which something happened, 0 in others.
    #[must_use]
    pub const fn outcome(self) -> Self {
        Self { share: Some(Share::Runs), ..self }
    }

    /// The metric as a share of a run's draws, whose number is the metric `draws`.
    #[must_use]
    pub const fn share_of(self, draws: &'static str) -> Self {
        Self { share: Some(Share::Draws(draws)), ..self }
    }

    /// The unit of its values, taken from the end of its name; `None` for bare numbers and names.
    #[must_use]
    pub fn unit(&self) -> Option<&'static str> {
        let rate = self.name.ends_with("_bytes_per_s") || self.name.ends_with("_bytes_s");
        match self.name {
            _ if self.is_name() => None,
            _ if rate => Some("B/s"),
            name if is_duration(name) => Some("s"),
            name if name.ends_with("_per_s") => Some("1/s"),
            name if name.ends_with("_bytes") => Some("B"),
            name if name.ends_with("_percent") => Some("%"),
            name if name.ends_with("_js") => Some("J·s"),
            name if name.ends_with("_j") => Some("J"),
            name if name.ends_with("_w") => Some("W"),
            _ => None,
        }
    }

    /// Whether its values are names.
    #[must_use]
    pub const fn is_name(&self) -> bool {
        matches!(self.kind, MetricKind::Name)
    }
}

/// The metrics that a workload's runs give: columns that are declared once, by [`metrics!`](crate::metrics!), and
/// through which every record is written.
pub trait Metrics {
    /// The columns, in their order.
    fn columns() -> Vec<&'static Metric>;

    /// Writes the values into a record.
    fn write(self, record: &mut Record);
}

impl Metrics for () {
    fn columns() -> Vec<&'static Metric> {
        Vec::new()
    }

    fn write(self, _: &mut Record) {}
}

/// Metrics that not every run has: without them, a record has no such columns.
impl<M: Metrics> Metrics for Option<M> {
    fn columns() -> Vec<&'static Metric> {
        M::columns()
    }

    fn write(self, record: &mut Record) {
        if let Some(metrics) = self {
            metrics.write(record);
        }
    }
}

impl<A: Metrics, B: Metrics> Metrics for (A, B) {
    fn columns() -> Vec<&'static Metric> {
        [A::columns(), B::columns()].concat()
    }

    fn write(self, record: &mut Record) {
        self.0.write(record);
        self.1.write(record);
    }
}

/// Declares metrics: a struct with a field for each, named as its column, with what the metric means and, in brackets,
/// the methods of [`Metric`] that say the rest of it, such as `[less]`.
///
/// Where the names make a list, as with a metric for each of several algorithms, the struct holds a list of values in
/// their order: `pub struct Ends [ [less] "end_flat_s" => "what it means", ]`.
#[macro_export]
macro_rules! metrics {
    (
        $(#[$doc:meta])*
        $visible:vis struct $Name:ident [
            $([$($how:ident $(($of:literal))?),+] $metric:expr => $about:expr,)+
        ]
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Default)]
        $visible struct $Name(pub Vec<$crate::record::Value>);

        $crate::metric_columns! { $Name $([$($how $(($of))?),+] $metric => $about,)+ |metrics| metrics.0 }
    };
    (
        $(#[$doc:meta])*
        $visible:vis struct $Name:ident {
            $($metric:ident: $Value:ty = $about:literal [$($how:ident $(($of:literal))?),+],)+
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Default)]
        $visible struct $Name {
            $(#[doc = $about] $visible $metric: $Value,)+
        }

        $crate::metric_columns! {
            $Name $([$($how $(($of))?),+] stringify!($metric) => $about,)+
            |metrics| [$($crate::record::Value::from(metrics.$metric)),+]
        }
    };
}

/// The columns of a struct of metrics, and how its values are written: a part of [`metrics!`](crate::metrics!).
#[doc(hidden)]
#[macro_export]
macro_rules! metric_columns {
    (
        $Name:ident $([$($how:ident $(($of:literal))?),+] $metric:expr => $about:expr,)+
        |$metrics:ident| $values:expr
    ) => {
        impl $Name {
            /// The columns, in their order.
            pub const METRICS: &'static [$crate::record::Metric] =
                &[$($crate::record::Metric::new($metric, $about)$(.$how($($of)?))+),+];
        }

        impl $crate::record::Metrics for $Name {
            fn columns() -> Vec<&'static $crate::record::Metric> {
                Self::METRICS.iter().collect()
            }

            fn write(self, record: &mut $crate::record::Record) {
                let $metrics = self;
                for (metric, value) in Self::METRICS.iter().zip($values) {
                    record.put(metric, value);
                }
            }
        }
    };
}

/// Everything that one run measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Record {
    /// The metrics in the order of their columns, unit in the name (`completion_s`).
    // The stored name of the field is older than its present name.
    #[serde(rename = "figures")]
    pub metrics: Vec<(String, Value)>,
    /// Times on the clock of the simulating computer, in seconds. Separate from the metrics, since they differ each
    /// time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timings: Vec<(String, f64)>,
    /// The long tables that the scenario requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Table>,
}

impl Record {
    /// Adds a metric of a workload: to the timings what a clock measures, unless it is undefined, and the others to the
    /// metrics.
    pub fn put(&mut self, metric: &Metric, value: Value) {
        match (metric.kind, value.number()) {
            (MetricKind::Timing, None) => {}
            (MetricKind::Timing, Some(seconds)) => self.timing(metric.name, seconds),
            _ => self.metrics.push((metric.name.to_owned(), value)),
        }
    }

    /// Adds a metric.
    pub fn metric(&mut self, name: &str, value: impl Into<Value>) {
        self.metrics.push((name.to_owned(), value.into()));
    }

    /// Adds seconds that this computer's clock measured.
    pub fn timing(&mut self, name: &str, seconds: f64) {
        self.timings.push((name.to_owned(), seconds));
    }

    /// The metric of that name, if the run has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.metrics.iter().find(|(metric, _)| metric == name).map(|(_, value)| value)
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
