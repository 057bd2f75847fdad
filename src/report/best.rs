//! Which of several points is best: with those that are equal to it, and those that a paired test can't tell from it.
//! The answer is the same in whatever order the points stand.

use std::cmp::Ordering;

use super::direction::Best;
use super::results::Results;
use crate::record::is_duration;
use crate::scenario::AxisValue;
use crate::statistics::Confidence;
use crate::statistics::compare::{holm, paired};

/// Values that lie closer together than this share of their size are equal: they agree in nine digits.
const ROUNDING: f64 = 1e-9;

/// Times that lie a tick apart are equal where a tick is at most this share of them: they differ by a rounding. A
/// coarser tick is a result.
const FINE_TICK: f64 = 1e-6;

/// The best of several points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Winners {
    /// The best point; of equal ones the one whose value of the key comes first, numbers by size and names by letters.
    pub(super) point: usize,
    /// Others that have the same value in every replica, in that order.
    pub(super) equal: Vec<usize>,
    /// Others that differ over the replicas, but not by enough to tell them from the best, in that order.
    pub(super) untold: Vec<usize>,
    /// Whether one of the points has replicas without the metric, which its mean leaves out.
    pub(super) is_partial: bool,
}

/// The order of values of the key, whatever the sweep's: numbers by size, names by letters.
pub(super) fn by_value(a: &AxisValue, b: &AxisValue) -> Ordering {
    match (a.cell.number(), b.cell.number()) {
        (Some(x), Some(y)) => x.total_cmp(&y),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.label.cmp(&b.label),
    }
}

/// Whether the values of a metric at two points are equal: in nine digits, or, of times, but for the rounding of a
/// tick.
pub(super) fn is_equal(results: &Results<'_>, metric: &str, a: (usize, f64), b: (usize, f64)) -> bool {
    let size = a.1.abs().max(b.1.abs());
    let tick = if is_duration(metric) { results.tick_s(a.0).max(results.tick_s(b.0)) } else { 0.0 };
    // A difference of one tick in seconds has roundings of its own.
    let rounding = if tick <= FINE_TICK * size { 1.001 * tick } else { 0.0 };
    (a.1 - b.1).abs() <= rounding.max(ROUNDING * size)
}

/// The best of `points`, which differ in the keys `axes`, by the mean of a metric; nothing where none has it.
pub(super) fn winners(
    results: &Results<'_>,
    points: &[usize],
    axes: &[usize],
    (metric, best): (&str, Best),
) -> Option<Winners> {
    let column = results.column(metric)?;
    let mut known: Vec<(usize, f64)> =
        points.iter().filter_map(|&point| Some((point, results.mean(point, metric)?))).collect();
    let by_values = |a: usize, b: usize| {
        let of_axis = |&axis: &usize| by_value(results.value(a, axis), results.value(b, axis));
        axes.iter().map(of_axis).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    known.sort_by(|a, b| by_values(a.0, b.0));
    let &least = known.iter().min_by(|a, b| best.cost(a.1).total_cmp(&best.cost(b.1)))?;
    let &(point, _) = known.iter().find(|known| is_equal(results, metric, **known, least))?;
    let others: Vec<(usize, Told)> = known
        .iter()
        .filter(|(other, _)| *other != point)
        .map(|&(other, _)| (other, told(results, column, other, point)))
        .collect();
    let equal = |(_, told): &&(usize, Told)| *told == Told::Equal;
    let tests: Vec<(usize, f64)> = others.iter().filter_map(|(other, told)| Some((*other, told.p()?))).collect();
    let corrected = holm(&tests.iter().map(|(_, p)| *p).collect::<Vec<_>>());
    let most = 1.0 - confidence(results).share();
    let untold = tests.iter().zip(corrected).filter(|(_, p)| *p > most).map(|((other, _), _)| *other);
    Some(Winners {
        point,
        equal: others.iter().filter(equal).map(|(other, _)| *other).collect(),
        untold: untold.collect(),
        is_partial: known
            .iter()
            .any(|(point, _)| results.numbers_in(*point, column).len() < results.rows_of(*point).len()),
    })
}

/// The confidence with which a point is told from the best one.
pub(super) fn confidence(results: &Results<'_>) -> Confidence {
    // The schema lets nothing else through than a share between 0 and 1.
    Confidence::new(results.scenario().file.output.interval.confidence).unwrap_or(Confidence::P95)
}

/// How two points compare over their replicas.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Told {
    /// They are equal in each replica.
    Equal,
    /// They differ by the same amount in each replica, or there is only one replica.
    Apart,
    /// The p-value of the paired t test; 1 where too few replicas have both values for one.
    P(f64),
}

impl Told {
    const fn p(self) -> Option<f64> {
        match self {
            Self::P(p) => Some(p),
            Self::Equal | Self::Apart => None,
        }
    }
}

fn told(results: &Results<'_>, column: usize, a: usize, b: usize) -> Told {
    let pairs = results.pairs(column, a, b);
    let has_unpaired = [a, b].iter().any(|&point| results.numbers_in(point, column).len() > pairs.len());
    let metric = &results.metrics()[column];
    if !has_unpaired && pairs.iter().all(|&(x, y)| is_equal(results, metric, (a, x), (b, y))) {
        return Told::Equal;
    }
    match paired(&pairs, confidence(results)).and_then(|comparison| comparison.test) {
        Some(test) => Told::P(test.p),
        None if has_unpaired => Told::P(1.0),
        None => Told::Apart,
    }
}
