//! Tables with typed columns, for programs that read millions of rows by column: Parquet, Arrow.

use super::csv_file::column_of;
use super::results::{Results, Row};
use super::summary::summary_rows;
use crate::record::Value;

/// What the cells of a column are, but for blank ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Whole numbers from 0 on.
    Count,
    /// Numbers.
    Number,
    /// Texts.
    Text,
}

/// A column: its name, what its cells are, and where they come from.
pub struct TypedColumn<'a> {
    /// Its name.
    pub name: String,
    /// What each of its cells is that is not blank. A column of numbers may have counts.
    pub kind: CellKind,
    /// The cell of a row, counted from 0.
    pub cell: Box<dyn Fn(usize) -> Value + 'a>,
}

/// A table with typed columns.
pub struct TypedTable<'a> {
    /// The number of rows.
    pub rows: usize,
    /// The columns.
    pub columns: Vec<TypedColumn<'a>>,
}

/// All runs: the columns of `results.csv` in their order.
#[must_use]
pub fn runs<'a>(results: &'a Results<'_>) -> TypedTable<'a> {
    runs_with(results, results.measured(), 0)
}

/// What a clock measured in all runs: the columns of `timings.csv` in their order.
#[must_use]
pub fn timings<'a>(results: &'a Results<'_>) -> TypedTable<'a> {
    runs_with(results, results.timings(), results.measured().len())
}

/// All runs with these metrics, whose columns begin at `from`.
fn runs_with<'a>(results: &'a Results<'_>, metrics: &'a [String], from: usize) -> TypedTable<'a> {
    let scenario = results.scenario();
    let row = |number: usize| -> Row { results.rows()[number] };
    let mut columns = vec![TypedColumn {
        name: "run".to_owned(),
        kind: CellKind::Text,
        cell: Box::new(|number| Value::Text(results.run(number).to_string())),
    }];
    for (number, axis) in scenario.axes.iter().enumerate() {
        let cell = move |run: usize| results.value(row(run).point as usize, number).cell.clone();
        let kind = kind_of(axis.values.iter().map(|value| &value.cell));
        columns.push(TypedColumn {
            name: column_of(axis, metrics).to_owned(),
            kind: kind.unwrap_or(CellKind::Text),
            cell: Box::new(cell),
        });
    }
    let replica = move |number: usize| Value::Count(u64::from(row(number).replica));
    columns.push(TypedColumn { name: "replica".to_owned(), kind: CellKind::Count, cell: Box::new(replica) });
    let seed = scenario.file.seed;
    columns.push(TypedColumn {
        name: "seed".to_owned(),
        kind: CellKind::Count,
        cell: Box::new(move |_| Value::Count(seed)),
    });
    for (column, name) in (from..).zip(metrics) {
        let cells = (0..results.rows().len()).map(|row| results.cell(row, column));
        let kind = if results.is_blank(column) { None } else { kind_of(cells) };
        let cell = move |row| results.cell(row, column);
        columns.push(TypedColumn { name: name.clone(), kind: kind.unwrap_or(CellKind::Number), cell: Box::new(cell) });
    }
    TypedTable { rows: results.rows().len(), columns }
}

/// The statistics of each point: the columns of `summary.csv` in their order.
#[must_use]
pub fn summary(results: &Results<'_>) -> TypedTable<'static> {
    let (names, rows) = summary_rows(results);
    of_rows(names, rows)
}

/// The names of the long tables that the runs have kept, in the order of the alphabet.
#[must_use]
pub fn long_table_names(results: &Results<'_>) -> Vec<String> {
    let mut names: Vec<String> = results.tables().iter().map(|(_, table)| table.name.clone()).collect();
    names.sort();
    names.dedup();
    names
}

/// The rows of one long table of all runs, each with its run.
#[must_use]
pub fn long_table(results: &Results<'_>, name: &str) -> TypedTable<'static> {
    let mut names = vec!["run".to_owned()];
    let mut rows = Vec::new();
    for (run, table) in results.tables().iter().filter(|(_, table)| table.name == name) {
        if rows.is_empty() {
            names = std::iter::once("run".to_owned()).chain(table.columns.iter().cloned()).collect();
        }
        let run = Value::Text(run.to_string());
        rows.extend(table.rows.iter().map(|row| std::iter::once(run.clone()).chain(row.iter().cloned()).collect()));
    }
    of_rows(names, rows)
}

/// A table of rows that are in memory. A column without a value is one of numbers, as most are.
#[must_use]
pub fn of_rows(names: Vec<String>, rows: Vec<Vec<Value>>) -> TypedTable<'static> {
    let count = rows.len();
    let mut columns: Vec<Vec<Value>> = names.iter().map(|_| Vec::with_capacity(count)).collect();
    for row in rows {
        columns.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell));
    }
    let column = |(name, cells): (String, Vec<Value>)| TypedColumn {
        name,
        kind: kind_of(&cells).unwrap_or(CellKind::Number),
        cell: Box::new(move |row| cells.get(row).cloned().unwrap_or_default()),
    };
    TypedTable { rows: count, columns: names.into_iter().zip(columns).map(column).collect() }
}

/// What holds all of these cells; nothing where all are blank.
fn kind_of(cells: impl IntoIterator<Item = impl std::borrow::Borrow<Value>>) -> Option<CellKind> {
    cells.into_iter().map(|cell| kind(cell.borrow())).fold(None, joined)
}

const fn kind(value: &Value) -> Option<CellKind> {
    match value {
        Value::Count(_) => Some(CellKind::Count),
        Value::Number(_) => Some(CellKind::Number),
        Value::Text(_) => Some(CellKind::Text),
        Value::Blank => None,
    }
}

/// The kind that holds both.
fn joined(one: Option<CellKind>, other: Option<CellKind>) -> Option<CellKind> {
    match (one, other) {
        (None, kind) | (kind, None) => kind,
        (Some(one), Some(other)) if one == other => Some(one),
        (Some(CellKind::Text), _) | (_, Some(CellKind::Text)) => Some(CellKind::Text),
        _ => Some(CellKind::Number),
    }
}
