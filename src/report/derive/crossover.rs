//! `how = "crossover"`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::against::other_point;
use super::over::swept;
use super::{Asked, Best, Derive, Derived, Keys, blank};
use crate::record::{Direction, Value};
use crate::report::best::is_equal;
use crate::report::results::{Results, Row};
use crate::scenario::{References, Where, find_axis};

/// Along a numeric key, the least value from which on this point's metric is better than another's.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Crossover {
    /// The keys of every derivation from one metric.
    #[serde(flatten)]
    pub derived: Derived,
    /// The point compared with: the swept keys in which it differs from this one.
    pub to: Where,
    /// The swept key along which the points are compared.
    pub over: String,
    /// Which value is best.
    #[serde(flatten)]
    pub asked: Asked,
}

impl Keys for Crossover {
    fn name(&self) -> &str {
        &self.derived.name
    }

    fn metric(&self) -> Option<&str> {
        Some(&self.derived.metric)
    }

    fn asked(&self) -> Option<Asked> {
        Some(self.asked)
    }

    fn direction(&self, _: Direction) -> Direction {
        Direction::Neither
    }

    fn check(&self, at: &str, references: &mut References<'_>) {
        if self.to.is_empty() {
            references.wrong(at, "this derivation needs `to`, the point compared with".to_owned(), None);
        }
        other_point(at, &self.to, references);
        swept(at, &self.over, references);
        if find_axis(references.axes, &self.over).is_some_and(|axis| !axis.is_numeric()) {
            let message = format!("the values of `{}` are names, and a crossover is a number", self.over);
            references.wrong(&format!("{at}.over"), message, None);
        }
    }
}

impl Derive for Crossover {
    fn keys(&self) -> &dyn Keys {
        self
    }

    fn values(&self, results: &Results<'_>, best: Option<Best>) -> Vec<Value> {
        let column = results.column(&self.derived.metric);
        let (Some(axis), Some(column), Some(sought)) = (results.axis(&self.over), column, best) else {
            return blank(results);
        };
        let value = |row: &Row| {
            let own = row.point as usize;
            let mut line: Vec<(f64, bool)> = Vec::new();
            for point in results.along(own, axis) {
                let at = results.value(point, axis).cell.number()?;
                let at_replica =
                    |point: usize| Some((point, results.number(results.row(point, row.replica)?, column)?));
                let (this, other) = (at_replica(point)?, at_replica(results.other(point, &self.to)?)?);
                let is_better = sought.cost(this.1) < sought.cost(other.1);
                line.push((at, is_better && !is_equal(results, &self.derived.metric, this, other)));
            }
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
            let better = line.iter().rev().take_while(|(_, better)| *better).last();
            better.map(|(at, _)| *at)
        };
        results.rows().iter().map(|row| Value::from(value(row))).collect()
    }
}
