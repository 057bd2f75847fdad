//! `[[chart]]`: from a scenario's words to pictures.

use super::chart::{
    Arrangement, Arrow, Axis as ChartAxis, Bar, BarChart, BarSeries, Cells, Edge, Gantt, Heatmap, Kind, Lane,
    LineChart, Point, Scale as ChartScale, Series, Span, Tree, TreeNode,
};
use super::results::Results;
use super::statistics::Summary;
use super::tables::{axis_text, heading, kind};
use crate::cluster::Activity;
use crate::scenario::{ChartKind, ChartSpec, Scale, Traced};

/// A picture and its words.
#[derive(Debug, Clone)]
pub struct Picture {
    /// The file's stem.
    pub name: String,
    /// The words under it.
    pub caption: String,
    /// The picture.
    pub svg: String,
}

/// Draws every chart of the scenario.
///
/// # Errors
/// Where a run that is to be shown in detail fails; the message says which.
pub fn draw(results: &Results<'_>) -> Result<Vec<Picture>, String> {
    results.scenario().file.chart.iter().map(|spec| draw_one(results, spec)).collect()
}

fn draw_one(results: &Results<'_>, spec: &ChartSpec) -> Result<Picture, String> {
    let title = spec.title.clone().unwrap_or_else(|| spec.name.replace('_', " "));
    let svg = match spec.kind {
        ChartKind::Line => line(results, spec, title.clone()).svg(),
        ChartKind::Bar => bar(results, spec, title.clone()).svg(),
        ChartKind::Heatmap => heatmap(results, spec, title.clone()).svg(),
        ChartKind::Gantt | ChartKind::Tree => {
            let point =
                *results.matching(&spec.filter).first().ok_or_else(|| format!("chart `{}` has no run", spec.name))?;
            let traced =
                results.scenario().trace(point, 0).map_err(|error| format!("chart `{}`: {error}", spec.name))?;
            let conditions: Vec<String> = results
                .scenario()
                .values(point)
                .map(|(axis, value)| format!("{} {}", axis.name, axis_text(axis.format.as_deref(), value)))
                .collect();
            let subtitle = spec.subtitle.clone().or_else(|| Some(conditions.join(", ")));
            if spec.kind == ChartKind::Gantt {
                gantt(&traced, title.clone(), subtitle).svg()
            } else {
                tree(&traced, title.clone(), subtitle).svg()
            }
        }
    };
    Ok(Picture { name: spec.name.clone(), caption: title, svg })
}

/// The axis of a chart for a swept key.
fn swept_axis(results: &Results<'_>, axis: usize, label: Option<&String>, scale: Scale) -> ChartAxis {
    let axis = &results.scenario().axes[axis];
    let numeric = axis.values.iter().all(|value| value.cell.number().is_some());
    let kind = if numeric {
        kind("", axis.format.as_deref())
    } else {
        Kind::Category(axis.values.iter().map(|value| value.label.clone()).collect())
    };
    let label = label.cloned().unwrap_or_else(|| axis.name.replace('_', " "));
    ChartAxis { label, scale: scaled(scale), kind }
}

fn figure_axis(figure: &str, label: Option<&String>, scale: Scale) -> ChartAxis {
    let label = label.cloned().unwrap_or_else(|| heading(figure));
    ChartAxis { label, scale: scaled(scale), kind: kind(figure, None) }
}

const fn scaled(scale: Scale) -> ChartScale {
    match scale {
        Scale::Linear => ChartScale::Linear,
        Scale::Log => ChartScale::Log,
    }
}

/// The position of a point along x: its number, or its place among the categories.
fn position(results: &Results<'_>, point: usize, axis: usize) -> f64 {
    let choice = results.scenario().points[point].choices[axis];
    let numeric = results.scenario().axes[axis].values.iter().all(|value| value.cell.number().is_some());
    let number = results.value(point, axis).cell.number();
    if numeric { number.unwrap_or(f64::NAN) } else { choice as f64 }
}

/// The summary of a figure at a point.
fn summary(results: &Results<'_>, point: usize, figure: &str) -> Option<Summary> {
    Summary::of(&results.numbers(point, figure))
}

/// The points of each value of the series' key, with the value's name; all in one where there is no such key.
fn by_series(results: &Results<'_>, spec: &ChartSpec) -> Vec<(String, Vec<usize>)> {
    let points = results.matching(&spec.filter);
    let Some(axis) = spec.series.as_deref().and_then(|series| results.axis(series)) else {
        return vec![(spec.y.clone().unwrap_or_default(), points)];
    };
    let swept = &results.scenario().axes[axis];
    let groups = swept.values.iter().enumerate().map(|(choice, value)| {
        let members = points.iter().copied().filter(|&p| results.scenario().points[p].choices[axis] == choice);
        (axis_text(swept.format.as_deref(), value), members.collect::<Vec<_>>())
    });
    groups.filter(|(_, members)| !members.is_empty()).collect()
}

fn line(results: &Results<'_>, spec: &ChartSpec, title: String) -> LineChart {
    let (figure, x) =
        (spec.y.clone().unwrap_or_default(), spec.x.as_deref().and_then(|x| results.axis(x)).unwrap_or(0));
    let along = |members: &[usize], figure: &str| -> Vec<Point> {
        let mut points: Vec<Point> = members
            .iter()
            .filter_map(|&point| {
                let summary = summary(results, point, figure)?;
                let place = Point::new(position(results, point, x), summary.mean);
                Some(match summary.interval {
                    Some((low, high)) if high > low => place.within(low, high),
                    _ => place,
                })
            })
            .collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        points
    };
    let mut series: Vec<Series> = by_series(results, spec)
        .into_iter()
        .map(|(name, members)| Series::data(name, along(&members, &figure)))
        .collect();
    let all = results.matching(&spec.filter);
    for reference in &spec.reference {
        let mut points = along(&all, reference);
        points.dedup_by(|a, b| a.x == b.x);
        series.push(Series::reference(reference.replace('_', " "), points));
    }
    LineChart {
        title,
        subtitle: spec.subtitle.clone(),
        x: swept_axis(results, x, spec.x_label.as_ref(), spec.x_scale),
        y: figure_axis(&figure, spec.y_label.as_ref(), spec.y_scale),
        series,
    }
}

fn bar(results: &Results<'_>, spec: &ChartSpec, title: String) -> BarChart {
    let (figure, x) =
        (spec.y.clone().unwrap_or_default(), spec.x.as_deref().and_then(|x| results.axis(x)).unwrap_or(0));
    let swept = &results.scenario().axes[x];
    let bar_at = |members: &[usize], choice: usize| {
        let point = *members.iter().find(|&&p| results.scenario().points[p].choices[x] == choice)?;
        let summary = summary(results, point, &figure)?;
        let bar = Bar::new(summary.mean);
        Some(summary.interval.map_or(bar, |(low, high)| bar.within(low, high)))
    };
    let series = by_series(results, spec).into_iter().map(|(name, members)| BarSeries {
        name,
        bars: (0..swept.values.len()).map(|choice| bar_at(&members, choice)).collect(),
    });
    BarChart {
        title,
        subtitle: spec.subtitle.clone(),
        label: spec.x_label.clone().unwrap_or_else(|| swept.name.replace('_', " ")),
        categories: swept.values.iter().map(|value| axis_text(swept.format.as_deref(), value)).collect(),
        y: figure_axis(&figure, spec.y_label.as_ref(), spec.y_scale),
        series: series.collect(),
        arrangement: Arrangement::Grouped,
    }
}

fn heatmap(results: &Results<'_>, spec: &ChartSpec, title: String) -> Heatmap {
    let axis = |name: &Option<String>| name.as_deref().and_then(|name| results.axis(name)).unwrap_or(0);
    let (x, y) = (axis(&spec.x), axis(&spec.y));
    let figure = spec.value.clone().unwrap_or_default();
    let points = results.matching(&spec.filter);
    let names = |axis: usize| -> Vec<String> {
        let axis = &results.scenario().axes[axis];
        axis.values.iter().map(|value| axis_text(axis.format.as_deref(), value)).collect()
    };
    let find = |row: usize, column: usize| {
        points.iter().copied().find(|&p| {
            let choices = &results.scenario().points[p].choices;
            choices[x] == column && choices[y] == row
        })
    };
    let (columns, rows) = (names(x), names(y));
    let numeric = points.iter().any(|&point| !results.numbers(point, &figure).is_empty());
    let cells = if numeric {
        let value = |row, column| find(row, column).and_then(|point| results.mean(point, &figure));
        let values = (0..rows.len()).map(|row| (0..columns.len()).map(|column| value(row, column)).collect());
        Cells::Numbers { axis: figure_axis(&figure, None, spec.y_scale), values: values.collect() }
    } else {
        let mut known: Vec<String> = Vec::new();
        let column_of = results.column(&figure);
        let mut value = |row, column| {
            let row = results.rows_of(find(row, column)?).first()?;
            let name = row.values[column_of?].to_string();
            Some(known.iter().position(|other| *other == name).unwrap_or_else(|| {
                known.push(name);
                known.len() - 1
            }))
        };
        let mut values = Vec::new();
        for row in 0..rows.len() {
            values.push((0..columns.len()).map(|column| value(row, column)).collect());
        }
        Cells::Names { names: known, values }
    };
    let label = |axis: usize, given: &Option<String>| {
        given.clone().unwrap_or_else(|| results.scenario().axes[axis].name.replace('_', " "))
    };
    Heatmap {
        title,
        subtitle: spec.subtitle.clone(),
        x_label: label(x, &spec.x_label),
        y_label: label(y, &spec.y_label),
        columns,
        rows,
        cells,
    }
}

/// Who is busy with what when, and who sends to whom.
#[must_use]
pub fn gantt(traced: &Traced, title: String, subtitle: Option<String>) -> Gantt {
    let seconds = |time| traced.tick.seconds(time);
    let mut lanes: Vec<Lane> = traced
        .cluster_of
        .iter()
        .enumerate()
        .map(|(node, &cluster)| Lane {
            label: node.to_string(),
            group: traced.clusters[cluster].clone(),
            spans: Vec::new(),
        })
        .collect();
    for span in &traced.timeline.spans {
        let kind = match span.activity {
            Activity::Send => 0,
            Activity::Receive => 1,
            Activity::Compute => 2,
        };
        if span.end > span.start {
            lanes[span.at.index()].spans.push(Span { start: seconds(span.start), end: seconds(span.end), kind });
        }
    }
    let known = traced.timeline.messages.iter().filter(|message| message.arrival != crate::units::Time::NEVER);
    let arrows = known.map(|message| {
        let [from, to] = [message.from, message.to].map(crate::cluster::NodeId::index);
        let between = traced.cluster_of[from] != traced.cluster_of[to];
        Arrow { from, start: seconds(message.start), to, end: seconds(message.arrival), group: usize::from(between) }
    });
    let several = traced.clusters.len() > 1;
    Gantt {
        title,
        subtitle,
        kinds: ["sends", "receives", "computes"].map(str::to_owned).to_vec(),
        arrow_groups: if several {
            vec!["inside a cluster".to_owned(), "between clusters".to_owned()]
        } else {
            vec!["message".to_owned()]
        },
        arrows: arrows.collect(),
        lanes,
    }
}

/// The tree along which a run passed its message on: each node hangs under the one from which it first heard.
#[must_use]
pub fn tree(traced: &Traced, title: String, subtitle: Option<String>) -> Tree {
    let mut parents: Vec<Option<(crate::units::Time, usize)>> = vec![None; traced.cluster_of.len()];
    for message in &traced.timeline.messages {
        let parent = &mut parents[message.to.index()];
        if parent.is_none_or(|(arrival, _)| message.arrival < arrival) {
            *parent = Some((message.arrival, message.from.index()));
        }
    }
    let several = traced.clusters.len() > 1;
    let mut edges: Vec<(crate::units::Time, Edge)> = parents
        .iter()
        .enumerate()
        .filter_map(|(child, parent)| parent.map(|(arrival, parent)| (arrival, Edge { parent, child })))
        // The root may hear from others late in an exchange; it hangs under nobody.
        .filter(|(_, edge)| Some(edge.child) != traced.timeline.messages.first().map(|first| first.from.index()))
        .collect();
    edges.sort_by_key(|(arrival, _)| *arrival);
    Tree {
        title,
        subtitle,
        groups: if several { traced.clusters.clone() } else { Vec::new() },
        nodes: traced
            .cluster_of
            .iter()
            .enumerate()
            .map(|(node, &cluster)| TreeNode { label: node.to_string(), group: several.then_some(cluster) })
            .collect(),
        edges: edges.into_iter().map(|(_, edge)| edge).collect(),
    }
}
