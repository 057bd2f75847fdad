//! The state that a shard reports: a small file, written atomically when the shard starts, while it computes, and when
//! it ends.
//!
//! It is for people. The store tells what was computed: a killed shard claims forever to be running.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{Process, SHARDS, Shard};
use crate::batch::run::BatchOutcome;
use crate::batch::subfolder;
use crate::batch::write::{read_json, write_json};

/// The interval between heartbeats of a running shard.
const SIGN_EVERY: Duration = Duration::from_secs(10);

/// The maximum number of stored reasons for failed runs; all failed runs are counted.
const MOST_REASONS: usize = 10;

/// The phase of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The shard is computing.
    Running,
    /// All its runs are stored.
    Finished,
    /// Some runs failed, or could not be stored.
    Failed,
    /// The shard was asked to stop.
    Interrupted,
}

/// The batch job of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The batch system: slurm, hyperqueue, parallel, pbs, lsf.
    pub system: String,
    /// The job ID; `12_3` is task 3 of array 12.
    pub id: String,
}

impl Job {
    /// The batch job of this process, from the environment variables of the systems.
    #[must_use]
    pub fn own() -> Option<Self> {
        Self::read(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn read(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let array = |job: &str, task: &str| Some(format!("{}_{}", variable(job)?, variable(task)?));
        // The innermost first: HyperQueue and GNU parallel may run inside a Slurm job.
        let (system, id) = None
            .or_else(|| array("HQ_JOB_ID", "HQ_TASK_ID").map(|id| ("hyperqueue", id)))
            .or_else(|| array("PARALLEL_PID", "PARALLEL_SEQ").map(|id| ("parallel", id)))
            .or_else(|| array("SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID").map(|id| ("slurm", id)))
            .or_else(|| variable("SLURM_JOB_ID").map(|id| ("slurm", id)))
            .or_else(|| variable("PBS_JOBID").map(|id| ("pbs", id)))
            .or_else(|| variable("LSB_JOBID").map(|id| ("lsf", id)))?;
        Some(Self { system: system.to_owned(), id })
    }
}

/// The reported state of a shard: `shards/3-of-16.json` in the results folder. Times are seconds since 1970.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShardState {
    /// The shard.
    pub shard: Shard,
    /// The phase.
    pub state: Phase,
    /// The number of its runs, including those that others computed.
    pub runs: usize,
    /// The number of completed runs; while the shard computes, failed runs are included.
    pub done: usize,
    /// The number of failed runs.
    pub failed: usize,
    /// The reasons for the first few failures.
    pub reasons: Vec<String>,
    /// The process.
    pub process: Process,
    /// The batch job of the process.
    pub job: Option<Job>,
    /// The start time.
    pub started_s: u64,
    /// The time of the last write.
    pub updated_s: u64,
    /// The end time.
    pub ended_s: Option<u64>,
    /// The wall seconds of its simulations, summed over threads and attempts.
    pub simulation_wall_s: f64,
    /// The peak memory of the process; `None` if the system does not provide it.
    pub peak_memory_bytes: Option<u64>,
}

impl ShardState {
    /// The state of a starting shard with this many runs, some of them completed.
    #[must_use]
    pub fn starting(shard: Shard, runs: usize, done: usize) -> Self {
        let now = now();
        Self {
            shard,
            state: Phase::Running,
            runs,
            done,
            failed: 0,
            reasons: Vec::new(),
            process: Process::own(),
            job: Job::own(),
            started_s: now,
            updated_s: now,
            ended_s: None,
            simulation_wall_s: 0.0,
            peak_memory_bytes: None,
        }
    }

    /// Reads the last state of a shard, if there is one. An invalid file counts as missing.
    #[must_use]
    pub fn read(folder: &Path, shard: Shard) -> Option<Self> {
        read(&folder.join(SHARDS).join(shard.file_name())).filter(|state| state.shard == shard)
    }

    /// Reads the last states of all shards of any split, in order.
    #[must_use]
    pub fn read_all(folder: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(folder.join(SHARDS)).into_iter().flatten().flatten();
        // A kill may leave a temporary file behind.
        let own = |entry: std::fs::DirEntry| {
            read(&entry.path()).filter(|state| entry.file_name().to_str() == Some(&state.shard.file_name()))
        };
        let mut states: Vec<Self> = entries.filter_map(own).collect();
        states.sort_by_key(|state| state.shard);
        states
    }

    /// Writes the state atomically into an existing results folder.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let shards = folder.join(SHARDS);
        subfolder::make(&shards)?;
        write_json(&shards.join(self.shard.file_name()), self)
    }

    /// The time since the last heartbeat.
    #[must_use]
    pub fn silence(&self) -> Duration {
        Duration::from_secs(now().saturating_sub(self.updated_s))
    }
}

fn read(path: &Path) -> Option<ShardState> {
    read_json(path).ok().flatten()
}

/// Seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Writes the state of a running shard periodically, from its own thread.
#[derive(Debug)]
pub struct Reporter {
    shared: Arc<Shared>,
    // Dropped to end the thread.
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    state: Mutex<ShardState>,
    done: AtomicUsize,
}

impl Shared {
    fn write(&self, change: impl FnOnce(&mut ShardState)) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.updated_s = now();
        change(&mut state);
        state.write(&self.folder)
    }
}

impl Reporter {
    /// Writes the first state into a results folder and starts the heartbeats.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn start(folder: &Path, state: ShardState) -> io::Result<Self> {
        state.write(folder)?;
        let done = AtomicUsize::new(state.done);
        let shared = Arc::new(Shared { folder: folder.to_owned(), state: Mutex::new(state), done });
        let (stop, stopped) = mpsc::channel::<()>();
        let signs = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("heartbeat".to_owned()).spawn(move || {
            while stopped.recv_timeout(SIGN_EVERY) == Err(RecvTimeoutError::Timeout) {
                let written = signs.write(|state| state.done = signs.done.load(Ordering::Relaxed));
                if let Err(error) = written {
                    // Only the runs matter, and they are stored elsewhere.
                    log::warn!("the heartbeat cannot be written: {error}");
                }
            }
        })?;
        Ok(Self { shared, stop: Some(stop), thread: Some(thread) })
    }

    /// Counts completed runs.
    pub fn done(&self, runs: usize) {
        self.shared.done.fetch_add(runs, Ordering::Relaxed);
    }

    /// Adds runs to the total.
    pub fn more(&self, runs: usize) {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).runs += runs;
    }

    /// Writes the final state: with an outcome and the number of runs completed before, or with an error.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn end(mut self, outcome: Result<(&BatchOutcome, usize), &str>, peak_memory: Option<u64>) -> io::Result<()> {
        self.stop();
        self.shared.write(|state| {
            state.ended_s = Some(now());
            state.peak_memory_bytes = peak_memory;
            match outcome {
                Ok((outcome, before)) => {
                    state.done = before + outcome.computed;
                    state.failed = outcome.failed.len();
                    state.reasons =
                        outcome.failed.iter().take(MOST_REASONS).map(|(_, reason)| reason.clone()).collect();
                    state.simulation_wall_s += outcome.simulating.as_secs_f64();
                    state.state = match outcome {
                        BatchOutcome { interrupted: true, .. } => Phase::Interrupted,
                        BatchOutcome { failed, .. } if !failed.is_empty() => Phase::Failed,
                        _ => Phase::Finished,
                    };
                }
                Err(reason) => {
                    state.state = Phase::Failed;
                    state.reasons = vec![reason.to_owned()];
                }
            }
        })
    }

    fn stop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It panics only through a bug; then the heartbeats end.
            let _ = thread.join();
        }
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_job_counts() {
        let job = |pairs: &[(&str, &str)]| {
            let variable =
                |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            Job::read(variable).map(|job| format!("{} {}", job.system, job.id))
        };
        assert_eq!(job(&[]), None);
        assert_eq!(job(&[("SLURM_JOB_ID", "15")]).as_deref(), Some("slurm 15"));
        let array = [("SLURM_JOB_ID", "15"), ("SLURM_ARRAY_JOB_ID", "12"), ("SLURM_ARRAY_TASK_ID", "3")];
        assert_eq!(job(&array).as_deref(), Some("slurm 12_3"));
        let inside = [array.as_slice(), &[("HQ_JOB_ID", "1"), ("HQ_TASK_ID", "7")]].concat();
        assert_eq!(job(&inside).as_deref(), Some("hyperqueue 1_7"));
    }

    #[test]
    fn a_state_tells_how_it_ended() {
        let folder = tempfile::tempdir().unwrap();
        let shard = Shard::new(1, 4).unwrap();
        assert!(ShardState::read(folder.path(), shard).is_none());
        let reporter = Reporter::start(folder.path(), ShardState::starting(shard, 10, 2)).unwrap();
        let state = ShardState::read(folder.path(), shard).unwrap();
        assert_eq!((state.state, state.runs, state.done, state.ended_s), (Phase::Running, 10, 2, None));
        assert!(state.silence() < Duration::from_mins(1));
        reporter.done(1);
        let failed = vec![((3, 0), "no route".to_owned())];
        let outcome = BatchOutcome { computed: 7, failed, ..BatchOutcome::default() };
        reporter.end(Ok((&outcome, 2)), None).unwrap();
        let state = ShardState::read(folder.path(), shard).unwrap();
        assert_eq!((state.state, state.done, state.failed), (Phase::Failed, 9, 1));
        assert_eq!((state.reasons, state.ended_s.is_some()), (vec!["no route".to_owned()], true));
        std::fs::write(folder.path().join("shards/2-of-4.json"), "{").unwrap();
        assert_eq!(ShardState::read_all(folder.path()).len(), 1);
    }
}
