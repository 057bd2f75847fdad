//! The mark that a run without shards leaves in its results folder until its results are written: its scenario and the
//! process that computes it. It identifies a folder before it has results, and after an interruption.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::shard::{Plan, Process};
use super::write::write_text;
use crate::scenario::Scenario;

/// The mark of a started run: `run.json` in its results folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The whole scenario.
    pub plan: Plan,
    /// The process that computes it.
    pub process: Process,
}

impl Mark {
    /// Marks an existing folder: this process runs the scenario of a file there, with these overrides.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn leave(folder: &Path, scenario: &Scenario, path: &Path, overrides: Vec<String>) -> io::Result<()> {
        let mark = Self { plan: Plan::new(scenario, path, overrides, 0)?, process: Process::own() };
        let text = serde_json::to_string_pretty(&mark).map_err(io::Error::other)?;
        write_text(&Self::path(folder), &format!("{text}\n"))
    }

    /// Reads the mark in a folder, if there is one.
    ///
    /// # Errors
    /// The mark cannot be read or is invalid.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        let path = Self::path(folder);
        let explain = |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
        match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| explain(&error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(explain(&error)),
        }
    }

    /// Removes the mark: from now on the results identify the scenario.
    pub fn remove(folder: &Path) {
        match std::fs::remove_file(Self::path(folder)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                log::warn!("{} cannot be removed: {error}", Self::path(folder).display());
            }
            _ => {}
        }
    }

    /// Whether the mark is newer than the plan of shards of other runs in the same folder.
    #[must_use]
    pub fn is_newer_than_plan(folder: &Path) -> bool {
        let time = |path: PathBuf| path.metadata().and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        time(Self::path(folder)) >= time(Plan::path(folder))
    }

    fn path(folder: &Path) -> PathBuf {
        folder.join("run.json")
    }
}
