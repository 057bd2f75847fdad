//! What is known of a results folder besides its results.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::results::Results;
use super::written::FileDigests;
use crate::batch::write::read_json;
use crate::model;

/// The manifest's file.
pub const MANIFEST: &str = "manifest.json";

/// What is known of a run of a scenario besides its results.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of hetsim.
    pub version: String,
    /// The model's version.
    pub model_code: String,
    /// The path of the scenario's file; it is absolute in a results folder.
    pub scenario: String,
    /// The text of the scenario.
    #[serde(default)]
    pub text: String,
    /// The seed.
    pub seed: u64,
    /// Values put over the scenario on the command line.
    pub overrides: Vec<String>,
    /// How many runs there are in all.
    pub runs: usize,
    /// How many of them the results have; the others failed or were not computed.
    #[serde(default)]
    pub rows: usize,
    /// How many of them were computed this time.
    pub computed: usize,
    /// Wall seconds of the simulations, summed over the threads and over the sessions since the last `--fresh`.
    pub simulation_wall_s: f64,
    /// Events of all runs.
    pub events: u64,
    /// Messages of all runs.
    pub messages: u64,
    /// The most memory that the process has held; nothing where the system does not tell.
    pub peak_memory_bytes: Option<u64>,
    /// The files beside this one, with the digests (XXH3, 128 bits) of what was written into them.
    #[serde(default)]
    pub files: FileDigests,
}

impl Manifest {
    /// The manifest of results with this many runs; callers add the rest.
    #[must_use]
    pub fn of(results: &Results<'_>, runs: usize) -> Self {
        let sum = |metric: &str| -> u64 {
            let Some(column) = results.column(metric) else { return 0 };
            (0..results.rows().len()).filter_map(|row| results.number(row, column)).sum::<f64>() as u64
        };
        let scenario = results.scenario();
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            model_code: model::CODE.to_owned(),
            text: scenario.text.to_string(),
            seed: scenario.file.seed,
            runs,
            rows: results.rows().len(),
            events: sum("events"),
            messages: sum("messages"),
            ..Self::default()
        }
    }

    /// A sentence if the results in a folder are of other values than these, put over the same file.
    pub(super) fn replaced(folder: &Path, overrides: &[String]) -> Option<String> {
        let earlier = Self::read(folder).ok().filter(|earlier| earlier.overrides != overrides)?.overrides;
        let of = if earlier.is_empty() { "the file as it stands".to_owned() } else { words(&earlier) };
        let folder = folder.display();
        Some(format!("the report in {folder} was of {of}; this one replaces it (--out keeps both; stored runs stay)"))
    }

    /// The manifest of a results folder.
    ///
    /// # Errors
    /// Where there is none, or it is not one of hetsim's.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let path = folder.join(MANIFEST);
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("there is no file {}", path.display()));
        read_json(&path)?.ok_or_else(missing)
    }
}

/// A sentence on the values put over a scenario's file, which ran instead of those in it.
#[must_use]
pub fn set_over(overrides: &[String]) -> Option<String> {
    (!overrides.is_empty()).then(|| format!("Set over the file: {}", words(overrides)))
}

/// Values put over a file, as `key = value`.
fn words(overrides: &[String]) -> String {
    let spaced =
        |text: &String| text.split_once('=').map_or_else(|| text.clone(), |(key, value)| format!("{key} = {value}"));
    overrides.iter().map(spaced).collect::<Vec<_>>().join(", ")
}

/// The peak memory of this process, if the system provides it (Linux).
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}
