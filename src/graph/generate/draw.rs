//! What a task's work and an edge's data are drawn from.

use rand::RngExt;
use rand_distr::{Distribution, Exp, Gamma, LogNormal, Normal};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::engine::Stream;
use crate::units::{Bytes, Operations, Quantity};

/// `distribution = "constant"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Constant<Q> {
    /// The value of all.
    pub value: Q,
}

/// `distribution = "uniform"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uniform<Q> {
    /// The least.
    pub from: Q,
    /// The most.
    pub to: Q,
}

/// A distribution by its mean and its standard deviation.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spread<Q> {
    /// The mean, above zero.
    pub mean: Q,
    /// The standard deviation, above zero.
    pub deviation: Q,
}

/// `distribution = "exponential"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exponential<Q> {
    /// The mean, above zero.
    pub mean: Q,
}

/// A distribution of plain numbers, ready to be drawn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shape {
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
        crate::registry! {
            $(#[$doc])*
            pub enum $Draw by "distribution" {
                "constant" => Constant(Constant<$Quantity>): "The same for all.",
                "uniform" => Uniform(Uniform<$Quantity>): "Uniform between two bounds.",
                "normal" => Normal(Spread<$Quantity>): "Normal, redrawn until it is above zero.",
                "log_normal" => LogNormal(Spread<$Quantity>): "Log-normal, by its own mean and standard deviation.",
                "gamma" => Gamma(Spread<$Quantity>): "Gamma, by mean and standard deviation.",
                "exponential" => Exponential(Exponential<$Quantity>): "Exponential.",
            }
        }

        impl $Draw {
            pub(super) fn law(&self) -> Shape {
                match self {
                    Self::Constant(c) => Shape::Constant(c.value.base()),
                    Self::Uniform(u) => Shape::Uniform(u.from.base(), u.to.base()),
                    Self::Normal(s) => Shape::Normal(s.mean.base(), s.deviation.base()),
                    Self::LogNormal(s) => Shape::LogNormal(s.mean.base(), s.deviation.base()),
                    Self::Gamma(s) => Shape::Gamma(s.mean.base(), s.deviation.base()),
                    Self::Exponential(e) => Shape::Exponential(e.mean.base()),
                }
            }
        }
    };
}

draws! {
    /// What the work of tasks is drawn from.
    OperationsDraw of Operations
}

draws! {
    /// What the data of edges are drawn from. Draws are rounded to whole bytes at the end.
    BytesDraw of Bytes
}

/// Why nothing can be drawn from a distribution: words that follow the name of its key.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DistributionError {
    /// The bounds are in the wrong order.
    #[error("has `from` ({from}) above `to` ({to})")]
    OutOfOrder {
        /// The least value.
        from: f64,
        /// The greatest value.
        to: f64,
    },
    /// A mean or a deviation is not above zero.
    #[error("needs a mean and a deviation above zero")]
    MeanOrDeviation,
    /// A mean is not above zero.
    #[error("needs a mean above zero")]
    Mean,
}

impl BytesDraw {
    /// Says what is wrong with it, after the name of its key.
    ///
    /// # Errors
    /// Bounds in the wrong order, a mean or a deviation that is not above zero.
    pub fn check(&self) -> Result<(), DistributionError> {
        self.law().check()
    }

    /// So many bytes, of a distribution that has been [checked](Self::check).
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        self.law().draw(stream).round() as u64
    }
}

impl Shape {
    /// Says what is wrong with it.
    pub(super) fn check(self) -> Result<(), DistributionError> {
        match self {
            Self::Uniform(from, to) if from > to => Err(DistributionError::OutOfOrder { from, to }),
            Self::Normal(mean, deviation) | Self::LogNormal(mean, deviation) | Self::Gamma(mean, deviation)
                if mean <= 0.0 || deviation <= 0.0 =>
            {
                Err(DistributionError::MeanOrDeviation)
            }
            Self::Exponential(mean) if mean <= 0.0 => Err(DistributionError::Mean),
            _ => Ok(()),
        }
    }

    /// A value, not negative. The law must be sound; one that isn't gives its mean.
    pub(super) fn draw(self, stream: &mut Stream) -> f64 {
        match self {
            Self::Constant(value) => value,
            Self::Uniform(from, to) => from + (to - from) * stream.random::<f64>(),
            Self::Normal(mean, deviation) => Normal::new(mean, deviation).map_or(mean, |law| {
                // A mean above zero makes at least every other draw one.
                std::iter::repeat_with(|| law.sample(stream)).find(|value| *value > 0.0).unwrap_or(mean)
            }),
            Self::LogNormal(mean, deviation) => {
                let variance = (deviation / mean).powi(2).ln_1p();
                let law = LogNormal::new(mean.ln() - variance / 2.0, variance.sqrt());
                law.map_or(mean, |law| law.sample(stream))
            }
            Self::Gamma(mean, deviation) => {
                let relative = (deviation / mean).powi(2);
                Gamma::new(1.0 / relative, mean * relative).map_or(mean, |law| law.sample(stream))
            }
            Self::Exponential(mean) => Exp::new(1.0 / mean).map_or(mean, |law| law.sample(stream)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Streams;

    #[test]
    fn draws_have_their_moments() {
        let sixth = 6.0 / 12f64.sqrt();
        for (law, mean, deviation) in [
            (Shape::Constant(3.0), 3.0, 0.0),
            (Shape::Uniform(2.0, 8.0), 5.0, sixth),
            (Shape::Normal(5.0, 1.0), 5.0, 1.0),
            (Shape::LogNormal(5.0, 4.0), 5.0, 4.0),
            (Shape::Gamma(5.0, 4.0), 5.0, 4.0),
            (Shape::Exponential(5.0), 5.0, 5.0),
        ] {
            law.check().unwrap();
            let mut stream = Streams::new(3, 0).stream("draw", 0);
            let values: Vec<f64> = (0..60_000).map(|_| law.draw(&mut stream)).collect();
            let average = values.iter().sum::<f64>() / 60_000.0;
            let squares: f64 = values.iter().map(|value| (value - average).powi(2)).sum();
            assert!((average / mean - 1.0).abs() < 0.02, "{law:?}: {average}");
            assert!(((squares / 60_000.0).sqrt() - deviation).abs() <= 0.04 * deviation, "{law:?}");
        }
        for law in [Shape::Uniform(2.0, 1.0), Shape::Gamma(0.0, 1.0), Shape::Normal(1.0, 0.0), Shape::Exponential(0.0)]
        {
            assert!(law.check().is_err(), "{law:?}");
        }
    }
}
