//! Results folders: their store, and the marks of shards and runs in them.

use std::path::{Path, PathBuf};

use super::out::create;
use super::{Failure, bad_input};
use crate::batch::mark::Mark;
use crate::batch::replication::Replication;
use crate::batch::shard::{Plan, SHARDS, ShardState, is_active};
use crate::batch::store::Store;
use crate::report::Results;
use crate::report::manifest::Manifest;
use crate::scenario::{RunId, Scenario};

/// The store's folder within the results folder.
pub(super) const STORE: &str = "store";

/// Creates the results folder, and refuses one of another scenario.
pub(super) fn prepare_folder(folder: &Path, scenario: &Path, fresh: bool) -> Result<(), Failure> {
    refuse_another(folder, scenario)?;
    if fresh {
        refuse_active(folder)?;
        Store::<RunId>::discard(&folder.join(STORE)).map_err(|error| bad_input(error.to_string()))?;
        forget(folder)?;
    }
    create(folder)
}

/// Refuses a folder with the results or the shards of another scenario.
pub(super) fn refuse_another(folder: &Path, scenario: &Path) -> Result<(), Failure> {
    let merged = Manifest::read(folder).ok().map(|manifest| PathBuf::from(manifest.scenario));
    let planned = Plan::read(folder).ok().flatten().map(|plan| plan.scenario);
    let begun = Mark::read(folder).ok().flatten().map(|mark| mark.plan.scenario);
    let same = |a: &Path, b: &Path| a.canonicalize().ok() == b.canonicalize().ok();
    match [merged, planned, begun].into_iter().flatten().find(|other| other.exists() && !same(other, scenario)) {
        Some(other) => {
            let message = format!(
                "{} holds the results of {}; give another folder with --out, or remove it",
                folder.display(),
                other.display()
            );
            Err(bad_input(message))
        }
        None => Ok(()),
    }
}

/// Refuses to discard runs that running shards, or another run of the whole scenario, rely on.
fn refuse_active(folder: &Path) -> Result<(), Failure> {
    let states = ShardState::read_all(folder);
    let shards = states.iter().filter(|state| is_active(state)).map(|state| format!("shard {}", state.shard));
    let process = Mark::other_process(folder).map(|process| format!("process {}", process.pid));
    let active: Vec<String> = shards.chain(process).collect();
    if active.is_empty() {
        return Ok(());
    }
    let message = format!(
        "--fresh would discard what is being computed there ({}); stop it first, and see `hetsim status {}`",
        active.join(", "),
        folder.display()
    );
    Err(bad_input(message))
}

/// Removes the states of shards whose runs are discarded.
fn forget(folder: &Path) -> Result<(), Failure> {
    match std::fs::remove_dir_all(folder.join(SHARDS)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(bad_input(format!("{} cannot be removed: {error}", folder.join(SHARDS).display())))
        }
        _ => Ok(()),
    }
}

/// Opens the store of a results folder and reports dropped records.
pub(super) fn open_store(folder: &Path) -> Result<Store<RunId>, Failure> {
    let (store, loaded) = Store::open(folder.join(STORE)).map_err(|error| bad_input(error.to_string()))?;
    for note in loaded.notes {
        log::warn!("{note}");
    }
    Ok(store)
}

/// Opens a store to which others may be appending: an incomplete last line is no cause for alarm.
pub(super) fn open_shared_store(folder: &Path) -> Result<Store<RunId>, Failure> {
    let (store, loaded) = Store::open(folder.join(STORE)).map_err(|error| bad_input(error.to_string()))?;
    for note in loaded.notes {
        let level = if note.corrupt > 0 { log::Level::Warn } else { log::Level::Debug };
        log::log!(level, "{note}");
    }
    Ok(store)
}

/// Loads the records of all stored runs of the scenario.
pub(super) fn load_results<'s>(scenario: &'s Scenario, store: &Store<RunId>) -> Result<Results<'s>, Failure> {
    Ok(Results::load(scenario, store, Replication::of(scenario, store)?.runs())?)
}

/// Reads the plan of the shards in a folder.
pub(super) fn read_plan(folder: &Path) -> Result<Option<Plan>, Failure> {
    Plan::read(folder).map_err(|error| bad_input(format!("{error}; remove that file and start a shard again")))
}

/// Reads the mark that a run of the whole scenario has left in a folder.
pub(super) fn read_mark(folder: &Path) -> Result<Option<Mark>, Failure> {
    Mark::read(folder).map_err(|error| bad_input(format!("{error}; remove that file and run it again")))
}
