//! `[[table]]`: the tables that answer the scenario's question, as rows of text: for the terminal and for the page.

mod best;

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::best::winners;
use super::cells::{Cell, Scale, Shown, text};
use super::chart::NameList;
use super::direction::Asked;
use super::results::Results;
use super::sensitivity::{SensitivitySpec, sensitivity_tables};
use super::text::{BestCell, Kind, TextTable, axis_heading, axis_texts, heading, kind};
use crate::scenario::{Axis, Choice, References, Where, find_axis};

pub(super) use best::best_csv;
use best::table_of_best;

/// `[[table]]`: what the terminal and the report show.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct TableSpec {
    /// The heading; by default it names the metric, the keys, and what `where` chooses.
    #[serde(default)]
    pub title: String,
    /// What is said below the table, such as what its numbers hang on.
    #[serde(default)]
    pub note: Option<String>,
    /// The swept key whose values are the rows.
    pub rows: String,
    /// The swept key whose values are the columns. Without it and without `best` the columns are `metric` and `also`.
    #[serde(default)]
    pub columns: Option<String>,
    /// The swept key whose best value each row shows, or several keys whose best values it shows together. What is
    /// equal or, where there are replicas, can't be told from it by a paired test stands beside it, or its number where
    /// there is no room. `best.csv` names all.
    #[serde(default)]
    pub best: Option<NameList>,
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

    /// The keys whose best values are sought; none where nothing best is.
    fn best_keys(&self) -> &[String] {
        self.best.as_ref().map_or(&[], NameList::all)
    }

    /// The heading: what is given, or the metric, the keys, and the choice of points as far as no row or column says it.
    fn heading(&self, results: &Results<'_>) -> String {
        let axes = &results.scenario().axes;
        if !self.title.is_empty() {
            return self.title.clone();
        }
        let words = |names: &mut dyn Iterator<Item = &String>, sign: &str| -> String {
            names.map(|name| heading(name)).collect::<Vec<_>>().join(sign)
        };
        let shown: Vec<&String> = std::iter::once(&self.rows).chain(&self.columns).chain(self.best_keys()).collect();
        let mut title = if let Some(best) = &self.best {
            let (metric, keys) = (heading(&self.metric), words(&mut best.all().iter(), " and "));
            let sought = match self.asked.against(results.direction(&self.metric)) {
                Some(end) => format!("{} {metric} by {keys}", end.word()),
                None => format!("best {keys} by {metric}"),
            };
            format!("{sought}, for each {}", heading(&self.rows))
        } else {
            let metrics = words(&mut self.metrics(), ", ");
            format!("{metrics} by {}", words(&mut shown.iter().copied(), " and "))
        };
        let is_said = |key: &String, choice: &Choice| shown.contains(&key) && matches!(choice, Choice::Any(_));
        let chosen = self.filter.iter().filter(|(key, choice)| !is_said(key, choice));
        let written = |key: &String, choice: &Choice| {
            let list = find_axis(axes, key).and_then(|axis| axis.list(choice));
            list.map_or_else(|| choice.to_string(), |value| value.label.clone())
        };
        title.extend(chosen.map(|(key, choice)| format!(", {} = {}", heading(key), written(key, choice))));
        let first = title.chars().next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
        first + title.get(1..).unwrap_or_default()
    }

    /// A table speaks of what exists, and shows all that varies.
    pub(super) fn check(&self, at: &str, references: &mut References<'_>) {
        references.axis(&format!("{at}.rows"), &self.rows);
        references.axis_if_given(&format!("{at}.columns"), self.columns.as_deref());
        for (place, key) in self.best_keys().iter().enumerate() {
            references.axis(&format!("{at}.best.{place}"), key);
        }
        if self.best.is_some() && self.best_keys().is_empty() {
            references.wrong(&format!("{at}.best"), "a table without a key has no best".to_owned(), None);
        }
        references.metric(&format!("{at}.metric"), &self.metric);
        for (place, metric) in self.also.iter().enumerate() {
            references.metric(&format!("{at}.also.{place}"), metric);
        }
        references.some_points(&format!("{at}.where"), &self.filter);
        let mut shown = vec![Some(self.rows.as_str()), self.columns.as_deref()];
        shown.extend(self.best_keys().iter().map(|key| Some(key.as_str())));
        references.nothing_else_varies(at, &self.filter, &shown, "`columns` or `best`");
        if self.columns.is_some() && self.best.is_some() {
            references.wrong(&format!("{at}.best"), "a table has `columns` or `best`, not both".to_owned(), None);
        }
        if self.columns.is_some() && !self.also.is_empty() {
            let message = "a table with `columns` shows one metric".to_owned();
            references.wrong(&format!("{at}.also"), message, Some("make a table of each".to_owned()));
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

/// Rows as text: after so many columns of words there is one of each of these metrics, or the only one in all of them.
/// The numbers of a metric share a unit and decimals; where they differ by too much, those of a column do.
fn written(rows: &[Vec<Cell>], words: usize, metrics: &[&str]) -> Vec<Vec<String>> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let scaled: Vec<(Kind, Option<Scale>)> = (words..columns)
        .map(|column| {
            let metric = metrics.get(column - words).or_else(|| metrics.last()).copied().unwrap_or_default();
            let kind = kind(metric, None);
            let in_column = || rows.iter().filter_map(|row| row.get(column));
            let in_all = || rows.iter().flat_map(|row| row.iter().skip(words));
            let shared = (metrics.len() == 1).then(|| Scale::of(&kind, in_all())).flatten();
            let scale = shared.or_else(|| Scale::of(&kind, in_column()));
            (kind, scale)
        })
        .collect();
    let cell = |(column, cell): (usize, &Cell)| match column.checked_sub(words).and_then(|column| scaled.get(column)) {
        Some((kind, scale)) => text(kind, scale.as_ref(), cell),
        None => text(&Kind::Number, None, cell),
    };
    rows.iter().map(|row| row.iter().enumerate().map(cell).collect()).collect()
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
        let mut cells = vec![Cell::Text(row_texts[row].clone())];
        cells.extend(columns.iter().map(|(_, value, metric)| {
            let point = at.get(&(row, *value));
            point.map_or_else(|| Cell::Text(String::new()), |&point| shown.cell(results, point, metric))
        }));
        rows.push(cells);
    }
    let best = across.map_or_else(Vec::new, |across| {
        let values: Vec<usize> = columns.iter().filter_map(|(_, value, _)| *value).collect();
        best_cells(results, spec, (number, across), (&results.used(&points, number), &values), &at)
    });
    let metrics: Vec<&str> = match across {
        Some(_) => vec![&spec.metric],
        None => columns.iter().map(|(.., metric)| *metric).collect(),
    };
    let rows = written(&rows, 1, &metrics);
    let headings = columns.into_iter().map(|(text, ..)| text);
    TextTable {
        title: spec.heading(results),
        columns: std::iter::once(axis_heading(axes, number)).chain(headings).collect(),
        rows,
        over: across.map(|axis| axis_heading(axes, axis)),
        best,
        notes: spec.note.iter().cloned().chain(shown.note(results)).collect(),
        ..TextTable::default()
    }
}

/// The cells of a table of two keys that are best, by row and column: over a key of the program whose values are names,
/// for sizes, machines, loads and faults are no choices. The key of the columns comes first.
fn best_cells(
    results: &Results<'_>,
    spec: &TableSpec,
    (rows_axis, columns_axis): (usize, usize),
    (rows, columns): (&[usize], &[usize]),
    at: &HashMap<(usize, Option<usize>), usize>,
) -> Vec<(usize, usize, BestCell)> {
    let is_choice = |axis: usize| {
        let axis = &results.scenario().axes[axis];
        !axis.key.starts_with("platform.") && !axis.is_numeric()
    };
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
        let Some(found) = winners(results, &points, &[over], (&spec.metric, sought)).filter(|_| points.len() > 1)
        else {
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
        // Each row has a unit of its own.
        let row = |metric: &&String| {
            let cell = shown.cell(results, 0, metric);
            vec![heading(metric), text(&kind(metric, None), None, &cell)]
        };
        let rows = metrics.iter().map(row).collect();
        let notes = shown.note(results).into_iter().collect();
        let columns = vec!["metric".to_owned(), "value".to_owned()];
        return TextTable { columns, rows, notes, ..TextTable::default() };
    }
    let points = scenario.points.len().min(MOST_ROWS);
    let keys = scenario.axes.len();
    let mut columns: Vec<String> = (0..keys).map(|axis| axis_heading(&scenario.axes, axis)).collect();
    let texts: Vec<Vec<String>> = scenario.axes.iter().map(axis_texts).collect();
    let of_point =
        |point: usize| texts.iter().zip(&scenario.points[point]).map(|(texts, &choice)| texts[choice as usize].clone());
    let mut rows: Vec<Vec<String>> = (0..points).map(|point| of_point(point).collect()).collect();
    let mut width: usize = (0..columns.len()).map(|column| column_width(&columns, &rows, column)).sum();
    for metric in &metrics {
        let mut of_metric = Shown::default();
        let cells: Vec<Vec<Cell>> = (0..points).map(|point| vec![of_metric.cell(results, point, metric)]).collect();
        columns.push(heading(metric));
        rows.iter_mut().zip(written(&cells, 0, &[metric])).for_each(|(row, cell)| row.extend(cell));
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
    let left = &metrics[columns.len() - keys..];
    if !left.is_empty() {
        // Derived metrics are in the summary only.
        let file = if left.iter().any(|metric| results.is_derived(metric)) { "summary.csv" } else { "results.csv" };
        title.push(format!("{} more metrics are in {file}", left.len()));
    }
    let notes = shown.note(results).into_iter().collect();
    TextTable { title: title.join("; "), columns, rows, keys, notes, ..TextTable::default() }
}

/// The width of a column with the space beside it.
fn column_width(columns: &[String], rows: &[Vec<String>], column: usize) -> usize {
    let cells = rows.iter().map(|row| row[column].chars().count());
    cells.chain([columns[column].chars().count()]).max().unwrap_or(0) + 2
}
