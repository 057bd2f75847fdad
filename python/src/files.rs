//! Tables that hetsim has written as CSV.

use std::path::Path;

use hetsim::cli::Failure;
use hetsim::record::Value;
use hetsim::report::typed::of_rows;

use crate::table::Table;

/// The CSV files of a results folder among these names, but for those that are tables already.
pub(crate) fn tables<'a>(
    folder: &Path,
    names: impl Iterator<Item = &'a String>,
    known: &[Table],
) -> Result<Vec<Table>, Failure> {
    let stems = names.filter_map(|name| name.strip_suffix(".csv"));
    stems
        .filter(|stem| !known.iter().any(|table| table.is_named(stem)))
        .map(|stem| read(&folder.join(format!("{stem}.csv")), stem))
        .collect()
}

/// Reads a CSV file. A column is one of numbers if all of its cells are; blank cells are null.
pub(crate) fn read(path: &Path, name: &str) -> Result<Table, Failure> {
    let failed = |error: csv::Error| Failure::Run(format!("{}: {error}", path.display()));
    let mut reader = csv::Reader::from_path(path).map_err(failed)?;
    let names: Vec<String> = reader.headers().map_err(failed)?.iter().map(str::to_owned).collect();
    let records = reader.records().collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let is_numeric =
        |column: usize| records.iter().all(|record| record[column].is_empty() || number(&record[column]).is_some());
    let numeric: Vec<bool> = (0..names.len()).map(is_numeric).collect();
    let cell = |(cell, is_numeric): (&str, &bool)| match number(cell) {
        _ if cell.is_empty() => Value::Blank,
        Some(number) if *is_numeric => number,
        _ => Value::Text(cell.to_owned()),
    };
    let rows = records.iter().map(|record| record.iter().zip(&numeric).map(cell).collect()).collect();
    Table::of(name, &of_rows(names, rows))
}

/// A cell as a number, if hetsim would write the number so: "001" is a name.
fn number(cell: &str) -> Option<Value> {
    let number = || Some(Value::Number(cell.parse().ok().filter(|number: &f64| number.is_finite())?));
    let value = cell.parse().ok().map(Value::Count).or_else(number)?;
    (value.to_string() == cell).then_some(value)
}
