//! `[[derive]]`: metrics made from several points. Replicas are paired, so that common draws cancel.

use super::best::{by_value, is_equal};
use super::results::{Results, Row};
use crate::record::Value;
use crate::scenario::{AxisValue, Best, Derivation, DeriveSpec};
use crate::statistics::share_at_most;

/// Adds every derived metric of the scenario, in its order: one may be made from an earlier one.
pub(super) fn add_all(results: &mut Results<'_>) {
    for (number, spec) in results.scenario().file.derive.iter().enumerate() {
        let sought = results.scenario().file.best_for(number);
        let values = match spec.how {
            Derivation::Speedup => paired(results, spec, |this, other| other / this),
            Derivation::Ratio => paired(results, spec, |this, other| this / other),
            Derivation::Difference => paired(results, spec, |this, other| this - other),
            Derivation::Best => best(results, spec, sought, |_, value| Value::from(value)),
            Derivation::BestOf => best(results, spec, sought, |labels, _| Value::from(labels.join(", "))),
            Derivation::RatioToBest => ratio_to_best(results, spec, sought),
            Derivation::Crossover => crossover(results, spec, sought),
            Derivation::Quantile => quantile(results, spec),
        };
        results.add(&spec.name, &spec.metric, values);
    }
}

/// A value made from each row and the row of the other point with the same replica, or what a file gives for the point.
fn paired(results: &Results<'_>, spec: &DeriveSpec, make: impl Fn(f64, f64) -> f64) -> Vec<Value> {
    let Some(column) = results.column(&spec.metric) else { return blank(results) };
    let value = |(number, row): (usize, &Row)| {
        let (this, point) = (results.number(number, column)?, row.point as usize);
        if let Some(given) = &spec.given {
            return Some(make(this, given.at(&results.scenario().points[point].choices)?));
        }
        let other = results.row(results.other(point, &spec.to)?, row.replica)?;
        Some(make(this, results.number(other, column)?))
    };
    results.rows().iter().enumerate().map(|row| Value::from(value(row))).collect()
}

/// What is best among the points that differ from each row's in the key `over` only: the values of the key, in an order of
/// their own, and the metric.
fn best(
    results: &Results<'_>,
    spec: &DeriveSpec,
    sought: Option<Best>,
    show: impl Fn(&[&str], f64) -> Value,
) -> Vec<Value> {
    let axis = spec.over.as_deref().and_then(|over| results.axis(over));
    let (Some(axis), Some(column), Some(sought)) = (axis, results.column(&spec.metric), sought) else {
        return blank(results);
    };
    let among = results.matching(&spec.among);
    let value = |row: &Row| {
        let candidates =
            results.along(row.point as usize, axis).into_iter().filter(|point| among.binary_search(point).is_ok());
        let numbers: Vec<(usize, f64)> = candidates
            .filter_map(|point| Some((point, results.number(results.row(point, row.replica)?, column)?)))
            .collect();
        let &best = numbers.iter().min_by(|a, b| sought.cost(a.1).total_cmp(&sought.cost(b.1)))?;
        let equal = numbers.iter().filter(|other| is_equal(results, &spec.metric, **other, best));
        let mut values: Vec<&AxisValue> = equal.map(|(point, _)| results.value(*point, axis)).collect();
        values.sort_by(|a, b| by_value(a, b));
        let labels: Vec<&str> = values.into_iter().map(|value| value.label.as_str()).collect();
        Some(show(&labels, best.1))
    };
    results.rows().iter().map(|row| value(row).unwrap_or(Value::Blank)).collect()
}

/// Each row's own metric over what is best.
fn ratio_to_best(results: &Results<'_>, spec: &DeriveSpec, sought: Option<Best>) -> Vec<Value> {
    let Some(column) = results.column(&spec.metric) else { return blank(results) };
    let bests = best(results, spec, sought, |_, value| Value::from(value));
    let ratio = |(row, best): (usize, Value)| {
        Value::from(results.number(row, column).zip(best.number()).map(|(value, best)| value / best))
    };
    bests.into_iter().enumerate().map(ratio).collect()
}

/// Along the key `over`, the least value from which on each row's point is better than the other one.
fn crossover(results: &Results<'_>, spec: &DeriveSpec, sought: Option<Best>) -> Vec<Value> {
    let axis = spec.over.as_deref().and_then(|over| results.axis(over));
    let (Some(axis), Some(column), Some(sought)) = (axis, results.column(&spec.metric), sought) else {
        return blank(results);
    };
    let value = |row: &Row| {
        let own = row.point as usize;
        let mut line: Vec<(f64, bool)> = Vec::new();
        for point in results.along(own, axis) {
            let at = results.value(point, axis).cell.number()?;
            let at_replica = |point: usize| Some((point, results.number(results.row(point, row.replica)?, column)?));
            let (this, other) = (at_replica(point)?, at_replica(results.other(point, &spec.to)?)?);
            let is_better = sought.cost(this.1) < sought.cost(other.1);
            line.push((at, is_better && !is_equal(results, &spec.metric, this, other)));
        }
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
        let better = line.iter().rev().take_while(|(_, better)| *better).last();
        better.map(|(at, _)| *at)
    };
    results.rows().iter().map(|row| Value::from(value(row))).collect()
}

/// Where a given value stands among the replicas of each row's point.
fn quantile(results: &Results<'_>, spec: &DeriveSpec) -> Vec<Value> {
    let limit = spec.of.as_ref().and_then(|of| of.number_for(&spec.metric).ok());
    let Some(limit) = limit else { return blank(results) };
    let of_point = |rows: &[Row]| {
        let point = rows.first().map(|row| row.point as usize);
        let share = point.and_then(|point| share_at_most(&results.numbers(point, &spec.metric), limit));
        vec![Value::from(share); rows.len()]
    };
    // Rows are sorted by point; each point is counted once.
    results.rows().chunk_by(|a, b| a.point == b.point).flat_map(of_point).collect()
}

fn blank(results: &Results<'_>) -> Vec<Value> {
    vec![Value::Blank; results.rows().len()]
}
