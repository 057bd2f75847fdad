//! What a chart says by itself of its bands and bars: of what they are, and of how many values.

use super::series::summary;
use crate::report::results::Results;
use crate::report::statistics::{Intervals, interval_method};
use crate::scenario::IntervalMethod;

/// Says what the intervals of means are that a chart draws as `what`, or of how many replicas the means are where none
/// is drawn; nothing of single values.
pub(super) fn of_means(results: &Results<'_>, points: &[usize], metrics: &[String], what: Option<&str>) -> Vec<String> {
    let all = || metrics.iter().flat_map(|metric| points.iter().filter_map(|&point| summary(results, point, metric)));
    let has_interval = all().any(|summary| summary.interval.is_some_and(|(low, high)| high > low));
    let counts = || all().map(|summary| summary.count).filter(|count| *count > 1);
    let (Some(least), Some(most)) = (counts().min(), counts().max()) else { return Vec::new() };
    let count = if least == most { format!("n = {least}") } else { format!("n = {least} to {most}") };
    let Some(what) = what.filter(|_| has_interval) else { return vec![format!("means, {count}")] };
    let percent = Intervals::of(results.scenario()).confidence.percent();
    let is_share = |metric: &String| results.column(metric).is_some_and(|column| results.is_share(column));
    let method = match interval_method(results.scenario()) {
        _ if metrics.iter().all(is_share) => "Wilson",
        IntervalMethod::Student => "Student",
        IntervalMethod::Bootstrap => "bootstrap",
        IntervalMethod::Prediction => "interval of a further run",
    };
    vec![format!("{what}: mean, {percent} % {method}, {count}")]
}
