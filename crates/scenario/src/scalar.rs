//! Values as a scenario writes them, and choices among the points by such values.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use hetsim_base::record::quantity_of;

/// Some of the points: swept keys (their last part, or whole) to the value they must have, or to a list of values.
pub type Where = BTreeMap<String, Choice>;

/// A value of a swept key, or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Choice {
    /// Any of these.
    Any(Vec<Scalar>),
    /// This one.
    One(Scalar),
}

/// A value as a scenario writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Scalar {
    /// A number.
    Number(f64),
    /// True or false.
    Boolean(bool),
    /// A name or a quantity.
    Text(String),
}

impl Scalar {
    /// The number that this means for a metric: a bare one in the metric's unit, or a quantity where the metric's name
    /// ends with one.
    ///
    /// # Errors
    /// A sentence that says why it is none.
    pub fn number_for(&self, metric: &str) -> Result<f64, String> {
        let quantity = |text: &str| match quantity_of(metric) {
            Some(kind) => kind.read(text).map_err(|error| error.to_string()),
            None => Err(format!("`{metric}` is a number, not {text:?}")),
        };
        match self {
            Self::Number(number) => Ok(*number),
            Self::Text(text) => quantity(text),
            Self::Boolean(truth) => Err(format!("`{metric}` is a number, not {truth}")),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Boolean(truth) => truth.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(scalar) => scalar.fmt(f),
            Self::Any(scalars) => {
                f.write_str(&scalars.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or "))
            }
        }
    }
}
