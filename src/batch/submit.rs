//! Shards as jobs of a batch system: scripts that compute a shard each, and the commands that hand them over.
//!
//! The scripts lie in `jobs/` of the results folder, next to the systems' logs and to `submissions.json`, which remembers
//! what was handed to whom. A script knows everything but the index of its shard, which the system gives it. Whether a shard
//! is done is asked of the store and never of the system.

mod hq;
mod parallel;
mod slurm;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::shard::Shard;
use super::write::write_text;

pub use slurm::Queue;

/// The folder of scripts and logs within a results folder.
pub const JOBS: &str = "jobs";

/// A system that runs jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Slurm, by an array of jobs.
    Slurm,
    /// GNU parallel, on this machine.
    Parallel,
    /// HyperQueue, by an array of tasks; only shown.
    Hq,
}

impl Engine {
    /// All of them, with the name and a line about each.
    pub const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Slurm, "slurm", "an array of jobs, and a job that merges after it"),
        (Self::Parallel, "parallel", "GNU parallel on this machine, then the merge"),
        (Self::Hq, "hq", "HyperQueue: the commands are only shown (--dry-run)"),
    ];

    /// Whether hetsim hands jobs to it, or shows only how that is done.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check_driven(self) -> Result<(), SubmitError> {
        if self == Self::Hq { Err(hq::refusal()) } else { Ok(()) }
    }
}

/// What the shards of a sweep need to be run as jobs.
#[derive(Debug, Clone)]
pub struct Request {
    /// The program: this one.
    pub program: PathBuf,
    /// The folder against which names on the command line are read.
    pub current: PathBuf,
    /// The whole path of the scenario's file.
    pub scenario: PathBuf,
    /// Values put over it.
    pub overrides: Vec<String>,
    /// The whole path of the folder that results folders are in.
    pub out: PathBuf,
    /// The name of the scenario, which is that of its results folder.
    pub name: String,
    /// The shards to compute, in their order; all of one split, and one at least.
    pub shards: Vec<Shard>,
    /// What the user asks of the system.
    pub resources: Resources,
}

/// What a user asks of a batch system, in its own words.
#[derive(Debug, Clone, Default)]
pub struct Resources {
    /// The partition or queue.
    pub partition: Option<String>,
    /// Who pays.
    pub account: Option<String>,
    /// The longest time that a shard may take.
    pub time: Option<String>,
    /// Memory of a shard.
    pub memory: Option<String>,
    /// Cores of a shard, and threads of its process.
    pub cpus: u32,
    /// How many shards run at once at most.
    pub at_once: Option<u32>,
    /// Further options, passed on as they are.
    pub options: Vec<String>,
}

/// Why nothing, or not everything, was submitted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubmitError {
    /// The system can't do what was asked.
    #[error("{0}")]
    Unfit(String),
    /// A path can't be written in a script.
    #[error("{} can't be written in a script: its name is not UTF-8, or holds a byte 0", .0.display())]
    Name(PathBuf),
    /// A file can't be written.
    #[error("{0}")]
    Files(#[from] io::Error),
    /// A program of the system can't be started.
    #[error("`{program}` can't be started ({cause}): is {system} here? --dry-run shows what would be done")]
    Start {
        /// The program.
        program: String,
        /// What it belongs to.
        system: &'static str,
        /// Why not.
        cause: io::Error,
    },
    /// It refused.
    #[error("`{command}` failed: {message}")]
    Refused {
        /// As it would be typed.
        command: String,
        /// What it said.
        message: String,
    },
}

/// Scripts and commands, before anything is done with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The folder of the scripts.
    pub folder: PathBuf,
    /// Names of scripts with their texts.
    pub scripts: Vec<(&'static str, String)>,
    /// Commands as they would be typed in `folder`; [`slurm`](Engine::Slurm)'s second one names the job of the first as
    /// `ARRAY`.
    pub commands: Vec<String>,
}

/// What was handed to a system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// The system.
    pub engine: Engine,
    /// When, in seconds since 1970.
    pub submitted_s: u64,
    /// Its shards.
    pub shards: Vec<Shard>,
    /// The system's name for the job, where it has one.
    pub job: Option<String>,
    /// And for the job that merges.
    pub merge_job: Option<String>,
}

/// What a queue knows of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queued {
    /// It can't be asked, or was never handed this shard.
    Unknown,
    /// It was handed this shard once and has it no more.
    Gone,
    /// It has it.
    Waiting(Waiting),
}

/// What a job in a queue waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// To start.
    ToStart,
    /// It runs.
    ToEnd,
}

impl Request {
    /// The whole path of the results folder.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.out.join(&self.name)
    }

    /// The scripts and commands for a system.
    ///
    /// # Errors
    /// The system can't do what was asked, or a path can't be written in a script.
    pub fn prepare(&self, engine: Engine) -> Result<Prepared, SubmitError> {
        match engine {
            Engine::Slurm => slurm::prepare(self),
            Engine::Parallel => parallel::prepare(self),
            Engine::Hq => hq::prepare(self),
        }
    }

    /// Writes the scripts, hands them to the system and remembers that. GNU parallel is waited for.
    ///
    /// # Errors
    /// What [`prepare`](Self::prepare) says, a script that can't be written, or a system that is not here or refuses.
    pub fn submit(&self, engine: Engine) -> Result<Submission, SubmitError> {
        let prepared = self.prepare(engine)?;
        engine.check_driven()?;
        std::fs::create_dir_all(&prepared.folder)?;
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

    /// A script that computes the shard whose index the shell finds in `index`, such as `$SLURM_ARRAY_TASK_ID`.
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

    /// A script that makes results of what the shards have stored.
    fn merge_script(&self) -> Result<String, SubmitError> {
        let folder = self.folder();
        Ok(format!(
            "#!/bin/sh\n\
             # Makes results of what the shards have stored, if nothing lacks. Written by `hetsim submit`, which writes it again.\n\
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

    /// What the shards are called in a queue.
    fn job_name(&self) -> String {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
        format!("hetsim-{}", self.name.chars().map(plain).collect::<String>())
    }

    /// The folder of the scripts.
    fn jobs(&self) -> PathBuf {
        self.folder().join(JOBS)
    }
}

/// Words as they are typed at a shell, for people; words that no shell can take stand as they are.
#[must_use]
pub fn command_line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    quoted(words.iter().copied()).unwrap_or_else(|_| words.join(" "))
}

/// A path as text.
fn text(path: &Path) -> Result<&str, SubmitError> {
    path.to_str().ok_or_else(|| SubmitError::Name(path.to_owned()))
}

/// Words as a shell reads them back.
fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<String, SubmitError> {
    let words: Vec<&str> = words.into_iter().collect();
    shlex::try_join(words.iter().copied()).map_err(|_| SubmitError::Name(words.join(" ").into()))
}

/// The submissions that a results folder remembers, oldest first. A file that can't be read says nothing.
#[must_use]
pub fn submissions(folder: &Path) -> Vec<Submission> {
    let text = std::fs::read_to_string(folder.join(JOBS).join(RECORD)).ok();
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// The file that remembers what was submitted.
const RECORD: &str = "submissions.json";

/// Adds a submission to what the folder remembers, or puts it in the place of one of the same job.
fn remember(folder: &Path, submission: &Submission) -> io::Result<()> {
    let mut all = submissions(folder);
    all.retain(|other| other.job.is_none() || other.job != submission.job || other.engine != submission.engine);
    all.push(submission.clone());
    let text = serde_json::to_string_pretty(&all).map_err(io::Error::other)?;
    write_text(&folder.join(JOBS).join(RECORD), &format!("{text}\n"))
}

/// Runs a command to its end and gives what it printed.
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
