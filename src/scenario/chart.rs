//! The keys of `[[chart]]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::{Scalar, Where};

/// `[[chart]]`: a picture.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChartSpec {
    /// The file's stem in `charts/`: a name that every system takes for a file, of 200 bytes at most.
    pub name: String,
    /// What kind of picture.
    #[serde(default)]
    pub kind: ChartKind,
    /// The heading.
    #[serde(default)]
    pub title: Option<String>,
    /// A line under the heading, such as the conditions.
    #[serde(default)]
    pub subtitle: Option<String>,
    /// A long table of the run (one of `output.tables`), whose rows are drawn instead of points (`line`, `bar`, `stacked`, `heatmap`):
    /// `x` and `y` are columns of it, `series` is a column or a swept key, and `where` chooses the run, of which the first
    /// replica is shown. Rows of a series with the same x share a bar, which shows their mean. In a `heatmap` `value` is a
    /// column, too, and rows with one x and one y share a cell.
    #[serde(default)]
    pub table: Option<String>,
    /// Whether the lines are steps: each value holds until the next one (`line`).
    #[serde(default)]
    pub step: bool,
    /// The swept key along x (`line`, `bar`, `stacked`, `box`, `heatmap`); for a `histogram` and a `scatter` the metric.
    #[serde(default)]
    pub x: Option<String>,
    /// The metric along y, or a list of metrics with one unit: a line, a bar, a segment or a box for each. For a `heatmap` the
    /// swept key along y.
    #[serde(default)]
    pub y: Names,
    /// The swept key that tells lines, bars or boxes apart. With several metrics in `y`, lines of one value of the key have one
    /// colour and lines of one metric have one dash; bars and boxes can't have both. In a `histogram`
    /// each value of the key has a panel.
    #[serde(default)]
    pub series: Option<String>,
    /// What metrics of `y` and `reference` are called in the picture, instead of their names.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// What values of the keys along `x` and `y` and in `series` are called in the picture (in a `sensitivity` chart, what the
    /// keys are called), instead of what they are in the scenario: `names = { heft = "HEFT", min_min = "min-min" }`.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// The metric in the cells of a `heatmap`.
    #[serde(default)]
    pub value: Option<String>,
    /// The scale of x.
    #[serde(default)]
    pub x_scale: Scale,
    /// The scale of y.
    #[serde(default)]
    pub y_scale: Scale,
    /// The label of x; the key's name where it is not given.
    #[serde(default)]
    pub x_label: Option<String>,
    /// The label of y; the metric's name where it is not given.
    #[serde(default)]
    pub y_label: Option<String>,
    /// Metrics drawn as dashed lines of reference besides `y`, each taken from any point with that x.
    #[serde(default)]
    pub reference: Vec<String>,
    /// Values to compare with, such as those that a paper prints (`line`, `histogram`), or borders between cells
    /// (`heatmap`).
    #[serde(default)]
    pub mark: Vec<MarkSpec>,
    /// Whether a stepped line joins the points that no other one beats in one of the metrics `x` and `y` without being worse in
    /// the other (`scatter`): the Pareto front, such as of time and energy. Less is better where a metric does not say that
    /// more is.
    #[serde(default)]
    pub pareto: bool,
    /// How many bins a `histogram` has; by the rule of Freedman and Diaconis where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 120))]
    pub bins: Option<u32>,
    /// What the rows of a `utilization` chart are: `"links"`, or `"nodes"`. Links if not given.
    #[serde(default)]
    pub of: Option<Of>,
    /// Whether a `gantt` chart has lanes for links, too: for the 20 most used of those that messages shared, the darker
    /// the more of their bandwidth is in use.
    #[serde(default)]
    pub links: bool,
    /// The points that are drawn; for `gantt`, `tree`, `graph` and `utilization` the one point, of which the first replica that
    /// is.
    #[serde(default, rename = "where")]
    pub filter: Where,
}

/// `[[chart.mark]]`: a value to compare with. In a `line` chart a point at `x` and `y`; in a `histogram` a line at `value`,
/// with its quantile: the share of the values that are not above it. In a `heatmap` a border behind the columns up to `x`,
/// in the row `y` or in all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkSpec {
    /// What it is, such as "printed". Points with one label share it.
    pub label: String,
    /// The value in a `histogram`: a number in the metric's unit, or a quantity.
    #[serde(default)]
    pub value: Option<Scalar>,
    /// The place along x in a `line` chart or a `heatmap`: a number, a quantity, or a value of the key.
    #[serde(default)]
    pub x: Option<Scalar>,
    /// The value along y in a `line` chart: a number in the unit of the metrics, or a quantity. In a `heatmap` the value of
    /// the swept key along y to whose row the border belongs.
    #[serde(default)]
    pub y: Option<Scalar>,
    /// The value of the chart's `series` that it belongs to: the panel of a `histogram`, the colour in a `line` chart. In a
    /// `histogram` it is in all panels where this is not given.
    #[serde(default)]
    pub series: Option<Scalar>,
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

    /// The first of them.
    #[must_use]
    pub fn first(&self) -> Option<&String> {
        self.all().first()
    }
}

impl Default for Names {
    /// None at all.
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

/// The kinds of pictures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChartKind {
    /// A line for each series, with 95 % bands where there are replicas.
    #[default]
    Line,
    /// A group of bars for each x.
    Bar,
    /// A stack of bars for each x: a segment for each metric of `y`, in that order from below, with means over replicas.
    /// What is negative hangs below zero, and lines beside the stack mark the sum.
    Stacked,
    /// A mark for each point of the sweep, at the means of the metrics `x` and `y` over replicas, with the interval of `y`.
    Scatter,
    /// How the metric `x` is distributed over replicas, and over all points that `where` lets through.
    Histogram,
    /// How the metrics `y` are distributed at each x, over replicas and over all other points that `where` lets through. A
    /// box reaches from the lower to the upper quartile (interpolated between order statistics at (n − 1)/4 and
    /// 3(n − 1)/4, type 7 of Hyndman and Fan) with a line at the median, a whisker to the farthest value within 1.5 times the
    /// box' height; values beyond are points.
    #[serde(rename = "box")]
    BoxPlot,
    /// A cell for each pair of x and y.
    Heatmap,
    /// Who is busy with what when, and who sends to whom, in one run.
    Gantt,
    /// The tree along which one run passes its message on.
    Tree,
    /// The task graph of one run, of 60 tasks at most: levels from above to below, each task with its work and the colour of the
    /// node that computes it, each edge with its bytes where there is space.
    Graph,
    /// How much of each link that messages shared is in use when in one run, or (`of = "nodes"`) of each node's cores: a row
    /// each, the most used first, 40 at most, and a colour for the mean use in each two-hundredth of the run. Of a link it is
    /// the share of its full bandwidth; a core is in use while it computes or receives.
    Utilization,
    /// Which keys of the design matter for the metric `y`, of which there is a `[[sensitivity]]`: a bar for each with its
    /// interval, the largest first. Of a `morris` design the mean size of the elementary effects, of a `saltelli` design the
    /// first-order and the total index.
    Sensitivity,
}

/// What the rows of a `utilization` chart are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    /// The links that messages share.
    #[default]
    Links,
    /// The nodes.
    Nodes,
}

/// The scale of an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal factors.
    Log,
}
