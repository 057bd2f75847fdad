//! The mark that a run without shards leaves in its results folder until its results are written: its scenario and the
//! process that computes it. It identifies a folder before it has results, and after an interruption.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::shard::{Plan, Process};
use super::write::{read_json, write_json};
use crate::scenario::Scenario;

/// The mark's file in a results folder.
pub const MARK: &str = "run.json";

/// The mark of a started run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// The whole scenario.
    pub plan: Plan,
    /// The process that computes it.
    pub process: Process,
    /// The wall seconds of the simulations of interrupted sessions.
    #[serde(default)]
    pub simulation_wall_s: f64,
}

impl Mark {
    /// Marks an existing folder: this process runs the scenario of a file there, with these overrides, after
    /// interrupted sessions of so many seconds. The mark of another process at work stays.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn leave(
        folder: &Path,
        scenario: &Scenario,
        path: &Path,
        overrides: Vec<String>,
        simulation_wall_s: f64,
    ) -> io::Result<()> {
        if Self::other_process(folder).is_some() {
            return Ok(());
        }
        let mark = Self { plan: Plan::new(scenario, path, overrides, 0)?, process: Process::own(), simulation_wall_s };
        write_json(&Self::path(folder), &mark)
    }

    /// Reads the mark in a folder, if there is one.
    ///
    /// # Errors
    /// The mark cannot be read or is invalid.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        read_json(&Self::path(folder))
    }

    /// The process that surely runs in a folder now, if it is not this one.
    #[must_use]
    pub fn other_process(folder: &Path) -> Option<Process> {
        let process = Self::read(folder).ok()??.process;
        (process != Process::own() && process.is_alive() == Some(true)).then_some(process)
    }

    /// Removes the mark, unless another running process has left it: from now on the results identify the scenario.
    pub fn remove(folder: &Path) {
        if Self::other_process(folder).is_some() {
            return;
        }
        match std::fs::remove_file(Self::path(folder)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                log::warn!("{} cannot be removed: {error}", Self::path(folder).display());
            }
            _ => {}
        }
    }

    fn path(folder: &Path) -> PathBuf {
        folder.join(MARK)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_mark_of_another_process_at_work_stays() {
        let folder = tempfile::TempDir::new().unwrap();
        let plan = Plan {
            version: String::new(),
            model_code: String::new(),
            scenario: PathBuf::new(),
            name: String::new(),
            overrides: Vec::new(),
            shards: 0,
            runs: 1,
            digest: String::new(),
            text: String::new(),
            resolved: String::new(),
        };
        let leave = |process: Process| {
            write_json(&Mark::path(folder.path()), &Mark { plan: plan.clone(), process, simulation_wall_s: 0.0 })
                .unwrap();
            Mark::remove(folder.path());
            Mark::read(folder.path()).unwrap().is_some()
        };
        assert!(!leave(Process::own()));
        let mut other = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = Process::of(other.id());
        assert!(leave(process.clone()));
        assert_eq!(Mark::other_process(folder.path()), Some(process.clone()));
        other.kill().unwrap();
        other.wait().unwrap();
        assert!(!leave(process));
    }
}
