//! `how = "ratio_to_best"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::over::BestOver;
use super::{Asked, Best, Derive, Derived};
use crate::record::{Direction, Value};
use crate::report::results::Results;
use crate::scenario::References;

/// This point's metric over the best one over all values of a key.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct RatioToBest {
    /// Over what the best is sought.
    #[serde(flatten)]
    pub over: BestOver,
}

impl Derive for RatioToBest {
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
        let column = results.column(&self.over.derived.metric);
        let ratio = |(row, best): (usize, Value)| {
            let own = results.number(row, column?)?;
            best.number().map(|best| own / best)
        };
        let bests = self.over.values(results, best, |_, value| Value::from(value));
        bests.into_iter().enumerate().map(|row| Value::from(ratio(row))).collect()
    }
}
