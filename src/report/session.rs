//! One session of computing a scenario into its results folder. Runs that an earlier session has stored are not repeated.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::folder::{open_store, prepare};
use super::manifest::{Manifest, peak_memory};
use super::results::Results;
use crate::batch::identity::RunId;
use crate::batch::mark::Mark;
use crate::batch::replication::{Replication, Run};
use crate::batch::run::{BatchOutcome, Progress, Workers, complete};
use crate::batch::store::{Store, StoreError};
use crate::scenario::{Problems, Scenario};

/// Where a scenario comes from, and where its results go.
#[derive(Debug, Clone)]
pub struct SessionRequest {
    /// The scenario's file.
    pub path: PathBuf,
    /// Values put over it, as `key=value`.
    pub overrides: Vec<String>,
    /// The results folder.
    pub folder: PathBuf,
    /// Whether stored runs are discarded.
    pub fresh: bool,
}

/// Why a session cannot begin or go on.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The folder cannot be used.
    #[error(transparent)]
    Input(#[from] Problems),
    /// A record cannot be stored or read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A session: its results folder is marked and its store is open.
#[derive(Debug)]
pub struct Session<'s> {
    scenario: &'s Scenario,
    request: SessionRequest,
    replication: Replication<'s>,
    store: Store<RunId>,
    missing: Vec<Run>,
    done: usize,
    /// The wall seconds of interrupted sessions.
    interrupted_s: f64,
}

impl<'s> Session<'s> {
    /// Prepares the folder, and finds out which runs are missing in it.
    ///
    /// # Errors
    /// The folder belongs to another scenario or cannot be written, or its store cannot be read.
    pub fn open(scenario: &'s Scenario, request: SessionRequest) -> Result<Self, SessionError> {
        prepare(&request.folder, &request.path, request.fresh)?;
        if let Some(sentence) = Manifest::replaced(&request.folder, &request.overrides) {
            log::warn!("{sentence}");
        }
        let store = open_store(&request.folder)?;
        let mut replication = Replication::new(scenario);
        let missing = replication.missing(&store, takes_part)?;
        if !missing.is_empty() {
            store.check_writable().map_err(|error| Problems::general(error.to_string()))?;
        }
        let done = replication.own_runs().count() - missing.len();
        let interrupted = if request.fresh { None } else { Mark::read(&request.folder).ok().flatten() };
        let interrupted_s = interrupted.map_or(0.0, |mark| mark.simulation_wall_s);
        let session = Self { scenario, request, replication, store, missing, done, interrupted_s };
        if session.missing() > 0 {
            session.leave_mark(interrupted_s);
        }
        Ok(session)
    }

    fn leave_mark(&self, interrupted_s: f64) {
        let SessionRequest { path, overrides, folder, .. } = &self.request;
        if let Err(error) = Mark::leave(folder, self.scenario, path, overrides.clone(), interrupted_s) {
            log::warn!("the folder cannot be marked: {error}");
        }
    }

    /// The replicas that count.
    #[must_use]
    pub const fn replication(&self) -> &Replication<'s> {
        &self.replication
    }

    /// The number of runs that are not computed yet, as far as is known.
    #[must_use]
    pub const fn missing(&self) -> usize {
        self.missing.len()
    }

    /// The number of runs that earlier sessions have stored.
    #[must_use]
    pub const fn done(&self) -> usize {
        self.done
    }

    /// Computes the missing runs, as [`complete`].
    ///
    /// # Errors
    /// A record cannot be stored, or the store cannot be read; earlier records are safe.
    pub fn compute(
        &mut self,
        workers: Workers<'_>,
        more: impl FnMut(usize),
        show: impl Fn(Progress) + Sync,
    ) -> Result<BatchOutcome, StoreError> {
        let missing = std::mem::take(&mut self.missing);
        let outcome = complete(&mut self.replication, &self.store, missing, workers, takes_part, more, show)?;
        if outcome.interrupted {
            self.leave_mark(self.interrupted_s + outcome.simulating.as_secs_f64());
        }
        Ok(outcome)
    }

    /// What an interrupted session keeps, and how it goes on.
    #[must_use]
    pub fn interruption(&self, outcome: &BatchOutcome) -> String {
        format!(
            "interrupted after {} of {}{} runs, all of which are kept; run the same command again to continue",
            self.done + outcome.computed,
            if self.replication.may_grow() { "at least " } else { "" },
            self.replication.runs().count()
        )
    }

    /// All runs that count and went well, and the manifest of the folder.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn results(self, outcome: &BatchOutcome) -> Result<(Results<'s>, Manifest), StoreError> {
        let Self { scenario, request, replication, store, interrupted_s, .. } = self;
        let mut results = Results::load(scenario, &store, replication.runs())?;
        if !outcome.failed.is_empty() {
            results.note_failures();
        }
        // All that is needed of it is in memory, where its index would stand beside the results.
        drop(store);
        // Runs of earlier sessions are not repeated, so their time is carried over.
        let earlier = if request.fresh {
            0.0
        } else {
            Manifest::read(&request.folder).map_or(0.0, |manifest| manifest.simulation_wall_s)
        };
        let manifest = Manifest {
            scenario: request.path.display().to_string(),
            overrides: request.overrides,
            computed: outcome.computed,
            simulation_wall_s: earlier + interrupted_s + outcome.simulating.as_secs_f64(),
            peak_memory_bytes: peak_memory(),
            ..Manifest::of(&results, replication.runs().count())
        };
        Ok((results, manifest))
    }
}

/// Ends the sessions of a folder whose results are written: from now on these identify the scenario.
pub fn conclude(folder: &Path) {
    Mark::remove(folder);
}

/// Without shards, all points are computed here.
const fn takes_part(_point: usize) -> bool {
    true
}

/// The maximum number of failed runs shown; the rest is counted.
const MOST_FAILURES: usize = 10;

/// Says which of so many runs failed, and why.
#[must_use]
pub fn failures(scenario: &Scenario, outcome: &BatchOutcome, runs: usize) -> String {
    let describe = |(run, message): &(Run, String)| format!("\n  {}: {message}", described(scenario, *run));
    let shown: String = outcome.failed.iter().take(MOST_FAILURES).map(describe).collect();
    let more = outcome.failed.len().saturating_sub(MOST_FAILURES);
    let more = if more > 0 { format!("\n  … and {more} more") } else { String::new() };
    format!("{} of {runs} runs failed:{shown}{more}", outcome.failed.len())
}

/// Describes a run by the values of the swept keys, if there are any, and its number, or its name where points stop by
/// themselves: runs have no numbers there.
#[must_use]
pub fn described(scenario: &Scenario, (point, replica): Run) -> String {
    let replicas = &scenario.file.replicas;
    let called = if replicas.stop_by_themselves() {
        RunId::of(scenario, point, replica).to_string()
    } else {
        (point * replicas.most() as usize + replica as usize).to_string()
    };
    let place = scenario.place(point, &[]);
    if place.is_empty() { format!("run {called}") } else { format!("run {called} ({place})") }
}
