//! Why a model could not be fitted.

use thiserror::Error;

/// Why a model could not be fitted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FitError {
    /// There are no such samples at all.
    #[error("{model} needs {what}, which were not measured")]
    Missing {
        /// The model.
        model: &'static str,
        /// The samples, in the plural.
        what: &'static str,
    },
    /// There are too few sizes.
    #[error("{model} needs {what} at {needed} sizes or more, not {found}")]
    Sizes {
        /// The model.
        model: &'static str,
        /// The samples.
        what: &'static str,
        /// How many sizes it takes.
        needed: usize,
        /// How many there are.
        found: usize,
    },
    /// A parameter came out where no machine can have it.
    #[error("{model} does not describe what was measured: its {parameter} would be {value:e}")]
    Impossible {
        /// The model.
        model: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What it would be, in its base unit, written as a number.
        value: Exact,
    },
}

/// A number as its bits, so that errors can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exact(u64);

impl From<f64> for Exact {
    fn from(value: f64) -> Self {
        Self(value.to_bits())
    }
}

impl std::fmt::LowerExp for Exact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::LowerExp::fmt(&f64::from_bits(self.0), f)
    }
}
