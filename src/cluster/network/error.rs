//! What is wrong with the parameters of a network model.

use thiserror::Error;

use crate::formula::UseError;
use crate::units::{Bytes, QuantityError};

/// Why there is no network model of some parameters.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// A parameter is zero that must be above.
    #[error("`{key}` must be above zero")]
    NotPositive {
        /// The parameter.
        key: &'static str,
    },
    /// A parameter is given without one that it needs.
    #[error("`{key}` needs `{other}` beside it")]
    Needs {
        /// The parameter that is given.
        key: &'static str,
        /// The one that is missing.
        other: &'static str,
    },
    /// One of two parameters that go together is missing.
    #[error("`{first}` and `{second}` go together")]
    Together {
        /// The one.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// A table over the message size is empty.
    #[error("`{key}` needs at least one point")]
    Empty {
        /// The parameter.
        key: &'static str,
    },
    /// A size in a table is none.
    #[error(transparent)]
    Size(#[from] QuantityError),
    /// A table has two values for one size.
    #[error("the size {size} stands twice")]
    Twice {
        /// The size.
        size: Bytes,
    },
    /// A formula is no time of a message.
    #[error(transparent)]
    Formula(#[from] UseError),
    /// A formula holds too many values at once.
    #[error("the formula is nested too deeply")]
    TooDeep,
}
