//! What is known of a sweep whose shards are computed apart: enough to find its scenario again, wherever and whenever it is
//! merged.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::SHARDS;
use crate::batch::write::{read_json, write_json};
use crate::scenario::{MODEL_CODE, Problems, Scenario, Source};

/// The plan of a sweep in shards: `shards/plan.json` in its results folder. Every shard that starts writes it, all of them
/// the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of hetsim.
    pub version: String,
    /// The model's version.
    pub model_code: String,
    /// The whole path of the scenario's file.
    pub scenario: PathBuf,
    /// The scenario's name.
    pub name: String,
    /// Values put over the scenario on the command line.
    pub overrides: Vec<String>,
    /// Into how many shards it is cut; 0 for a run that is not cut.
    pub shards: u32,
    /// How many runs there are, those under two names counted twice.
    pub runs: usize,
    /// The hash of the names of all runs in their order.
    pub digest: String,
    /// The scenario's text, for the report.
    pub text: String,
    /// The scenario with includes and other values resolved: it stands in for a file that is gone or was changed.
    pub resolved: String,
}

/// The hash of the names of all points of a scenario, in their order, and of how often each is run: two scenarios of the same
/// digest have the same runs.
#[must_use]
pub fn digest(scenario: &Scenario) -> String {
    let mut hash = Xxh3::new();
    for point in 0..scenario.points.len() {
        hash.update(scenario.run_id(point, 0).to_string().as_bytes());
    }
    // The names of a point's replicas follow from that of the first.
    hash.update(format!("{:?}", scenario.file.replicas).as_bytes());
    format!("{:032x}", hash.digest128())
}

impl Plan {
    /// The plan of a scenario that was read from a file, with these values put over it.
    ///
    /// # Errors
    /// The path can't be made whole, or the scenario not written as TOML.
    pub fn new(scenario: &Scenario, path: &Path, overrides: Vec<String>, shards: u32) -> io::Result<Self> {
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            model_code: MODEL_CODE.to_owned(),
            scenario: std::path::absolute(path)?,
            name: scenario.name.clone(),
            overrides,
            shards,
            runs: scenario.runs(),
            digest: digest(scenario),
            text: scenario.text.to_string(),
            resolved: scenario.resolved().map_err(io::Error::other)?,
        })
    }

    /// The plan in a results folder, if there is one.
    ///
    /// # Errors
    /// It can't be read, or is none.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        read_json(&Self::path(folder))
    }

    /// Writes it whole into a results folder, which must exist.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder.join(SHARDS))?;
        write_json(&Self::path(folder), self)
    }

    pub(in crate::batch) fn path(folder: &Path) -> PathBuf {
        folder.join(SHARDS).join("plan.json")
    }

    /// Whether its runs are those of another version of the model, which this one can neither take nor compute.
    #[must_use]
    pub fn is_of_another_model(&self) -> bool {
        self.model_code != MODEL_CODE
    }

    /// The scenario that the shards compute, and a sentence where that is not its file as it is now.
    ///
    /// The file counts as long as it describes the same runs: charts and expectations may have changed. Otherwise what the
    /// plan has kept of it counts.
    ///
    /// # Errors
    /// What is wrong with it, where neither can be read, such as a missing file that it names.
    pub fn scenario(&self) -> Result<(Scenario, Option<String>), Problems> {
        let path = self.scenario.display();
        let now = Scenario::load(&self.scenario, &self.overrides);
        if let Ok(scenario) = &now
            && (digest(scenario) == self.digest || self.is_of_another_model())
        {
            return now.map(|scenario| (scenario, None));
        }
        let whose = if self.shards == 0 { "it was started" } else { "its shards were started" };
        let reason = if now.is_ok() {
            format!("{path} describes other runs than when {whose}")
        } else {
            format!("{path} can't be read any more as it was when {whose}")
        };
        let source =
            Source { name: format!("{path}, as it was"), folder: ".".into(), text: self.resolved.as_str().into() };
        let mut scenario = Scenario::read(self.name.clone(), source, &[])?;
        scenario.text = Arc::from(self.text.as_str());
        Ok((scenario, Some(format!("{reason}; taken is what it was then (--scenario FILE takes another one)"))))
    }
}
