//! A point's metric against another point's, or against what a file gives for the point.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Derived, Keys, blank};
use crate::record::Value;
use crate::report::results::{Results, Row};
use crate::scenario::{Given, References, Where};

/// What a metric is compared with.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Against {
    /// The keys of every derivation from one metric.
    #[serde(flatten)]
    pub derived: Derived,
    /// The point compared with: the swept keys in which it differs from this one.
    #[serde(default)]
    pub to: Where,
    /// Instead of a point: a CSV file with the values compared with, such as known optima. A point is compared with the
    /// row that has the same values of the swept keys; without such a row, or with an empty cell there, the metric is
    /// blank.
    #[serde(default)]
    #[schemars(extend("format" = "file"))]
    pub file: Option<String>,
    /// The column of `file` that is compared with, in the unit of `metric`.
    #[serde(default)]
    pub column: Option<String>,
    /// By what a row of `file` is found: swept keys to the columns with their values. By default all columns that are
    /// named like a swept key.
    #[serde(default)]
    pub by: BTreeMap<String, String>,
    /// The content of the file, after the check has read it.
    #[serde(skip)]
    given: OnceLock<Given>,
}

impl Keys for Against {
    fn name(&self) -> &str {
        &self.derived.name
    }

    fn metric(&self) -> Option<&str> {
        Some(&self.derived.metric)
    }

    /// There is either a point to compare with, or a file with a column.
    fn check(&self, at: &str, references: &mut References<'_>) {
        let problems = references.problems();
        other_point(at, &self.to, references);
        for key in self.by.keys() {
            references.swept_key(&format!("{at}.by.{key}"), key);
        }
        match (&self.file, &self.column) {
            (None, column) => {
                if self.to.is_empty() {
                    let message =
                        "this derivation needs `to`, the point compared with, or `file`, the values compared with";
                    references.wrong(at, message.to_owned(), None);
                }
                if column.is_some() || !self.by.is_empty() {
                    let message = "`column` and `by` speak of a `file`, which is not given".to_owned();
                    references.wrong(at, message, None);
                }
            }
            (Some(_), _) if !self.to.is_empty() => {
                let message = "give either `to`, the point compared with, or `file`, the values compared with";
                references.wrong(&format!("{at}.file"), message.to_owned(), None);
            }
            (Some(_), None) => {
                let message = "this derivation needs `column`, the column of the file that is compared with";
                references.wrong(at, message.to_owned(), None);
            }
            (Some(_), Some(column)) if references.problems() == problems => {
                if let Some(given) = references.given(at, column, &self.by) {
                    self.given.get_or_init(|| given);
                }
            }
            _ => {}
        }
    }
}

impl Against {
    /// A value made from each row and the row of the other point with the same replica, or what the file gives for the
    /// point.
    pub(super) fn values(&self, results: &Results<'_>, make: impl Fn(f64, f64) -> f64) -> Vec<Value> {
        let Some(column) = results.column(&self.derived.metric) else { return blank(results) };
        let value = |(number, row): (usize, &Row)| {
            let (this, point) = (results.number(number, column)?, row.point as usize);
            if let Some(given) = self.given.get() {
                return Some(make(this, given.at(&results.scenario().points[point])?));
            }
            let other = results.row(results.other(point, &self.to)?, row.replica)?;
            Some(make(this, results.number(other, column)?))
        };
        results.rows().iter().enumerate().map(|row| Value::from(value(row))).collect()
    }
}

/// A point that differs in these keys only.
pub(super) fn other_point(at: &str, to: &Where, references: &mut References<'_>) {
    references.points(&format!("{at}.to"), to);
    for key in to.keys() {
        references.not_of_design(&format!("{at}.to.{key}"), key);
    }
}
