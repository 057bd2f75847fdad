//! Runs shards as jobs of a batch system: makes scripts that compute one shard each, and the commands that submit them.
//!
//! The scripts are in `jobs/` of the results folder, with the systems' logs and `submissions.json`, the record of
//! submissions. A script knows everything except the index of its shard, which the system supplies. Whether a shard is
//! complete is determined by the store, never by the system.

mod hq;
mod parallel;
mod slurm;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::shard::Shard;
use super::subfolder;
use super::write::{read_json, write_json, write_text};

pub use slurm::Queue;

/// The folder of scripts and logs within a results folder.
pub const JOBS: &str = "jobs";

crate::registry::names! {
    /// A batch system.
    "batch system": Engine {
        #[default]
        Slurm "slurm" = "a job array, and a dependent job that merges its results",
        Parallel "parallel" = "GNU parallel on this machine, then the merge",
        Hq "hq" = "HyperQueue: the commands are only shown (--dry-run)",
    }
}

impl Engine {
    /// Checks that hetsim submits jobs to the system, instead of only showing the commands.
    ///
    /// # Errors
    /// The reason why it does not.
    pub fn check_driven(self) -> Result<(), SubmitError> {
        if self == Self::Hq { Err(hq::refusal()) } else { Ok(()) }
    }
}

/// The parameters for running the shards of a sweep as jobs.
#[derive(Debug, Clone)]
pub struct Request {
    /// The path of this program.
    pub program: PathBuf,
    /// The folder relative to which names on the command line are resolved.
    pub current: PathBuf,
    /// The absolute path of the scenario file.
    pub scenario: PathBuf,
    /// Overrides of the scenario.
    pub overrides: Vec<String>,
    /// The absolute path of the folder that contains results folders.
    pub out: PathBuf,
    /// The name of the scenario and of its results folder.
    pub name: String,
    /// The shards to compute, in order: at least one, all of the same split.
    pub shards: Vec<Shard>,
    /// The resources that the user requests.
    pub resources: Resources,
}

/// The resources that the user requests from a batch system, in that system's own words.
#[derive(Debug, Clone, Default)]
pub struct Resources {
    /// The partition or queue.
    pub partition: Option<String>,
    /// The account to charge.
    pub account: Option<String>,
    /// The time limit of a shard.
    pub time: Option<String>,
    /// The memory of a shard.
    pub memory: Option<String>,
    /// The number of cores of a shard, and of threads of its process.
    pub cpus: u32,
    /// The maximum number of shards that run at once.
    pub at_once: Option<u32>,
    /// Further options, passed on unchanged.
    pub options: Vec<String>,
}

/// The reason why a submission failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubmitError {
    /// The system cannot do what was requested.
    #[error("{0}")]
    Unfit(String),
    /// A path cannot be written in a script.
    #[error("{} cannot be written in a script: its name is not UTF-8, or contains a byte 0", .0.display())]
    Name(PathBuf),
    /// A file cannot be written.
    #[error("{0}")]
    Files(#[from] io::Error),
    /// A program of the batch system cannot be started.
    #[error("`{program}` cannot be started ({cause}): is {system} installed? --dry-run shows what would be done")]
    Start {
        /// The program.
        program: String,
        /// The batch system.
        system: &'static str,
        /// The system's error.
        cause: io::Error,
    },
    /// The batch system refused the command.
    #[error("`{command}` failed: {message}")]
    Refused {
        /// The command line.
        command: String,
        /// The system's message.
        message: String,
    },
}

/// Scripts and commands before any action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The folder of the scripts.
    pub folder: PathBuf,
    /// The names and texts of the scripts.
    pub scripts: Vec<(&'static str, String)>,
    /// The commands as typed in `folder`; the second one of [`slurm`](Engine::Slurm) refers to the job of the first as
    /// `ARRAY`.
    pub commands: Vec<String>,
}

/// A submission to a batch system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// The batch system.
    pub engine: Engine,
    /// The time of submission in seconds since 1970.
    pub submitted_s: u64,
    /// The submitted shards.
    pub shards: Vec<Shard>,
    /// The job ID, if the system has one.
    pub job: Option<String>,
    /// The ID of the merging job.
    pub merge_job: Option<String>,
}

/// The state of a shard in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queued {
    /// The queue cannot be asked, or the shard was never submitted.
    Unknown,
    /// The shard was submitted and is no longer in the queue.
    Gone,
    /// The shard is in the queue.
    Waiting(Waiting),
}

/// The state of a job in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// It waits to start.
    ToStart,
    /// It is running.
    ToEnd,
}

impl Request {
    /// The absolute path of the results folder.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.out.join(&self.name)
    }

    /// Makes the scripts and commands for a system.
    ///
    /// # Errors
    /// The system cannot do what was requested, or a path cannot be written in a script.
    pub fn prepare(&self, engine: Engine) -> Result<Prepared, SubmitError> {
        match engine {
            Engine::Slurm => slurm::prepare(self),
            Engine::Parallel => parallel::prepare(self),
            Engine::Hq => hq::prepare(self),
        }
    }

    /// Writes the scripts, submits them and records the submission. Waits for GNU parallel to finish.
    ///
    /// # Errors
    /// The errors of [`prepare`](Self::prepare), a script that cannot be written, or a system that is missing or
    /// refuses.
    pub fn submit(&self, engine: Engine) -> Result<Submission, SubmitError> {
        let prepared = self.prepare(engine)?;
        engine.check_driven()?;
        subfolder::make(&prepared.folder)?;
        for (name, text) in &prepared.scripts {
            write_text(&prepared.folder.join(name), text)?;
        }
        let submission = Submission {
            engine,
            submitted_s: super::shard::now(),
            shards: self.shards.clone(),
            job: None,
            merge_job: None,
        };
        match engine {
            Engine::Slurm => slurm::submit(self, submission),
            Engine::Parallel => parallel::submit(self, submission),
            Engine::Hq => Err(hq::refusal()),
        }
    }

    /// A script that computes the shard with the index in the shell expression `index`, such as `$SLURM_ARRAY_TASK_ID`.
    fn shard_script(&self, index: &str) -> Result<String, SubmitError> {
        let count = self.shards.first().map_or(1, |shard| shard.count());
        let mut words = vec![text(&self.program)?, "run", text(&self.scenario)?, "--out", text(&self.out)?];
        for value in &self.overrides {
            words.extend(["--set", value]);
        }
        let jobs = self.resources.cpus.to_string();
        words.extend(["--quiet", "--jobs", &jobs]);
        Ok(format!(
            "#!/bin/sh\n\
             # Computes one shard of a sweep. Written by `hetsim submit`, which writes it again.\n\
             cd -- {} || exit 1\n\
             exec {} --shard \"{index}/{count}\"\n",
            quoted([text(&self.current)?])?,
            quoted(words)?,
        ))
    }

    /// A script that merges the stored runs of all shards into results.
    fn merge_script(&self) -> Result<String, SubmitError> {
        let folder = self.folder();
        Ok(format!(
            "#!/bin/sh\n\
             # Makes results from the stored runs, if none is missing. Written by `hetsim submit`, which writes it again.\n\
             cd -- {} || exit 1\n\
             exec {}\n",
            quoted([text(&self.current)?])?,
            quoted([text(&self.program)?, "merge", text(&folder)?])?,
        ))
    }

    /// The indices of the shards as ranges: `0-3,7`.
    fn ranges(&self) -> String {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for index in self.shards.iter().map(|shard| shard.index()) {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == index => *last = index,
                _ => ranges.push((index, index)),
            }
        }
        let range =
            |(first, last): (u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
        ranges.into_iter().map(range).collect::<Vec<_>>().join(",")
    }

    /// The name of the job in a queue.
    fn job_name(&self) -> String {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
        format!("hetsim-{}", self.name.chars().map(plain).collect::<String>())
    }

    /// The folder of the scripts.
    fn jobs(&self) -> PathBuf {
        self.folder().join(JOBS)
    }
}

/// A command line for display; words that no shell accepts are left unquoted.
#[must_use]
pub fn command_line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    quoted(words.iter().copied()).unwrap_or_else(|_| words.join(" "))
}

/// A path as a string.
fn text(path: &Path) -> Result<&str, SubmitError> {
    path.to_str().ok_or_else(|| SubmitError::Name(path.to_owned()))
}

/// Words quoted for a shell.
fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<String, SubmitError> {
    let words: Vec<&str> = words.into_iter().collect();
    shlex::try_join(words.iter().copied()).map_err(|_| SubmitError::Name(words.join(" ").into()))
}

/// The submissions recorded in a results folder, oldest first. An unreadable file counts as empty.
#[must_use]
pub fn submissions(folder: &Path) -> Vec<Submission> {
    read_json(&folder.join(JOBS).join(RECORD)).ok().flatten().unwrap_or_default()
}

/// The file that records submissions.
const RECORD: &str = "submissions.json";

/// Adds a submission to the folder's record, or replaces one of the same job.
fn remember(folder: &Path, submission: &Submission) -> io::Result<()> {
    let mut all = submissions(folder);
    all.retain(|other| other.job.is_none() || other.job != submission.job || other.engine != submission.engine);
    all.push(submission.clone());
    write_json(&folder.join(JOBS).join(RECORD), &all)
}

/// Runs a command to its end and returns its output.
fn answer(words: &[&str], folder: &Path, system: &'static str) -> Result<String, SubmitError> {
    let (program, arguments) = words.split_first().ok_or_else(|| SubmitError::Unfit("no command".to_owned()))?;
    let output = Command::new(program).args(arguments).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.map_err(|cause| SubmitError::Start { program: (*program).to_owned(), system, cause })?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let message = if message.is_empty() { output.status.to_string() } else { message };
        return Err(SubmitError::Refused { command: quoted(words.iter().copied())?, message });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests;
