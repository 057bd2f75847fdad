//! `how = "quantile"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Best, Derive, Derived, Keys, blank};
use crate::record::{Direction, Value};
use crate::report::results::{Results, Row};
use crate::scenario::{References, Scalar};
use crate::statistics::share_at_most;

/// Where a given value stands among the replicas of each row's point.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Quantile {
    /// The keys of every derivation from one metric.
    #[serde(flatten)]
    pub derived: Derived,
    /// The value whose quantile is asked for: a number in the metric's unit, or a quantity.
    pub of: Scalar,
}

impl Keys for Quantile {
    fn name(&self) -> &str {
        &self.derived.name
    }

    fn metric(&self) -> Option<&str> {
        Some(&self.derived.metric)
    }

    fn direction(&self, from: Direction) -> Direction {
        // The share below a limit is asked for.
        from.reversed()
    }

    fn check(&self, at: &str, references: &mut References<'_>) {
        if let Err(message) = self.of.number_for(&self.derived.metric) {
            references.wrong(&format!("{at}.of"), message, None);
        }
    }
}

impl Derive for Quantile {
    fn keys(&self) -> &dyn Keys {
        self
    }

    fn makes_shares(&self) -> bool {
        true
    }

    fn values(&self, results: &Results<'_>, _: Option<Best>) -> Vec<Value> {
        let metric = &self.derived.metric;
        let Ok(limit) = self.of.number_for(metric) else { return blank(results) };
        let of_point = |rows: &[Row]| {
            let point = rows.first().map(|row| row.point as usize);
            let share = point.and_then(|point| share_at_most(&results.numbers(point, metric), limit));
            vec![Value::from(share); rows.len()]
        };
        // Rows are sorted by point; each point is counted once.
        results.rows().chunk_by(|a, b| a.point == b.point).flat_map(of_point).collect()
    }
}
