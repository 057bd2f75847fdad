//! The plan of a sharded sweep: enough to find its scenario again, wherever and whenever it is merged.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::SHARDS;
use crate::batch::identity::RunId;
use crate::batch::subfolder;
use crate::batch::write::{read_json, write_json};
use crate::model;
use crate::scenario::{Notation, Problems, Scenario, Source};

/// The plan of a sharded sweep: `shards/plan.json` in its results folder. Every shard writes the same plan when it
/// starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of hetsim.
    pub version: String,
    /// The model version.
    pub model_code: String,
    /// The absolute path of the scenario file.
    pub scenario: PathBuf,
    /// The scenario's name.
    pub name: String,
    /// Overrides given on the command line.
    pub overrides: Vec<String>,
    /// The number of shards; 0 for a run without shards.
    pub shards: u32,
    /// The number of runs, counting equal runs under two names twice.
    pub runs: usize,
    /// The hash of the names of all runs in order.
    pub digest: String,
    /// The text of the scenario, for the report.
    pub text: String,
    /// The scenario with includes and overrides resolved, in case its file is missing or has changed.
    pub resolved: String,
}

/// The hash of the names of all points of a scenario in order, and of their numbers of replicas: two scenarios with the
/// same digest have the same runs.
#[must_use]
pub fn digest(scenario: &Scenario) -> String {
    let mut hash = Xxh3::new();
    for point in 0..scenario.points.len() {
        hash.update(RunId::of(scenario, point, 0).to_string().as_bytes());
    }
    // The names of a point's replicas follow from that of the first.
    hash.update(format!("{:?}", scenario.file.replicas).as_bytes());
    format!("{:032x}", hash.digest128())
}

impl Plan {
    /// The plan of a scenario that was read from a file, with these overrides.
    ///
    /// # Errors
    /// The path cannot be made absolute, or the scenario cannot be written as TOML.
    pub fn new(scenario: &Scenario, path: &Path, overrides: Vec<String>, shards: u32) -> io::Result<Self> {
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            model_code: model::CODE.to_owned(),
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

    /// Reads the plan in a results folder, if there is one.
    ///
    /// # Errors
    /// The plan cannot be read or is invalid.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        read_json(&Self::path(folder))
    }

    /// Writes the plan atomically into an existing results folder.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        subfolder::make(&folder.join(SHARDS))?;
        write_json(&Self::path(folder), self)
    }

    fn path(folder: &Path) -> PathBuf {
        folder.join(SHARDS).join("plan.json")
    }

    /// Whether a file of the results folder was written after its plan and after the last sign of a shard.
    #[must_use]
    pub fn is_before(folder: &Path, file: &str) -> bool {
        let time = |path: PathBuf| path.metadata().and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        // Every state that is written and renamed changes the folder.
        time(folder.join(file)) >= time(folder.join(SHARDS))
    }

    /// Whether its runs belong to another version of the model, whose results this version can neither use nor compute.
    #[must_use]
    pub fn is_of_another_model(&self) -> bool {
        self.model_code != model::CODE
    }

    /// The scenario of the shards, and a sentence if that is not the present content of its file.
    ///
    /// The file counts as long as it describes the same runs: charts and expectations may have changed. Otherwise the
    /// copy in the plan counts.
    ///
    /// # Errors
    /// The errors of the scenario if neither can be read, such as a missing file that it names.
    pub fn scenario(&self, notation: &'static Notation) -> Result<(Scenario, Option<String>), Problems> {
        let path = self.scenario.display();
        let now = Scenario::load_in(notation, &self.scenario, &self.overrides);
        if let Ok(scenario) = &now
            && (digest(scenario) == self.digest || self.is_of_another_model())
        {
            return now.map(|scenario| (scenario, None));
        }
        let whose = if self.shards == 0 { "it was started" } else { "its shards were started" };
        let reason = if now.is_ok() {
            format!("{path} describes other runs than when {whose}")
        } else {
            format!("{path} can no longer be read as it was when {whose}")
        };
        let source =
            Source { name: format!("{path}, as it was"), folder: ".".into(), text: self.resolved.as_str().into() };
        let mut scenario = Scenario::read_in(notation, self.name.clone(), source, &[])?;
        scenario.text = Arc::from(self.text.as_str());
        Ok((scenario, Some(format!("{reason}; using the scenario of that time (--scenario FILE selects another one)"))))
    }
}
