//! `[[table]]`: the tables that answer the scenario's question, as rows of text: for the terminal and for the page.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::best::{Winners, confidence, rows_of_best};
use super::cells::Shown;
use super::chart::Kind;
use super::direction::Asked;
use super::results::Results;
use super::sensitivity::sensitivity_tables;
use super::spec::ReportSpec;
use crate::record::is_duration;
use crate::scenario::{Axis, AxisValue, References, Where};

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
    /// The points that take part.
    #[serde(default, rename = "where")]
    pub filter: Where,
}

impl TableSpec {
    fn metrics(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.metric).chain(&self.also)
    }

    /// A table speaks of what exists, and shows all that varies.
    pub(super) fn check(&self, at: &str, spec: &ReportSpec, references: &mut References<'_>) {
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
            references.wrong(at, "a table has either `columns` or `best`".to_owned(), None);
        }
        if self.best.is_none() {
            return self.asked.check_absent(at, references);
        }
        if references.is_name(&self.metric) {
            let message = format!("`{}` is a name, and a number is needed here", self.metric);
            references.wrong(&format!("{at}.metric"), message, None);
        }
        let best = self.asked.of(spec.direction(references.file, &self.metric));
        self.asked.check(at, &self.metric, best, references);
    }
}

/// A table ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextTable {
    /// The heading.
    pub title: String,
    /// The columns' headings.
    pub columns: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
    /// How many of the first columns say what a row is; where a table is shown in several blocks of columns each has
    /// them. One if it is 0.
    pub keys: usize,
    /// The key whose values head the other columns.
    pub over: Option<String>,
    /// What is to be said below it.
    pub notes: Vec<String>,
}

impl TextTable {
    /// How many of the first columns say what a row is.
    #[must_use]
    pub const fn key_columns(&self) -> usize {
        if self.keys == 0 { 1 } else { self.keys }
    }
}

/// The most rows and columns of a table that the scenario did not ask for.
const MOST_ROWS: usize = 40;

/// The tables of the scenario and what its sensitivities say; where it has neither, the mean of the first metrics at
/// each point.
#[must_use]
pub fn tables(results: &Results<'_>) -> Vec<TextTable> {
    let mut tables: Vec<TextTable> = results.spec().table.iter().map(|spec| table(results, spec)).collect();
    tables.extend(sensitivity_tables(results));
    if tables.is_empty() { vec![plain(results)] } else { tables }
}

/// A metric or a value of an axis as a person reads it, by the unit that its name ends with.
#[must_use]
pub fn humane(name: &str, value: f64) -> String {
    kind(name, None).format(value)
}

/// How the values of a column are shown: by the format of a swept key, or by the unit at the end of a metric's name.
#[must_use]
pub fn kind(name: &str, format: Option<&str>) -> Kind {
    match format {
        Some("size") => Kind::Bytes,
        Some("duration") => Kind::Seconds,
        Some("bandwidth") => Kind::Unit("B/s"),
        Some("time per byte") => Kind::Unit("s/B"),
        Some("speed") => Kind::Unit("op/s"),
        Some("work") => Kind::Unit("op"),
        Some("power") => Kind::Unit("W"),
        _ if is_duration(name) => Kind::Seconds,
        _ if name.ends_with("_bytes") => Kind::Bytes,
        _ => Kind::Number,
    }
}

/// A value of a swept key as a person reads it.
#[must_use]
pub fn axis_text(format: Option<&str>, value: &AxisValue) -> String {
    match (format, value.cell.number()) {
        (Some("size" | "duration"), Some(number)) => kind("", format).format(number),
        _ => value.shown.clone(),
    }
}

/// All values of a swept key as a person reads them; no two of them look alike.
pub(super) fn axis_texts(axis: &Axis) -> Vec<String> {
    let numbers: Option<Vec<f64>> = axis.values.iter().map(|value| value.cell.number()).collect();
    match (axis.format.as_deref(), numbers) {
        (format @ Some("size" | "duration"), Some(numbers)) => kind("", format).format_apart(&numbers),
        _ => axis.values.iter().map(|value| axis_text(axis.format.as_deref(), value)).collect(),
    }
}

/// The heading of a metric's or a key's column: words, without the unit that the cells show.
pub(super) fn heading(name: &str) -> String {
    let plain = match kind(name, None) {
        Kind::Seconds => name.trim_end_matches("_s"),
        Kind::Bytes => name.trim_end_matches("_bytes"),
        Kind::Number | Kind::Unit(_) | Kind::Category(_) => name,
    };
    plain.replace('_', " ")
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
    let named = |point: usize| texts[results.scenario().points[point].choices[axis]].clone();
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
            let values = used(results, &points, across).into_iter();
            values.map(|value| (texts[value].clone(), Some(value), spec.metric.as_str())).collect()
        }
        None => spec.metrics().map(|metric| (heading(metric), None, metric.as_str())).collect(),
    };
    // Of several points of a cell the first is shown.
    let places = points.iter().rev().map(|&point| {
        let choices = &results.scenario().points[point].choices;
        ((choices[number], across.map(|axis| choices[axis])), point)
    });
    let at: HashMap<(usize, Option<usize>), usize> = places.collect();
    let row_texts = axis_texts(rows_axis);
    let mut shown = Shown::default();
    let mut rows = Vec::new();
    for row in used(results, &points, number) {
        let mut cells = vec![row_texts[row].clone()];
        cells.extend(columns.iter().map(|(_, value, metric)| {
            let point = at.get(&(row, *value));
            point.map(|&point| shown.cell(results, point, metric)).unwrap_or_default()
        }));
        rows.push(cells);
    }
    let headings = columns.into_iter().map(|(text, ..)| text);
    TextTable {
        title: spec.title.clone(),
        columns: std::iter::once(heading(&rows_axis.name)).chain(headings).collect(),
        rows,
        over: across.map(|axis| heading(&axes[axis].name)),
        notes: shown.note(results).into_iter().collect(),
        ..TextTable::default()
    }
}

/// The numbers of the values of an axis that some of the points have: quantities by their size, names as they come.
pub(super) fn used(results: &Results<'_>, points: &[usize], axis: usize) -> Vec<usize> {
    let choices = points.iter().map(|&point| results.scenario().points[point].choices[axis]);
    let mut used: Vec<usize> = choices.collect();
    used.sort_unstable();
    used.dedup();
    in_order(&results.scenario().axes[axis], &mut used);
    used
}

/// Puts values of an axis in the order in which they are shown: quantities by their size, whatever sweep names them
/// first, names as they come.
pub(super) fn in_order(axis: &Axis, values: &mut [usize]) {
    let number = |&value: &usize| axis.values[value].cell.number();
    if values.iter().all(|value| number(value).is_some()) {
        values.sort_by(|a, b| number(a).unwrap_or_default().total_cmp(&number(b).unwrap_or_default()));
    }
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
    if let ([_], [_, _, _, _, ..]) = (scenario.points.as_slice(), metrics.as_slice()) {
        let rows = metrics.iter().map(|metric| vec![heading(metric), shown.cell(results, 0, metric)]).collect();
        let notes = shown.note(results).into_iter().collect();
        let columns = vec!["metric".to_owned(), "value".to_owned()];
        return TextTable { columns, rows, notes, ..TextTable::default() };
    }
    let points = scenario.points.len().min(MOST_ROWS);
    let keys = scenario.axes.len();
    let mut columns: Vec<String> = scenario.axes.iter().map(|axis| heading(&axis.name)).collect();
    let texts: Vec<Vec<String>> = scenario.axes.iter().map(axis_texts).collect();
    let of_point = |point: usize| {
        let choices = &scenario.points[point].choices;
        texts.iter().zip(choices).map(|(texts, &choice)| texts[choice].clone())
    };
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
    TextTable { title: title.join("; "), columns, rows, keys, notes, over: None }
}

/// The width of a column with the space beside it.
fn column_width(columns: &[String], rows: &[Vec<String>], column: usize) -> usize {
    let cells = rows.iter().map(|row| row[column].chars().count());
    cells.chain([columns[column].chars().count()]).max().unwrap_or(0) + 2
}
