//! What a run without shards leaves in its results folder until its results are written: of which scenario it is, and which
//! process computes it. So a folder is understood before it has results, and after an interruption.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::shard::{Plan, Process};
use super::write::write_text;
use crate::scenario::Scenario;

/// The mark of a run that has begun: `run.json` in its results folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The scenario, uncut.
    pub plan: Plan,
    /// Who computes it.
    pub process: Process,
}

impl Mark {
    /// Marks a folder, which must exist, as one where this process runs a scenario from a file with these values put over it.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn leave(folder: &Path, scenario: &Scenario, path: &Path, overrides: Vec<String>) -> io::Result<()> {
        let mark = Self { plan: Plan::new(scenario, path, overrides, 0)?, process: Process::own() };
        let text = serde_json::to_string_pretty(&mark).map_err(io::Error::other)?;
        write_text(&Self::path(folder), &format!("{text}\n"))
    }

    /// The mark in a folder, if there is one.
    ///
    /// # Errors
    /// It can't be read, or is none.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        let path = Self::path(folder);
        let explain = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
        match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| explain(&error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(explain(&error)),
        }
    }

    /// Takes the mark away: the results say from now on what they are of.
    pub fn remove(folder: &Path) {
        match std::fs::remove_file(Self::path(folder)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                log::warn!("{} can't be removed: {error}", Self::path(folder).display());
            }
            _ => {}
        }
    }

    /// Whether the mark was left after shards of other runs were planned there.
    #[must_use]
    pub fn is_newer_than_plan(folder: &Path) -> bool {
        let time = |path: PathBuf| path.metadata().and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        time(Self::path(folder)) >= time(Plan::path(folder))
    }

    fn path(folder: &Path) -> PathBuf {
        folder.join("run.json")
    }
}
