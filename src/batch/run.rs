//! Computes missing runs on some of the cores.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use web_time::Instant;

use super::queue::{HANDFUL, Queue, ReplicaRange};
use super::replication::{Replication, Run};
use super::store::{Store, StoreError};
use super::threads::Threads;
use crate::batch::identity::RunId;
use crate::record::Record;
use crate::scenario::Scenario;

/// The result of a batch.
#[derive(Debug, Default)]
pub struct BatchOutcome {
    /// The number of computed and stored runs.
    pub computed: usize,
    /// The failed runs with the reasons.
    pub failed: Vec<(Run, String)>,
    /// The wall time of the simulations, summed over the threads.
    pub simulating: Duration,
    /// Whether the batch was stopped early.
    pub interrupted: bool,
}

impl BatchOutcome {
    /// Adds the outcome of another part.
    fn add(&mut self, part: Self) {
        self.computed += part.computed;
        self.failed.extend(part.failed);
        self.simulating += part.simulating;
        self.interrupted |= part.interrupted;
    }
}

/// The progress of a batch.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The number of runs completed since the last report.
    pub ended: usize,
    /// The point whose runs take longest so far, and the seconds of one of them.
    pub slowest: Option<(usize, f64)>,
}

/// Computes `runs`, which a [`Replication`] requested, and then its further requests, pass after pass, as [`execute`].
/// `more` receives the number of runs of each further pass.
///
/// # Errors
/// A record cannot be stored, or the store cannot be read; earlier records are safe.
pub fn complete(
    replication: &mut Replication<'_>,
    store: &Store<RunId>,
    runs: Vec<Run>,
    workers: Workers<'_>,
    takes_part: impl Fn(usize) -> bool,
    mut more: impl FnMut(usize),
    done: impl Fn(Progress) + Sync,
) -> Result<BatchOutcome, StoreError> {
    let scenario = replication.scenario();
    let mut outcome = BatchOutcome::default();
    let mut runs = runs;
    while !runs.is_empty() {
        let part = execute(scenario, store, &runs, workers, &done)?;
        replication.give_up(part.failed.iter().map(|(run, _)| run));
        outcome.add(part);
        if outcome.interrupted || !replication.may_grow() {
            break;
        }
        runs = replication.missing(store, &takes_part)?;
        more(runs.len());
    }
    outcome.failed.sort_unstable();
    Ok(outcome)
}

/// The threads of a batch, and how to stop them.
#[derive(Debug, Clone, Copy)]
pub struct Workers<'a> {
    /// How many there are.
    pub threads: Threads,
    /// Stops the batch after the current runs.
    pub stop: &'a AtomicBool,
}

/// Computes `runs`, longest expected first, and stores each record when its run ends, or after two milliseconds where
/// runs are shorter. `done` is called whenever some have ended.
///
/// # Errors
/// A record cannot be stored; earlier records are safe.
pub fn execute(
    scenario: &Scenario,
    store: &Store<RunId>,
    runs: &[Run],
    workers: Workers<'_>,
    done: impl Fn(Progress) + Sync,
) -> Result<BatchOutcome, StoreError> {
    let queue = Mutex::new(Queue::new(scenario, replica_ranges(runs)));
    let worker = || work(scenario, store, &queue, workers.stop, &done);
    let parts = if scenario.runs_have_parts() { usize::MAX } else { runs.len() };
    let outcomes = workers.threads.share(parts, || rayon::broadcast(|_| worker()));
    let mut outcome = BatchOutcome::default();
    for part in outcomes {
        outcome.add(part?);
    }
    outcome.failed.sort_unstable();
    Ok(outcome)
}

/// Groups consecutive replicas of a point.
fn replica_ranges(runs: &[Run]) -> Vec<ReplicaRange> {
    let follows = |a: &Run, b: &Run| a.0 == b.0 && a.1 + 1 == b.1;
    let stretch =
        |runs: &[Run]| ReplicaRange { point: runs[0].0 as u32, from: runs[0].1, to: runs[0].1 + runs.len() as u32 };
    runs.chunk_by(follows).map(stretch).collect()
}

/// The loop of one thread until no run waits.
fn work(
    scenario: &Scenario,
    store: &Store<RunId>,
    queue: &Mutex<Queue<'_>>,
    stop: &AtomicBool,
    done: &impl Fn(Progress),
) -> Result<BatchOutcome, StoreError> {
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let threads = rayon::current_num_threads();
    let mut outcome = BatchOutcome::default();
    loop {
        let stretches = lock().take(threads);
        if stretches.is_empty() || outcome.interrupted {
            return Ok(outcome);
        }
        let mut handful = Handful::default();
        // If a record cannot be stored, tell the other threads to stop.
        let whole = handful.compute((scenario, store), &stretches, stop);
        outcome.interrupted = !whole.inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
        let ended = handful.stored + handful.failed.len();
        outcome.computed += handful.stored;
        outcome.failed.append(&mut handful.failed);
        outcome.simulating += handful.simulating;
        let mut queue = lock();
        queue.learn(&handful.took);
        let slowest = queue.slowest();
        drop(queue);
        done(Progress { ended, slowest });
    }
}

/// Runs that are computed one after the other, and stored together where they are short.
#[derive(Default)]
struct Handful {
    /// What is still to be stored, and how long it took to compute.
    records: Vec<(RunId, Record)>,
    unstored: Duration,
    /// The number of stored records.
    stored: usize,
    failed: Vec<(Run, String)>,
    /// The seconds of each stretch of runs.
    took: Vec<(ReplicaRange, f64)>,
    simulating: Duration,
}

impl Handful {
    /// Computes and stores the runs, unless it is stopped: then it says so by `false`.
    fn compute(
        &mut self,
        (scenario, store): (&Scenario, &Store<RunId>),
        stretches: &[ReplicaRange],
        stop: &AtomicBool,
    ) -> Result<bool, StoreError> {
        for &stretch in stretches {
            let before = self.simulating;
            for replica in stretch.from..stretch.to {
                if stop.load(Ordering::Relaxed) {
                    self.store(store)?;
                    return Ok(false);
                }
                self.run(scenario, (stretch.point as usize, replica));
                if self.unstored >= HANDFUL {
                    self.store(store)?;
                }
            }
            self.took.push((stretch, self.simulating.saturating_sub(before).as_secs_f64()));
        }
        self.store(store)?;
        Ok(true)
    }

    fn run(&mut self, scenario: &Scenario, (point, replica): Run) {
        let start = Instant::now();
        let result = scenario.run(point, replica);
        let took = start.elapsed();
        self.simulating += took;
        self.unstored += took;
        match result {
            Ok(record) => self.records.push((RunId::of(scenario, point, replica), record)),
            Err(failure) => self.failed.push(((point, replica), failure.into())),
        }
    }

    fn store(&mut self, store: &Store<RunId>) -> Result<(), StoreError> {
        store.append_all(&self.records)?;
        self.stored += self.records.len();
        self.records.clear();
        self.unstored = Duration::ZERO;
        Ok(())
    }
}
