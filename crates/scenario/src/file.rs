//! The keys of a scenario file, but for those of the platform, the workload and the study: each documented here, once.
//!
//! Of the tables that say what is made of the runs `notation.rs` knows no more than that there are some.
//! The JSON schema, the reference and the completion of editors are made from these types.

use schemars::JsonSchema;
use serde::Deserialize;

use super::format::Format;
use super::kinds::{self, Kind};
use super::platform::PlatformSpec;
use super::replicas::Replicas;
use super::statistics::IntervalSpec;
use super::sweep::DesignSpec;

/// A scenario: a platform and a workload, or a study; what varies, and what is to be shown of it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
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
    /// The folder from which this file's names of files are read, by default its own. On the command line
    /// (`--set folder=…`) the folder is read from the current one.
    #[serde(default)]
    pub folder: Option<String>,
    /// The seed of all random streams.
    #[serde(default)]
    pub seed: u64,
    /// How many times each point is run, each time with other draws: a number, or `{ until = { metric = "completion_s",
    /// half_width = "1%" }, max = 1000 }` for as many as it takes to know a metric well.
    #[serde(default = "one")]
    pub replicas: Replicas,
    /// The machine. A study has one only if it examines it.
    #[serde(default)]
    #[schemars(with = "PlatformSpec")]
    pub platform: Option<PlatformSpec>,
    /// The program.
    #[serde(default, deserialize_with = "kinds::workload")]
    #[schemars(schema_with = "kinds::workload_schema")]
    pub workload: Option<&'static Kind>,
    /// What is computed instead of running a program: a comparison, a search or a fit.
    #[serde(default, deserialize_with = "kinds::study")]
    #[schemars(schema_with = "kinds::study_schema")]
    pub study: Option<&'static Kind>,
    /// What varies: dotted keys to values; their grid gives the points. Several `[[sweep]]` tables give the points of
    /// each, one after the other.
    #[serde(default)]
    #[schemars(with = "Sweeps")]
    pub sweep: Option<serde_json::Value>,
    /// What is known only within an interval: dotted keys of `platform` and `workload`, each to `{ low, high }`, the
    /// interval that holds its value with 95 %, or to `{ from, to }`, between which it lies anywhere; with
    /// `scale = "log"` its logarithm does so, and it is never below zero. Every replica draws values of its own, the same
    /// at all points; intervals are then those of a further run.
    #[serde(default)]
    #[schemars(with = "std::collections::BTreeMap<String, serde_json::Value>")]
    pub uncertainty: Option<serde_json::Value>,
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

/// What varies: dotted keys of `platform`, `workload` and `study`, each to a list of values, a range
/// `{ from, to, steps, scale }`, or named alternatives `{ name = value }`. All combinations are points; keys that
/// `zip = [["key", "other key"]]` names go through their values together.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes the schema only")]
struct SweepTable {
    /// How values are chosen from ranges without `steps`, `{ from, to, scale }`, and from lists `{ among = […] }`,
    /// instead of going through all combinations. Lists, alternatives and ranges with `steps` are crossed with the
    /// design. The results have a column `point`, the number of the design's point.
    #[schemars(with = "DesignSpec")]
    #[serde(default)]
    design: Option<DesignSpec>,
}

/// What is written besides the metrics, and how.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputSpec {
    /// Long tables of each run to keep, such as `nodes`.
    #[serde(default)]
    pub tables: Vec<String>,
    /// The number of replicas of each point whose tables are kept; all by default.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub replicas: Option<u32>,
    /// How the intervals in `summary.csv`, tables and charts are computed; by default those of means by Student's t
    /// distribution with 95 %.
    #[serde(default)]
    pub interval: IntervalSpec,
    /// The quantiles over replicas that `summary.csv` has of each metric, with their intervals where there are replicas
    /// enough: `0.5` is the median (`completion_s_q50`), `0.99` the slowest percent (`completion_s_q99`).
    #[serde(default)]
    pub quantiles: Vec<f64>,
    /// The formats of charts, besides SVG; `"tex"` needs `"pdf"` or `"png"`.
    #[serde(default)]
    pub format: Vec<Format>,
}
