//! `[[derive]]`: figures made from several points. Replicas are paired, so that common draws cancel.

use super::results::{Results, Row};
use crate::record::Value;
use crate::scenario::{Derivation, DeriveSpec};
use crate::statistics::share_at_most;

/// Adds every derived figure of the scenario, in its order: one may be made from an earlier one.
pub(super) fn add_all(results: &mut Results<'_>) {
    for spec in &results.scenario().file.derive {
        let values = match spec.how {
            Derivation::Speedup => paired(results, spec, |this, other| other / this),
            Derivation::Ratio => paired(results, spec, |this, other| this / other),
            Derivation::Difference => paired(results, spec, |this, other| this - other),
            Derivation::Best => best(results, spec, |_, value| Value::from(value)),
            Derivation::BestOf => best(results, spec, |label, _| Value::from(label)),
            Derivation::RatioToBest => ratio_to_best(results, spec),
            Derivation::Crossover => crossover(results, spec),
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

/// What is best among the points that differ from each row's in the key `over` only.
fn best(results: &Results<'_>, spec: &DeriveSpec, show: impl Fn(&str, f64) -> Value) -> Vec<Value> {
    let axis = spec.over.as_deref().and_then(|over| results.axis(over));
    let (Some(axis), Some(column)) = (axis, results.column(&spec.metric)) else { return blank(results) };
    let among = results.matching(&spec.among);
    let value = |row: &Row| {
        let candidates = results.along(row.point as usize, axis).into_iter().filter(|point| among.contains(point));
        let numbers = candidates.filter_map(|point| {
            let number = results.number(results.row(point, row.replica)?, column)?;
            Some((if spec.largest { -number } else { number }, number, point))
        });
        let (_, number, point) = numbers.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(show(&results.value(point, axis).label, number))
    };
    results.rows().iter().map(|row| value(row).unwrap_or(Value::Blank)).collect()
}

/// Each row's own figure over what is best.
fn ratio_to_best(results: &Results<'_>, spec: &DeriveSpec) -> Vec<Value> {
    let Some(column) = results.column(&spec.metric) else { return blank(results) };
    let bests = best(results, spec, |_, value| Value::from(value));
    let ratio = |(row, best): (usize, Value)| {
        Value::from(results.number(row, column).zip(best.number()).map(|(value, best)| value / best))
    };
    bests.into_iter().enumerate().map(ratio).collect()
}

/// Along the key `over`, the least value from which on each row's point is better than the other one.
fn crossover(results: &Results<'_>, spec: &DeriveSpec) -> Vec<Value> {
    let axis = spec.over.as_deref().and_then(|over| results.axis(over));
    let (Some(axis), Some(column)) = (axis, results.column(&spec.metric)) else { return blank(results) };
    let value = |row: &Row| {
        let own = row.point as usize;
        let mut line: Vec<(f64, bool)> = Vec::new();
        for point in results.along(own, axis) {
            let at = results.value(point, axis).cell.number()?;
            let at_replica = |point: usize| results.number(results.row(point, row.replica)?, column);
            let (this, other) = (at_replica(point)?, at_replica(results.other(point, &spec.to)?)?);
            line.push((at, if spec.largest { this > other } else { this < other }));
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
