//! Measured run times as columns of numbers, read from a CSV file.

use std::collections::BTreeMap;
use std::io::Read;

use rand::RngExt;

use crate::engine::Streams;

/// Why a file gives no data to fit to.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The file cannot be read as CSV.
    #[error("the file can't be read: {0}")]
    Csv(#[from] csv::Error),
    /// The file cannot be read at all.
    #[error("the file can't be read: {0}")]
    Read(#[from] std::io::Error),
    /// A column that was asked for is not there.
    #[error("there is no column {name:?}; there are {known}")]
    NoColumn {
        /// What was asked for.
        name: String,
        /// The columns of the file.
        known: String,
    },
    /// A field is no number.
    #[error("line {line}: {text:?} in column {column:?} is no number")]
    NoNumber {
        /// The line of the file, from 1.
        line: u64,
        /// The column's name.
        column: String,
        /// What stands there.
        text: String,
    },
    /// A field is a number that its column cannot have.
    #[error("line {line}: {value} in column {column:?} is {fault}")]
    OutOfRange {
        /// The line of the file, from 1.
        line: u64,
        /// The column's name.
        column: String,
        /// What stands there.
        value: f64,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// The data as a whole do not do.
    #[error("{0}")]
    Unfit(String),
}

/// What happens to several measurements of one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repeats {
    /// They are one point with their median, weighted by their sum of weights.
    #[default]
    Median,
    /// Each is a point of its own.
    All,
}

/// Which columns of a file are read as what.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The column with the run time, all values above 0.
    pub target: String,
    /// The columns that it may depend on, numbers.
    pub by: Vec<String>,
    /// Columns of words that it may depend on: each word becomes a variable that is 1 there and 0 elsewhere, named
    /// `column_word`.
    pub categories: Vec<String>,
    /// A column of weights, all above 0; 1 each without it.
    pub weights: Option<String>,
    /// A column that says `train` or `test`; without it points are split at random.
    pub split: Option<String>,
    /// What happens to several measurements of one point.
    pub repeats: Repeats,
    /// The share of points held back where there is no column that says so, in [0, 1).
    pub held_back: f64,
    /// How many points are kept at most; of more a sample is drawn.
    pub most_points: usize,
    /// The seed of the split and of the sample.
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

/// Points: the values of the variables, the run time, and its weight.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Points {
    /// The values of each variable.
    pub columns: Vec<Vec<f64>>,
    /// The run times, all above 0.
    pub target: Vec<f64>,
    /// The weights, all above 0.
    pub weights: Vec<f64>,
}

impl Points {
    /// How many points there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.target.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.target.is_empty()
    }

    /// Those of these numbers.
    #[must_use]
    pub fn chosen(&self, numbers: &[usize]) -> Self {
        let of = |values: &Vec<f64>| numbers.iter().map(|at| values[*at]).collect();
        Self { columns: self.columns.iter().map(of).collect(), target: of(&self.target), weights: of(&self.weights) }
    }

    /// The points in `folds` parts for cross-validation, by turns in a random order that the seed fixes: for each part
    /// the numbers of the others, and its own.
    #[must_use]
    pub fn folds(&self, folds: usize, seed: u64) -> Vec<(Vec<usize>, Vec<usize>)> {
        let order = shuffled(self.len(), seed, "folds");
        let part = |fold: usize| {
            let (own, others): (Vec<_>, Vec<_>) =
                order.iter().enumerate().partition(|(place, _)| place % folds == fold);
            let numbers = |list: Vec<(usize, &usize)>| {
                let mut numbers: Vec<usize> = list.into_iter().map(|(_, number)| *number).collect();
                numbers.sort_unstable();
                numbers
            };
            (numbers(others), numbers(own))
        };
        (0..folds).map(part).collect()
    }

    fn push(&mut self, row: &Row) {
        self.columns.resize(row.values.len(), Vec::new());
        for (column, value) in self.columns.iter_mut().zip(&row.values) {
            column.push(*value);
        }
        self.target.push(row.time);
        self.weights.push(row.weight);
    }
}

/// A table of measured times, split into points to fit to and points held back.
#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    /// The name of the target's column.
    pub target: String,
    /// The names of the variables.
    pub names: Vec<String>,
    /// The points to fit to.
    pub train: Points,
    /// The points held back, possibly none.
    pub test: Points,
    /// What people should know about the data, such as a constant column.
    pub notes: Vec<String>,
}

/// A row as it was read.
#[derive(Debug, Clone)]
struct Row {
    values: Vec<f64>,
    words: Vec<u32>,
    time: f64,
    weight: f64,
    /// Whether it is held back, where a column says so.
    held: Option<bool>,
}

impl Data {
    /// Reads a CSV file with a header line. Commas, semicolons and tabs separate; a byte order mark is passed over.
    /// With a large file only `most_points` rows are held at any time.
    ///
    /// # Errors
    ///
    /// A [`DataError`] that names the line: text or nothing where a number is due, a run time or a weight that is not
    /// above 0, a value that is not finite, a missing column, less than two points to fit to, and nothing to vary.
    pub fn read(input: impl Read, reading: &Reading) -> Result<Self, DataError> {
        let (mut rows, words, read) = rows(input, reading)?;
        let mut notes = Vec::new();
        if read > rows.len() {
            notes.push(format!("{} of {read} rows are used, drawn at random", rows.len()));
        }
        let mut names: Vec<String> = reading.by.clone();
        for (category, known) in reading.categories.iter().zip(&words) {
            names.extend(known.keys().map(|word| format!("{category}_{}", identifier(word))));
        }
        one_hot(&mut rows, &words);
        if reading.repeats == Repeats::Median {
            let before = rows.len();
            rows = medians(&rows);
            if rows.len() < before {
                notes.push(format!("{before} measurements at {} points: their medians are used", rows.len()));
            }
        }
        let mut data =
            Self { target: reading.target.clone(), names, train: Points::default(), test: Points::default(), notes };
        data.split(&rows, reading);
        data.check()?;
        Ok(data)
    }

    fn split(&mut self, rows: &[Row], reading: &Reading) {
        let order = shuffled(rows.len(), reading.seed, "split");
        let held = (rows.len() as f64 * reading.held_back) as usize;
        let mut drawn = vec![false; rows.len()];
        order.iter().take(held).for_each(|at| drawn[*at] = true);
        for (row, drawn) in rows.iter().zip(drawn) {
            let points = if row.held.unwrap_or(drawn) { &mut self.test } else { &mut self.train };
            points.push(row);
        }
        self.test.columns.resize(self.names.len(), Vec::new());
    }

    fn check(&mut self) -> Result<(), DataError> {
        if self.train.len() < 2 {
            let count = self.train.len();
            return Err(DataError::Unfit(format!("there is nothing to fit to: {count} points; at least 2 are needed")));
        }
        let mut varied = 0;
        for (name, column) in self.names.iter().zip(&self.train.columns) {
            if column.iter().all(|value| *value == column[0]) {
                self.notes
                    .push(format!("{name} is {} in all points to fit to, so nothing can depend on it", column[0]));
            } else {
                varied += 1;
            }
        }
        if varied == 0 {
            return Err(DataError::Unfit("no variable varies over the points to fit to".to_owned()));
        }
        Ok(())
    }
}

/// A random order of 0..count.
fn shuffled(count: usize, seed: u64, purpose: &str) -> Vec<usize> {
    let mut stream = Streams::new(seed, 0).stream(purpose, 0);
    let mut order: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        order.swap(at, stream.random_range(0..=at));
    }
    order
}

/// A word as part of a name in a formula.
fn identifier(word: &str) -> String {
    word.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

type Words = Vec<BTreeMap<String, u32>>;

/// The rows, at most as many as allowed, the words of the categories, and how many rows there were.
fn rows(mut input: impl Read, reading: &Reading) -> Result<(Vec<Row>, Words, usize), DataError> {
    // The header tells the separator, so it is read by hand.
    let mut header = Vec::new();
    let mut byte = [0];
    while input.read(&mut byte)? == 1 && byte[0] != b'\n' && header.len() < 65_536 {
        header.push(byte[0]);
    }
    let header = String::from_utf8_lossy(&header);
    let header = header.trim_start_matches('\u{feff}').trim_end_matches('\r');
    let count = |separator: &char| header.matches(*separator).count();
    let separator = [',', ';', '\t'].into_iter().rev().max_by_key(count).unwrap_or(',');
    let names: Vec<String> =
        header.split(separator).map(|name| name.trim().trim_matches('"').trim().to_owned()).collect();
    let find = |name: &String| {
        let missing = || DataError::NoColumn { name: name.clone(), known: names.join(", ") };
        names.iter().position(|known| known == name).ok_or_else(missing)
    };
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
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(separator as u8)
        .trim(csv::Trim::All)
        .flexible(true)
        .from_reader(input);
    let mut words: Words = vec![BTreeMap::new(); columns.categories.len()];
    let mut rows = Vec::new();
    let mut stream = Streams::new(reading.seed, 0).stream("sample", 0);
    let mut record = csv::StringRecord::new();
    let mut read = 0;
    while reader.read_record(&mut record)? {
        let line = record.position().map_or(0, csv::Position::line) + 1;
        let row = columns.row(&record, line, &mut words)?;
        read += 1;
        // Each row stays with the same probability, whatever comes after it.
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

/// How many words a column of categories may have.
const MOST_WORDS: usize = 64;

impl Columns<'_> {
    fn row(&self, record: &csv::StringRecord, line: u64, words: &mut Words) -> Result<Row, DataError> {
        let number = |column: usize| {
            let text = record.get(column).unwrap_or_default();
            let column = self.names[column].clone();
            let value: f64 = text.parse().map_err(|_| DataError::NoNumber {
                line,
                column: column.clone(),
                text: text.to_owned(),
            })?;
            let fault = "not finite";
            if value.is_finite() { Ok(value) } else { Err(DataError::OutOfRange { line, column, value, fault }) }
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
        Ok(Row {
            values,
            words: numbers,
            time: positive(self.target, "no run time; all have to be above 0")?,
            weight: self.weights.map_or(Ok(1.0), |column| positive(column, "no weight; all have to be above 0"))?,
            held,
        })
    }
}

/// Turns the words of categories into variables that are 0 or 1.
fn one_hot(rows: &mut [Row], words: &Words) {
    for row in rows {
        for (number, known) in row.words.iter().zip(words) {
            row.values.extend(known.values().map(|word| f64::from(u8::from(word == number))));
        }
    }
}

/// One row for each point, with the median of its times.
fn medians(rows: &[Row]) -> Vec<Row> {
    let order = |a: &Row, b: &Row| {
        let values = a.values.iter().zip(&b.values).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
        values.unwrap_or(std::cmp::Ordering::Equal).then(a.held.cmp(&b.held))
    };
    // Points stay in the order of their first measurement where none is repeated.
    let mut sorted: Vec<usize> = (0..rows.len()).collect();
    sorted.sort_by(|a, b| order(&rows[*a], &rows[*b]));
    let mut merged = Vec::new();
    for group in sorted.chunk_by(|a, b| order(&rows[*a], &rows[*b]).is_eq()) {
        let mut times: Vec<f64> = group.iter().map(|at| rows[*at].time).collect();
        times.sort_by(f64::total_cmp);
        let middle = times.len() / 2;
        let median = if times.len() % 2 == 1 { times[middle] } else { f64::midpoint(times[middle - 1], times[middle]) };
        let weight = group.iter().map(|at| rows[*at].weight).sum();
        merged.push((group[0], Row { time: median, weight, ..rows[group[0]].clone() }));
    }
    merged.sort_by_key(|(at, _)| *at);
    merged.into_iter().map(|(_, row)| row).collect()
}
