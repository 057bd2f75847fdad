//! Runs what a store lacks, on some of the cores.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::store::{Store, StoreError};
use crate::scenario::{RunId, Scenario};

/// A run: the number of its point and its replica.
pub type Run = (usize, u32);

/// What came of a batch.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Runs computed and stored.
    pub computed: usize,
    /// Runs that failed, with the reason.
    pub failed: Vec<(Run, String)>,
    /// Wall time of the simulations, summed over the threads.
    pub simulating: Duration,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
}

/// All runs of a scenario, in the order of its results.
pub fn all(scenario: &Scenario) -> impl Iterator<Item = Run> {
    let replicas = scenario.file.replicas;
    (0..scenario.points.len()).flat_map(move |point| (0..replicas).map(move |replica| (point, replica)))
}

/// The runs that a store lacks. Points that are the same run under two names are computed once.
#[must_use]
pub fn missing(scenario: &Scenario, store: &Store<RunId>) -> Vec<Run> {
    let mut seen = std::collections::BTreeSet::new();
    all(scenario)
        .filter(|&(point, replica)| {
            let id = scenario.run_id(point, replica);
            !store.contains(id) && seen.insert(id)
        })
        .collect()
}

/// Computes `runs` on `jobs` threads (all cores where none is given) and stores each as it ends. `stop` ends the batch
/// after the runs in hand; `done` is called after each run.
///
/// # Errors
/// Where a record can't be stored; what was stored before is safe.
pub fn execute(
    scenario: &Scenario,
    store: &Store<RunId>,
    runs: &[Run],
    jobs: Option<usize>,
    stop: &AtomicBool,
    done: impl Fn() + Sync,
) -> Result<Outcome, StoreError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0)).build();
    let nanoseconds = AtomicU64::new(0);
    let one = |&(point, replica): &Run| -> Result<Option<(Run, Option<String>)>, StoreError> {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let start = Instant::now();
        let result = scenario.run(point, replica);
        nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        let failure = match result {
            Ok(record) => {
                store.append(scenario.run_id(point, replica), &record)?;
                None
            }
            Err(message) => Some(message),
        };
        done();
        Ok(Some(((point, replica), failure)))
    };
    let work = || runs.par_iter().map(one).collect::<Result<Vec<_>, StoreError>>();
    // Without a pool of its own, rayon's global one does.
    let results = match pool {
        Ok(pool) => pool.install(work)?,
        Err(_) => work()?,
    };
    let mut outcome = Outcome { simulating: Duration::from_nanos(nanoseconds.into_inner()), ..Outcome::default() };
    for result in results {
        match result {
            None => outcome.interrupted = true,
            Some((_, None)) => outcome.computed += 1,
            Some((run, Some(message))) => outcome.failed.push((run, message)),
        }
    }
    Ok(outcome)
}
