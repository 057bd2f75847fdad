//! `how = "best"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::over::BestOver;
use super::{Best, Derive, Keys};
use crate::record::Value;
use crate::report::results::Results;

/// The best metric over all values of a key.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct BestValue(BestOver);

impl Derive for BestValue {
    fn keys(&self) -> &dyn Keys {
        &self.0
    }

    fn values(&self, results: &Results<'_>, best: Option<Best>) -> Vec<Value> {
        self.0.values(results, best, |_, best, _| Value::from(best))
    }
}
