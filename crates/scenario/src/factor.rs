//! Distributions of factors.

use rand::RngExt;
use rand_distr::Distribution as _;
use schemars::JsonSchema;
use serde::Deserialize;

use hetsim_base::engine::Stream;

hetsim_base::registry! {
    /// A distribution of factors.
    pub enum Factor by "distribution" {
        "uniform" => Uniform(UniformFactor): "Uniform between two bounds.",
        "normal" => Normal(NormalFactor): "Normal, redrawn until it is above zero.",
        "log_normal" => LogNormal(LogNormalFactor): "Log-normal, by the mean and deviation of the logarithm.",
        "gamma" => Gamma(GammaFactor): "Gamma, by shape and scale.",
    }
}

/// `distribution = "uniform"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformFactor {
    /// The least factor.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub from: f64,
    /// The greatest factor.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub to: f64,
}

/// `distribution = "normal"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NormalFactor {
    /// The mean.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub mean: f64,
    /// The standard deviation.
    #[schemars(range(min = 0.0))]
    pub deviation: f64,
}

/// `distribution = "log_normal"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogNormalFactor {
    /// The mean of the logarithm.
    pub mean: f64,
    /// The standard deviation of the logarithm.
    #[schemars(range(min = 0.0))]
    pub deviation: f64,
}

/// `distribution = "gamma"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GammaFactor {
    /// The shape k.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub shape: f64,
    /// The scale θ.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub scale: f64,
}

impl Factor {
    /// Draws the next factor from a stream.
    pub(crate) fn draw(&self, stream: &mut Stream) -> f64 {
        // The schema has checked every parameter's range, so the distributions are valid.
        let mut draw = || match self {
            Self::Uniform(f) => Some(f.from + (f.to - f.from) * stream.random::<f64>()),
            Self::Normal(f) => rand_distr::Normal::new(f.mean, f.deviation).ok().map(|d| d.sample(stream)),
            Self::LogNormal(f) => rand_distr::LogNormal::new(f.mean, f.deviation).ok().map(|d| d.sample(stream)),
            Self::Gamma(f) => rand_distr::Gamma::new(f.shape, f.scale).ok().map(|d| d.sample(stream)),
        };
        std::iter::repeat_with(&mut draw).flatten().find(|factor| *factor > 0.0).unwrap_or(1.0)
    }
}
