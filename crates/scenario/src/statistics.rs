//! How uncertain metrics are shown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::replicas::ninety_five;

/// How the intervals around means over replicas are made, in `summary.csv`, tables and charts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntervalSpec {
    /// The method. Default: `student`; with `[uncertainty]`, `prediction`.
    #[serde(default)]
    pub method: Option<IntervalMethod>,
    /// The confidence of the intervals: the share of cases in which an interval contains what it estimates. The columns
    /// of `summary.csv` are named after it: `low95`, `high95`.
    #[serde(default = "ninety_five")]
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    pub confidence: f64,
    /// The number of samples that the bootstrap draws.
    #[serde(default = "thousand")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub resamples: u32,
}

const fn thousand() -> u32 {
    1000
}

impl Default for IntervalSpec {
    fn default() -> Self {
        Self { method: None, confidence: ninety_five(), resamples: thousand() }
    }
}

/// How an interval around a mean is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// That of the mean, by Student's t distribution.
    #[default]
    Student,
    /// That of the mean, by the bootstrap, corrected for bias and acceleration (BCa).
    Bootstrap,
    /// That of the outcome of a further run, by Student's t distribution: more replicas do not make it shorter than runs
    /// differ.
    Prediction,
}
