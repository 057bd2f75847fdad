//! Runs what a store lacks, on some of the cores.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::queue::{Queue, Stretch};
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

/// What is known while a batch goes on.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// How many runs have ended since the last time.
    pub ended: usize,
    /// The point whose runs take longest so far, and the seconds that one of them took.
    pub slowest: Option<(usize, f64)>,
}

/// All runs of a scenario, in the order of its results.
pub fn all(scenario: &Scenario) -> impl Iterator<Item = Run> {
    let replicas = scenario.file.replicas;
    (0..scenario.points.len()).flat_map(move |point| (0..replicas).map(move |replica| (point, replica)))
}

/// The runs that a store lacks. Points that are the same run under two names are computed once.
#[must_use]
pub fn missing(scenario: &Scenario, store: &Store<RunId>) -> Vec<Run> {
    // Replicas of points with one fingerprint are the same runs.
    let mut seen = HashSet::with_capacity(scenario.points.len());
    let first: Vec<bool> = (0..scenario.points.len()).map(|point| seen.insert(scenario.fingerprint(point))).collect();
    all(scenario).filter(|&(point, replica)| first[point] && !store.contains(scenario.run_id(point, replica))).collect()
}

/// Computes `runs` on `jobs` threads (all cores where none is given) and stores each as it ends, those first that are
/// expected to take longest. `stop` ends the batch after the runs in hand; `done` is called whenever some have ended.
///
/// # Errors
/// Where a record can't be stored; what was stored before is safe.
pub fn execute(
    scenario: &Scenario,
    store: &Store<RunId>,
    runs: &[Run],
    jobs: Option<usize>,
    stop: &AtomicBool,
    done: impl Fn(Progress) + Sync,
) -> Result<Outcome, StoreError> {
    let queue = Mutex::new(Queue::new(scenario, stretches(runs)));
    let worker = || work(scenario, store, &queue, stop, &done);
    let outcomes = match rayon::ThreadPoolBuilder::new().num_threads(jobs.unwrap_or(0)).build() {
        Ok(pool) => pool.broadcast(|_| worker()),
        // Without a pool of its own, rayon's global one does.
        Err(_) => rayon::broadcast(|_| worker()),
    };
    let mut outcome = Outcome::default();
    for part in outcomes {
        let part = part?;
        outcome.computed += part.computed;
        outcome.failed.extend(part.failed);
        outcome.simulating += part.simulating;
        outcome.interrupted |= part.interrupted;
    }
    outcome.failed.sort_unstable();
    Ok(outcome)
}

/// Replicas of a point that follow each other are one stretch.
fn stretches(runs: &[Run]) -> Vec<Stretch> {
    let follows = |a: &Run, b: &Run| a.0 == b.0 && a.1 + 1 == b.1;
    let stretch =
        |runs: &[Run]| Stretch { point: runs[0].0 as u32, from: runs[0].1, to: runs[0].1 + runs.len() as u32 };
    runs.chunk_by(follows).map(stretch).collect()
}

/// What one thread does until nothing waits any more.
fn work(
    scenario: &Scenario,
    store: &Store<RunId>,
    queue: &Mutex<Queue<'_>>,
    stop: &AtomicBool,
    done: &impl Fn(Progress),
) -> Result<Outcome, StoreError> {
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let threads = rayon::current_num_threads();
    let mut outcome = Outcome::default();
    loop {
        let Some(stretch) = lock().take(threads) else { return Ok(outcome) };
        let start = Instant::now();
        for replica in stretch.from..stretch.to {
            if stop.load(Ordering::Relaxed) {
                outcome.interrupted = true;
                return Ok(outcome);
            }
            let run = (stretch.point as usize, replica);
            let start = Instant::now();
            let result = scenario.run(run.0, run.1);
            outcome.simulating += start.elapsed();
            match result {
                Ok(record) => {
                    let stored = store.append(scenario.run_id(run.0, run.1), &record);
                    // The other threads need not go on for nothing.
                    stored.inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
                    outcome.computed += 1;
                }
                Err(message) => outcome.failed.push((run, message)),
            }
        }
        let mut queue = lock();
        queue.learn(stretch, start.elapsed().as_secs_f64());
        let slowest = queue.slowest();
        drop(queue);
        done(Progress { ended: (stretch.to - stretch.from) as usize, slowest });
    }
}
