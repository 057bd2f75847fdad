//! Rows of CSV files. A batch writes millions of them, so this stands in the package that is optimised in full.

use std::fmt::Display;
use std::io::Write as _;
use std::ops::Range;

use super::Value;
use super::value::takes_exponent;

/// Rows of a CSV file under way, in memory.
#[derive(Debug, Default)]
pub struct CsvRows {
    bytes: Vec<u8>,
    /// How many cells the row under way has.
    cells: usize,
    /// The number written last and its text: a single replica's mean, least and greatest value are the same.
    last: (u64, Range<usize>),
}

impl CsvRows {
    /// Adds a cell.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Count(count) => self.plain(count),
            Value::Number(number) => self.number(*number),
            Value::Text(text) => self.text(text),
            Value::Blank => self.written(b""),
        }
    }

    /// Adds a finite number.
    pub fn number(&mut self, number: f64) {
        self.begin();
        let start = self.bytes.len();
        if self.last.0 == number.to_bits() && !self.last.1.is_empty() {
            self.bytes.extend_from_within(self.last.1.clone());
        } else {
            self.format(number);
        }
        self.last = (number.to_bits(), start..self.bytes.len());
    }

    /// Adds a text, in quotes where its characters ask for them.
    pub fn text(&mut self, text: &str) {
        if !text.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n')) {
            return self.written(text.as_bytes());
        }
        self.begin();
        self.bytes.push(b'"');
        for byte in text.bytes() {
            self.bytes.extend(if byte == b'"' { &b"\"\""[..] } else { std::slice::from_ref(&byte) });
        }
        self.bytes.push(b'"');
    }

    /// Adds what needs no quotes, such as a count.
    pub fn plain(&mut self, cell: &dyn Display) {
        self.begin();
        // A list of bytes takes all that is written.
        let _ = write!(self.bytes, "{cell}");
    }

    /// Adds a cell as it stands in the file.
    pub fn written(&mut self, cell: &[u8]) {
        self.begin();
        self.bytes.extend_from_slice(cell);
    }

    /// Ends the row.
    pub fn end(&mut self) {
        // A line without anything would be no row.
        if self.cells == 1 && self.bytes.last().is_none_or(|byte| *byte == b'\n') {
            self.bytes.extend(b"\"\"");
        }
        self.bytes.push(b'\n');
        self.cells = 0;
    }

    /// The rows that have ended.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn begin(&mut self) {
        if self.cells > 0 {
            self.bytes.push(b',');
        }
        self.cells += 1;
    }

    fn format(&mut self, number: f64) {
        let _ = if takes_exponent(number) { write!(self.bytes, "{number:e}") } else { write!(self.bytes, "{number}") };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What the library for CSV files writes for the same rows.
    fn by_library(rows: &[Vec<Value>]) -> Vec<u8> {
        let mut csv = csv::Writer::from_writer(Vec::new());
        for row in rows {
            csv.write_record(row.iter().map(Value::to_string)).unwrap();
        }
        csv.into_inner().unwrap()
    }

    fn written(rows: &[Vec<Value>]) -> Vec<u8> {
        let mut csv = CsvRows::default();
        for row in rows {
            for value in row {
                csv.value(value);
            }
            csv.end();
        }
        csv.into_bytes()
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<u64>().prop_map(Value::Count),
            any::<f64>().prop_map(Value::from),
            prop_oneof![Just(0.0), Just(-0.0), Just(1e-5), Just(1e16), Just(0.1)].prop_map(Value::Number),
            "[a,\"\r\n é]{0,4}".prop_map(Value::Text),
            Just(Value::Blank),
        ]
    }

    proptest! {
        #[test]
        fn rows_are_those_of_the_library(
            (width, cells) in (1usize..4).prop_flat_map(|w| (Just(w), prop::collection::vec(value(), w * 3))),
        ) {
            let rows: Vec<Vec<Value>> = cells.chunks(width).map(<[Value]>::to_vec).collect();
            prop_assert_eq!(String::from_utf8(written(&rows)), String::from_utf8(by_library(&rows)));
        }
    }

    #[test]
    fn a_number_again_is_the_same_text() {
        let row = vec![Value::Number(0.3), Value::Number(0.3), Value::Number(0.0), Value::Number(-0.0)];
        assert_eq!(written(&[row.clone(), row]), b"0.3,0.3,0,-0\n0.3,0.3,0,-0\n");
    }
}
