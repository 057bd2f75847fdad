//! The small CSV files that a scenario may name: traces and matrices over clusters.

use std::path::Path;

use hetsim_base::input::Input;
use hetsim_base::units::Seconds;
use hetsim_text::{Node, NumberedRows, Problem, Value, suggest};

/// A step of a function in a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row {
    /// The number of its line.
    pub(super) line: u64,
    /// When it starts, in seconds.
    pub(super) time: f64,
    /// The value.
    pub(super) value: f64,
}

/// The header of a trace.
const HEADER: [&str; 2] = ["time_s", "value"];

/// Reads the steps of a trace: columns `time_s` and `value`, with or without that header line.
///
/// # Errors
/// The file can't be read or is empty, its header is another one, or a line is not two numbers; `named` is the value
/// that names the file.
pub(super) fn read_steps(path: &Path, named: &Node) -> Result<Vec<Row>, Problem> {
    let fault = |line: u64, what: &str| Problem::at(&named.place, format!("{}, line {line}: {what}", path.display()));
    let mut steps: Vec<Row> = Vec::new();
    for ((line, record), number) in records(path, named)?.into_iter().zip(0..) {
        let cells: Vec<&str> = record.iter().collect();
        let numbers: Vec<Option<f64>> = cells.iter().map(|cell| cell.parse().ok()).collect();
        let in_range = |value: f64| value >= 0.0 && value.is_finite();
        match numbers.as_slice() {
            _ if number == 0 && cells == HEADER => {}
            // Other words may mean other units, or another order.
            numbers if number == 0 && numbers.iter().all(Option::is_none) => {
                let (found, wanted) = (cells.join(","), HEADER.join(","));
                return Err(fault(line, &format!("the header is `{wanted}` if there is one, not `{found}`")));
            }
            &[Some(time), Some(value)] if in_range(time) && in_range(value) => {
                if steps.last().is_some_and(|earlier| time <= earlier.time) {
                    return Err(fault(line, "the times must rise, and this one is not later than the one before"));
                }
                steps.push(Row { line, time, value });
            }
            [Some(_), Some(_)] => return Err(fault(line, "time and value must be zero or more, and finite")),
            &[_, _] => {
                let wrong = cells.iter().zip(&numbers).find(|(_, number)| number.is_none());
                let wrong = wrong.map_or("", |(cell, _)| cell);
                return Err(fault(line, &format!("`{wrong}` is not a number")));
            }
            _ => return Err(fault(line, "a line has two numbers: time in seconds, value")),
        }
    }
    if steps.is_empty() {
        let problem = Problem::at(&named.place, format!("{} holds no steps", path.display()));
        return Err(problem.with_help("each line has two numbers: time in seconds, value"));
    }
    Ok(steps)
}

/// Reads the costs of tasks, each zero or more: one number a line, below a header or without one; or of a table the column
/// `operations`.
///
/// # Errors
/// Where the file can't be read, is empty, or a line is not one number; `named` is the value that names the file.
pub(super) fn read_numbers(path: &Path, named: &Node) -> Result<Vec<f64>, Problem> {
    let mut numbers = Vec::new();
    let records = records(path, named)?;
    let titles = records.first().map(|(_, titles)| titles).filter(|titles| titles.len() > 1);
    let column = titles.and_then(|titles| titles.iter().position(|title| title == "operations"));
    let cells = titles.filter(|_| column.is_some()).map_or(1, csv::StringRecord::len);
    for ((line, record), place) in records.iter().zip(0..) {
        let cell = record.get(column.unwrap_or(0)).unwrap_or_default();
        match cell.parse::<f64>() {
            Ok(number) if record.len() == cells && number >= 0.0 && number.is_finite() => numbers.push(number),
            // The header.
            Err(_) if place == 0 && record.len() == cells => {}
            _ => {
                let message = format!("{}, line {line}: a line has one number, zero or more", path.display());
                return Err(Problem::at(&named.place, message));
            }
        }
    }
    if numbers.is_empty() {
        return Err(Problem::at(&named.place, format!("{} holds no numbers", path.display())));
    }
    Ok(numbers)
}

/// Reads a matrix over named things: their names in the first row and the first column, in any order. The cells come
/// row by row in the order of `names`.
///
/// # Errors
/// Where the file can't be read, a name is unknown or missing, or a cell is missing.
pub(super) fn read_matrix(path: &Path, at: &Node, names: &[&str]) -> Result<Vec<Node>, Vec<Problem>> {
    let fault = |what: String| vec![Problem::at(&at.place, format!("{}: {what}", path.display()))];
    let records = records(path, at).map_err(|problem| vec![problem])?;
    let Some(((_, header), rows)) = records.split_first() else { return Err(fault("the file is empty".to_owned())) };
    let known = |name: &str| {
        names.iter().position(|known| *known == name).ok_or_else(|| {
            vec![
                Problem::at(&at.place, format!("{}: there is no cluster `{name}`", path.display()))
                    .with_help(suggest(name, names)),
            ]
        })
    };
    let columns = header.iter().skip(1).map(known).collect::<Result<Vec<_>, _>>()?;
    // What is missing is said before there is room for all pairs.
    let is_row = |name: &str| rows.iter().any(|(_, record)| record.get(0) == Some(name));
    let other = |name: &str| names.iter().copied().find(|other| *other != name);
    let missing = if records.len() <= names.len() {
        names.iter().copied().find(|name| !is_row(name)).and_then(|from| Some((from, other(from)?)))
    } else if columns.len() < names.len() {
        let mut unnamed = names.iter().copied().enumerate().filter(|(number, _)| !columns.contains(number));
        unnamed.next().and_then(|(_, to)| Some((other(to)?, to)))
    } else {
        None
    };
    if let Some((from, to)) = missing {
        return Err(fault(format!("no value from `{from}` to `{to}`")));
    }
    let mut cells: Vec<Option<Node>> = vec![None; names.len() * names.len()];
    for (line, record) in rows {
        let row = known(record.get(0).unwrap_or_default())?;
        for (&column, cell) in columns.iter().zip(record.iter().skip(1)) {
            // The diagonal is not read.
            if let Err(error) = cell.parse::<Seconds>()
                && row != column
            {
                return Err(fault(format!("line {line}, from `{}` to `{}`: {error}", names[row], names[column])));
            }
            let cell = Node { value: Value::Text(cell.to_owned()), place: at.place.clone() };
            cells[row * names.len() + column] = Some(cell);
        }
    }
    let mut all = Vec::with_capacity(cells.len());
    for (place, cell) in cells.into_iter().enumerate() {
        let (row, column) = (place / names.len(), place % names.len());
        match cell {
            Some(cell) => all.push(cell),
            None if row == column => {
                all.push(Node { value: Value::Text(String::new()), place: at.place.clone() });
            }
            None => return Err(fault(format!("no value from `{}` to `{}`", names[row], names[column]))),
        }
    }
    Ok(all)
}

/// The records of a file, without its comments, each with the line on which it begins.
///
/// # Errors
/// Where the file can't be read.
pub(super) fn records(path: &Path, named: &Node) -> Result<Vec<(u64, csv::StringRecord)>, Problem> {
    let file = Input::open(path).map_err(|error| Problem::at(&named.place, error.to_string()))?;
    let fault = |line: u64, error: &csv::Error| {
        let what = match error.kind() {
            csv::ErrorKind::Utf8 { .. } => format!(", line {line}: this row is not UTF-8 text"),
            _ => format!(": {error}"),
        };
        Problem::at(&named.place, format!("{}{what}", path.display()))
    };
    let mut rows = NumberedRows::new(csv::ReaderBuilder::new().comment(Some(b'#')), file);
    let (mut records, mut record) = (Vec::new(), csv::StringRecord::new());
    while rows.read(&mut record).map_err(|error| fault(rows.line(), &error))? {
        record.trim();
        records.push((rows.line(), record.clone()));
    }
    Ok(records)
}
