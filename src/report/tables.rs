//! `[[table]]`: the tables that answer the scenario's question, as rows of text: for the terminal and for the page.

use std::collections::HashMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Deserialize;

use super::best::{Winners, confidence, winners};
use super::cells::Shown;
use super::direction::Asked;
use super::results::Results;
use super::sensitivity::{SensitivitySpec, sensitivity_tables};
use super::text::{BestCell, TextTable, axis_texts, heading};
use crate::record::Value;
use crate::scenario::{Axis, References, Where};

/// `[[table]]`: what the terminal and the report show.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct TableSpec {
    /// The heading.
    #[serde(default)]
    pub title: String,
    /// The swept key whose values are the rows.
    pub rows: String,
    /// The swept key whose values are the columns. Without it and without `best` the columns are `metric` and `also`.
    #[serde(default)]
    pub columns: Option<String>,
    /// The swept key whose best value each row shows, with those that are equal and, where there are replicas, those
    /// that a paired test can't tell from it. `best.csv` has them too.
    #[serde(default)]
    pub best: Option<String>,
    /// The metric in the cells, or the one by which `best` is chosen.
    pub metric: String,
    /// Which value is best.
    #[serde(flatten)]
    pub asked: Asked,
    /// Further metrics of the row's point.
    #[serde(default)]
    pub also: Vec<String>,
    /// The points that take part; all by default.
    #[serde(default, rename = "where")]
    pub filter: Where,
}

impl TableSpec {
    fn metrics(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.metric).chain(&self.also)
    }

    /// A table speaks of what exists, and shows all that varies.
    pub(super) fn check(&self, at: &str, references: &mut References<'_>) {
        references.axis(&format!("{at}.rows"), &self.rows);
        references.axis_if_given(&format!("{at}.columns"), self.columns.as_deref());
        references.axis_if_given(&format!("{at}.best"), self.best.as_deref());
        references.metric(&format!("{at}.metric"), &self.metric);
        for (place, metric) in self.also.iter().enumerate() {
            references.metric(&format!("{at}.also.{place}"), metric);
        }
        references.some_points(&format!("{at}.where"), &self.filter);
        let shown = [Some(self.rows.as_str()), self.columns.as_deref(), self.best.as_deref()];
        references.nothing_else_varies(at, &self.filter, &shown, "`columns` or `best`");
        if self.columns.is_some() && self.best.is_some() {
            references.wrong(&format!("{at}.best"), "a table has `columns` or `best`, not both".to_owned(), None);
        }
        if self.best.is_none() {
            return self.asked.check_absent(at, references);
        }
        if references.is_name(&self.metric) {
            let message = format!("`{}` is a name, and a number is needed here", self.metric);
            references.wrong(&format!("{at}.metric"), message, None);
        }
        let best = self.asked.of(references.direction(&self.metric));
        self.asked.check(at, &self.metric, best, references);
    }
}

/// The most rows and columns of a table that the scenario did not ask for.
const MOST_ROWS: usize = 40;

/// The tables that are asked for, and those of the sensitivities; where there are neither, the mean of the first metrics
/// at each point.
#[must_use]
pub fn tables(results: &Results<'_>, specs: &[TableSpec], sensitivities: &[SensitivitySpec]) -> Vec<TextTable> {
    let mut tables: Vec<TextTable> = specs.iter().map(|spec| table(results, spec)).collect();
    tables.extend(sensitivity_tables(results, sensitivities));
    if tables.is_empty() { vec![plain(results)] } else { tables }
}

fn table(results: &Results<'_>, spec: &TableSpec) -> TextTable {
    if spec.best.is_some() {
        return table_of_best(results, spec);
    }
    table_of_points(results, spec, spec.columns.as_deref().and_then(|name| results.axis(name)))
}

/// The axis whose values are a table's rows.
fn rows_of<'s>(results: &Results<'s>, spec: &TableSpec) -> (usize, &'s Axis) {
    let number = results.axis(&spec.rows).unwrap_or_default();
    (number, &results.scenario().axes[number])
}

/// What is best in each row, what is equal to it, and what can't be told from it.
fn table_of_best(results: &Results<'_>, spec: &TableSpec) -> TextTable {
    let (_, rows_axis) = rows_of(results, spec);
    let axis = spec.best.as_deref().and_then(|name| results.axis(name)).unwrap_or_default();
    let mut columns = vec![heading(&rows_axis.name), format!("best {}", heading(&results.scenario().axes[axis].name))];
    columns.extend(spec.metrics().map(|metric| heading(metric)));
    let (mut shown, mut rows, mut ties, mut doubts) = (Shown::default(), Vec::new(), false, false);
    let mut partial = false;
    let (row_texts, texts) = (axis_texts(rows_axis), axis_texts(&results.scenario().axes[axis]));
    let named = |point: usize| texts[results.scenario().points.choice(point, axis)].clone();
    for (row, Winners { point, equal, untold, is_partial }) in rows_of_best(results, spec) {
        (ties, doubts, partial) = (ties || !equal.is_empty(), doubts || !untold.is_empty(), partial || is_partial);
        let mut best = named(point);
        best.extend(equal.iter().map(|&other| format!("\u{a0}= {}", named(other))));
        best.extend(untold.iter().map(|&other| format!("\u{a0}≈ {}", named(other))));
        let mut cells = vec![row_texts[row].clone(), best];
        cells.extend(spec.metrics().map(|metric| shown.cell(results, point, metric)));
        rows.push(cells);
    }
    let mut notes: Vec<String> = shown.note(results).into_iter().collect();
    if ties {
        notes.push("= joins what is equal.".to_owned());
    }
    if doubts {
        let percent = confidence(results).percent();
        notes.push(format!(
            "≈ joins what paired t tests can't tell from the best with {percent} % confidence, corrected over each row (Holm)."
        ));
    }
    if partial {
        notes.push(format!(
            "Some runs have no {}: what is compared are the means of the others.",
            heading(&spec.metric)
        ));
    }
    TextTable { title: spec.title.clone(), columns, rows, notes, ..TextTable::default() }
}

/// A column of a table of points: its heading, the value of the key over the columns, if there is one, and the metric.
type PointColumn<'a> = (String, Option<usize>, &'a str);

/// A metric at the values of two keys, or several metrics at the values of one.
fn table_of_points(results: &Results<'_>, spec: &TableSpec, across: Option<usize>) -> TextTable {
    let points = results.matching(&spec.filter);
    let axes = &results.scenario().axes;
    let (number, rows_axis) = rows_of(results, spec);
    let columns: Vec<PointColumn<'_>> = match across {
        Some(across) => {
            let texts = axis_texts(&axes[across]);
            let values = results.used(&points, across).into_iter();
            values.map(|value| (texts[value].clone(), Some(value), spec.metric.as_str())).collect()
        }
        None => spec.metrics().map(|metric| (heading(metric), None, metric.as_str())).collect(),
    };
    // Of several points of a cell the first is shown.
    let places = points.iter().rev().map(|&point| {
        let choice = |axis| results.scenario().points.choice(point, axis);
        ((choice(number), across.map(choice)), point)
    });
    let at: HashMap<(usize, Option<usize>), usize> = places.collect();
    let row_texts = axis_texts(rows_axis);
    let mut shown = Shown::default();
    let mut rows = Vec::new();
    for row in results.used(&points, number) {
        let mut cells = vec![row_texts[row].clone()];
        cells.extend(columns.iter().map(|(_, value, metric)| {
            let point = at.get(&(row, *value));
            point.map(|&point| shown.cell(results, point, metric)).unwrap_or_default()
        }));
        rows.push(cells);
    }
    let best = across.map_or_else(Vec::new, |across| {
        let values: Vec<usize> = columns.iter().filter_map(|(_, value, _)| *value).collect();
        best_cells(results, spec, (number, across), (&results.used(&points, number), &values), &at)
    });
    let headings = columns.into_iter().map(|(text, ..)| text);
    TextTable {
        title: spec.title.clone(),
        columns: std::iter::once(heading(&rows_axis.name)).chain(headings).collect(),
        rows,
        over: across.map(|axis| heading(&axes[axis].name)),
        best,
        notes: shown.note(results).into_iter().collect(),
        ..TextTable::default()
    }
}

/// The cells of a table of two keys that are best, by row and column: over the key whose values are names, for numbers
/// such as sizes are no choices. The key of the columns comes first.
fn best_cells(
    results: &Results<'_>,
    spec: &TableSpec,
    (rows_axis, columns_axis): (usize, usize),
    (rows, columns): (&[usize], &[usize]),
    at: &HashMap<(usize, Option<usize>), usize>,
) -> Vec<(usize, usize, BestCell)> {
    let is_choice = |axis: usize| !results.scenario().axes[axis].is_numeric();
    let Some(sought) = spec.asked.of(results.direction(&spec.metric)) else { return Vec::new() };
    let over = [columns_axis, rows_axis].into_iter().find(|&axis| is_choice(axis));
    let Some(over) = over else { return Vec::new() };
    let cell = |row: usize, column: usize| at.get(&(rows[row], Some(columns[column]))).copied();
    let all = || (0..rows.len()).flat_map(|row| (0..columns.len()).map(move |column| (row, column)));
    let mut lines: Vec<Vec<(usize, usize)>> = vec![Vec::new(); rows.len().max(columns.len())];
    for (row, column) in all() {
        lines[if over == columns_axis { row } else { column }].push((row, column));
    }
    let mut best = Vec::new();
    for line in lines {
        let points: Vec<usize> = line.iter().filter_map(|&(row, column)| cell(row, column)).collect();
        // What stands alone is not compared.
        let Some(found) = winners(results, &points, over, (&spec.metric, sought)).filter(|_| points.len() > 1) else {
            continue;
        };
        // Where all are equal, none is best.
        if found.equal.len() + 1 == points.len() {
            continue;
        }
        let own = if found.equal.is_empty() { BestCell::Alone } else { BestCell::Equal };
        for (row, column) in line {
            let Some(point) = cell(row, column) else { continue };
            let standing = if point == found.point || found.equal.contains(&point) {
                own
            } else if found.untold.contains(&point) {
                BestCell::Untold
            } else {
                continue;
            };
            best.push((row, column + 1, standing));
        }
    }
    best.sort_by_key(|&(row, column, _)| (row, column));
    best
}

/// Metrics that tell of the simulation, not of what is simulated.
const ABOUT_THE_RUN: [&str; 2] = ["messages", "events"];

/// The width that the table of points keeps to: that of a narrow terminal, so that it looks the same everywhere.
const WIDTH: usize = 80;

/// What every point says, as far as a screen holds it: of a single point all metrics below each other, of several ones
/// the first metrics beside each other.
fn plain(results: &Results<'_>) -> TextTable {
    let scenario = results.scenario();
    let says_something = |(column, metric): &(usize, &String)| {
        !ABOUT_THE_RUN.contains(&metric.as_str()) && !results.is_clocked(metric) && !results.is_blank(*column)
    };
    let metrics: Vec<&String> =
        results.metrics().iter().enumerate().filter(says_something).map(|(_, metric)| metric).collect();
    let mut shown = Shown::default();
    if let (1, [_, _, _, _, ..]) = (scenario.points.len(), metrics.as_slice()) {
        let rows = metrics.iter().map(|metric| vec![heading(metric), shown.cell(results, 0, metric)]).collect();
        let notes = shown.note(results).into_iter().collect();
        let columns = vec!["metric".to_owned(), "value".to_owned()];
        return TextTable { columns, rows, notes, ..TextTable::default() };
    }
    let points = scenario.points.len().min(MOST_ROWS);
    let keys = scenario.axes.len();
    let mut columns: Vec<String> = scenario.axes.iter().map(|axis| heading(&axis.name)).collect();
    let texts: Vec<Vec<String>> = scenario.axes.iter().map(axis_texts).collect();
    let of_point =
        |point: usize| texts.iter().zip(&scenario.points[point]).map(|(texts, &choice)| texts[choice as usize].clone());
    let mut rows: Vec<Vec<String>> = (0..points).map(|point| of_point(point).collect()).collect();
    let mut width: usize = (0..columns.len()).map(|column| column_width(&columns, &rows, column)).sum();
    for metric in &metrics {
        columns.push(heading(metric));
        let mut of_metric = Shown::default();
        for (point, row) in rows.iter_mut().enumerate() {
            row.push(of_metric.cell(results, point, metric));
        }
        width += column_width(&columns, &rows, columns.len() - 1);
        if width > WIDTH && columns.len() > keys + 1 {
            columns.pop();
            for row in &mut rows {
                row.pop();
            }
            break;
        }
        shown.join(&of_metric);
    }
    let mut title = Vec::new();
    if points < scenario.points.len() {
        title.push(format!("The first {points} of {} points", scenario.points.len()));
    }
    let left = metrics.len() + keys - columns.len();
    if left > 0 {
        title.push(format!("{left} more metrics are in results.csv"));
    }
    let notes = shown.note(results).into_iter().collect();
    TextTable { title: title.join("; "), columns, rows, keys, notes, ..TextTable::default() }
}

/// The width of a column with the space beside it.
fn column_width(columns: &[String], rows: &[Vec<String>], column: usize) -> usize {
    let cells = rows.iter().map(|row| row[column].chars().count());
    cells.chain([columns[column].chars().count()]).max().unwrap_or(0) + 2
}

/// The axes of a table with `best`: that of its rows, and the one over which the best is sought.
fn keys_of_best(results: &Results<'_>, spec: &TableSpec) -> Option<(usize, usize)> {
    results.axis(&spec.rows).zip(results.axis(spec.best.as_deref()?))
}

/// The rows of a table with `best`, each with its winners.
fn rows_of_best(results: &Results<'_>, spec: &TableSpec) -> Vec<(usize, Winners)> {
    let best = spec.asked.of(results.direction(&spec.metric));
    let (Some(best), Some((rows, over))) = (best, keys_of_best(results, spec)) else { return Vec::new() };
    let points = results.matching(&spec.filter);
    let mut in_row: HashMap<usize, Vec<usize>> = HashMap::new();
    for &point in &points {
        in_row.entry(results.scenario().points.choice(point, rows)).or_default().push(point);
    }
    let of_row = |row: usize| Some((row, winners(results, in_row.get(&row)?, over, (&spec.metric, best))?));
    results.used(&points, rows).into_iter().filter_map(of_row).collect()
}

/// `best.csv`: a row for each row of the tables that show what is best.
///
/// # Errors
/// Where `out` fails.
pub(super) fn best_csv(results: &Results<'_>, specs: &[TableSpec], out: &mut dyn Write) -> io::Result<()> {
    let percent = confidence(results).percent();
    let mut csv = csv::Writer::from_writer(out);
    let (low, high) = (format!("low{percent}"), format!("high{percent}"));
    csv.write_record(["table", "key", "value", "over", "best", "not_told_apart", "metric", "mean", &low, &high, "n"])?;
    for (number, spec) in specs.iter().enumerate() {
        let (Some((rows, over)), Some(column)) = (keys_of_best(results, spec), results.column(&spec.metric)) else {
            continue;
        };
        let names = |points: &[usize]| {
            points.iter().map(|&point| results.value(point, over).label.as_str()).collect::<Vec<_>>().join(", ")
        };
        for (row, Winners { point, equal, untold, .. }) in rows_of_best(results, spec) {
            let best: Vec<usize> = std::iter::once(point).chain(equal).collect();
            let key = &results.scenario().axes[rows];
            let summary = results.summary(point, column);
            let interval = summary.and_then(|summary| summary.interval);
            csv.write_record([
                (number + 1).to_string(),
                key.name.clone(),
                key.values[row].cell.to_string(),
                results.scenario().axes[over].name.clone(),
                names(&best),
                names(&untold),
                spec.metric.clone(),
                Value::from(summary.map(|summary| summary.mean)).to_string(),
                Value::from(interval.map(|(low, _)| low)).to_string(),
                Value::from(interval.map(|(_, high)| high)).to_string(),
                summary.map_or(0, |summary| summary.count).to_string(),
            ])?;
        }
    }
    csv.flush()
}
