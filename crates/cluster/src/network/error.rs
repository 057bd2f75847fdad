//! Errors in the parameters of a network model.

use thiserror::Error;

use hetsim_base::units::{Bytes, QuantityError};
use hetsim_formula::UseError;

/// Why parameters give no network model.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// A parameter that must be above zero is zero.
    #[error("`{key}` must be above zero")]
    NotPositive {
        /// The parameter.
        key: &'static str,
    },
    /// A parameter is given without one that it needs.
    #[error("`{key}` needs `{other}` beside it")]
    Needs {
        /// The given parameter.
        key: &'static str,
        /// The missing parameter.
        other: &'static str,
    },
    /// One of two parameters that go together is missing.
    #[error("`{first}` and `{second}` go together")]
    Together {
        /// The first parameter.
        first: &'static str,
        /// The second parameter.
        second: &'static str,
    },
    /// A table over the message size is empty.
    #[error("`{key}` needs at least one point")]
    Empty {
        /// The parameter.
        key: &'static str,
    },
    /// A size in a table is invalid.
    #[error(transparent)]
    Size(#[from] QuantityError),
    /// A table has two values for one size.
    #[error("the size {size} is given twice")]
    Twice {
        /// The size.
        size: Bytes,
    },
    /// Costs over shared links come from a model that is not closed.
    #[error("the costs over shared links must be those of a closed model on the same clock")]
    Costs,
    /// A formula does not give the time of a message.
    #[error(transparent)]
    Formula(#[from] UseError),
    /// A formula holds too many values at once.
    #[error("the formula is nested too deeply")]
    TooDeep,
}

impl NetworkError {
    /// The parameter that is at fault, if it is one.
    #[must_use]
    pub const fn key(&self) -> Option<&'static str> {
        match self {
            Self::NotPositive { key } | Self::Needs { key, .. } | Self::Empty { key } => Some(key),
            _ => None,
        }
    }
}
