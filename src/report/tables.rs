//! The tables that answer the scenario's question, as rows of text: for the terminal and for the page.

use super::chart::Kind;
use super::results::Results;
use super::sensitivity::sensitivity_tables;
use crate::record::is_duration;
use crate::scenario::{AxisValue, TableSpec};

/// A table ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextTable {
    /// The heading.
    pub title: String,
    /// The columns' headings.
    pub columns: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
}

/// The most rows and columns of a table that the scenario did not ask for.
const MOST_ROWS: usize = 40;

/// The tables of the scenario and what its sensitivities say; where it has neither, the mean of the first figures at each
/// point.
#[must_use]
pub fn tables(results: &Results<'_>) -> Vec<TextTable> {
    let mut tables: Vec<TextTable> = results.scenario().file.table.iter().map(|spec| table(results, spec)).collect();
    tables.extend(sensitivity_tables(results));
    if tables.is_empty() { vec![plain(results)] } else { tables }
}

/// A figure or a value of an axis as a person reads it, by the unit that its name ends with.
#[must_use]
pub fn humane(name: &str, value: f64) -> String {
    kind(name, None).format(value)
}

/// How the values of a column are shown: by the format of a swept key, or by the unit at the end of a figure's name.
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

/// The heading of a figure's or a key's column: words, without the unit that the cells show.
pub(super) fn heading(name: &str) -> String {
    let plain = match kind(name, None) {
        Kind::Seconds => name.trim_end_matches("_s"),
        Kind::Bytes => name.trim_end_matches("_bytes"),
        Kind::Number | Kind::Unit(_) | Kind::Category(_) => name,
    };
    plain.replace('_', " ")
}

fn table(results: &Results<'_>, spec: &TableSpec) -> TextTable {
    let points = results.matching(&spec.filter);
    let rows_axis = results.axis(&spec.rows).unwrap_or_default();
    let axis = &results.scenario().axes[rows_axis];
    let mut columns = vec![heading(&axis.name)];
    let mut rows = Vec::new();
    let other = spec.best.as_ref().or(spec.columns.as_ref()).and_then(|name| results.axis(name));
    let column_values: Vec<usize> = match (&spec.columns, other) {
        (Some(_), Some(other)) => used(results, &points, other),
        _ => Vec::new(),
    };
    if let (Some(_), Some(other)) = (&spec.best, other) {
        columns.push(format!("best {}", results.scenario().axes[other].name));
        columns.push(heading(&spec.metric));
        columns.extend(spec.also.iter().map(|figure| heading(figure)));
    }
    if let (Some(_), Some(other)) = (&spec.columns, other) {
        let format = results.scenario().axes[other].format.as_deref();
        let values = &results.scenario().axes[other].values;
        columns.extend(column_values.iter().map(|&value| axis_text(format, &values[value])));
    }
    if other.is_none() {
        columns.extend(std::iter::once(&spec.metric).chain(&spec.also).map(|figure| heading(figure)));
    }
    for row in used(results, &points, rows_axis) {
        let in_row: Vec<usize> =
            points.iter().copied().filter(|&p| results.scenario().points[p].choices[rows_axis] == row).collect();
        let mut cells = vec![axis_text(axis.format.as_deref(), &axis.values[row])];
        let mean = |point: usize| results.mean(point, &spec.metric);
        match (&spec.best, other) {
            (Some(_), Some(other)) => {
                let best = in_row.iter().filter_map(|&point| Some((mean(point)?, point)));
                let best = best.min_by(|a, b| a.0.total_cmp(&b.0));
                let Some((value, point)) = best else { continue };
                cells.push(results.value(point, other).shown.clone());
                cells.push(humane(&spec.metric, value));
                cells.extend(spec.also.iter().map(|figure| shown(results, point, figure)));
            }
            (None, None) => {
                let figures = std::iter::once(&spec.metric).chain(&spec.also);
                cells.extend(
                    figures.map(|figure| in_row.first().map(|&p| shown(results, p, figure)).unwrap_or_default()),
                );
            }
            (None, Some(other)) => {
                for &column in &column_values {
                    let point = in_row.iter().find(|&&p| results.scenario().points[p].choices[other] == column);
                    let value = point.and_then(|&point| mean(point));
                    cells.push(value.map(|value| humane(&spec.metric, value)).unwrap_or_default());
                }
            }
            (Some(_), None) => {}
        }
        rows.push(cells);
    }
    TextTable { title: spec.title.clone(), columns, rows }
}

/// A figure of a point, whether it is a number or a name.
fn shown(results: &Results<'_>, point: usize, figure: &str) -> String {
    if let Some(mean) = results.mean(point, figure) {
        return humane(figure, mean);
    }
    let column = results.column(figure);
    let first = results.rows_of(point).next().zip(column);
    first.map(|(row, column)| results.cell(row, column).to_string()).unwrap_or_default()
}

/// The numbers of the values of an axis that some of the points have, in its order.
pub(super) fn used(results: &Results<'_>, points: &[usize], axis: usize) -> Vec<usize> {
    let choices = points.iter().map(|&point| results.scenario().points[point].choices[axis]);
    let mut used: Vec<usize> = choices.collect();
    used.sort_unstable();
    used.dedup();
    used
}

/// Figures that tell of the simulation, not of what is simulated.
const ABOUT_THE_RUN: [&str; 2] = ["messages", "events"];

/// The width that the table of points keeps to: that of a narrow terminal, so that it looks the same everywhere.
const WIDTH: usize = 80;

/// What every point says, as far as a screen holds it: of a single point all figures below each other, of several ones
/// the first figures beside each other.
fn plain(results: &Results<'_>) -> TextTable {
    let scenario = results.scenario();
    let says_something = |(column, figure): &(usize, &String)| {
        !ABOUT_THE_RUN.contains(&figure.as_str()) && !results.is_clocked(figure) && !results.is_blank(*column)
    };
    let figures: Vec<&String> =
        results.figures().iter().enumerate().filter(says_something).map(|(_, figure)| figure).collect();
    if let ([_], [_, _, _, _, ..]) = (scenario.points.as_slice(), figures.as_slice()) {
        let rows = figures.iter().map(|figure| vec![heading(figure), shown(results, 0, figure)]).collect();
        return TextTable { title: String::new(), columns: vec!["figure".to_owned(), "value".to_owned()], rows };
    }
    let points = scenario.points.len().min(MOST_ROWS);
    let mut columns: Vec<String> = scenario.axes.iter().map(|axis| heading(&axis.name)).collect();
    let keys = |point: usize| scenario.values(point).map(|(axis, value)| axis_text(axis.format.as_deref(), value));
    let mut rows: Vec<Vec<String>> = (0..points).map(|point| keys(point).collect()).collect();
    let mut width: usize = (0..columns.len()).map(|column| column_width(&columns, &rows, column)).sum();
    for figure in &figures {
        columns.push(heading(figure));
        for (point, row) in rows.iter_mut().enumerate() {
            row.push(shown(results, point, figure));
        }
        width += column_width(&columns, &rows, columns.len() - 1);
        if width > WIDTH && columns.len() > scenario.axes.len() + 1 {
            columns.pop();
            for row in &mut rows {
                row.pop();
            }
            break;
        }
    }
    let mut title = Vec::new();
    if points < scenario.points.len() {
        title.push(format!("The first {points} of {} points", scenario.points.len()));
    }
    let left = figures.len() + scenario.axes.len() - columns.len();
    if left > 0 {
        title.push(format!("{left} more figures are in results.csv"));
    }
    TextTable { title: title.join("; "), columns, rows }
}

/// The width of a column with the space beside it.
fn column_width(columns: &[String], rows: &[Vec<String>], column: usize) -> usize {
    let cells = rows.iter().map(|row| row[column].chars().count());
    cells.chain([columns[column].chars().count()]).max().unwrap_or(0) + 2
}
