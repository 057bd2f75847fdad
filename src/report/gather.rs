//! Records, gathered into columns, become results: those of a store by all cores.

use std::borrow::Cow;
use std::collections::HashMap;

use rayon::prelude::*;

use super::columns::Columns;
use super::derive;
use super::results::{Results, Row};
use crate::batch::identity::RunId;
use crate::batch::store::{Store, StoreError};
use crate::record::{Record, Table, Value};
use crate::report::Reported as _;
use crate::scenario::Scenario;
use crate::statistics::stopping::{Decision, StoppingRule, enough};

impl<'s> Results<'s> {
    /// The results of these runs, which are in the order of points and replicas, as far as a store has them.
    ///
    /// # Errors
    /// Where the store can't be read.
    pub fn load(
        scenario: &'s Scenario,
        store: &Store<RunId>,
        runs: impl IntoIterator<Item = (usize, u32)>,
    ) -> Result<Self, StoreError> {
        Ok(gather(scenario, store, runs)?.results(scenario))
    }

    /// The results of these runs, in any order. Where points stop by themselves, replicas beyond those that count are
    /// left out.
    #[must_use]
    pub fn new(scenario: &'s Scenario, records: impl IntoIterator<Item = (usize, u32, Record)>) -> Self {
        let mut records: Vec<_> = records.into_iter().collect();
        records.sort_by_key(|(point, replica, _)| (*point, *replica));
        if let Some((metric, rule)) = scenario.file.stopping() {
            records = counted(records, metric, &rule);
        }
        let mut gathered = Gathered::default();
        for (point, replica, record) in records {
            let timings = record.timings.into_iter().map(|(name, value)| (name, value.into()));
            let run = RunId::of(scenario, point, replica);
            gathered.push((point, replica), run, record.metrics.into_iter(), timings, record.tables);
        }
        gathered.results(scenario)
    }
}

/// Of sorted records those that count where points stop by themselves.
fn counted(records: Vec<(usize, u32, Record)>, metric: &str, rule: &StoppingRule) -> Vec<(usize, u32, Record)> {
    let replicas = |of_point: &[(usize, u32, Record)]| {
        // A prefix is looked at only when all of it is there.
        let whole = of_point.iter().zip(0..).take_while(|((_, replica, _), number)| replica == number);
        let value = |record: &Record| record.get(metric).and_then(Value::number);
        let values: Vec<Option<f64>> = whole.map(|((_, _, record), _)| value(record)).collect();
        match enough(&values, rule) {
            Decision::More { needed } => needed as u32,
            Decision::Enough(reached) | Decision::Exhausted(reached) => reached.replicas as u32,
        }
    };
    let of_points = records.chunk_by(|a, b| a.0 == b.0);
    let ends: HashMap<usize, u32> = of_points.map(|of_point| (of_point[0].0, replicas(of_point))).collect();
    records.into_iter().filter(|(point, replica, _)| ends.get(point).is_some_and(|end| replica < end)).collect()
}

/// The runs that a store has, of those that are asked for.
#[derive(Debug, Default)]
struct Gathered {
    rows: Vec<Row>,
    /// The runs that it does not have: point and replica.
    missing: Vec<(usize, u32)>,
    metrics: Columns,
    timings: Columns,
    tables: Vec<(RunId, Table)>,
}

/// How many runs a core takes at a time.
const SHARE: usize = 1 << 11;

/// How many runs are in memory as they are written, at most.
const WAVE: usize = SHARE << 5;

/// Reads these runs, as far as the store has them. Columns are in the order in which the runs name them.
fn gather(
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
    let keys: Vec<RunId> = runs.iter().map(|&(point, replica)| RunId::of(scenario, point, replica)).collect();
    let lines = store.lines(&keys)?;
    let mut share = Gathered::default();
    for (number, (&(point, replica), &key)) in runs.iter().zip(&keys).enumerate() {
        let Some(line) = lines.line(number)? else {
            share.missing.push((point, replica));
            continue;
        };
        let record = line.borrowed()?;
        let metrics = record.metrics.into_iter().map(|(name, value)| (name.0, value));
        let timings = record.timings.into_iter().map(|(name, value)| (name.0, Value::from(value)));
        share.push((point, replica), key, metrics, timings, record.tables);
    }
    Ok(share)
}

impl Gathered {
    /// Adds a run: its point and replica, and what it left.
    fn push<'a>(
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
        self.missing.extend(others.missing);
        self.metrics.append(others.metrics);
        self.timings.append(others.timings);
        self.tables.extend(others.tables);
    }

    /// The results of these runs, with the metrics that the scenario derives.
    fn results(self, scenario: &Scenario) -> Results<'_> {
        let mut results = Results::of(scenario, self.rows, (self.metrics, self.timings), self.tables);
        results.note_missing(self.missing);
        derive::add_all(&mut results, &scenario.report().derive);
        results
    }
}
