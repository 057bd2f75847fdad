//! A scenario, run and reported in memory, for a process without a disk.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::contents::Contents;
use super::manifest::Manifest;
use super::output;
use super::results::Results;
use crate::batch::replication::Replication;
use crate::batch::run::{Progress, Workers, complete};
use crate::batch::store::Store;
use crate::batch::threads::Threads;
use crate::scenario::Scenario;

/// What a scenario gave.
#[derive(Debug)]
pub struct Reported {
    /// The files of its results folder, by their paths within it; the store and the manifest are missing.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The number of computed runs.
    pub computed: usize,
    /// The failed runs: the number of the point, the replica and the reason.
    pub failed: Vec<((usize, u32), String)>,
    /// The number of missed expectations, without those on a clock.
    pub missed: usize,
    /// The wall time of the simulations.
    pub simulating: Duration,
}

/// Computes all runs of a scenario on one thread, which is the calling one where threads cannot be started, and makes
/// the files of its results. `done` is called with the number of runs requested so far whenever some have ended.
///
/// # Errors
/// Every run failed, or a chart or a validation cannot be made; the message says why.
pub fn run(scenario: &Scenario, done: impl Fn(usize, Progress) + Sync) -> Result<Reported, String> {
    let store = Store::in_memory();
    let mut replication = Replication::new(scenario);
    let runs = replication.missing(&store, |_| true).map_err(|error| error.to_string())?;
    let requested = AtomicUsize::new(runs.len());
    let more = |runs: usize| {
        requested.fetch_add(runs, Ordering::Relaxed);
    };
    let workers = Workers { threads: Threads::ONE, stop: &AtomicBool::new(false) };
    let show = |progress| done(requested.load(Ordering::Relaxed), progress);
    let outcome =
        complete(&mut replication, &store, runs, workers, |_| true, more, show).map_err(|error| error.to_string())?;
    let mut results = Results::load(scenario, &store, replication.runs()).map_err(|error| error.to_string())?;
    drop(store);
    if !outcome.failed.is_empty() {
        results.note_failures();
    }
    if let (true, Some((_, reason))) = (results.rows().is_empty(), outcome.failed.first()) {
        return Err(reason.clone());
    }
    let contents = Contents::of(&results)?;
    let manifest = Manifest { computed: outcome.computed, ..Manifest::of(&results, replication.runs().count()) };
    let files = output::in_memory(&contents, &manifest).map_err(|error| error.to_string())?;
    let missed = contents.missed();
    Ok(Reported { files, computed: outcome.computed, failed: outcome.failed, missed, simulating: outcome.simulating })
}
