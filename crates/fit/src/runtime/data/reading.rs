//! Reads the rows of a CSV file of measured run times and checks each of them.

use std::collections::BTreeMap;
use std::io::{BufReader, Read};

use rand::RngExt;

use super::heading::Heading;
use hetsim_base::engine::Streams;
use hetsim_text::NumberedRows;

/// The reason why a file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The file cannot be read as CSV.
    #[error("the file can't be read: {0}")]
    Csv(#[from] csv::Error),
    /// The file cannot be read.
    #[error("the file can't be read: {0}")]
    Read(#[from] std::io::Error),
    /// A requested column does not exist.
    #[error("there is no column {name:?}; there are {known}")]
    NoColumn {
        /// The requested column.
        name: String,
        /// The columns of the file.
        known: String,
    },
    /// A cell is not a number.
    #[error("line {line}: {text:?} in column {column:?} is not a number")]
    NoNumber {
        /// The line of the file, from 1.
        line: u64,
        /// The column's name.
        column: String,
        /// The text of the cell.
        text: String,
    },
    /// A number is out of the range of its column.
    #[error("line {line}: {value} in column {column:?} is {fault}")]
    OutOfRange {
        /// The line of the file, from 1.
        line: u64,
        /// The column's name.
        column: String,
        /// The number in the cell.
        value: f64,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// The data as a whole are unsuitable.
    #[error("{0}")]
    Unfit(String),
}

/// The treatment of several measurements of one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repeats {
    /// They form one point with their median, weighted by the sum of their weights.
    #[default]
    Median,
    /// Each measurement is a point.
    All,
}

/// The roles of the columns of a file.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The column of run times, all above 0.
    pub target: String,
    /// The numeric columns that the run time may depend on.
    pub by: Vec<String>,
    /// Columns of words that the run time may depend on. Each word becomes a variable named `column_word` that is 1 in
    /// its rows and 0 elsewhere.
    pub categories: Vec<String>,
    /// A column of weights, all above 0; the default weight is 1.
    pub weights: Option<String>,
    /// A column that says `train` or `test`; without it points are split at random.
    pub split: Option<String>,
    /// The treatment of several measurements of one point.
    pub repeats: Repeats,
    /// The share of points held out if no column splits them, in [0, 1).
    pub held_back: f64,
    /// The maximum number of points; a larger file is sampled.
    pub most_points: usize,
    /// The seed of the split and of the sampling.
    pub seed: u64,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            target: String::new(),
            by: Vec::new(),
            categories: Vec::new(),
            weights: None,
            split: None,
            repeats: Repeats::Median,
            held_back: 0.3,
            most_points: 100_000,
            seed: 1,
        }
    }
}

/// A row as it was read.
#[derive(Debug, Clone)]
pub(super) struct TimingRow {
    pub(super) values: Vec<f64>,
    pub(super) words: Vec<u32>,
    pub(super) time: f64,
    pub(super) weight: f64,
    /// Whether the row is held out, if a column says so.
    pub(super) held: Option<bool>,
}

/// The words of each category column, with their numbers.
pub(super) type Words = Vec<BTreeMap<String, u32>>;

/// The column of this name, or else of this name in another case.
fn column_of(names: &[String], name: &str) -> Result<usize, DataError> {
    let is_there = names.iter().any(|known| known == name);
    let is_it = |known: &str| if is_there { known == name } else { known.eq_ignore_ascii_case(name) };
    let mut found = (0..names.len()).filter(|&column| is_it(&names[column]));
    match (found.next(), found.next()) {
        (Some(column), None) => Ok(column),
        (Some(first), Some(second)) => {
            Err(DataError::Unfit(format!("columns {} and {} are both called {name:?}", first + 1, second + 1)))
        }
        (None, _) => Err(match names.concat().as_str() {
            "" => DataError::Unfit("the file has no column names".to_owned()),
            text if text.contains(char::REPLACEMENT_CHARACTER) => {
                DataError::Unfit("the column names are not UTF-8 text".to_owned())
            }
            _ => DataError::NoColumn { name: name.to_owned(), known: names.join(", ") },
        }),
    }
}

/// Reads the rows, at most as many as allowed, with the category words and the number of rows in the file.
pub(super) fn rows(input: impl Read, reading: &Reading) -> Result<(Vec<TimingRow>, Words, usize), DataError> {
    let asked = [&reading.target].into_iter().chain(&reading.by).chain(&reading.categories);
    let asked: Vec<&str> = asked.chain(&reading.weights).chain(&reading.split).map(String::as_str).collect();
    let Heading { names, separator, lines, rows: input } = Heading::read(BufReader::new(input), &asked)?;
    let find = |name: &String| column_of(&names, name);
    let columns = Columns {
        target: find(&reading.target)?,
        by: reading.by.iter().map(find).collect::<Result<_, _>>()?,
        categories: reading.categories.iter().map(find).collect::<Result<_, _>>()?,
        weights: reading.weights.as_ref().map(find).transpose()?,
        split: reading.split.as_ref().map(find).transpose()?,
        names: &names,
    };
    if reading.by.len() + reading.categories.len() == 0 {
        return Err(DataError::Unfit("no column is named that the time may depend on".to_owned()));
    }
    // Two names that differ in case alone may be one column.
    let depends: Vec<usize> = columns.by.iter().chain(&columns.categories).copied().collect();
    if depends.contains(&columns.target) {
        return Err(DataError::Unfit(format!("the time {:?} can't depend on itself", names[columns.target])));
    }
    if let Some(twice) = depends.iter().enumerate().find(|(place, column)| depends[..*place].contains(column)) {
        return Err(DataError::Unfit(format!("the column {:?} is named twice", names[*twice.1])));
    }
    let mut form = csv::ReaderBuilder::new();
    form.delimiter(separator as u8).comment(Some(b'#'));
    let mut table = NumberedRows::new(&mut form, input);
    let mut words: Words = vec![BTreeMap::new(); columns.categories.len()];
    let mut rows = Vec::new();
    let mut stream = Streams::new(reading.seed, 0).stream("sample", 0);
    let mut record = csv::StringRecord::new();
    let mut read = 0;
    while table.read(&mut record)? {
        record.trim();
        if record.len() > names.len() {
            let (line, cells, columns) = (lines + table.line(), record.len(), names.len());
            let fault =
                format!("line {line}: this row has {cells} cells, and there are {columns} columns: it may be cut off");
            return Err(DataError::Unfit(fault));
        }
        let row = columns.row(&record, lines + table.line(), &mut words)?;
        read += 1;
        // Reservoir sampling: each row stays with the same probability.
        if rows.len() < reading.most_points {
            rows.push(row);
        } else {
            let place = stream.random_range(0..read);
            if place < rows.len() {
                rows[place] = row;
            }
        }
    }
    Ok((rows, words, read))
}

struct Columns<'a> {
    target: usize,
    by: Vec<usize>,
    categories: Vec<usize>,
    weights: Option<usize>,
    split: Option<usize>,
    names: &'a [String],
}

/// The maximum number of words in a category column.
const MOST_WORDS: usize = 64;

impl Columns<'_> {
    fn row(&self, record: &csv::StringRecord, line: u64, words: &mut Words) -> Result<TimingRow, DataError> {
        let number = |column: usize| {
            let text = record.get(column).unwrap_or_default();
            // The name is copied only for an error, since there may be millions of rows.
            let name = || self.names[column].clone();
            let no_number = |_| DataError::NoNumber { line, column: name(), text: text.to_owned() };
            let value: f64 = text.parse().map_err(no_number)?;
            let fault = "not finite";
            if value.is_finite() {
                Ok(value)
            } else {
                Err(DataError::OutOfRange { line, column: name(), value, fault })
            }
        };
        let positive = |column: usize, fault| match number(column)? {
            value if value > 0.0 => Ok(value),
            value => Err(DataError::OutOfRange { line, column: self.names[column].clone(), value, fault }),
        };
        let values = self.by.iter().map(|column| number(*column)).collect::<Result<_, _>>()?;
        let mut numbers = Vec::with_capacity(self.categories.len());
        for (column, known) in self.categories.iter().zip(words) {
            let next = known.len() as u32;
            numbers.push(*known.entry(record.get(*column).unwrap_or_default().to_owned()).or_insert(next));
            if known.len() > MOST_WORDS {
                let name = &self.names[*column];
                return Err(DataError::Unfit(format!("column {name:?} has more than {MOST_WORDS} different words")));
            }
        }
        let held = match self.split.map(|column| record.get(column).unwrap_or_default()) {
            None => None,
            Some("train") => Some(false),
            Some("test") => Some(true),
            Some(other) => {
                return Err(DataError::Unfit(format!("line {line}: the split is train or test, not {other:?}")));
            }
        };
        Ok(TimingRow {
            values,
            words: numbers,
            time: positive(self.target, "not a run time; all have to be above 0")?,
            weight: self.weights.map_or(Ok(1.0), |column| positive(column, "not a weight; all have to be above 0"))?,
            held,
        })
    }
}
