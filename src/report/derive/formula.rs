//! `how = "formula"`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Best, Derive, Keys, blank};
use crate::formula::{Evaluator, Expression, ParseError, names, parse};
use crate::record::{Direction, Value};
use crate::report::results::Results;
use crate::scenario::{References, Scenario, find_axis};

/// The number of nodes of a point's platform, where no metric has the name. A swept key may have it, too: one of several
/// clusters has fewer nodes.
const NODES: &str = "nodes";

/// Arithmetic over metrics and swept keys of one run.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Arithmetic {
    /// The name of the new metric.
    pub name: String,
    /// The formula over metrics, numeric swept keys, the names in `values`, and `nodes`, the number of nodes of the
    /// platform: `"nodes * price * completion_s"`. A metric goes before a swept key of the same name. Swept keys with the
    /// same last part are named by more of their parts: `old.speed / new.speed`. It has `+ - * / ^ ( )`, `sqrt`, `sqr`
    /// (the square), `ln`, `log2`, `exp`, `min(a, b)`, `max(a, b)` and `if(name <= 5, a, b)`. The metric is blank where
    /// the formula has no value.
    pub formula: String,
    /// Numbers for further names in the formula, which has each of them: `{ price = 0.04 }`.
    #[serde(default)]
    pub values: BTreeMap<String, f64>,
}

/// What a name of the formula stands for: a number of `values` first, then a metric, then `nodes`, then a swept key.
enum Named {
    Number(f64),
    Metric(usize),
    Axis(usize),
    Nodes,
}

impl Arithmetic {
    fn names(&self) -> Vec<&str> {
        names(&self.formula)
    }

    fn parsed(&self) -> Result<Expression, ParseError> {
        parse(&self.formula, &self.names())
    }

    /// What a name stands for; nothing where it is unknown.
    fn named(&self, name: &str, results: &Results<'_>) -> Option<Named> {
        if let Some(number) = self.values.get(name) {
            return Some(Named::Number(*number));
        }
        let metric = results.column(name).map(Named::Metric);
        let nodes = (name == NODES).then_some(Named::Nodes);
        metric.or(nodes).or_else(|| results.axis(name).map(Named::Axis))
    }

    /// The value of each row for a name; not a number where it has none.
    fn column(&self, name: &str, results: &Results<'_>) -> Vec<f64> {
        let named = self.named(name, results);
        let scenario: &Scenario = results.scenario();
        let value = |(number, point): (usize, usize)| match named.as_ref()? {
            Named::Number(number) => Some(*number),
            Named::Metric(column) => results.number(number, *column),
            Named::Axis(axis) => results.value(point, *axis).cell.number(),
            Named::Nodes => Some(f64::from(scenario.nodes(point))),
        };
        let rows = results.rows().iter().map(|row| row.point as usize).enumerate();
        rows.map(|row| value(row).unwrap_or(f64::NAN)).collect()
    }
}

impl Keys for Arithmetic {
    fn name(&self) -> &str {
        &self.name
    }

    fn metric(&self) -> Option<&str> {
        None
    }

    fn uses(&self) -> Vec<&str> {
        self.names()
    }

    /// Nobody knows how the result depends on what is better of each.
    fn direction(&self, _: Direction) -> Direction {
        Direction::Neither
    }

    fn check(&self, at: &str, references: &mut References<'_>) {
        let means = |references: &References<'_>, name: &str| {
            references.has_metric(name) || find_axis(references.axes, name).is_some() || name == NODES
        };
        let names = self.names();
        // A name without a meaning may stand for a number that seems to have no use.
        let all_known = names.iter().all(|name| self.values.contains_key(*name) || means(references, name));
        for name in self.values.keys() {
            let message = if means(references, name) {
                format!("`{name}` has a meaning of its own in formulas: give the number another name")
            } else if all_known && !names.contains(&name.as_str()) {
                format!("the formula does not have `{name}`: take it out, or write it into the formula")
            } else {
                continue;
            };
            references.wrong_key(&format!("{at}.values.{name}"), message, None);
        }
        let at = format!("{at}.formula");
        let values: Vec<&str> = self.values.keys().map(String::as_str).collect();
        for name in names {
            let is_number = self.values.contains_key(name) || (name == NODES && !references.has_metric(name));
            match find_axis(references.axes, name) {
                _ if is_number => {}
                Some(axis) if !references.has_metric(name) => {
                    if !axis.is_numeric() {
                        references.wrong(&at, format!("the values of `{name}` are no numbers"), None);
                    }
                }
                _ => references.operand(&at, name, &values),
            }
        }
        if let Err(error) = self.parsed() {
            references.wrong(&at, format!("the formula can't be read, {error}"), None);
        }
    }
}

impl Derive for Arithmetic {
    fn keys(&self) -> &dyn Keys {
        self
    }

    fn values(&self, results: &Results<'_>, _: Option<Best>) -> Vec<Value> {
        let Ok(expression) = self.parsed() else { return blank(results) };
        let columns: Vec<Vec<f64>> = self.names().iter().map(|name| self.column(name, results)).collect();
        let mut values = vec![0.0; results.rows().len()];
        Evaluator::default().evaluate(&expression, &columns, &mut values);
        // A blank cell of a row makes its value none, even where `min` and `max` pass over it.
        let is_whole = |row: usize| columns.iter().all(|column| !column[row].is_nan());
        let value = |(row, value): (usize, f64)| (value.is_finite() && is_whole(row)).then_some(value);
        values.into_iter().enumerate().map(|row| Value::from(value(row))).collect()
    }
}
