//! `how = "speedup"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::against::Against;
use super::{Best, Derive, Keys};
use crate::record::{Direction, Value};
use crate::report::results::Results;

/// The other point's metric over this point's.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Speedup(Against);

impl Derive for Speedup {
    fn keys(&self) -> &dyn Keys {
        &self.0
    }

    fn direction(&self, from: Direction) -> Direction {
        // This point's metric stands below the line.
        from.reversed()
    }

    fn values(&self, results: &Results<'_>, _: Option<Best>) -> Vec<Value> {
        self.0.values(results, |this, other| other / this)
    }
}
