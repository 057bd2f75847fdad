//! The result of a run: named metrics, and long tables with a row per node, moment or message.

mod metric;
mod row;
#[doc(hidden)]
pub mod stored;
mod value;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use metric::{Direction, Metric, MetricKind, Metrics, Share, is_duration, quantity_of};
pub use row::CsvRows;
pub use value::Value;

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

/// Everything that one run measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Record {
    /// The metrics in the order of their columns, unit in the name (`completion_s`).
    // The stored name of the field is older than its present name.
    #[serde(rename = "figures")]
    pub metrics: Vec<(Cow<'static, str>, Value)>,
    /// Times on the clock of the simulating computer, in seconds. Separate from the metrics, since they differ each
    /// time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timings: Vec<(Cow<'static, str>, f64)>,
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
            _ => self.metrics.push((metric.name.into(), value)),
        }
    }

    /// Adds a metric.
    pub fn metric(&mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Value>) {
        self.metrics.push((name.into(), value.into()));
    }

    /// Adds seconds that this computer's clock measured.
    pub fn timing(&mut self, name: impl Into<Cow<'static, str>>, seconds: f64) {
        self.timings.push((name.into(), seconds));
    }

    /// The metric of that name, if the run has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.metrics.iter().find(|(metric, _)| metric == name).map(|(_, value)| value)
    }
}
