//! `how = "mean"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::over::swept;
use super::{Best, Derive, Derived, Keys, blank};
use crate::record::Value;
use crate::report::results::{Results, Row};
use crate::scenario::References;

/// The mean of a metric over all values of a key.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct MeanOver {
    /// The keys of every derivation from one metric.
    #[serde(flatten)]
    pub derived: Derived,
    /// The swept key over which the mean is taken.
    pub over: String,
}

impl Keys for MeanOver {
    fn name(&self) -> &str {
        &self.derived.name
    }

    fn metric(&self) -> Option<&str> {
        Some(&self.derived.metric)
    }

    fn check(&self, at: &str, references: &mut References<'_>) {
        swept(at, &self.over, references);
    }
}

impl Derive for MeanOver {
    fn keys(&self) -> &dyn Keys {
        self
    }

    fn values(&self, results: &Results<'_>, _: Option<Best>) -> Vec<Value> {
        let (Some(axis), Some(column)) = (results.axis(&self.over), results.column(&self.derived.metric)) else {
            return blank(results);
        };
        let value = |row: &Row| {
            let points = results.along(row.point as usize, axis).into_iter();
            // A mean over a part of the values is another metric, such as in replicas that only some points have.
            let numbers: Option<Vec<f64>> =
                points.map(|point| results.number(results.row(point, row.replica)?, column)).collect();
            Value::from(numbers.and_then(|numbers| crate::statistics::mean(&numbers)))
        };
        results.rows().iter().map(value).collect()
    }
}
