//! What is drawn in one colour: the points of each value of the series' key, and each metric of them.

use std::collections::HashMap;

use super::along::named;
use super::keys::{Metrics, OfSeries, Shown};
use crate::report::results::Results;
use crate::report::statistics::Summary;
use crate::report::text::{Kind, axis_texts, heading, kind};
use crate::scenario::{Axis, AxisValue};
use hetsim_chart::lines::SeriesStyle;

/// Points or rows under one name; a group without a name is the only one.
pub(super) type Group<T> = (Option<String>, T);

/// One metric of one group.
pub(super) struct Series<'a, T> {
    /// The words in the picture.
    pub(super) name: String,
    /// What is shown of the group.
    pub(super) metric: &'a str,
    /// The points or rows.
    pub(super) members: &'a T,
    /// The look as a line.
    pub(super) style: SeriesStyle,
}

/// A strand for each metric of each group, in the order of the groups.
pub(super) fn all_series<'a, T>(metrics: &'a Metrics, groups: &'a [Group<T>]) -> Vec<Series<'a, T>> {
    let all = metrics.y.all();
    let mut series = Vec::new();
    for (family, (group, members)) in groups.iter().enumerate() {
        for (member, metric) in all.iter().enumerate() {
            let (name, style) = match group {
                None => (metrics.called(metric), SeriesStyle::Data),
                Some(group) if all.len() == 1 => (group.clone(), SeriesStyle::Data),
                Some(group) => (format!("{group}, {}", metrics.called(metric)), SeriesStyle::Member { family, member }),
            };
            series.push(Series { name, metric, members, style });
        }
    }
    series
}

/// The points of each value of the series' key; all in one group where there is no such key.
pub(super) fn by_series(results: &Results<'_>, shown: Shown<'_>) -> Vec<Group<Vec<usize>>> {
    grouped(results, shown, series_names)
}

/// The same, with names that say by themselves which key it is.
pub(super) fn by_titled_series(results: &Results<'_>, shown: Shown<'_>) -> Vec<Group<Vec<usize>>> {
    grouped(results, shown, titled_names)
}

fn grouped(
    results: &Results<'_>,
    shown: Shown<'_>,
    names: impl Fn(Shown<'_>, &Axis) -> Vec<String>,
) -> Vec<Group<Vec<usize>>> {
    let points = results.matching(&shown.common.filter);
    let Some(axis) = shown.series.and_then(|series| results.axis(series)) else {
        return vec![(None, points)];
    };
    let names = names(shown, &results.scenario().axes[axis]);
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    for &point in &points {
        members.entry(results.scenario().points.choice(point, axis)).or_default().push(point);
    }
    let group = |choice: usize| (Some(names[choice].clone()), members.remove(&choice).unwrap_or_default());
    results.used(&points, axis).into_iter().map(group).collect()
}

/// The names of the series of a swept key.
pub(super) fn series_names(shown: Shown<'_>, axis: &Axis) -> Vec<String> {
    named(shown.names, axis)
}

/// The names of the values of a swept key where no legend says which key it is: numbers, `true` and `false` come with
/// its name.
pub(super) fn titled_names(shown: Shown<'_>, axis: &Axis) -> Vec<String> {
    let has_unit = kind("", axis.format.as_deref()) != Kind::Number;
    let is_bare = |value: &AxisValue| {
        !has_unit && (value.cell.number().is_some() || ["true", "false"].contains(&value.label.as_str()))
    };
    let own = axis.values.iter().zip(axis_texts(axis));
    let named = named(shown.names, axis).into_iter().zip(own).map(|(name, (value, text))| {
        // A name that the chart gives is left as it is.
        if is_bare(value) && name == text { format!("{}: {name}", heading(&axis.name)) } else { name }
    });
    named.collect()
}

/// Whether a mark belongs to the group of these points.
pub(super) fn belongs(results: &Results<'_>, shown: Shown<'_>, of: &OfSeries, members: &[usize]) -> bool {
    let (Some(axis), Some(value)) = (shown.series.and_then(|series| results.axis(series)), of) else { return false };
    let first = members.first();
    first.is_some_and(|&point| results.scenario().axes[axis].is(results.value(point, axis), value))
}

/// The summary of a metric at a point.
pub(super) fn summary(results: &Results<'_>, point: usize, metric: &str) -> Option<Summary> {
    results.summary(point, results.column(metric)?)
}
