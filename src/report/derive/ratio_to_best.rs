//! `how = "ratio_to_best"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::over::BestOver;
use super::{Best, Derive, Keys};
use crate::record::Value;
use crate::report::results::Results;

/// This point's metric over the best one over all values of a key.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct RatioToBest(BestOver);

impl Derive for RatioToBest {
    fn keys(&self) -> &dyn Keys {
        &self.0
    }

    fn values(&self, results: &Results<'_>, best: Option<Best>) -> Vec<Value> {
        self.0.values(results, best, |_, best, own| Value::from(own.map(|own| own / best)))
    }
}
