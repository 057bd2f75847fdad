//! `[[derive]]`: figures made from several points. Replicas are paired, so that common draws cancel.

use super::results::Results;
use super::statistics::share_at_most;
use crate::record::Value;
use crate::scenario::{Derivation, DeriveSpec};

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
    let value = |row: &super::results::Row| {
        let this = row.values[column].number()?;
        if let Some(given) = &spec.given {
            return Some(make(this, given.at(&results.scenario().points[row.point].choices)?));
        }
        let other = results.row(results.other(row.point, &spec.to)?, row.replica)?;
        Some(make(this, other.values[column].number()?))
    };
    results.rows().iter().map(|row| Value::from(value(row))).collect()
}

/// What is best among the points that differ from each row's in the key `over` only.
fn best(results: &Results<'_>, spec: &DeriveSpec, show: impl Fn(&str, f64) -> Value) -> Vec<Value> {
    let axis = spec.over.as_deref().and_then(|over| results.axis(over));
    let (Some(axis), Some(column)) = (axis, results.column(&spec.metric)) else { return blank(results) };
    let among = results.matching(&spec.among);
    let value = |row: &super::results::Row| {
        let candidates = results.along(row.point, axis).into_iter().filter(|point| among.contains(point));
        let numbers = candidates.filter_map(|point| {
            let number = results.row(point, row.replica)?.values[column].number()?;
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
    let ratio = |(row, best): (&super::results::Row, Value)| {
        Value::from(row.values[column].number().zip(best.number()).map(|(value, best)| value / best))
    };
    results.rows().iter().zip(bests).map(ratio).collect()
}

/// Along the key `over`, the least value from which on each row's point is better than the other one.
fn crossover(results: &Results<'_>, spec: &DeriveSpec) -> Vec<Value> {
    let axis = spec.over.as_deref().and_then(|over| results.axis(over));
    let (Some(axis), Some(column)) = (axis, results.column(&spec.metric)) else { return blank(results) };
    let value = |row: &super::results::Row| {
        let mut line: Vec<(f64, bool)> = Vec::new();
        for point in results.along(row.point, axis) {
            let at = results.value(point, axis).cell.number()?;
            let this = results.row(point, row.replica)?.values[column].number()?;
            let other = results.row(results.other(point, &spec.to)?, row.replica)?.values[column].number()?;
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
    let of_point = |rows: &[super::results::Row]| {
        let point = rows.first().map(|row| row.point);
        let share = point.and_then(|point| share_at_most(&results.numbers(point, &spec.metric), limit));
        vec![Value::from(share); rows.len()]
    };
    // Rows are sorted by point; each point is counted once.
    results.rows().chunk_by(|a, b| a.point == b.point).flat_map(of_point).collect()
}

fn blank(results: &Results<'_>) -> Vec<Value> {
    vec![Value::Blank; results.rows().len()]
}
