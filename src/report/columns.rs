//! The metrics of many runs, column by column: a million runs fit into memory, since a number costs eight bytes, a name
//! four, and a metric that no run has nothing.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::record::{CsvRows, Value};

/// Named columns, all of the same length.
#[derive(Debug, Default)]
pub(super) struct Columns {
    names: Vec<String>,
    cells: Vec<Cells>,
    rows: usize,
}

/// The cells of a column. They begin with none, and become what the values are.
#[derive(Debug)]
enum Cells {
    /// So many blanks.
    Blank(usize),
    /// Numbers; one that is not finite is a blank.
    Numbers(Vec<f64>),
    /// Counts; the greatest is a blank.
    Counts(Vec<u64>),
    /// Names.
    Names(Names),
    /// Of several kinds.
    Any(Vec<Value>),
}

/// Names, each kept once.
#[derive(Debug, Default)]
struct Names {
    words: Vec<String>,
    numbers: FxHashMap<String, u32>,
    /// The number of each cell's word; the greatest is a blank.
    cells: Vec<u32>,
}

const NO_COUNT: u64 = u64::MAX;
const NO_WORD: u32 = u32::MAX;

impl Columns {
    /// The columns' names.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// How many rows there are.
    #[cfg(test)]
    pub(super) const fn rows(&self) -> usize {
        self.rows
    }

    /// The number of a column.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|own| own == name)
    }

    /// Adds a row. A metric that is new becomes a column, blank in all rows before.
    pub(super) fn push<'a>(&mut self, row: impl IntoIterator<Item = (Cow<'a, str>, Value)>) {
        // Records mostly have the same metrics in the same order.
        for (place, (name, value)) in row.into_iter().enumerate() {
            let column = match self.names.get(place) {
                Some(own) if *own == *name => place,
                _ => self.find(&name).unwrap_or_else(|| self.open(name.into_owned())),
            };
            if self.cells[column].len() == self.rows {
                self.cells[column].push(value);
            } else {
                // A name that stands twice in one record: the last one counts.
                self.cells[column].replace_last(value);
            }
        }
        self.rows += 1;
        for cells in &mut self.cells {
            if cells.len() < self.rows {
                cells.push(Value::Blank);
            }
        }
    }

    /// Adds the rows of others.
    pub(super) fn append(&mut self, others: Self) {
        let rows = self.rows + others.rows;
        for (name, cells) in others.names.into_iter().zip(others.cells) {
            let column = self.find(&name).unwrap_or_else(|| self.open(name));
            self.cells[column].append(cells);
        }
        self.rows = rows;
        for cells in &mut self.cells {
            cells.fill_up(rows);
        }
    }

    /// Adds the columns of others, of as many rows.
    pub(super) fn join(&mut self, others: Self) {
        self.names.extend(others.names);
        self.cells.extend(others.cells);
    }

    /// Adds a column.
    pub(super) fn add(&mut self, name: String, values: Vec<Value>) {
        let mut cells = Cells::Blank(0);
        for value in values {
            cells.push(value);
        }
        self.names.push(name);
        self.cells.push(cells);
    }

    /// A cell.
    pub(super) fn get(&self, row: usize, column: usize) -> Value {
        self.cells[column].get(row)
    }

    /// Adds a cell to a row of a file.
    pub(super) fn write(&self, row: usize, column: usize, rows: &mut CsvRows) {
        self.cells[column].write(row, rows);
    }

    /// The number in a cell, if it is one.
    pub(super) fn number(&self, row: usize, column: usize) -> Option<f64> {
        self.cells[column].number(row)
    }

    /// Whether no row has anything in a column.
    pub(super) fn is_blank(&self, column: usize) -> bool {
        match &self.cells[column] {
            Cells::Blank(_) => true,
            // A column becomes one of a kind with its first value.
            Cells::Numbers(_) | Cells::Counts(_) | Cells::Names(_) | Cells::Any(_) => false,
        }
    }

    /// Whether some row has a name in a column.
    pub(super) fn has_names(&self, column: usize) -> bool {
        match &self.cells[column] {
            Cells::Names(_) => true,
            Cells::Any(values) => values.iter().any(|value| matches!(value, Value::Text(_))),
            Cells::Blank(_) | Cells::Numbers(_) | Cells::Counts(_) => false,
        }
    }

    fn open(&mut self, name: String) -> usize {
        self.names.push(name);
        self.cells.push(Cells::Blank(self.rows));
        self.names.len() - 1
    }
}

impl Cells {
    const fn len(&self) -> usize {
        match self {
            Self::Blank(count) => *count,
            Self::Numbers(numbers) => numbers.len(),
            Self::Counts(counts) => counts.len(),
            Self::Names(names) => names.cells.len(),
            Self::Any(values) => values.len(),
        }
    }

    fn get(&self, row: usize) -> Value {
        match self {
            Self::Blank(_) => Value::Blank,
            Self::Numbers(numbers) => Value::from(numbers[row]),
            Self::Counts(counts) if counts[row] == NO_COUNT => Value::Blank,
            Self::Counts(counts) => Value::Count(counts[row]),
            Self::Names(names) => {
                names.words.get(names.cells[row] as usize).map_or(Value::Blank, |word| Value::Text(word.clone()))
            }
            Self::Any(values) => values[row].clone(),
        }
    }

    fn write(&self, row: usize, rows: &mut CsvRows) {
        match self {
            Self::Numbers(numbers) if numbers[row].is_finite() => rows.number(numbers[row]),
            Self::Counts(counts) if counts[row] != NO_COUNT => rows.plain(&counts[row]),
            Self::Names(names) => rows.text(names.words.get(names.cells[row] as usize).map_or("", String::as_str)),
            Self::Any(values) => rows.value(&values[row]),
            Self::Blank(_) | Self::Numbers(_) | Self::Counts(_) => rows.written(b""),
        }
    }

    fn number(&self, row: usize) -> Option<f64> {
        match self {
            Self::Numbers(numbers) => Some(numbers[row]).filter(|number| number.is_finite()),
            Self::Counts(counts) => Some(counts[row]).filter(|&count| count != NO_COUNT).map(|count| count as f64),
            Self::Any(values) => values[row].number(),
            Self::Blank(_) | Self::Names(_) => None,
        }
    }

    fn push(&mut self, value: Value) {
        match (&mut *self, value) {
            (Self::Blank(count), Value::Blank) => *count += 1,
            (Self::Numbers(numbers), Value::Number(number)) if number.is_finite() => numbers.push(number),
            (Self::Numbers(numbers), Value::Blank) => numbers.push(f64::NAN),
            (Self::Counts(counts), Value::Count(count)) if count != NO_COUNT => counts.push(count),
            (Self::Counts(counts), Value::Blank) => counts.push(NO_COUNT),
            (Self::Names(names), Value::Text(word)) => names.push(word),
            (Self::Names(names), Value::Blank) => names.cells.push(NO_WORD),
            (Self::Any(values), value) => values.push(value),
            (_, value) => {
                self.make_room_for(&value);
                self.push(value);
            }
        }
    }

    /// Becomes a kind that can hold the value besides what it holds.
    fn make_room_for(&mut self, value: &Value) {
        *self = match (&*self, value) {
            (Self::Blank(count), Value::Number(number)) if number.is_finite() => Self::Numbers(vec![f64::NAN; *count]),
            (Self::Blank(count), Value::Count(value)) if *value != NO_COUNT => Self::Counts(vec![NO_COUNT; *count]),
            (Self::Blank(count), Value::Text(_)) => {
                Self::Names(Names { cells: vec![NO_WORD; *count], ..Names::default() })
            }
            _ => Self::Any((0..self.len()).map(|row| self.get(row)).collect()),
        };
    }

    fn replace_last(&mut self, value: Value) {
        let kept: Vec<Value> = (0..self.len() - 1).map(|row| self.get(row)).collect();
        *self = Self::Blank(0);
        kept.into_iter().chain([value]).for_each(|value| self.push(value));
    }

    fn append(&mut self, others: Self) {
        match (&mut *self, others) {
            (Self::Blank(own), Self::Blank(count)) => *own += count,
            (Self::Numbers(own), Self::Numbers(others)) => own.extend(others),
            (Self::Counts(own), Self::Counts(others)) => own.extend(others),
            (Self::Blank(0), others) => *self = others,
            (_, others) => (0..others.len()).for_each(|row| self.push(others.get(row))),
        }
    }

    /// Adds blanks until there are so many cells.
    fn fill_up(&mut self, rows: usize) {
        match self {
            Self::Blank(count) => *count = rows,
            Self::Numbers(numbers) => numbers.resize(rows, f64::NAN),
            Self::Counts(counts) => counts.resize(rows, NO_COUNT),
            Self::Names(names) => names.cells.resize(rows, NO_WORD),
            Self::Any(values) => values.resize(rows, Value::Blank),
        }
    }
}

impl Names {
    fn push(&mut self, word: String) {
        let known = self.numbers.get(&word).copied();
        let number = known.unwrap_or_else(|| {
            let number = self.words.len() as u32;
            self.words.push(word.clone());
            self.numbers.insert(word, number);
            number
        });
        self.cells.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            3 => Just(Value::Blank),
            3 => (0..9_u64).prop_map(Value::Count),
            1 => Just(Value::Count(u64::MAX)),
            3 => (-1e3..1e3).prop_map(Value::Number),
            2 => "[ab]".prop_map(Value::Text),
        ]
    }

    fn rows() -> impl Strategy<Value = Vec<Vec<(usize, Value)>>> {
        // Columns of one kind and of several, metrics that some rows lack.
        let row = prop::collection::btree_map(0..4_usize, value(), 0..4);
        prop::collection::vec(row.prop_map(|row| row.into_iter().collect()), 0..12)
    }

    fn columns(rows: &[Vec<(usize, Value)>]) -> Columns {
        let mut columns = Columns::default();
        for row in rows {
            columns.push(row.iter().map(|(column, value)| (format!("f{column}").into(), value.clone())));
        }
        columns
    }

    fn check(columns: &Columns, rows: &[Vec<(usize, Value)>]) {
        assert_eq!(columns.rows(), rows.len());
        for (number, row) in rows.iter().enumerate() {
            for metric in 0..4 {
                let value = row.iter().find(|(column, _)| *column == metric).map(|(_, value)| value);
                let value = value.unwrap_or(&Value::Blank);
                let Some(column) = columns.find(&format!("f{metric}")) else {
                    assert_eq!(*value, Value::Blank);
                    continue;
                };
                assert_eq!(columns.get(number, column), *value);
                assert_eq!(columns.number(number, column), value.number());
            }
        }
        for column in 0..columns.names().len() {
            let cells: Vec<Value> = (0..rows.len()).map(|row| columns.get(row, column)).collect();
            assert_eq!(columns.is_blank(column), cells.iter().all(|cell| *cell == Value::Blank));
            assert_eq!(columns.has_names(column), cells.iter().any(|cell| matches!(cell, Value::Text(_))));
        }
    }

    proptest! {
        #[test]
        fn every_cell_comes_back(first in rows(), second in rows()) {
            check(&columns(&first), &first);
            let mut joined = columns(&first);
            joined.append(columns(&second));
            let mut all = first;
            all.extend(second);
            check(&joined, &all);
        }
    }

    #[test]
    fn a_name_that_stands_twice_counts_once() {
        let mut columns = Columns::default();
        for last in [1_u64, 2] {
            columns.push([("a".into(), 0.5.into()), ("a".into(), last.into())]);
        }
        assert_eq!((columns.get(0, 0), columns.get(1, 0)), (Value::Count(1), Value::Count(2)));
    }
}
