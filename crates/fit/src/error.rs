//! Errors of fitting a model.

use thiserror::Error;

/// The reason why a model cannot be fitted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FitError {
    /// All samples of a kind are missing.
    #[error("{model} needs {what}, which were not measured")]
    Missing {
        /// The name of the model.
        model: &'static str,
        /// The missing samples, in the plural.
        what: &'static str,
    },
    /// There are samples at too few sizes.
    #[error("{model} needs {what} at {needed} sizes or more, not {found}")]
    Sizes {
        /// The name of the model.
        model: &'static str,
        /// The samples, in the plural.
        what: &'static str,
        /// The required number of sizes.
        needed: usize,
        /// The number of sizes with samples.
        found: usize,
    },
    /// A parameter has a physically impossible value.
    #[error("{model} does not describe the measurements: its {parameter} would be {value:e} {unit}")]
    Impossible {
        /// The name of the model.
        model: &'static str,
        /// The name of the parameter.
        parameter: &'static str,
        /// The fitted value in the base unit, in few digits.
        value: Exact,
        /// The base unit.
        unit: &'static str,
    },
}

/// A number stored as its bits, so that errors can be compared.
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
