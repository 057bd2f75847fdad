//! Measured latencies from a file: a square matrix, or a line a pair.

use rustc_hash::FxHashMap;

use super::pairs::{Pair, Pairs};

/// The unit of the latencies in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Seconds.
    #[default]
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Nanoseconds.
    Nanoseconds,
}

impl Unit {
    /// Every unit with its name.
    pub const ALL: &[(&str, Self)] =
        &[("s", Self::Seconds), ("ms", Self::Milliseconds), ("us", Self::Microseconds), ("ns", Self::Nanoseconds)];

    /// How many seconds it is.
    #[must_use]
    pub const fn seconds(self) -> f64 {
        match self {
            Self::Seconds => 1.0,
            Self::Milliseconds => 1e-3,
            Self::Microseconds => 1e-6,
            Self::Nanoseconds => 1e-9,
        }
    }
}

/// Latencies between named machines.
#[derive(Debug, Clone, PartialEq)]
pub struct Latencies {
    /// The machines' names: those of the file, or their numbers.
    pub names: Vec<String>,
    /// The latencies in seconds.
    pub pairs: Pairs,
}

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ReadError {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub message: String,
}

impl ReadError {
    fn new(line: u64, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// A line's number and its cells.
type Line<'t> = (u64, Vec<&'t str>);

/// Reads latencies in one of two forms, told apart by the first line.
///
/// A square matrix, cells separated by commas: with a header of names or without, and with names in the first column or
/// without. The diagonal is not looked at; where both directions of a pair are given, their mean counts, and an empty cell
/// was not measured. Or the long form: three columns `from`, `to` and `latency` under a header, where the last may name its
/// unit (`latency_us`). `unit` holds where the file names none; without either, seconds.
///
/// # Errors
/// The line that is wrong: not as long as the matrix is wide, or a cell that is no number, negative or infinite.
pub fn read(text: &str, unit: Option<Unit>) -> Result<Latencies, ReadError> {
    let lines = text.lines().zip(1..).map(|(line, number)| (number, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<Line<'_>> = lines.map(|(number, line)| (number, line.split(',').map(unquoted).collect())).collect();
    let Some((_, first)) = lines.first() else { return Err(ReadError::new(1, "there are no latencies in the file")) };
    let long = first.len() == 3 && first[0].eq_ignore_ascii_case("from") && first[1].eq_ignore_ascii_case("to");
    if long { long_form(&lines, unit) } else { matrix(&lines, unit.unwrap_or_default()) }
}

fn unquoted(cell: &str) -> &str {
    let cell = cell.trim();
    cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).unwrap_or(cell)
}

fn number(cell: &str, line: u64) -> Result<f64, ReadError> {
    let value: f64 = cell.parse().map_err(|_| ReadError::new(line, format!("`{cell}` is not a number")))?;
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(ReadError::new(line, format!("`{cell}` is no latency: it must be 0 or more, and finite")))
    }
}

fn matrix(lines: &[Line<'_>], unit: Unit) -> Result<Latencies, ReadError> {
    let (_, first) = &lines[0];
    // "nan" is a bad number and no name, so that a matrix that begins with one is not taken for one with a header.
    let is_name = |cell: &str| !cell.is_empty() && cell.parse::<f64>().is_err();
    // In the first line the first cell may be empty, a corner; one name makes it a header.
    let header =
        first.len() > 1 && first.iter().skip(1).all(|cell| is_name(cell)) || lines.len() == 1 && is_name(first[0]);
    let rows = &lines[usize::from(header)..];
    let labelled =
        rows.first().is_some_and(|(_, cells)| cells.len() == rows.len() + 1 && (header || is_name(cells[0])));
    let size = rows.len();
    let skip = usize::from(labelled);
    for (line, cells) in rows {
        if cells.len() != size + skip {
            let (cells, s) = (cells.len() - skip.min(cells.len()), if size == 1 { "" } else { "s" });
            let message = format!("the matrix is not square: it has {size} row{s}, and this line {cells} cells");
            return Err(ReadError::new(*line, message));
        }
    }
    let corner = usize::from(header && first.len() == size + 1);
    if header && first.len() != size + corner {
        return Err(ReadError::new(lines[0].0, format!("{} names stand over {size} columns", first.len())));
    }
    let names = (0..size).map(|place| {
        if header {
            first[place + corner].to_owned()
        } else if labelled {
            rows[place].1[0].to_owned()
        } else {
            place.to_string()
        }
    });
    let names: Vec<String> = names.collect();
    let mut pairs = Vec::with_capacity(size * size);
    for ((line, cells), a) in rows.iter().zip(0u32..) {
        for (cell, b) in cells[skip..].iter().zip(0u32..) {
            if a != b && !cell.is_empty() {
                pairs.push(Pair { a, b, latency: number(cell, *line)? * unit.seconds() });
            }
        }
    }
    let pairs = Pairs::new(size as u32, pairs).map_err(|error| ReadError::new(lines[0].0, error.to_string()))?;
    Ok(Latencies { names, pairs })
}

fn long_form(lines: &[Line<'_>], unit: Option<Unit>) -> Result<Latencies, ReadError> {
    let (line, header) = &lines[0];
    let suffix = header[2].rsplit_once('_').and_then(|(_, suffix)| Unit::ALL.iter().find(|(name, _)| *name == suffix));
    let own = suffix.map(|(_, unit)| *unit);
    if let (Some(own), Some(asked)) = (own, unit)
        && own != asked
    {
        return Err(ReadError::new(*line, format!("the column `{}` says another unit than --unit", header[2])));
    }
    let unit = own.or(unit).unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    let mut known: FxHashMap<&str, u32> = FxHashMap::default();
    let mut pairs = Vec::with_capacity(lines.len());
    for (line, cells) in &lines[1..] {
        let &[from, to, latency] = cells.as_slice() else {
            let message = format!("a line has three cells (from, to, latency), and this one {}", cells.len());
            return Err(ReadError::new(*line, message));
        };
        let [a, b] = [from, to].map(|name| {
            *known.entry(name).or_insert_with(|| {
                names.push(name.to_owned());
                names.len() as u32 - 1
            })
        });
        let latency = number(latency, *line)? * unit.seconds();
        if a != b {
            pairs.push(Pair { a, b, latency });
        }
    }
    let pairs = Pairs::new(names.len() as u32, pairs).map_err(|error| ReadError::new(*line, error.to_string()))?;
    Ok(Latencies { names, pairs })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_forms_of_one_matrix() {
        let plain = read("0,40,5000\n40,0,5000\n5000,5000,0\n", Some(Unit::Microseconds)).unwrap();
        assert_eq!(plain.names, ["0", "1", "2"]);
        assert_eq!(plain.pairs.latency(0, 1), Some(40.0 * 1e-6));
        let named = read(",a,b,c\na,0,40,5000\nb,40,,5000\nc,5000,5000,0\n", Some(Unit::Microseconds)).unwrap();
        assert_eq!((named.names, named.pairs), (vec!["a".into(), "b".into(), "c".into()], plain.pairs.clone()));
        let long = read("from,to,latency_us\na,b,40\na,c,5000\nc,b,5000\n", None).unwrap();
        assert_eq!(long.pairs, plain.pairs);
        let header = read("a,b\n0,1\n3,0\n", None).unwrap();
        assert_eq!((header.names, header.pairs.latency(0, 1)), (vec!["a".into(), "b".into()], Some(2.0)));
    }

    #[test]
    fn the_line_at_fault_is_named() {
        let fault = |text| read(text, None).unwrap_err().to_string();
        assert_eq!(fault("0,1\n1,0\n2,3\n"), "line 1: the matrix is not square: it has 3 rows, and this line 2 cells");
        assert_eq!(
            fault("# x\n0,1,2\n1,0,2\n1,0\n"),
            "line 4: the matrix is not square: it has 3 rows, and this line 2 cells"
        );
        assert_eq!(fault("0,1,2\n1,0,2\n"), "line 1: the matrix is not square: it has 2 rows, and this line 3 cells");
        assert_eq!(fault("0,1\n-1,0\n"), "line 2: `-1` is no latency: it must be 0 or more, and finite");
        assert_eq!(fault("0,1\nNaN,0\n"), "line 2: `NaN` is no latency: it must be 0 or more, and finite");
        assert_eq!(fault("0,1\nfast,0\n"), "line 2: `fast` is not a number");
        assert_eq!(fault("\n"), "line 1: there are no latencies in the file");
        assert_eq!(
            fault("from,to,latency_us\na,b\n"),
            "line 2: a line has three cells (from, to, latency), and this one 2"
        );
        assert_eq!(fault("from,to,latency_us\na,b,soon\n"), "line 2: `soon` is not a number");
        let two_units = read("from,to,latency_us\na,b,1\n", Some(Unit::Seconds));
        assert_eq!(two_units.unwrap_err().line, 1);
    }
}
