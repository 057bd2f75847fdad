//! The small CSV files that a scenario may name: traces and matrices over clusters.

use std::path::Path;

use super::node::{Node, Value};
use super::problem::{Problem, suggest};

/// Reads the steps of a trace: columns `time_s` and `value`, with or without that header line.
///
/// # Errors
/// Where the file can't be read, is empty, or a line is not two numbers; `named` is the value that names the file.
pub fn read_steps(path: &Path, named: &Node) -> Result<Vec<(f64, f64)>, Problem> {
    let fault = |line: u64, what: &str| Problem::at(&named.place, format!("{}, line {line}: {what}", path.display()));
    let mut steps = Vec::new();
    for (record, number) in records(path, named)?.iter().zip(0..) {
        let line = record.position().map_or(0, csv::Position::line);
        let cells: Vec<&str> = record.iter().collect();
        let numbers: Option<Vec<f64>> = cells.iter().map(|cell| cell.parse().ok()).collect();
        match (numbers.as_deref(), number) {
            (Some([time, value]), _) if *time >= 0.0 && time.is_finite() => steps.push((*time, *value)),
            // The header.
            (None, 0) => {}
            (Some([_, _]), _) => return Err(fault(line, "the time must be zero or more, and finite")),
            (Some(_), _) => return Err(fault(line, "a line has two numbers: time in seconds, value")),
            (None, _) => return Err(fault(line, "this is not a number")),
        }
    }
    if steps.is_empty() {
        return Err(Problem::at(&named.place, format!("{} holds no steps", path.display())));
    }
    if let Some(index) = (1..steps.len()).find(|&index| steps[index].0 <= steps[index - 1].0) {
        let message = format!("{}: the times must rise; step {} does not", path.display(), index + 1);
        return Err(Problem::at(&named.place, message));
    }
    Ok(steps)
}

/// Reads a matrix over named things: their names in the first row and the first column, in any order. The cells come
/// row by row in the order of `names`.
///
/// # Errors
/// Where the file can't be read, a name is unknown or missing, or a cell is missing.
pub fn read_matrix(path: &Path, named: &Node, names: &[&str]) -> Result<Vec<Node>, Vec<Problem>> {
    let fault = |what: String| vec![Problem::at(&named.place, format!("{}: {what}", path.display()))];
    let records = records(path, named).map_err(|problem| vec![problem])?;
    let Some(header) = records.first() else { return Err(fault("the file is empty".to_owned())) };
    let known = |name: &str| {
        names.iter().position(|known| *known == name).ok_or_else(|| {
            vec![
                Problem::at(&named.place, format!("{}: there is no cluster `{name}`", path.display()))
                    .with_help(suggest(name, names)),
            ]
        })
    };
    let columns = header.iter().skip(1).map(known).collect::<Result<Vec<_>, _>>()?;
    let mut cells: Vec<Option<Node>> = vec![None; names.len() * names.len()];
    for record in &records[1..] {
        let row = known(record.get(0).unwrap_or_default())?;
        for (&column, cell) in columns.iter().zip(record.iter().skip(1)) {
            let cell = Node { value: Value::Text(cell.to_owned()), place: named.place.clone() };
            cells[row * names.len() + column] = Some(cell);
        }
    }
    let mut all = Vec::with_capacity(cells.len());
    for (place, cell) in cells.into_iter().enumerate() {
        let (row, column) = (place / names.len(), place % names.len());
        match cell {
            Some(cell) => all.push(cell),
            // The diagonal is not read.
            None if row == column => {
                all.push(Node { value: Value::Text(String::new()), place: named.place.clone() });
            }
            None => return Err(fault(format!("no value from `{}` to `{}`", names[row], names[column]))),
        }
    }
    Ok(all)
}

fn records(path: &Path, named: &Node) -> Result<Vec<csv::StringRecord>, Problem> {
    let fault = |error: csv::Error| {
        let message = match error.kind() {
            csv::ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::NotFound => {
                format!("there is no file {}", path.display())
            }
            _ => format!("{}: {error}", path.display()),
        };
        Problem::at(&named.place, message)
    };
    let reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .flexible(true)
        .from_path(path);
    reader.map_err(fault)?.into_records().collect::<Result<_, _>>().map_err(fault)
}
