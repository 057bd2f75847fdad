//! The pictures of a validation.

use std::collections::BTreeMap;

use crate::accuracy::validate::{Judged, MeasuredChoice, Validation};
use crate::fit::robust::median;
use crate::report::chart::{Axis, Cells, Heatmap, LineChart, Picture, Point, Series, SeriesStyle};
use crate::report::text::humane;

/// All pictures: predicted against measured times, the errors of each operation by algorithm and size, and the regret
/// of choices by size. Those without data are left out.
#[must_use]
pub fn pictures(validation: &Validation, name: &str) -> Vec<Picture> {
    let mut pictures = Vec::new();
    if validation.errors().next().is_some() {
        pictures.push(predicted(validation, name));
    }
    for operation in operations(validation) {
        pictures.push(errors(validation, &operation, name));
    }
    if !validation.choices.is_empty() {
        pictures.push(regret(validation, name));
    }
    pictures
}

/// The operations of the points whose errors count.
fn operations(validation: &Validation) -> Vec<String> {
    let mut operations: Vec<String> = validation.errors().map(|(point, _)| point.measured.operation.clone()).collect();
    operations.sort();
    operations.dedup();
    operations
}

/// An operation as people write it.
fn words(operation: &str) -> String {
    operation.replace('_', "-")
}

/// Predicted against measured times with the diagonal, and the lines of a factor of 2.
pub(super) fn predicted(validation: &Validation, name: &str) -> Picture {
    let times: Vec<f64> = validation.errors().map(|(point, _)| point.measured.median).collect();
    let (low, high) = times.iter().fold((f64::INFINITY, 0.0f64), |(low, high), &time| (low.min(time), high.max(time)));
    let line = |label: &str, factor: f64| {
        Series::reference(label, [low, high].map(|time| Point::new(time, factor * time)).to_vec())
    };
    let mut series = vec![line("2 × longer", 2.0), line("as measured", 1.0), line("2 × shorter", 0.5)];
    for operation in operations(validation) {
        let of = validation.errors().filter(|(point, _)| point.measured.operation == operation);
        let place =
            |(point, error): (&Judged, f64)| Point::new(point.measured.median, point.measured.median * (1.0 + error));
        let points = of.map(place).collect();
        series.push(Series { name: words(&operation), points, style: SeriesStyle::Points });
    }
    let summary = validation.summary();
    let percent = |share: Option<f64>| share.map_or_else(String::new, |share| format!("{:.1} %", 100.0 * share));
    let chart = LineChart {
        title: format!("Predicted and measured collectives on {name}"),
        subtitle: Some(format!(
            "{} points: median error {}, {} within 25 %, {} within a factor of 2",
            summary.count,
            percent(summary.median),
            percent(summary.within_25),
            percent(summary.within_double)
        )),
        x: Axis::seconds("measured").logarithmic(),
        y: Axis::seconds("predicted").logarithmic(),
        series,
        ..LineChart::default()
    };
    let caption = "Predicted against measured times; the lines are equality and a factor of 2".to_owned();
    Picture::of("predicted", caption, &chart.title, &chart)
}

/// The signed errors of an operation, by algorithm and size: of several points in a cell the median.
fn errors(validation: &Validation, operation: &str, name: &str) -> Picture {
    let mut cells: BTreeMap<(&str, u64), Vec<f64>> = BTreeMap::new();
    for (point, error) in validation.errors().filter(|(point, _)| point.measured.operation == operation) {
        cells.entry((&point.measured.algorithm, point.measured.bytes)).or_default().push(1.0 + error);
    }
    let mut algorithms: Vec<&str> = cells.keys().map(|(algorithm, _)| *algorithm).collect();
    algorithms.dedup();
    let mut sizes: Vec<u64> = cells.keys().map(|(_, bytes)| *bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let ratio = |algorithm: &str, bytes: u64| median(cells.get(&(algorithm, bytes))?);
    let values =
        algorithms.iter().map(|algorithm| sizes.iter().map(|&bytes| ratio(algorithm, bytes)).collect()).collect();
    let chart = Heatmap {
        title: format!("Errors of {} predictions on {name}", words(operation)),
        subtitle: Some("predicted over measured time, less 1; medians over runs and numbers of ranks".to_owned()),
        x_label: "buffer".to_owned(),
        y_label: "algorithm, as measured".to_owned(),
        columns: sizes.iter().map(|&bytes| humane("buffer_bytes", bytes as f64)).collect(),
        rows: algorithms.iter().map(|algorithm| (*algorithm).to_owned()).collect(),
        cells: Cells::Ratios { label: "error".to_owned(), values },
        borders: Vec::new(),
        frames: Vec::new(),
    };
    let caption = format!("Signed errors of {} predictions by algorithm and size", words(operation));
    Picture::of(&format!("errors-{operation}"), caption, &chart.title, &chart)
}

/// The mean regret of following the prediction, and of the library's own choice, by size.
fn regret(validation: &Validation, name: &str) -> Picture {
    let line = |label: &str, value: &dyn Fn(&MeasuredChoice) -> Option<f64>| {
        let mut sizes: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for choice in &validation.choices {
            if let Some(value) = value(choice) {
                sizes.entry(choice.bytes).or_default().push(100.0 * value);
            }
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        Series::data(label, sizes.iter().map(|(&bytes, values)| Point::new(bytes as f64, mean(values))).collect())
    };
    let chart = LineChart {
        title: format!("What choices cost on {name}"),
        subtitle: Some(format!(
            "mean regret over {} choices: the time that the chosen algorithm takes longer than the fastest measured",
            validation.choices.len()
        )),
        x: Axis::bytes("buffer").logarithmic(),
        y: Axis::number("regret, %"),
        series: vec![
            line("by prediction", &|choice| Some(choice.regret())),
            line("library's default", &MeasuredChoice::default_regret),
        ],
        ..LineChart::default()
    };
    let caption = "Mean regret of following the prediction, and of the library's own choice, by size".to_owned();
    Picture::of("regret", caption, &chart.title, &chart)
}
