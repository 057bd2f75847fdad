//! Keys that several kinds of charts have.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::draw::axis::{Axis, Scale};
use crate::report::text::{heading, kind};
use crate::scenario::{Scalar, Where};

/// The keys that every chart has.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Common {
    /// The file's stem in `charts/`: a name that every system takes for a file, of 200 bytes at most.
    pub name: String,
    /// The heading.
    #[serde(default)]
    pub title: Option<String>,
    /// A line under the heading, such as the conditions.
    #[serde(default)]
    pub subtitle: Option<String>,
    /// The points that are drawn; where a chart is of one run the one point, of which the first replica is.
    #[serde(default, rename = "where")]
    pub filter: Where,
}

impl Common {
    /// The heading, made of the name where there is none.
    #[must_use]
    pub fn heading(&self) -> String {
        self.title.clone().unwrap_or_else(|| self.name.replace('_', " "))
    }
}

/// The metrics along y.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Metrics {
    /// The metric along y, or a list of metrics with one unit: a line, a bar, a segment, a mark or a box for each.
    pub y: Names,
    /// What the metrics are called in the picture, instead of their names.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The scale of y.
    #[serde(default)]
    pub y_scale: Scale,
    /// The label of y; the metric's name where it is not given.
    #[serde(default)]
    pub y_label: Option<String>,
}

impl Metrics {
    /// The first of them, whose unit is that of all.
    #[must_use]
    pub fn first(&self) -> &str {
        self.y.all().first().map(String::as_str).unwrap_or_default()
    }

    /// What a metric is called in the chart.
    #[must_use]
    pub fn called(&self, metric: &str) -> String {
        called(&self.labels, metric)
    }

    /// The vertical axis of all of them.
    #[must_use]
    pub fn axis(&self) -> Axis {
        let names: Vec<String> = self.y.all().iter().map(|metric| self.called(metric)).collect();
        let label = self.y_label.clone().unwrap_or_else(|| names.join(", "));
        metric_axis(self.first(), Some(&label), self.y_scale)
    }
}

/// The keys of a chart of metrics over a swept key, or over a column of a long table.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Over {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// A long table of the run (one of `output.tables`), whose rows are drawn instead of points: `x` and `y` are
    /// columns of it, `series` is a column or a swept key, and `where` chooses the run, of which the first replica is
    /// shown. Bars show the mean of the rows of a series with the same x.
    #[serde(default)]
    pub table: Option<String>,
    /// The swept key along x, or the column of `table`.
    pub x: String,
    /// The metrics along y.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// The label of x; the key's name where it is not given.
    #[serde(default)]
    pub x_label: Option<String>,
}

impl Over {
    /// The label of a column of `table` along x.
    pub(super) fn column_label(&self) -> String {
        self.x_label.clone().unwrap_or_else(|| self.metrics.called(&self.x))
    }
}

/// The groups of what is drawn.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
pub struct Groups {
    /// The swept key that tells lines, bars, marks or boxes apart; each of its values has a panel in a `histogram`.
    /// With several metrics in `y`, lines of one value of the key have one colour and lines of one metric have one
    /// dash; bars and boxes can't have both.
    #[serde(default)]
    pub series: Option<String>,
    /// What values of the keys along `x` and in `series` are called in the picture, instead of what they are in the
    /// scenario: `names = { heft = "HEFT", min_min = "min-min" }`.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
}

/// A name, or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Names {
    /// This one.
    One(String),
    /// All of these.
    Several(Vec<String>),
}

impl Names {
    /// All of them, in the order given.
    #[must_use]
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

/// What points or rows a chart shows, and in what groups.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'a> {
    pub(super) common: &'a Common,
    pub(super) series: Option<&'a str>,
    pub(super) names: &'a BTreeMap<String, String>,
}

impl<'a> Shown<'a> {
    pub(super) fn new(common: &'a Common, groups: &'a Groups) -> Self {
        Self { common, series: groups.series.as_deref(), names: &groups.names }
    }
}

/// The value of the chart's `series` that a mark belongs to, if it does.
pub(super) type OfSeries = Option<Scalar>;

/// What a metric is called in a chart.
pub(super) fn called(labels: &BTreeMap<String, String>, metric: &str) -> String {
    labels.get(metric).cloned().unwrap_or_else(|| heading(metric))
}

/// An axis of a metric, or of a column of a long table.
pub(super) fn metric_axis(metric: &str, label: Option<&String>, scale: Scale) -> Axis {
    let label = label.cloned().unwrap_or_else(|| heading(metric));
    Axis { label, scale, kind: kind(metric, None) }
}
