//! `how = "best_of"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::over::BestOver;
use super::{Best, Derive, Keys};
use crate::record::{Direction, Value};
use crate::report::results::Results;

/// The value of a key where the metric is best.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct BestOf(BestOver);

impl Derive for BestOf {
    fn keys(&self) -> &dyn Keys {
        &self.0
    }

    fn direction(&self, _: Direction) -> Direction {
        Direction::Neither
    }

    fn makes_names(&self) -> bool {
        true
    }

    fn values(&self, results: &Results<'_>, best: Option<Best>) -> Vec<Value> {
        self.0.values(results, best, |labels, _, _| Value::from(labels.join(", ")))
    }
}
