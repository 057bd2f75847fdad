//! `how = "ratio"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::against::Against;
use super::{Best, Derive, Derived};
use crate::record::{Direction, Value};
use crate::report::results::Results;
use crate::scenario::References;

/// This point's metric over the other's.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Ratio {
    /// What it is compared with.
    #[serde(flatten)]
    pub against: Against,
}

impl Derive for Ratio {
    fn derived(&self) -> &Derived {
        &self.against.derived
    }

    fn direction(&self, from: Direction) -> Direction {
        from
    }

    fn check(&self, at: &str, references: &mut References<'_>) {
        self.against.check(at, references);
    }

    fn values(&self, results: &Results<'_>, _: Option<Best>) -> Vec<Value> {
        self.against.values(results, |this, other| this / other)
    }
}
