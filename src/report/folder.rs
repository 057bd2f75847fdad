//! A results folder before its results: whose it is, and the store of runs in it.

use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::written::CHARTS;
use crate::batch::identity::RunId;
use crate::batch::mark::Mark;
use crate::batch::shard::{Plan, SHARDS, ShardState, is_active};
use crate::batch::store::Store;
use crate::batch::subfolder;
use crate::scenario::Problems;

/// The store's folder within the results folder.
pub const STORE: &str = "store";

/// Creates the results folder of a scenario's file, and refuses one of another scenario. With `fresh`, the stored runs in
/// it are discarded.
///
/// # Errors
/// The folder belongs to another scenario, cannot be created, has stored runs that are in use and may not be discarded,
/// or has a link in the place of a folder.
pub fn prepare(folder: &Path, scenario: &Path, fresh: bool) -> Result<(), Problems> {
    refuse_another(folder, scenario)?;
    // Before hours of computing.
    let charts = folder.join(CHARTS);
    subfolder::refuse_link(&charts).map_err(|error| unusable(&charts, &error))?;
    if fresh {
        refuse_active(folder)?;
        Store::<RunId>::discard(&folder.join(STORE)).map_err(|error| Problems::general(error.to_string()))?;
        forget_shards(folder)?;
    }
    create(folder)
}

/// Creates a results folder.
///
/// # Errors
/// The folder cannot be created.
pub fn create(folder: &Path) -> Result<(), Problems> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let folder = folder.display();
        Problems::general(format!("the results folder {folder} cannot be created: {error}; choose another with --out"))
    })
}

/// Creates the folder of the pictures in a results folder, and returns its path.
///
/// # Errors
/// The folder cannot be created, or a link stands there.
pub fn create_charts(folder: &Path) -> Result<PathBuf, Problems> {
    let charts = folder.join(CHARTS);
    subfolder::make(&charts).map_err(|error| unusable(&charts, &error))?;
    Ok(charts)
}

fn unusable(folder: &Path, error: &std::io::Error) -> Problems {
    Problems::general(format!("cannot use the folder {}: {error}; choose another with --out", folder.display()))
}

/// Refuses a folder with the results or the shards of another scenario.
///
/// # Errors
/// The folder is such a one.
pub fn refuse_another(folder: &Path, scenario: &Path) -> Result<(), Problems> {
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
            Err(Problems::general(message))
        }
        None => Ok(()),
    }
}

/// Refuses to discard runs that running shards, or another run of the whole scenario, rely on.
fn refuse_active(folder: &Path) -> Result<(), Problems> {
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
    Err(Problems::general(message))
}

/// Removes the states of shards whose runs are discarded.
fn forget_shards(folder: &Path) -> Result<(), Problems> {
    match std::fs::remove_dir_all(folder.join(SHARDS)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Problems::general(format!("{} cannot be removed: {error}", folder.join(SHARDS).display())))
        }
        _ => Ok(()),
    }
}

/// Opens the store of a results folder and reports dropped records.
///
/// # Errors
/// The store cannot be read.
pub fn open_store(folder: &Path) -> Result<Store<RunId>, Problems> {
    let (store, loaded) = Store::open(folder.join(STORE)).map_err(|error| Problems::general(error.to_string()))?;
    for note in loaded.notes {
        log::warn!("{note}");
    }
    Ok(store)
}
