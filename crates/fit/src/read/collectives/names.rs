//! The names in files of measured collectives, from `pico.toml`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;
use toml::Table;

use super::Maker;

/// What the bytes of a file mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Buffer {
    /// hetsim's `size`.
    Vector,
    /// The blocks of all ranks together, each of hetsim's `size`.
    Blocks,
}

/// What is known of an operation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OperationNames {
    #[serde(default)]
    pub(super) names: Vec<String>,
    pub(super) buffer: Buffer,
    #[serde(default)]
    pub(super) osu: Option<String>,
    #[serde(default)]
    pub(super) algorithms: BTreeMap<String, Table>,
}

/// All names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CollectiveNames {
    pub(super) endings: BTreeMap<String, Maker>,
    pub(super) keys: Table,
    pub(super) any: BTreeMap<String, Table>,
    pub(super) columns: BTreeMap<String, Vec<String>>,
    pub(super) times: BTreeMap<String, Vec<String>>,
    pub(super) units: BTreeMap<String, f64>,
    pub(super) operation: BTreeMap<String, OperationNames>,
}

/// The names of the data file.
pub(super) fn names() -> &'static CollectiveNames {
    static NAMES: OnceLock<CollectiveNames> = OnceLock::new();
    // The file is part of the program; a test reads it.
    NAMES.get_or_init(|| toml::from_str(include_str!("../pico.toml")).expect("pico.toml is well-formed"))
}

/// A name without case, `-`, `_` and blanks.
fn bare(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
}

impl CollectiveNames {
    /// An algorithm's name without the ending that tells whose it is.
    pub(super) fn bare<'n>(&self, algorithm: &'n str) -> &'n str {
        self.endings.keys().find_map(|ending| algorithm.strip_suffix(ending.as_str())).unwrap_or(algorithm)
    }

    /// Whose an algorithm is, by the ending of its name.
    pub(super) fn maker(&self, algorithm: &str) -> Maker {
        let found = self.endings.iter().find(|(ending, _)| algorithm.ends_with(ending.as_str()));
        found.map_or(Maker::Other, |(_, maker)| *maker)
    }

    /// hetsim's name of an operation, and what is known of it.
    pub(super) fn operation(&self, name: &str) -> Option<(&str, &OperationNames)> {
        let name = bare(name);
        let name = name.strip_prefix("mpi").unwrap_or(&name);
        let is = |known: &String| bare(known) == name;
        let found = self.operation.iter().find(|(known, entry)| is(known) || entry.names.iter().any(is));
        found.map(|(known, entry)| (known.as_str(), entry))
    }
}
