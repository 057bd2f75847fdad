//! Lines and bars over a swept key: means over replicas, with their intervals.

use super::along::{Along, called, named, vertical_axis};
use super::strands::strands;
use crate::report::chart::{Arrangement, Bar, BarChart, BarSeries, Kind, LineChart, Mark, Point, Series};
use crate::report::results::Results;
use crate::report::statistics::Summary;
use crate::report::tables::{axis_texts, heading, kind, used};
use crate::scenario::{Axis, AxisValue, ChartKind, ChartSpec, MarkSpec};

/// The summary of a metric at a point.
pub(super) fn summary(results: &Results<'_>, point: usize, metric: &str) -> Option<Summary> {
    results.summary(point, results.column(metric)?)
}

/// The points of each value of the series' key, with the value's name; all in one where there is no such key.
pub(super) fn by_series(results: &Results<'_>, spec: &ChartSpec) -> Vec<(Option<String>, Vec<usize>)> {
    let points = results.matching(&spec.filter);
    let Some(axis) = spec.series.as_deref().and_then(|series| results.axis(series)) else {
        return vec![(None, points)];
    };
    let swept = &results.scenario().axes[axis];
    let names = series_names(spec, swept);
    let groups = used(results, &points, axis).into_iter().map(|choice| {
        let members = points.iter().copied().filter(|&p| results.scenario().points[p].choices[axis] == choice);
        (Some(names[choice].clone()), members.collect())
    });
    groups.collect()
}

/// What the series of a swept key are called: a bare number, `true` and `false` say nothing without their key.
fn series_names(spec: &ChartSpec, axis: &Axis) -> Vec<String> {
    let has_unit = kind("", axis.format.as_deref()) != Kind::Number;
    let is_bare = |value: &AxisValue| {
        !has_unit && (value.cell.number().is_some() || ["true", "false"].contains(&value.label.as_str()))
    };
    let own = axis.values.iter().zip(axis_texts(axis));
    let named = named(spec, axis).into_iter().zip(own).map(|(name, (value, text))| {
        // A name that the chart gives is left as it is.
        if is_bare(value) && name == text { format!("{}: {name}", heading(&axis.name)) } else { name }
    });
    named.collect()
}

/// Whether a mark belongs to the series of a point.
pub(super) fn belongs(results: &Results<'_>, spec: &ChartSpec, mark: &MarkSpec, point: usize) -> bool {
    let axis = spec.series.as_deref().and_then(|series| results.axis(series));
    axis.zip(mark.series.as_ref())
        .is_some_and(|(axis, value)| results.scenario().axes[axis].is(results.value(point, axis), value))
}

/// The marks of a chart of lines, with the number of the group that each belongs to.
fn marks(results: &Results<'_>, spec: &ChartSpec, x: &Along, groups: &[(Option<String>, Vec<usize>)]) -> Vec<Mark> {
    let metric = spec.y.first().map(String::as_str).unwrap_or_default();
    let place = |mark: &MarkSpec| {
        let y = mark.y.as_ref()?.number_for(metric).ok()?;
        let first = |members: &[usize]| members.first().is_some_and(|&point| belongs(results, spec, mark, point));
        let series = groups.iter().position(|(_, members)| first(members));
        Some(Mark { x: x.place_of(results, mark.x.as_ref()?)?, y, label: mark.label.clone(), series })
    };
    spec.mark.iter().filter_map(place).collect()
}

/// `kind = "line"`.
pub(super) fn line(results: &Results<'_>, spec: &ChartSpec, title: String) -> LineChart {
    let all = results.matching(&spec.filter);
    let x = Along::new(results, spec, spec.x.as_ref(), &all);
    let along = |members: &[usize], metric: &str| -> Vec<Point> {
        let point = |&point: &usize| {
            let summary = summary(results, point, metric)?;
            let place = Point::new(x.place(results, point), summary.mean);
            Some(match summary.interval {
                Some((low, high)) if high > low => place.within(low, high),
                _ => place,
            })
        };
        let mut points: Vec<Point> = members.iter().filter_map(point).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        points
    };
    let groups = by_series(results, spec);
    let lines = strands(spec, &groups).into_iter();
    let mut series: Vec<Series> = lines
        .map(|strand| Series { points: along(strand.members, strand.metric), name: strand.name, style: strand.style })
        .collect();
    for reference in &spec.reference {
        let mut points = along(&all, reference);
        points.dedup_by(|a, b| a.x == b.x);
        series.push(Series::reference(called(spec, reference), points));
    }
    LineChart {
        title,
        subtitle: spec.subtitle.clone(),
        x: x.chart_axis(results, spec.x_label.as_ref(), spec.x_scale),
        y: vertical_axis(spec),
        series,
        marks: marks(results, spec, &x, &groups),
        steps: spec.step,
    }
}

/// `kind = "bar"` and `kind = "stacked"`. Parts of a stack have no intervals: theirs would lie across their neighbours.
pub(super) fn bar(results: &Results<'_>, spec: &ChartSpec, title: String) -> BarChart {
    let arrangement = arrangement(spec);
    let x = Along::new(results, spec, spec.x.as_ref(), &results.matching(&spec.filter));
    let bar_at = |members: &[usize], metric: &str, place: usize| {
        let point = *members.iter().find(|&&point| x.is_at(results, point, place))?;
        let summary = summary(results, point, metric)?;
        let interval = summary.interval.filter(|_| arrangement == Arrangement::Grouped);
        let bar = Bar::new(summary.mean);
        Some(interval.map_or(bar, |(low, high)| bar.within(low, high)))
    };
    let groups = by_series(results, spec);
    let series = strands(spec, &groups).into_iter().map(|strand| BarSeries {
        bars: (0..x.values.len()).map(|place| bar_at(strand.members, strand.metric, place)).collect(),
        name: strand.name,
    });
    BarChart {
        title,
        subtitle: spec.subtitle.clone(),
        label: x.label(results, spec.x_label.as_ref()),
        categories: x.names.clone(),
        y: vertical_axis(spec),
        series: series.collect(),
        arrangement,
    }
}

/// How the bars of a chart are arranged.
pub(super) fn arrangement(spec: &ChartSpec) -> Arrangement {
    if spec.kind == ChartKind::Stacked { Arrangement::Stacked } else { Arrangement::Grouped }
}
