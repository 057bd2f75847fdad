//! `how = "speedup"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::against::Against;
use super::{Best, Derive, Derived};
use crate::record::{Direction, Value};
use crate::report::results::Results;
use crate::scenario::References;

/// The other point's metric over this point's.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Speedup {
    /// What it is compared with.
    #[serde(flatten)]
    pub against: Against,
}

impl Derive for Speedup {
    fn derived(&self) -> &Derived {
        &self.against.derived
    }

    fn direction(&self, from: Direction) -> Direction {
        // This point's metric stands below the line.
        from.reversed()
    }

    fn check(&self, at: &str, references: &mut References<'_>) {
        self.against.check(at, references);
    }

    fn values(&self, results: &Results<'_>, _: Option<Best>) -> Vec<Value> {
        self.against.values(results, |this, other| other / this)
    }
}
