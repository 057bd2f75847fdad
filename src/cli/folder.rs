//! Results folders: their store, and the marks of shards and runs in them.

use std::path::Path;

use super::{Failure, bad_input};
use crate::batch::identity::RunId;
use crate::batch::mark::Mark;
use crate::batch::replication::Replication;
use crate::batch::shard::Plan;
use crate::batch::store::Store;
use crate::report::Results;
use crate::report::folder::STORE;
use crate::scenario::Scenario;

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
