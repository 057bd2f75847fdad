//! What is best over all values of a swept key, the rest being equal.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Asked, Best, Derived, Keys, blank};
use crate::record::{Direction, Value};
use crate::report::best::{by_value, is_equal};
use crate::report::results::{Results, Row};
use crate::scenario::{AxisValue, References, Where};

/// Over what the best is sought.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct BestOver {
    /// The keys of every derivation from one metric.
    #[serde(flatten)]
    pub derived: Derived,
    /// The swept key over which the best is sought.
    pub over: String,
    /// The points among which the best is sought; all by default.
    #[serde(default)]
    pub among: Where,
    /// Which value is best.
    #[serde(flatten)]
    pub asked: Asked,
}

impl Keys for BestOver {
    fn name(&self) -> &str {
        &self.derived.name
    }

    fn metric(&self) -> Option<&str> {
        Some(&self.derived.metric)
    }

    fn asked(&self) -> Option<Asked> {
        Some(self.asked)
    }

    /// Less of the best is better where the least is sought.
    fn direction(&self, from: Direction) -> Direction {
        match self.asked.of(from) {
            Some(Best::Least) => Direction::Less,
            Some(Best::Largest) => Direction::More,
            None => Direction::Neither,
        }
    }

    fn check(&self, at: &str, references: &mut References<'_>) {
        references.points(&format!("{at}.among"), &self.among);
        swept(at, &self.over, references);
    }
}

impl BestOver {
    /// A value for each row, made from what is best among the points that differ from the row's in the key `over` only:
    /// the values of the key, in an order of their own, the best metric, and the row's own.
    pub(super) fn values(
        &self,
        results: &Results<'_>,
        best: Option<Best>,
        make: impl Fn(&[&str], f64, Option<f64>) -> Value,
    ) -> Vec<Value> {
        let metric = &self.derived.metric;
        let (Some(axis), Some(column), Some(sought)) = (results.axis(&self.over), results.column(metric), best) else {
            return blank(results);
        };
        let among = results.matching(&self.among);
        let value = |(number, row): (usize, &Row)| {
            let candidates =
                results.along(row.point as usize, axis).into_iter().filter(|point| among.binary_search(point).is_ok());
            // A candidate may be without the metric, but in a replica that it lacks nothing is known to be best.
            let rows: Vec<(usize, usize)> =
                candidates.map(|point| Some((point, results.row(point, row.replica)?))).collect::<Option<_>>()?;
            let numbers: Vec<(usize, f64)> =
                rows.into_iter().filter_map(|(point, row)| Some((point, results.number(row, column)?))).collect();
            let &best = numbers.iter().min_by(|a, b| sought.cost(a.1).total_cmp(&sought.cost(b.1)))?;
            let equal = numbers.iter().filter(|other| is_equal(results, metric, **other, best));
            let mut values: Vec<&AxisValue> = equal.map(|(point, _)| results.value(*point, axis)).collect();
            values.sort_by(|a, b| by_value(a, b));
            let labels: Vec<&str> = values.into_iter().map(|value| value.label.as_str()).collect();
            Some(make(&labels, best.1, results.number(number, column)))
        };
        results.rows().iter().enumerate().map(|row| value(row).unwrap_or(Value::Blank)).collect()
    }
}

/// A swept key along which points differ.
pub(super) fn swept(at: &str, over: &str, references: &mut References<'_>) {
    let at = format!("{at}.over");
    references.axis(&at, over);
    references.not_of_design(&at, over);
}
