//! `how = "best_of"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::over::BestOver;
use super::{Asked, Best, Derive, Derived};
use crate::record::{Direction, Value};
use crate::report::results::Results;
use crate::scenario::References;

/// The value of a key where the metric is best.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct BestOf {
    /// Over what the best is sought.
    #[serde(flatten)]
    pub over: BestOver,
}

impl Derive for BestOf {
    fn derived(&self) -> &Derived {
        &self.over.derived
    }

    fn asked(&self) -> Option<Asked> {
        Some(self.over.asked)
    }

    fn direction(&self, _: Direction) -> Direction {
        Direction::Neither
    }

    fn makes_names(&self) -> bool {
        true
    }

    fn check(&self, at: &str, references: &mut References<'_>) {
        self.over.check(at, references);
    }

    fn values(&self, results: &Results<'_>, best: Option<Best>) -> Vec<Value> {
        self.over.values(results, best, |labels, _| Value::from(labels.join(", ")))
    }
}
