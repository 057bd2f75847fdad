//! CSV files: small ones column by column, and long ones whose rows are made on all cores.

use std::fmt::{Display, Write as _};
use std::io::{self, Write};

use rayon::prelude::*;

use crate::record::Value;

/// A column of a small file: its name, and its cell in the row of a `T`.
pub(super) type Column<'a, T> = (&'a str, &'a dyn Fn(&T) -> Value);

/// Writes a row for each of `rows`.
pub(super) fn write_csv<T>(rows: &[T], columns: &[Column<'_, T>], out: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(columns.iter().map(|(name, _)| name))?;
    for row in rows {
        csv.write_record(columns.iter().map(|(_, cell)| cell(row).to_string()))?;
    }
    csv.flush()
}

/// How many rows of a long file a core writes at a time, and how many cores' worth are in memory.
const ROWS: usize = 1 << 12;
const WAVE: usize = 1 << 4;

/// A row of a long file under way.
pub(super) struct CsvRow {
    csv: csv::Writer<Vec<u8>>,
    text: String,
}

impl CsvRow {
    /// Adds a cell.
    pub(super) fn cell(&mut self, cell: impl Display) -> io::Result<()> {
        self.text.clear();
        write!(self.text, "{cell}").map_err(io::Error::other)?;
        Ok(self.csv.write_field(&self.text)?)
    }
}

/// Writes the names of the columns of a long file.
pub(super) fn write_header<'a>(header: impl Iterator<Item = &'a str>, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(header)?;
    csv.flush()
}

/// Writes this many rows of a long file, made on all cores.
pub(super) fn write_rows(
    count: usize,
    out: &mut dyn Write,
    fill: impl Fn(usize, &mut CsvRow) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let share = |start: usize| -> io::Result<Vec<u8>> {
        let mut row = CsvRow { csv: csv::Writer::from_writer(Vec::new()), text: String::new() };
        for number in start..count.min(start + ROWS) {
            fill(number, &mut row)?;
            row.csv.write_record(None::<&[u8]>)?;
        }
        row.csv.into_inner().map_err(csv::IntoInnerError::into_error)
    };
    for wave in (0..count).step_by(ROWS * WAVE) {
        let starts: Vec<usize> = (wave..count.min(wave + ROWS * WAVE)).step_by(ROWS).collect();
        let shares: Vec<Vec<u8>> = starts.into_par_iter().map(share).collect::<io::Result<_>>()?;
        shares.iter().try_for_each(|share| out.write_all(share))?;
    }
    Ok(())
}
