//! Measured latencies from a file: a square matrix, or a line per pair.

use rustc_hash::{FxHashMap, FxHashSet};

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

    /// The unit in seconds.
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
    /// The machines' names in the file, or their numbers.
    pub names: Vec<String>,
    /// The latencies in seconds.
    pub pairs: Pairs,
    /// How many lines repeat a pair in the same direction; the mean of all lines of a pair counts.
    pub repeated: usize,
}

/// What is wrong with a file, and on which line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct LatenciesError {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub message: String,
}

impl LatenciesError {
    fn new(line: u64, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// A line's number and its cells.
type NumberedCells<'t> = (u64, Vec<&'t str>);

/// Reads latencies in one of two forms, recognised by the first line.
///
/// The first form is a square matrix, cells separated by commas, with or without a header of names and with or without
/// names in the first column. If both name the machines, a row belongs to the machine that it names, in any order of
/// rows. The diagonal is ignored; if both directions of a pair are given, their mean counts; an empty cell is an
/// unmeasured pair.
///
/// The second form has three columns `from`, `to` and `latency` under a header, where the last may name its unit
/// (`latency_us`). Of a pair that is given several times or in both directions, the mean counts.
///
/// `unit` applies if the file names none; the default is seconds.
///
/// # Errors
/// The faulty line: its length differs from the matrix's width, or a cell is not a number, negative or infinite.
pub fn read(text: &str, unit: Option<Unit>) -> Result<Latencies, LatenciesError> {
    let lines = text.lines().zip(1..).map(|(line, number)| (number, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<NumberedCells<'_>> =
        lines.map(|(number, line)| (number, line.split(',').map(unquoted).collect())).collect();
    let Some((_, first)) = lines.first() else {
        return Err(LatenciesError::new(1, "there are no latencies in the file"));
    };
    let long = first.len() == 3 && first[0].eq_ignore_ascii_case("from") && first[1].eq_ignore_ascii_case("to");
    if long { long_form(&lines, unit) } else { matrix(&lines, unit.unwrap_or_default()) }
}

fn unquoted(cell: &str) -> &str {
    let cell = cell.trim();
    cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).unwrap_or(cell)
}

fn number(cell: &str, line: u64) -> Result<f64, LatenciesError> {
    let value: f64 = cell.parse().map_err(|_| LatenciesError::new(line, format!("`{cell}` is not a number")))?;
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(LatenciesError::new(line, format!("`{cell}` is not a latency: it must be 0 or more, and finite")))
    }
}

/// Whether the first line names the columns. "nan" is a bad number and not a name, so that a matrix that begins with it
/// has no header.
///
/// # Errors
/// The matrix can be read with and without a header.
fn has_header(lines: &[NumberedCells<'_>]) -> Result<bool, LatenciesError> {
    let is_name = |cell: &str| !cell.is_empty() && cell.parse::<f64>().is_err();
    let Some(((line, first), rows)) = lines.split_first() else { return Ok(false) };
    let Some((corner, columns)) = first.split_first() else { return Ok(false) };
    // The first cell of the header may be an empty corner; one name makes it a header.
    if columns.is_empty() {
        return Ok(rows.is_empty() && is_name(corner));
    }
    if columns.iter().all(|cell| is_name(cell)) {
        return Ok(true);
    }
    // The machines are named by their numbers, from 0 or 1 on, in both the first row and the first column.
    let rows_are_named = rows.len() == columns.len() && rows.iter().all(|(_, cells)| cells.len() == first.len());
    let mut numbers: Vec<Option<usize>> = columns.iter().map(|cell| cell.parse().ok()).collect();
    numbers.sort_unstable();
    let start = usize::from(numbers.first() == Some(&Some(1)));
    let counted = columns.len() > 1 && (start..).zip(&numbers).all(|(wanted, number)| *number == Some(wanted));
    let mut labels: Vec<&str> = rows.iter().filter_map(|(_, cells)| cells.first().copied()).collect();
    let mut names = columns.to_vec();
    labels.sort_unstable();
    names.sort_unstable();
    if !rows_are_named || is_name(corner) {
        return Ok(rows_are_named);
    }
    let counts = corner.is_empty() && counted && labels == names;
    let mirrors = |a: usize| (0..=a).all(|b| lines[a].1[b] == lines[b].1[a] && (a != b || lines[a].1[a].is_empty()));
    if counts && (0..lines.len()).all(mirrors) {
        let message = "this may be latencies, or the numbers of the machines: write 0 into the first cell, or a word over \
                       the names";
        return Err(LatenciesError::new(*line, message));
    }
    Ok(counts)
}

fn matrix(lines: &[NumberedCells<'_>], unit: Unit) -> Result<Latencies, LatenciesError> {
    let (line, first) = &lines[0];
    let header = has_header(lines)?;
    let rows = &lines[usize::from(header)..];
    let is_word = |cell: &str| !cell.is_empty() && cell.parse::<f64>().is_err();
    let labelled =
        rows.first().is_some_and(|(_, cells)| cells.len() == rows.len() + 1 && (header || is_word(cells[0])));
    let size = rows.len();
    let skip = usize::from(labelled);
    for (line, cells) in rows {
        if cells.len() != size + skip {
            let (cells, s) = (cells.len() - skip.min(cells.len()), if size == 1 { "" } else { "s" });
            let message = format!("the matrix is not square: it has {size} row{s}, but this line has {cells} cells");
            return Err(LatenciesError::new(*line, message));
        }
    }
    let corner = usize::from(header && first.len() == size + 1);
    if header && first.len() != size + corner {
        return Err(LatenciesError::new(*line, format!("{} names stand over {size} columns", first.len())));
    }
    let names: Vec<String> = (0..size)
        .map(|place| match (header, labelled) {
            (true, _) => first[place + corner].to_owned(),
            (false, true) => rows[place].1[0].to_owned(),
            (false, false) => place.to_string(),
        })
        .collect();
    let places = places(&names, rows, labelled, *line)?;
    let mut pairs = Vec::with_capacity(size * size);
    for ((line, cells), &a) in rows.iter().zip(&places) {
        for (cell, b) in cells[skip..].iter().zip(0u32..) {
            if a != b && !cell.is_empty() {
                pairs.push(Pair { a, b, latency: number(cell, *line)? * unit.seconds() });
            }
        }
    }
    let pairs = Pairs::new(size as u32, pairs).map_err(|error| LatenciesError::new(*line, error.to_string()))?;
    Ok(Latencies { names, pairs, repeated: 0 })
}

/// The machine of each row: the one that its label names, or the one at its position if rows have no labels.
fn places(names: &[String], rows: &[NumberedCells<'_>], labelled: bool, line: u64) -> Result<Vec<u32>, LatenciesError> {
    let mut known: FxHashMap<&str, u32> = FxHashMap::default();
    for ((name, place), row) in names.iter().zip(0..).zip(rows) {
        if known.insert(name, place).is_some() {
            // Without a header the names are those of the rows.
            let line = if labelled && row.1.first() == Some(&name.as_str()) { row.0 } else { line };
            return Err(LatenciesError::new(line, format!("two machines are named `{name}`")));
        }
    }
    if !labelled {
        return Ok((0..names.len() as u32).collect());
    }
    let mut taken = vec![false; names.len()];
    let place = |(line, cells): &NumberedCells<'_>| {
        let name = cells[0];
        let Some(&place) = known.get(name) else {
            return Err(LatenciesError::new(*line, format!("this row is named `{name}`, but no column is")));
        };
        if std::mem::replace(&mut taken[place as usize], true) {
            return Err(LatenciesError::new(*line, format!("two rows are named `{name}`")));
        }
        Ok(place)
    };
    rows.iter().map(place).collect()
}

fn long_form(lines: &[NumberedCells<'_>], unit: Option<Unit>) -> Result<Latencies, LatenciesError> {
    let (line, header) = &lines[0];
    let suffix = header[2].rsplit_once('_').and_then(|(_, suffix)| Unit::ALL.iter().find(|(name, _)| *name == suffix));
    let own = suffix.map(|(_, unit)| *unit);
    if let (Some(own), Some(asked)) = (own, unit)
        && own != asked
    {
        return Err(LatenciesError::new(*line, format!("the column `{}` has another unit than --unit", header[2])));
    }
    let unit = own.or(unit).unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    let mut known: FxHashMap<&str, u32> = FxHashMap::default();
    let mut pairs = Vec::with_capacity(lines.len());
    for (line, cells) in &lines[1..] {
        let &[from, to, latency] = cells.as_slice() else {
            let message = format!("a line has three cells (from, to, latency), but this one has {}", cells.len());
            return Err(LatenciesError::new(*line, message));
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
    let directed: FxHashSet<(u32, u32)> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
    let repeated = pairs.len() - directed.len();
    let pairs = Pairs::new(names.len() as u32, pairs).map_err(|error| LatenciesError::new(*line, error.to_string()))?;
    Ok(Latencies { names, pairs, repeated })
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
        assert_eq!((long.pairs, long.repeated), (plain.pairs.clone(), 0));
        // Another direction is no repetition.
        let repeated = read("from,to,latency_us\na,b,40\na,b,40\na,c,5000\nc,b,5000\nb,c,5000\n", None).unwrap();
        assert_eq!((repeated.pairs, repeated.repeated), (plain.pairs, 1));
        let header = read("a,b\n0,1\n3,0\n", None).unwrap();
        assert_eq!((header.names, header.pairs.latency(0, 1)), (vec!["a".into(), "b".into()], Some(2.0)));
    }

    /// Rows are placed by their labels, not by their order.
    #[test]
    fn rows_are_of_the_machine_that_they_name() {
        let ordered = read(",a,b,c\na,0,40,5000\nb,40,0,6000\nc,5000,6000,0\n", None).unwrap();
        for text in [
            ",a,b,c\nc,5000,6000,0\na,0,40,5000\nb,40,0,6000\n",
            "machine,a,b,c\nb,40,,6000\nc,5000,6000,\na,,40,5000\n",
            "a,b,c\nb,40,0,6000\na,0,40,5000\nc,5000,6000,0\n",
        ] {
            assert_eq!(read(text, None).unwrap(), ordered, "{text}");
        }
        let numbered = read(",0,1,2\n2,5000,6000,0\n0,0,40,5000\n1,40,0,6000\n", None).unwrap();
        assert_eq!((numbered.names.len(), numbered.pairs), (3, ordered.pairs.clone()));
        let words = read("node,7,5,6\n6,5000,6000,0\n7,0,40,5000\n5,40,0,6000\n", None).unwrap();
        assert_eq!((words.names, words.pairs), (vec!["7".into(), "5".into(), "6".into()], ordered.pairs));
        // A matrix whose first cell is empty has no header.
        assert_eq!(read(",3,7\n3,,5\n7,5,\n", None).unwrap().pairs.latency(0, 2), Some(7.0));
        // Unless its first row counts the machines: then nobody can tell.
        let error = read(",1,2\n1,,3\n2,3,\n", None).unwrap_err().to_string();
        assert!(error.contains("latencies, or the numbers of the machines"), "{error}");
        assert_eq!(read("0,1,2\n1,,3\n2,3,\n", None).unwrap().names.len(), 3);
        assert_eq!(read("node,1,2\n1,,3\n2,3,\n", None).unwrap().names, ["1", "2"]);
    }

    #[test]
    fn the_line_at_fault_is_named() {
        let fault = |text| read(text, None).unwrap_err().to_string();
        assert_eq!(
            fault("0,1\n1,0\n2,3\n"),
            "line 1: the matrix is not square: it has 3 rows, but this line has 2 cells"
        );
        assert_eq!(
            fault("# x\n0,1,2\n1,0,2\n1,0\n"),
            "line 4: the matrix is not square: it has 3 rows, but this line has 2 cells"
        );
        assert_eq!(
            fault("0,1,2\n1,0,2\n"),
            "line 1: the matrix is not square: it has 2 rows, but this line has 3 cells"
        );
        assert_eq!(fault("0,1\n-1,0\n"), "line 2: `-1` is not a latency: it must be 0 or more, and finite");
        assert_eq!(fault("0,1\nNaN,0\n"), "line 2: `NaN` is not a latency: it must be 0 or more, and finite");
        assert_eq!(fault("0,1\nfast,0\n"), "line 2: `fast` is not a number");
        assert_eq!(fault("\n"), "line 1: there are no latencies in the file");
        assert_eq!(fault(",a,b\na,0,1\nc,1,0\n"), "line 3: this row is named `c`, but no column is");
        assert_eq!(fault(",a,b\na,0,1\na,1,0\n"), "line 3: two rows are named `a`");
        assert_eq!(fault(",a,a\na,0,1\nb,1,0\n"), "line 1: two machines are named `a`");
        assert_eq!(fault("a,0,1\na,1,0\n"), "line 2: two machines are named `a`");
        assert_eq!(
            fault("from,to,latency_us\na,b\n"),
            "line 2: a line has three cells (from, to, latency), but this one has 2"
        );
        assert_eq!(fault("from,to,latency_us\na,b,soon\n"), "line 2: `soon` is not a number");
        let two_units = read("from,to,latency_us\na,b,1\n", Some(Unit::Seconds));
        assert_eq!(two_units.unwrap_err().line, 1);
    }
}
