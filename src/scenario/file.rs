//! The keys of a scenario file, but for the platform and the workload: each documented here, once.
//!
//! The JSON schema, the reference and the completion of editors are made from these types.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chart::ChartSpec;
use super::given::Given;
use super::kinds::WorkloadKind;
use super::platform::PlatformSpec;
use super::replicas::{Replicas, ninety_five};
use super::statistics::{CompareSpec, IntervalSpec};
use super::sweep::DesignSpec;
use crate::record::is_duration;
use crate::units::{Bytes, Quantity, Seconds};

/// A scenario: a platform, a workload, what varies, and what is to be shown of it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioFile {
    /// The version of this notation: 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// The question that the scenario answers, printed above its table and in the report.
    #[serde(default)]
    pub question: Option<String>,
    /// A few sentences for the report: assumptions, sources.
    #[serde(default)]
    pub notes: Option<String>,
    /// The folder from which this file's names of files are read; its own if not given. On the command line
    /// (`--set folder=…`) the folder is read from the current one.
    #[serde(default)]
    pub folder: Option<String>,
    /// The seed of all random streams.
    #[serde(default)]
    pub seed: u64,
    /// How many times each point is run, each time with other draws: a number, or
    /// `{ until = { metric = "completion_s", half_width = "1%" }, max = 1000 }` for as many as it takes to know a metric well.
    #[serde(default = "one")]
    pub replicas: Replicas,
    /// The machine.
    pub platform: PlatformSpec,
    /// The program.
    pub workload: WorkloadKind,
    /// What varies: dotted keys to values; their grid gives the points. Several `[[sweep]]` tables give the points of
    /// each, one after the other.
    #[serde(default)]
    #[schemars(with = "Sweeps")]
    pub sweep: Option<serde_json::Value>,
    /// Metrics made from several points.
    #[serde(default)]
    pub derive: Vec<DeriveSpec>,
    /// Which of the design's keys matter for a metric.
    #[serde(default)]
    pub sensitivity: Vec<SensitivitySpec>,
    /// Tables on the terminal and in the report.
    #[serde(default)]
    pub table: Vec<TableSpec>,
    /// Charts.
    #[serde(default)]
    pub chart: Vec<ChartSpec>,
    /// Choices that are compared, in words.
    #[serde(default)]
    pub compare: Vec<CompareSpec>,
    /// Metrics that a paper or a measurement gives, checked after the run.
    #[serde(default)]
    pub expect: Vec<ExpectSpec>,
    /// What is written besides the metrics.
    #[serde(default)]
    pub output: OutputSpec,
}

const fn one() -> Replicas {
    Replicas::Fixed(1)
}

/// One sweep, or several.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes the schema only")]
enum Sweeps {
    /// One grid.
    One(SweepTable),
    /// Several.
    Several(Vec<SweepTable>),
}

/// What varies: dotted keys of `platform` and `workload`, each to a list of values, a range `{ from, to, steps, scale }`, or
/// named alternatives `{ name = value }`. All combinations are points; keys that `zip = [["key", "other key"]]` names go through
/// their values together.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes the schema only")]
struct SweepTable {
    /// How values are chosen from ranges without `steps`, `{ from, to, scale }`, and from lists `{ among = […] }`, instead of
    /// going through all combinations. Lists, alternatives and ranges with `steps` are crossed with the design. The results
    /// have a column `point`, the number of the design's point.
    #[schemars(with = "DesignSpec")]
    #[serde(default)]
    design: Option<DesignSpec>,
}

/// `[[sensitivity]]`: which of the keys that a design of kind `morris` or `saltelli` chooses matter for a metric, for each
/// combination of the other swept keys: in `sensitivity.csv`, on the terminal, and in charts of kind `sensitivity`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SensitivitySpec {
    /// The metric; its mean over replicas counts. What replicas still differ in after that is taken for an interaction of keys.
    pub metric: String,
    /// The combinations of other swept keys that are looked at.
    #[serde(default, rename = "where")]
    pub filter: Where,
    /// The share of cases in which an interval is to hold what it estimates.
    #[serde(default = "ninety_five")]
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    pub confidence: f64,
    /// How many resamples the bootstrap draws for the intervals.
    #[serde(default = "thousand")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub resamples: usize,
}

const fn thousand() -> usize {
    1000
}

/// What is written besides the metrics, and how.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputSpec {
    /// Long tables of each run to keep, such as `nodes`.
    #[serde(default)]
    pub tables: Vec<String>,
    /// Of how many replicas of each point the tables are kept; of all where it is not given.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub replicas: Option<u32>,
    /// How the intervals of means are made, in `summary.csv` and in charts: by Student's t distribution with 95 % if not given.
    #[serde(default)]
    pub interval: IntervalSpec,
    /// The quantiles over replicas that `summary.csv` has of each metric, with their intervals where there are replicas
    /// enough: `0.5` is the median (`completion_s_q50`), `0.99` the slowest percent (`completion_s_q99`).
    #[serde(default)]
    pub quantiles: Vec<f64>,
}

/// Some of the points: swept keys (their last part, or whole) to the value they must have, or to a list of values.
pub type Where = BTreeMap<String, Choice>;

/// A value of a swept key, or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Choice {
    /// Any of these.
    Any(Vec<Scalar>),
    /// This one.
    One(Scalar),
}

/// A value as a scenario writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Scalar {
    /// A number.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// A name or a quantity.
    Text(String),
}

impl Scalar {
    /// The number that this means for a metric: a bare one in the metric's unit, or a quantity where the metric's name ends
    /// with one.
    ///
    /// # Errors
    /// A sentence that says why it is none.
    pub fn number_for(&self, metric: &str) -> Result<f64, String> {
        let quantity = |text: &str| {
            if is_duration(metric) {
                text.parse::<Seconds>().map(Quantity::base).map_err(|error| error.to_string())
            } else if metric.ends_with("_bytes") {
                text.parse::<Bytes>().map(Quantity::base).map_err(|error| error.to_string())
            } else {
                Err(format!("`{metric}` is a number, not {text:?}"))
            }
        };
        match self {
            Self::Number(number) => Ok(*number),
            Self::Text(text) => quantity(text),
            Self::Boolean(truth) => Err(format!("`{metric}` is a number, not {truth}")),
        }
    }
}

/// `[[derive]]`: a metric made from several points, usable in tables, charts and expectations.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeriveSpec {
    /// The metric's name.
    pub name: String,
    /// How it is made.
    pub how: Derivation,
    /// The metric that it is made from.
    pub metric: String,
    /// The point compared with: the swept keys in which it differs from this one.
    #[serde(default)]
    pub to: Where,
    /// Instead of a point: a CSV file with the values compared with (`ratio`, `speedup`, `difference`), such as known optima. A
    /// point is compared with the row that has the same values of the swept keys; without such a row, or with an empty
    /// cell there, the metric is blank.
    #[serde(default)]
    #[schemars(extend("format" = "file"))]
    pub file: Option<String>,
    /// The column of `file` that is compared with, in the unit of `metric`.
    #[serde(default)]
    pub column: Option<String>,
    /// By what a row of `file` is found: swept keys to the columns with their values. All columns that are named like a swept
    /// key if not given.
    #[serde(default)]
    pub by: BTreeMap<String, String>,
    /// The swept key over which the best is sought.
    #[serde(default)]
    pub over: Option<String>,
    /// The points among which the best is sought.
    #[serde(default)]
    pub among: Where,
    /// Whether the best is the largest, whatever the metric's direction.
    #[serde(default)]
    pub largest: bool,
    /// Whether the best is the least. Without it and without `largest` the metric's direction decides (`hetsim list metrics`);
    /// a metric of which neither less nor more is better needs one of the two.
    #[serde(default)]
    pub least: bool,
    /// The value whose quantile is asked for: a number in the metric's unit, or a quantity.
    #[serde(default)]
    pub of: Option<Scalar>,
    /// What the file holds, once somebody has read it.
    #[serde(skip)]
    pub given: Option<Given>,
}

/// How a derived metric is made. Replicas are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Derivation {
    /// The other point's metric, or the file's value, over this point's: how much faster this one is.
    Speedup,
    /// This point's metric over the other's, or over the file's value.
    Ratio,
    /// This point's metric less the other's, or less the file's value.
    Difference,
    /// The best metric over all values of the key `over`, the rest being equal.
    Best,
    /// The value of the key `over` where the metric is best; of several that are equal all, in order, with commas between.
    BestOf,
    /// This point's metric over the best one over all values of the key `over`, the rest and the replica being equal: of
    /// makespans over schedulers, how far each is from the best on the same graph.
    RatioToBest,
    /// Along the numeric key `over`, the least value from which on this point's metric is better than the other's.
    Crossover,
    /// The share of the point's replicas, of those that have the metric, in which it is not above the value `of`: the same
    /// for each of the replicas.
    Quantile,
}

/// `[[table]]`: what the terminal and the report show.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// The heading.
    #[serde(default)]
    pub title: String,
    /// The swept key whose values are the rows.
    pub rows: String,
    /// The swept key whose values are the columns. Without it and without `best` the columns are `metric` and `also`.
    #[serde(default)]
    pub columns: Option<String>,
    /// The swept key whose best value each row shows, with those that are equal and, where there are replicas, those that a
    /// paired test can't tell from it. `best.csv` has them too.
    #[serde(default)]
    pub best: Option<String>,
    /// The metric in the cells, or the one by which `best` is chosen.
    pub metric: String,
    /// Whether the best is the largest, whatever the metric's direction.
    #[serde(default)]
    pub largest: bool,
    /// Whether the best is the least. Without it and without `largest` the metric's direction decides (`hetsim list metrics`);
    /// a metric of which neither less nor more is better needs one of the two.
    #[serde(default)]
    pub least: bool,
    /// Further metrics of the row's point.
    #[serde(default)]
    pub also: Vec<String>,
    /// The points that take part.
    #[serde(default, rename = "where")]
    pub filter: Where,
}

/// `[[expect]]`: a metric that a paper or a measurement gives, compared with the mean over the replicas of each point
/// unless `statistic` says otherwise. Exactly one of `value`, `at_least`, `at_most`, `best` and
/// `less_than` says what is expected.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpectSpec {
    /// The metric. One that a clock measured is compared and shown, but its miss fails nothing, not even with `--strict`.
    pub metric: String,
    /// The points; each of them is checked.
    #[serde(default, rename = "where")]
    pub filter: Where,
    /// What is made of the metric's values over the replicas of a point before it is compared.
    #[serde(default)]
    pub statistic: Statistic,
    /// The value given: a number in the metric's unit, a quantity (`"4.3ms"`), or the name that the metric must be.
    #[serde(default)]
    pub value: Option<Scalar>,
    /// How far a metric may lie from `value`, in percent of it.
    #[serde(default = "one_percent")]
    #[schemars(range(min = 0.0))]
    pub tolerance_percent: f64,
    /// A lower bound: a number in the metric's unit, or a quantity.
    #[serde(default)]
    pub at_least: Option<Scalar>,
    /// An upper bound: a number in the metric's unit, or a quantity.
    #[serde(default)]
    pub at_most: Option<Scalar>,
    /// The value of the swept key `over` at which the metric must be best, alone or with others that are equal.
    #[serde(default)]
    pub best: Option<Scalar>,
    /// Whether the best is the largest, whatever the metric's direction.
    #[serde(default)]
    pub largest: bool,
    /// Whether the best is the least. Without it and without `largest` the metric's direction decides (`hetsim list metrics`);
    /// a metric of which neither less nor more is better needs one of the two.
    #[serde(default)]
    pub least: bool,
    /// The swept key of `best`.
    #[serde(default)]
    pub over: Option<String>,
    /// The values of `over` that take part; all where none are given.
    #[serde(default)]
    pub among: Vec<Scalar>,
    /// The point whose metric must be larger: the swept keys in which it differs.
    #[serde(default)]
    pub less_than: Option<Where>,
    /// The paper and the place in it, or where else the expectation comes from.
    pub source: String,
    /// Assumptions, or why the metric differs where it does.
    #[serde(default)]
    pub note: Option<String>,
}

/// What is made of the values of a metric over replicas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// Their mean.
    #[default]
    Mean,
    /// The middle one, or the mean of the two in the middle.
    Median,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

const fn one_percent() -> f64 {
    1.0
}
