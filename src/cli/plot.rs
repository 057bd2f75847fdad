//! `hetsim plot`: redraws the charts and the report of a results folder without running anything.

use std::path::PathBuf;

use super::arguments::Plot;
use super::folder::{load_results, open_store};
use super::run::finish;
use super::{Failure, bad_input};
use crate::report::output::Manifest;
use crate::scenario::Scenario;

pub(super) fn plot(plot: &Plot) -> Result<(), Failure> {
    let manifest = Manifest::read(&plot.folder)
        .map_err(|error| bad_input(format!("{} is not a results folder: {error}", plot.folder.display())))?;
    let path = PathBuf::from(&manifest.scenario);
    let scenario = Scenario::load(&path, &manifest.overrides)?;
    let store = open_store(&plot.folder)?;
    let results = load_results(&scenario, &store)?;
    if results.rows().is_empty() {
        let message =
            format!("{} holds no run of {} as it is now; run the scenario", plot.folder.display(), path.display());
        return Err(bad_input(message));
    }
    finish(&plot.folder, &results, &manifest, false)?.end(false).map(|_| ())
}
