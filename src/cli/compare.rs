//! `hetsim compare`: compares the metrics of two results folders point by point, and in sentences if both have
//! replicas.

mod points;
mod replicas;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::arguments::Compare;
use super::console::Console;
use super::terminal::{sentences, text_table};
use super::{Failure, bad_input};
use crate::input::Input;
use crate::report::compare::Compared;
use crate::report::text::{TextTable, humane};
use points::ComparedPoints;

/// The maximum number of rows shown; the rest is counted.
const MOST_ROWS: usize = 40;

/// A `summary.csv`: its key columns, and the mean metrics of each point.
struct Summary {
    keys: Vec<String>,
    points: ComparedPoints<BTreeMap<String, f64>>,
}

pub(super) fn compare(console: &Console, compare: &Compare) -> Result<(), Failure> {
    let (first, second) = (read(&compare.first)?, read(&compare.second)?);
    if first.keys != second.keys {
        let keys = |own: &Summary| if own.keys.is_empty() { "none".to_owned() } else { own.keys.join(", ") };
        let message = format!("the folders have different swept keys: {} and {}", keys(&first), keys(&second));
        return Err(bad_input(message));
    }
    let mut rows = Vec::new();
    let (mut shared, mut equal) = (0, 0);
    for (point, metrics) in first.points.iter() {
        let Some(others) = second.points.get(point) else { continue };
        shared += 1;
        let differing: Vec<_> = metrics
            .iter()
            .filter_map(|(metric, value)| others.get(metric).map(|other| (metric, value, other)))
            .filter(|(_, value, other)| value != other)
            .collect();
        equal += usize::from(differing.is_empty());
        for (metric, value, other) in differing {
            let mut cells = point.clone();
            cells.push(metric.clone());
            cells.extend([humane(metric, *value), humane(metric, *other)]);
            let percent = || format!("{:+.2} %", 100.0 * (other / value - 1.0)).replace('-', "−");
            cells.push(if *value == 0.0 { String::new() } else { percent() });
            rows.push(cells);
        }
    }
    let mut text = format!(
        "{} points in the first, {} in the second, {shared} in both; {equal} of these are equal.\n",
        first.points.len(),
        second.points.len()
    );
    let hidden = rows.len().saturating_sub(MOST_ROWS);
    rows.truncate(MOST_ROWS);
    if !rows.is_empty() {
        let mut columns = first.keys.clone();
        columns.extend(["metric", "first", "second", "difference"].map(str::to_owned));
        text.push('\n');
        text.push_str(&text_table(&TextTable { columns, rows, keys: first.keys.len() + 1, ..TextTable::default() }));
    }
    if hidden > 0 {
        let _ = writeln!(text, "… and {hidden} more differences.");
    }
    let compared = replicas::compare(&compare.first, &compare.second, first.keys.len())?;
    let words: Vec<String> = compared.iter().map(Compared::words).collect();
    text.push_str(&sentences("\nOver their replicas", &words));
    console.print(&text)
}

fn read(folder: &Path) -> Result<Summary, Failure> {
    let path = folder.join("summary.csv");
    let fault = |error: csv::Error| bad_input(format!("{} cannot be read: {error}", path.display()));
    let file = Input::open_own(&path).map_err(|error| bad_input(error.to_string()))?;
    let mut reader = csv::Reader::from_reader(file);
    let header: Vec<String> = reader.headers().map_err(fault)?.iter().map(str::to_owned).collect();
    let Some(keys) = header.iter().position(|name| name == "n") else {
        return Err(bad_input(format!("{} is not a summary of hetsim: it has no column `n`", path.display())));
    };
    let mut points = ComparedPoints::default();
    for record in reader.records() {
        let record = record.map_err(fault)?;
        let point = record.iter().take(keys).map(str::to_owned).collect();
        let metrics = header.iter().zip(record.iter()).filter_map(|(name, cell)| {
            let metric = name.strip_suffix("_mean")?;
            Some((metric.to_owned(), cell.parse().ok()?))
        });
        *points.entry(point) = metrics.collect();
    }
    Ok(Summary { keys: header[..keys].to_vec(), points })
}
