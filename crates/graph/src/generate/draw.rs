//! Distributions of task work and edge data.

use rand::RngExt;
use rand_distr::{Distribution as _, Exp, Gamma, LogNormal, Normal};
use schemars::JsonSchema;
use serde::Deserialize;

use hetsim_base::engine::Stream;
use hetsim_base::units::{Bytes, Operations, Quantity, Seconds};

/// `distribution = "constant"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Constant<Q> {
    /// The value of every draw.
    pub value: Q,
}

/// `distribution = "uniform"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uniform<Q> {
    /// The lower bound.
    pub from: Q,
    /// The upper bound.
    pub to: Q,
}

/// A distribution given by its mean and standard deviation.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spread<Q> {
    /// The mean, above zero.
    pub mean: Q,
    /// The standard deviation.
    pub deviation: Q,
}

/// `distribution = "exponential"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exponential<Q> {
    /// The mean, above zero.
    pub mean: Q,
}

/// A distribution of plain numbers, ready for draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Distribution {
    Constant(f64),
    Uniform(f64, f64),
    Normal(f64, f64),
    LogNormal(f64, f64),
    Gamma(f64, f64),
    Exponential(f64),
}

/// Makes a registry of distributions of one quantity.
macro_rules! draws {
    ($(#[$doc:meta])* $Draw:ident of $Quantity:ty) => {
        hetsim_base::registry! {
            $(#[$doc])*
            pub enum $Draw by "distribution" {
                "constant" => Constant(Constant<$Quantity>): "The same value for every draw.",
                "uniform" => Uniform(Uniform<$Quantity>): "Uniform between two bounds.",
                "normal" => Normal(Spread<$Quantity>): "Normal, redrawn until it is above zero.",
                "log_normal" => LogNormal(Spread<$Quantity>): "Log-normal, by its own mean and standard deviation.",
                "gamma" => Gamma(Spread<$Quantity>): "Gamma, by mean and standard deviation.",
                "exponential" => Exponential(Exponential<$Quantity>): "Exponential.",
            }
        }

        impl $Draw {
            pub(super) fn distribution(&self) -> Distribution {
                match self {
                    Self::Constant(c) => Distribution::Constant(c.value.base()),
                    Self::Uniform(u) => Distribution::Uniform(u.from.base(), u.to.base()),
                    Self::Normal(s) => Distribution::Normal(s.mean.base(), s.deviation.base()),
                    Self::LogNormal(s) => Distribution::LogNormal(s.mean.base(), s.deviation.base()),
                    Self::Gamma(s) => Distribution::Gamma(s.mean.base(), s.deviation.base()),
                    Self::Exponential(e) => Distribution::Exponential(e.mean.base()),
                }
            }
        }
    };
}

draws! {
    /// The distribution of task work.
    OperationsDraw of Operations
}

draws! {
    /// The distribution of edge data. The final values are rounded to whole bytes.
    BytesDraw of Bytes
}

draws! {
    /// The distribution of the time between arrivals.
    IntervalDraw of Seconds
}

/// Why nothing can be drawn from a distribution: words that follow the name of its key.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DistributionError {
    /// The bounds are in the wrong order.
    #[error("has `from` above `to`")]
    OutOfOrder,
    /// A mean or a deviation is not above zero.
    #[error("needs a mean and a deviation above zero")]
    MeanOrDeviation,
    /// A mean is not above zero.
    #[error("needs a mean above zero")]
    Mean,
}

impl BytesDraw {
    /// Checks the parameters. The error follows the name of the key.
    ///
    /// # Errors
    /// Bounds in the wrong order, or a mean or deviation that is not above zero.
    pub fn check(&self) -> Result<(), DistributionError> {
        self.distribution().check()
    }

    /// Draws a number of bytes. [Check](Self::check) the distribution first.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        self.distribution().draw(stream).round() as u64
    }
}

impl IntervalDraw {
    /// Checks the parameters. The error follows the name of the key.
    ///
    /// # Errors
    /// As [`BytesDraw::check`].
    pub fn check(&self) -> Result<(), DistributionError> {
        self.distribution().check()
    }

    /// Draws a time in seconds. [Check](Self::check) the distribution first.
    pub fn draw_s(&self, stream: &mut Stream) -> f64 {
        self.distribution().draw(stream)
    }
}

impl Distribution {
    /// Whether every draw is zero.
    pub(super) fn is_zero(self) -> bool {
        matches!(self, Self::Constant(0.0) | Self::Uniform(_, 0.0))
    }

    /// Checks the parameters.
    pub(super) fn check(self) -> Result<(), DistributionError> {
        match self {
            Self::Uniform(from, to) if from > to => Err(DistributionError::OutOfOrder),
            Self::Normal(mean, deviation) | Self::LogNormal(mean, deviation) | Self::Gamma(mean, deviation)
                if mean <= 0.0 || deviation <= 0.0 =>
            {
                Err(DistributionError::MeanOrDeviation)
            }
            Self::Exponential(mean) if mean <= 0.0 => Err(DistributionError::Mean),
            _ => Ok(()),
        }
    }

    /// Draws a value of 0 or more. Parameters that fail [`Self::check`] give the mean.
    pub(super) fn draw(self, stream: &mut Stream) -> f64 {
        match self {
            Self::Constant(value) => value,
            Self::Uniform(from, to) => from + (to - from) * stream.random::<f64>(),
            Self::Normal(mean, deviation) => Normal::new(mean, deviation).map_or(mean, |distribution| {
                // Since the mean is above zero, at least every other draw is positive.
                std::iter::repeat_with(|| distribution.sample(stream)).find(|value| *value > 0.0).unwrap_or(mean)
            }),
            Self::LogNormal(mean, deviation) => {
                let variance = (deviation / mean).powi(2).ln_1p();
                let distribution = LogNormal::new(mean.ln() - variance / 2.0, variance.sqrt());
                distribution.map_or(mean, |distribution| distribution.sample(stream))
            }
            Self::Gamma(mean, deviation) => {
                let relative = (deviation / mean).powi(2);
                Gamma::new(1.0 / relative, mean * relative).map_or(mean, |distribution| distribution.sample(stream))
            }
            Self::Exponential(mean) => Exp::new(1.0 / mean).map_or(mean, |distribution| distribution.sample(stream)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hetsim_base::engine::Streams;

    #[test]
    fn draws_have_their_moments() {
        let sixth = 6.0 / 12f64.sqrt();
        for (distribution, mean, deviation) in [
            (Distribution::Constant(3.0), 3.0, 0.0),
            (Distribution::Uniform(2.0, 8.0), 5.0, sixth),
            (Distribution::Normal(5.0, 1.0), 5.0, 1.0),
            (Distribution::LogNormal(5.0, 4.0), 5.0, 4.0),
            (Distribution::Gamma(5.0, 4.0), 5.0, 4.0),
            (Distribution::Exponential(5.0), 5.0, 5.0),
        ] {
            distribution.check().unwrap();
            let mut stream = Streams::new(3, 0).stream("draw", 0);
            let values: Vec<f64> = (0..60_000).map(|_| distribution.draw(&mut stream)).collect();
            let average = values.iter().sum::<f64>() / 60_000.0;
            let squares: f64 = values.iter().map(|value| (value - average).powi(2)).sum();
            assert!((average / mean - 1.0).abs() < 0.02, "{distribution:?}: {average}");
            assert!(((squares / 60_000.0).sqrt() - deviation).abs() <= 0.04 * deviation, "{distribution:?}");
        }
        for distribution in [
            Distribution::Uniform(2.0, 1.0),
            Distribution::Gamma(0.0, 1.0),
            Distribution::Normal(1.0, 0.0),
            Distribution::Exponential(0.0),
        ] {
            assert!(distribution.check().is_err(), "{distribution:?}");
        }
    }
}
