//! `[[chart]]`: from a scenario's words to pictures.

use super::chart::{
    Arrangement, Arrow, Axis as ChartAxis, Bar, BarChart, BarSeries, Cells, Edge, Gantt, Heatmap, Kind, Lane,
    LineChart, Point, Scale as ChartScale, Series, Span, Tree, TreeNode,
};
use super::results::Results;
use super::statistics::Summary;
use super::tables::{axis_text, heading, kind, used};
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

/// A swept key along an axis of a chart, with those of its values that the chart shows.
struct Along {
    axis: usize,
    /// The numbers of the values.
    values: Vec<usize>,
    /// Whether they are numbers, or names in a row.
    numeric: bool,
}

impl Along {
    fn new(results: &Results<'_>, name: Option<&String>, points: &[usize]) -> Self {
        let axis = name.and_then(|name| results.axis(name)).unwrap_or_default();
        let values = used(results, points, axis);
        let swept = &results.scenario().axes[axis];
        let numeric = values.iter().all(|&value| swept.values[value].cell.number().is_some());
        Self { axis, values, numeric }
    }

    fn names(&self, results: &Results<'_>) -> Vec<String> {
        let swept = &results.scenario().axes[self.axis];
        self.values.iter().map(|&value| axis_text(swept.format.as_deref(), &swept.values[value])).collect()
    }

    fn label(&self, results: &Results<'_>, given: Option<&String>) -> String {
        given.cloned().unwrap_or_else(|| heading(&results.scenario().axes[self.axis].name))
    }

    fn chart_axis(&self, results: &Results<'_>, label: Option<&String>, scale: Scale) -> ChartAxis {
        let swept = &results.scenario().axes[self.axis];
        let numbers = || kind("", swept.format.as_deref());
        let kind = if self.numeric { numbers() } else { Kind::Category(self.names(results)) };
        ChartAxis { label: self.label(results, label), scale: scaled(scale), kind }
    }

    /// The place of a point: its number, or where its name stands in the row.
    fn place(&self, results: &Results<'_>, point: usize) -> f64 {
        if self.numeric {
            return results.value(point, self.axis).cell.number().unwrap_or(f64::NAN);
        }
        let choice = results.scenario().points[point].choices[self.axis];
        self.values.iter().position(|&value| value == choice).map_or(f64::NAN, |place| place as f64)
    }

    /// Whether a point has the value that stands at `place` in the row.
    fn is_at(&self, results: &Results<'_>, point: usize, place: usize) -> bool {
        results.scenario().points[point].choices[self.axis] == self.values[place]
    }
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
    let figure = spec.y.clone().unwrap_or_default();
    let all = results.matching(&spec.filter);
    let x = Along::new(results, spec.x.as_ref(), &all);
    let along = |members: &[usize], figure: &str| -> Vec<Point> {
        let point = |&point: &usize| {
            let summary = summary(results, point, figure)?;
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
    let lines = by_series(results, spec).into_iter();
    let mut series: Vec<Series> = lines.map(|(name, members)| Series::data(name, along(&members, &figure))).collect();
    for reference in &spec.reference {
        let mut points = along(&all, reference);
        points.dedup_by(|a, b| a.x == b.x);
        series.push(Series::reference(heading(reference), points));
    }
    LineChart {
        title,
        subtitle: spec.subtitle.clone(),
        x: x.chart_axis(results, spec.x_label.as_ref(), spec.x_scale),
        y: figure_axis(&figure, spec.y_label.as_ref(), spec.y_scale),
        series,
    }
}

fn bar(results: &Results<'_>, spec: &ChartSpec, title: String) -> BarChart {
    let figure = spec.y.clone().unwrap_or_default();
    let x = Along::new(results, spec.x.as_ref(), &results.matching(&spec.filter));
    let bar_at = |members: &[usize], place: usize| {
        let point = *members.iter().find(|&&point| x.is_at(results, point, place))?;
        let summary = summary(results, point, &figure)?;
        let bar = Bar::new(summary.mean);
        Some(summary.interval.map_or(bar, |(low, high)| bar.within(low, high)))
    };
    let series = by_series(results, spec).into_iter().map(|(name, members)| BarSeries {
        name,
        bars: (0..x.values.len()).map(|place| bar_at(&members, place)).collect(),
    });
    BarChart {
        title,
        subtitle: spec.subtitle.clone(),
        label: x.label(results, spec.x_label.as_ref()),
        categories: x.names(results),
        y: figure_axis(&figure, spec.y_label.as_ref(), spec.y_scale),
        series: series.collect(),
        arrangement: Arrangement::Grouped,
    }
}

fn heatmap(results: &Results<'_>, spec: &ChartSpec, title: String) -> Heatmap {
    let points = results.matching(&spec.filter);
    let [x, y] = [&spec.x, &spec.y].map(|name| Along::new(results, name.as_ref(), &points));
    let figure = spec.value.clone().unwrap_or_default();
    let find = |row: usize, column: usize| {
        points.iter().copied().find(|&point| x.is_at(results, point, column) && y.is_at(results, point, row))
    };
    let (columns, rows) = (x.names(results), y.names(results));
    let numeric = points.iter().any(|&point| !results.numbers(point, &figure).is_empty());
    let cells = if numeric {
        let value = |row, column| find(row, column).and_then(|point| results.mean(point, &figure));
        let values = (0..rows.len()).map(|row| (0..columns.len()).map(|column| value(row, column)).collect());
        Cells::Numbers { axis: figure_axis(&figure, None, spec.y_scale), values: values.collect() }
    } else {
        let mut known: Vec<String> = Vec::new();
        let figure = results.column(&figure);
        let mut value = |row, column| {
            let row = results.rows_of(find(row, column)?).first()?;
            let name = row.values[figure?].to_string();
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
    Heatmap {
        title,
        subtitle: spec.subtitle.clone(),
        x_label: x.label(results, spec.x_label.as_ref()),
        y_label: y.label(results, spec.y_label.as_ref()),
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
            Activity::Down => 3,
        };
        if span.end > span.start {
            lanes[span.at.index()].spans.push(Span { start: seconds(span.start), end: seconds(span.end), kind });
        }
    }
    let arrows = traced.timeline.messages.iter().map(|message| {
        let [from, to] = [message.from, message.to].map(crate::cluster::NodeId::index);
        let between = traced.cluster_of[from] != traced.cluster_of[to];
        Arrow { from, start: seconds(message.start), to, end: seconds(message.arrival), group: usize::from(between) }
    });
    let several = traced.clusters.len() > 1;
    Gantt {
        title,
        subtitle,
        kinds: ["sends", "receives", "computes", "is down"].map(str::to_owned).to_vec(),
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
