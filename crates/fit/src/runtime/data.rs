//! Measured run times as columns of numbers, split into training and test points.

mod heading;
mod reading;

use std::io::Read;

use rand::RngExt;

use hetsim_base::engine::Streams;
use hetsim_formula::{Expression, is_name};

pub use reading::{DataError, Reading, Repeats};

use reading::{TimingRow, Words, rows};

/// Points: the values of the variables, the run times and their weights.
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
    /// The number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.target.len()
    }

    /// Whether there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.target.is_empty()
    }

    /// Selects points by their indices.
    #[must_use]
    pub fn chosen(&self, numbers: &[usize]) -> Self {
        let of = |values: &Vec<f64>| numbers.iter().map(|at| values[*at]).collect();
        Self { columns: self.columns.iter().map(of).collect(), target: of(&self.target), weights: of(&self.weights) }
    }

    /// Splits the points into `folds` folds for cross-validation, in a random order fixed by the seed. For each fold:
    /// the indices of the other points, and its own.
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

    fn push(&mut self, row: &TimingRow) {
        self.columns.resize(row.values.len(), Vec::new());
        for (column, value) in self.columns.iter_mut().zip(&row.values) {
            column.push(*value);
        }
        self.target.push(row.time);
        self.weights.push(row.weight);
    }
}

/// A table of measured times, split into training and test points.
#[derive(Debug, Clone, PartialEq)]
pub struct Data {
    /// The name of the target column.
    pub target: String,
    /// The names of the variables.
    pub names: Vec<String>,
    /// The points used for fitting.
    pub train: Points,
    /// The held-out points; may be empty.
    pub test: Points,
    /// Notes about the data for the user, such as a constant column.
    pub notes: Vec<String>,
}

impl Data {
    /// The first of some points at which a formula has no value, in words.
    #[must_use]
    pub fn without_value(&self, formula: &Expression, points: &Points) -> Option<String> {
        let point = |at: usize| points.columns.iter().map(|column| column[at]).collect::<Vec<f64>>();
        let has_value = |point: &Vec<f64>| formula.value(point).is_some_and(f64::is_finite);
        let point = (0..points.len()).map(point).find(|point| !has_value(point))?;
        let values = self.names.iter().zip(&point).map(|(name, value)| format!("{name} = {value}"));
        Some(values.collect::<Vec<_>>().join(", "))
    }

    /// Reads a CSV file with a header line. Commas, semicolons and tabs separate cells; a byte order mark and lines
    /// that start with `#` are skipped. The output of OSU micro-benchmarks is also read, with columns such as `bytes`
    /// and `latency_us`. Of a large file, only `most_points` rows are held at any time.
    ///
    /// # Errors
    ///
    /// A [`DataError`] that names the line: a cell that should be a number and is text or empty, a run time or a weight
    /// that is not above 0, a value that is not finite, a missing column, one that formulas can't name, two variables
    /// of one name, fewer than two training points, or no variable that varies.
    pub fn read(input: impl Read, reading: &Reading) -> Result<Self, DataError> {
        if let Some(column) = reading.by.iter().chain(&reading.categories).find(|column| !is_name(column)) {
            return Err(DataError::Unfit(format!(
                "formulas can't name the column {column:?}: rename it to letters, digits and _, not a digit first"
            )));
        }
        let (mut rows, words, read) = rows(input, reading)?;
        let mut notes = Vec::new();
        if read > rows.len() {
            notes.push(format!("{} of {read} rows are used, drawn at random", rows.len()));
        }
        let mut names: Vec<String> = reading.by.clone();
        for (category, known) in reading.categories.iter().zip(&words) {
            names.extend(known.keys().map(|word| format!("{category}_{}", identifier(word))));
        }
        is_each_once(&names)?;
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

    fn split(&mut self, rows: &[TimingRow], reading: &Reading) {
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

/// A random permutation of 0..count.
fn shuffled(count: usize, seed: u64, purpose: &str) -> Vec<usize> {
    let mut stream = Streams::new(seed, 0).stream(purpose, 0);
    let mut order: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        order.swap(at, stream.random_range(0..=at));
    }
    order
}

/// A word in a form that formulas allow in names.
fn identifier(word: &str) -> String {
    word.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

/// Checks that no two variables have one name: a formula could not tell them apart.
fn is_each_once(names: &[String]) -> Result<(), DataError> {
    match names.iter().enumerate().find(|(place, name)| names[..*place].contains(name)) {
        None => Ok(()),
        Some((_, twice)) => Err(DataError::Unfit(format!(
            "two variables would be called `{twice}`, since signs in words become `_`: rename a word or a column"
        ))),
    }
}

/// Converts category words to variables that are 0 or 1.
fn one_hot(rows: &mut [TimingRow], words: &Words) {
    for row in rows {
        for (number, known) in row.words.iter().zip(words) {
            row.values.extend(known.values().map(|word| f64::from(u8::from(word == number))));
        }
    }
}

/// One row per point, with the median of its times.
fn medians(rows: &[TimingRow]) -> Vec<TimingRow> {
    let order = |a: &TimingRow, b: &TimingRow| {
        let values = a.values.iter().zip(&b.values).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
        values.unwrap_or(std::cmp::Ordering::Equal).then(a.held.cmp(&b.held))
    };
    // Without repetitions, points stay in the order of their measurement.
    let mut sorted: Vec<usize> = (0..rows.len()).collect();
    sorted.sort_by(|a, b| order(&rows[*a], &rows[*b]));
    let mut merged = Vec::new();
    for group in sorted.chunk_by(|a, b| order(&rows[*a], &rows[*b]).is_eq()) {
        let mut times: Vec<f64> = group.iter().map(|at| rows[*at].time).collect();
        times.sort_by(f64::total_cmp);
        let middle = times.len() / 2;
        let median = if times.len() % 2 == 1 { times[middle] } else { f64::midpoint(times[middle - 1], times[middle]) };
        let weight = group.iter().map(|at| rows[*at].weight).sum();
        merged.push((group[0], TimingRow { time: median, weight, ..rows[group[0]].clone() }));
    }
    merged.sort_by_key(|(at, _)| *at);
    merged.into_iter().map(|(_, row)| row).collect()
}
