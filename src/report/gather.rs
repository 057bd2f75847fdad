//! Records of a store, gathered into columns by all cores.

use std::borrow::Cow;

use rayon::prelude::*;

use super::columns::Columns;
use super::results::Row;
use crate::batch::store::{Store, StoreError};
use crate::record::{Table, Value};
use crate::scenario::{RunId, Scenario};

/// The runs that a store has.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) rows: Vec<Row>,
    pub(super) metrics: Columns,
    pub(super) timings: Columns,
    pub(super) tables: Vec<(RunId, Table)>,
}

/// How many runs a core takes at a time.
const SHARE: usize = 1 << 11;

/// How many runs are in memory as they are written, at most.
const WAVE: usize = SHARE << 5;

/// Reads these runs, as far as the store has them. Columns are in the order in which the runs name them.
pub(super) fn gather(
    scenario: &Scenario,
    store: &Store<RunId>,
    runs: impl IntoIterator<Item = (usize, u32)>,
) -> Result<Gathered, StoreError> {
    let mut runs = runs.into_iter();
    let mut all = Gathered::default();
    loop {
        let wave: Vec<(usize, u32)> = runs.by_ref().take(WAVE).collect();
        if wave.is_empty() {
            return Ok(all);
        }
        let shares: Vec<Gathered> =
            wave.par_chunks(SHARE).map(|share| read(scenario, store, share)).collect::<Result<_, _>>()?;
        for share in shares {
            all.append(share);
        }
    }
}

fn read(scenario: &Scenario, store: &Store<RunId>, runs: &[(usize, u32)]) -> Result<Gathered, StoreError> {
    let keys: Vec<RunId> = runs.iter().map(|&(point, replica)| scenario.run_id(point, replica)).collect();
    let lines = store.lines(&keys)?;
    let mut share = Gathered::default();
    for (number, (&(point, replica), &key)) in runs.iter().zip(&keys).enumerate() {
        let Some(line) = lines.line(number)? else { continue };
        let record = line.borrowed()?;
        let metrics = record.metrics.into_iter().map(|(name, value)| (name.0, value));
        let timings = record.timings.into_iter().map(|(name, value)| (name.0, Value::from(value)));
        share.push((point, replica), key, metrics, timings, record.tables);
    }
    Ok(share)
}

impl Gathered {
    /// Adds a run: its point and replica, and what it left.
    pub(super) fn push<'a>(
        &mut self,
        (point, replica): (usize, u32),
        run: RunId,
        metrics: impl Iterator<Item = (Cow<'a, str>, Value)>,
        timings: impl Iterator<Item = (Cow<'a, str>, Value)>,
        tables: Vec<Table>,
    ) {
        self.rows.push(Row { point: point as u32, replica });
        self.metrics.push(metrics);
        self.timings.push(timings);
        self.tables.extend(tables.into_iter().map(|table| (run, table)));
    }

    fn append(&mut self, others: Self) {
        self.rows.extend(others.rows);
        self.metrics.append(others.metrics);
        self.timings.append(others.timings);
        self.tables.extend(others.tables);
    }
}
