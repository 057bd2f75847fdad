//! How many replicas points took to stop by themselves, in words.

use std::fmt::Write as _;

use super::results::Results;
use crate::scenario::{Replicas, UntilSpec};
use crate::statistics::stopping::{Decision, enough};

/// The number of replicas of the points that have any: `30`, or `30 to 240`.
#[must_use]
pub fn counts(results: &Results<'_>) -> String {
    if let Replicas::Fixed(count) = results.scenario().file.replicas {
        return count.to_string();
    }
    range(results).map_or_else(|| "0".to_owned(), |(least, most)| words(least, most))
}

/// How many replicas the points took that stop by themselves, and how many of them reached the limit; `None` for a fixed
/// number of replicas.
#[must_use]
pub fn sentence(results: &Results<'_>) -> Option<String> {
    let Replicas::Until(UntilSpec { until, max }) = &results.scenario().file.replicas else { return None };
    let (metric, rule) = results.scenario().file.stopping()?;
    let column = results.column(metric)?;
    let (least, most) = range(results)?;
    let points: Vec<usize> =
        (0..results.scenario().points.len()).filter(|&point| !results.rows_of(point).is_empty()).collect();
    let decision = |point: &usize| {
        let values: Vec<Option<f64>> = results.rows_of(*point).map(|row| results.number(row, column)).collect();
        enough(&values, &rule)
    };
    let decisions: Vec<Decision> = points.iter().map(decision).collect();
    let of = |what: fn(&Decision) -> bool| decisions.iter().filter(|decision| what(decision)).count();
    let exhausted = of(|decision| matches!(decision, Decision::Exhausted(_)));
    let open = of(|decision| matches!(decision, Decision::More { .. }));
    let percent = rule.confidence.percent();
    let mut text = format!(
        "{} replicas a point: until the {percent} % interval of the mean of {metric} is within {}",
        words(least, most),
        until.shown()
    );
    let total = decisions.len();
    if exhausted > 0 {
        let _ = write!(text, "; {exhausted} of {total} points ended at {max} replicas with a longer one");
    }
    if open > 0 {
        let _ = write!(text, "; {open} of {total} points are unfinished");
    }
    text.push('.');
    Some(text)
}

/// The least and the greatest number of replicas.
fn range(results: &Results<'_>) -> Option<(usize, usize)> {
    let counts = || results.rows().chunk_by(|a, b| a.point == b.point).map(<[_]>::len);
    Some((counts().min()?, counts().max()?))
}

fn words(least: usize, most: usize) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}
