//! `hetsim plot`: the charts and the report of a results folder again, without running anything.

use std::path::{Path, PathBuf};

use super::arguments::Plot;
use super::run::{finish, load_results, open_store};
use super::{Failure, bad_input};
use crate::report::output::Manifest;
use crate::scenario::Scenario;

pub(super) fn plot(plot: &Plot) -> Result<(), Failure> {
    let manifest = read_manifest(&plot.folder)?;
    let path = PathBuf::from(&manifest.scenario);
    let scenario = Scenario::load(&path, &manifest.overrides)?;
    let store = open_store(&plot.folder)?;
    let results = load_results(&scenario, &store)?;
    if results.rows().is_empty() {
        let message =
            format!("{} holds no run of {} as it is now; run the scenario", plot.folder.display(), path.display());
        return Err(bad_input(message));
    }
    finish(&plot.folder, &results, &manifest, false).map(|_| ())
}

/// The manifest of a results folder.
pub(super) fn read_manifest(folder: &Path) -> Result<Manifest, Failure> {
    let path = folder.join("manifest.json");
    let text = std::fs::read_to_string(&path).map_err(|error| {
        bad_input(format!("{} is no results folder: {}: {error}", folder.display(), path.display()))
    })?;
    serde_json::from_str(&text).map_err(|error| bad_input(format!("{}: {error}", path.display())))
}
