//! Charts of a fit: predicted against measured times, the deviation over each variable, and the front.

use super::Approach;
use crate::fit::runtime::FittedFormulas;
use crate::fit::runtime::data::{Data, Points};
use crate::fit::runtime::error::Deviations;
use crate::formula::Evaluator;
use crate::report::chart::{Axis, LineChart, Mark, Point, Series};

/// The maximum number of points in a scatter plot; more are sampled evenly.
const MOST_POINTS: usize = 600;

/// The file name and the SVG of each chart.
pub(super) fn charts(found: &FittedFormulas, approaches: &[Approach], data: &Data) -> Vec<(String, String)> {
    let mut charts = vec![("front".to_owned(), front(found, data)), ("predicted".to_owned(), predicted(found, data))];
    for (variable, name) in data.names.iter().enumerate() {
        charts.push((format!("deviation-{name}"), deviation(approaches, data, variable)));
    }
    charts
}

fn points(data: &Data) -> (&Points, &'static str) {
    if data.test.is_empty() { (&data.train, "training points") } else { (&data.test, "held-out points") }
}

fn front(found: &FittedFormulas, data: &Data) -> String {
    let line = |name: &str, points: &Points| {
        let place = |candidate: &crate::fit::runtime::front::ScoredFormula| {
            Some(Point::new(candidate.size as f64, Deviations::of(&candidate.expression, points)?.mean))
        };
        Series::data(name, found.front.iter().filter_map(place).collect())
    };
    let mut series = vec![line("fitted", &data.train)];
    if !data.test.is_empty() {
        series.push(line("held back", &data.test));
    }
    let knee = &found.front[found.knee];
    LineChart {
        title: format!("Formulas for {}", data.target),
        subtitle: Some("mean percentage error against size".to_owned()),
        x: Axis::number("nodes of the formula").logarithmic(),
        y: Axis::number("mean percentage error").logarithmic(),
        series,
        marks: vec![Mark { x: knee.size as f64, y: knee.error, label: "knee".to_owned(), series: Some(0) }],
        ..LineChart::default()
    }
    .svg()
}

/// Predicted against measured times: marks on the diagonal are exact.
fn predicted(found: &FittedFormulas, data: &Data) -> String {
    let (points, which) = points(data);
    let mut values = vec![0.0; points.len()];
    Evaluator::default().evaluate(&found.front[found.chosen].expression, &points.columns, &mut values);
    let step = points.len().div_ceil(MOST_POINTS).max(1);
    let mark = |at: usize| Mark { x: points.target[at], y: values[at], label: "predicted".to_owned(), series: None };
    let extreme = |start: f64, choose: fn(f64, f64) -> f64| points.target.iter().copied().fold(start, choose);
    let diagonal = [extreme(f64::INFINITY, f64::min), extreme(0.0, f64::max)];
    LineChart {
        title: format!("Measured and predicted {}", data.target),
        subtitle: Some(which.to_owned()),
        x: Axis::number("measured").logarithmic(),
        y: Axis::number("predicted").logarithmic(),
        series: vec![Series::reference("exact", diagonal.map(|time| Point::new(time, time)).to_vec())],
        marks: (0..points.len()).step_by(step).map(mark).collect(),
        ..LineChart::default()
    }
    .svg()
}

/// The mean deviation at each value, or group of values, of a variable, for each approach.
fn deviation(approaches: &[Approach], data: &Data, variable: usize) -> String {
    const GROUPS: usize = 40;
    let (points, which) = points(data);
    let column = &points.columns[variable];
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|a, b| column[*a].total_cmp(&column[*b]));
    let mut groups: Vec<&[usize]> = order.chunk_by(|a, b| column[*a] == column[*b]).collect();
    if groups.len() > GROUPS {
        groups = order.chunks(order.len().div_ceil(GROUPS)).collect();
    }
    let line = |approach: &Approach| {
        let deviations = Deviations::of(&approach.expression, points)?;
        let mean =
            |values: &[f64], group: &[usize]| group.iter().map(|at| values[*at]).sum::<f64>() / group.len() as f64;
        let place = |group: &&[usize]| Point::new(mean(column, group), mean(&deviations.each, group));
        Some(Series::data(approach.name.clone(), groups.iter().map(place).collect()))
    };
    let x = Axis::number(data.names[variable].clone());
    LineChart {
        title: format!("Deviation over {}", data.names[variable]),
        subtitle: Some(format!("mean percentage error, {which}")),
        x: if column.iter().all(|value| *value > 0.0) { x.logarithmic() } else { x },
        y: Axis::number("mean percentage error").logarithmic(),
        series: approaches.iter().filter_map(line).collect(),
        ..LineChart::default()
    }
    .svg()
}
