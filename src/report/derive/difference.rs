//! `how = "difference"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::against::Against;
use super::{Best, Derive, Keys};
use crate::record::Value;
use crate::report::results::Results;

/// This point's metric less the other's.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Difference(Against);

impl Derive for Difference {
    fn keys(&self) -> &dyn Keys {
        &self.0
    }

    fn values(&self, results: &Results<'_>, _: Option<Best>) -> Vec<Value> {
        self.0.values(results, |this, other| this - other)
    }
}
