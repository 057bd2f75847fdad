//! `how = "best"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::over::BestOver;
use super::{Asked, Best, Derive, Derived};
use crate::record::{Direction, Value};
use crate::report::results::Results;
use crate::scenario::References;

/// The best metric over all values of a key.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct BestValue {
    /// Over what the best is sought.
    #[serde(flatten)]
    pub over: BestOver,
}

impl Derive for BestValue {
    fn derived(&self) -> &Derived {
        &self.over.derived
    }

    fn asked(&self) -> Option<Asked> {
        Some(self.over.asked)
    }

    fn direction(&self, from: Direction) -> Direction {
        self.over.direction(from)
    }

    fn check(&self, at: &str, references: &mut References<'_>) {
        self.over.check(at, references);
    }

    fn values(&self, results: &Results<'_>, best: Option<Best>) -> Vec<Value> {
        self.over.values(results, best, |_, value| Value::from(value))
    }
}
