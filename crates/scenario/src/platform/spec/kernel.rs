//! `[platform.kernel.NAME]`.

use std::collections::BTreeMap;

use hetsim_cluster::Noise;
use schemars::JsonSchema;
use serde::Deserialize;

/// What a call of a routine takes, wherever it is not the operations over the node's speed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KernelSpec {
    /// The mean time of a call, in seconds: a formula of its sizes `m`, `n` and `k`, of `coefficients`, and of columns of
    /// `file`, such as `"a + b*m*n*k"`.
    pub seconds: String,
    /// The standard deviation of the time of a call, in seconds: a formula likewise. Default: calls do not vary.
    #[serde(default)]
    pub deviation: Option<String>,
    /// The distribution of the time of a call. Default: `half_normal`. A draw of `normal` or `half_normal` below 0 counts as
    /// 0, which raises the mean where the deviation is about as large.
    #[serde(default)]
    pub noise: NoiseSpec,
    /// Numbers that the formulas name.
    #[serde(default)]
    pub coefficients: BTreeMap<String, f64>,
    /// By cluster, numbers that differ there from those in `coefficients`, such as `gpu = { b = 2e-13 }`.
    #[serde(default)]
    pub cluster: BTreeMap<String, BTreeMap<String, f64>>,
    /// A CSV file with the coefficients of each node, in columns with their names: a row a node, whose number stands in
    /// the column `node`; with a column `cpu`, a row a processor of the node, which is a `level` with
    /// `domain = "socket"`. Several rows of one are averaged. `hetsim measure --kernels` writes such a file.
    #[serde(default)]
    #[schemars(extend("format" = "file"))]
    pub file: Option<String>,
    /// Only the rows of `file` count that have these texts in these columns.
    #[serde(default)]
    pub rows: BTreeMap<String, String>,
    /// The numbers in `file` of the platform's nodes, in their order. Default: those that the file has, in rising order.
    #[serde(default)]
    pub nodes: Option<Vec<u32>>,
    /// The standard deviation of a factor on all calls of a processor, drawn for each run: log-normal with mean 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3.0))]
    pub drift: f64,
}

/// The distribution of the time of a call around its mean.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoiseSpec {
    /// A normal distribution, cut at zero.
    Normal,
    /// No call is faster than a least time, and a few are much slower.
    #[default]
    HalfNormal,
    /// A log-normal distribution.
    LogNormal,
    /// A gamma distribution.
    Gamma,
    /// Calls do not vary, whatever their `deviation` is.
    None,
}

impl From<NoiseSpec> for Noise {
    fn from(spec: NoiseSpec) -> Self {
        match spec {
            NoiseSpec::Normal => Self::Normal,
            NoiseSpec::HalfNormal => Self::HalfNormal,
            NoiseSpec::LogNormal => Self::LogNormal,
            NoiseSpec::Gamma => Self::Gamma,
            NoiseSpec::None => Self::None,
        }
    }
}
