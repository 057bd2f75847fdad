//! `how = "error"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Best, Derive, Derived, Keys, blank};
use crate::record::{Direction, Value};
use crate::report::results::{Results, Row};
use crate::scenario::References;

/// How far a metric lies from another one of the same run.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct RelativeError {
    /// The keys of every derivation from one metric.
    #[serde(flatten)]
    pub derived: Derived,
    /// The metric of the same run that it should equal.
    pub truth: String,
}

impl Keys for RelativeError {
    fn name(&self) -> &str {
        &self.derived.name
    }

    fn metric(&self) -> Option<&str> {
        Some(&self.derived.metric)
    }

    fn direction(&self, _: Direction) -> Direction {
        Direction::Less
    }

    fn check(&self, at: &str, references: &mut References<'_>) {
        references.number(&format!("{at}.truth"), &self.truth);
    }
}

impl Derive for RelativeError {
    fn keys(&self) -> &dyn Keys {
        self
    }

    /// |x − t| / |t|; blank where t is 0.
    fn values(&self, results: &Results<'_>, _: Option<Best>) -> Vec<Value> {
        let (metric, truth) = (results.column(&self.derived.metric), results.column(&self.truth));
        let Some((metric, truth)) = metric.zip(truth) else { return blank(results) };
        let error = |(number, _): (usize, &Row)| {
            let (value, truth) = (results.number(number, metric)?, results.number(number, truth)?);
            (truth != 0.0).then(|| ((value - truth) / truth).abs())
        };
        results.rows().iter().enumerate().map(|row| Value::from(error(row))).collect()
    }
}
