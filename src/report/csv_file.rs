//! CSV files: small ones column by column, and long ones whose rows are made on all cores.

use std::io::{self, Write};

use rayon::prelude::*;

use crate::record::{CsvRows, Value};
use crate::scenario::{Axis, AxisValue, Scenario};

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

/// The name of a swept key's column beside those of metrics: two columns of one name would be one to most readers.
pub(super) fn column_of<'a>(axis: &'a Axis, metrics: &[String]) -> &'a str {
    if metrics.contains(&axis.name) { &axis.key } else { &axis.name }
}

/// Writes the names of the columns of a long file.
pub(super) fn write_header<'a>(header: impl Iterator<Item = &'a str>, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(header)?;
    csv.flush()
}

/// Writes this many rows of a long file, made on all cores: `fill` adds the cells of one.
pub(super) fn write_rows(
    count: usize,
    out: &mut dyn Write,
    fill: impl Fn(usize, &mut CsvRows) + Sync,
) -> io::Result<()> {
    let share = |start: usize| -> Vec<u8> {
        let mut rows = CsvRows::default();
        for number in start..count.min(start + ROWS) {
            fill(number, &mut rows);
            rows.end();
        }
        rows.into_bytes()
    };
    for wave in (0..count).step_by(ROWS * WAVE) {
        let starts: Vec<usize> = (wave..count.min(wave + ROWS * WAVE)).step_by(ROWS).collect();
        let shares: Vec<Vec<u8>> = starts.into_par_iter().map(share).collect();
        shares.iter().try_for_each(|share| out.write_all(share))?;
    }
    Ok(())
}

/// The cells of swept keys, as they stand in a long file: each value is written down once.
pub(super) struct KeyCells<'s> {
    scenario: &'s Scenario,
    cells: Vec<Vec<Vec<u8>>>,
}

impl<'s> KeyCells<'s> {
    pub(super) fn new(scenario: &'s Scenario) -> Self {
        let cell = |value: &AxisValue| {
            let mut cell = CsvRows::default();
            cell.value(&value.cell);
            cell.into_bytes()
        };
        let of_axis = |axis: &Axis| axis.values.iter().map(cell).collect();
        Self { scenario, cells: scenario.axes.iter().map(of_axis).collect() }
    }

    /// Adds the cells of a point.
    pub(super) fn write(&self, point: usize, row: &mut CsvRows) {
        for (cells, &choice) in self.cells.iter().zip(&self.scenario.points[point]) {
            row.written(&cells[choice as usize]);
        }
    }
}
