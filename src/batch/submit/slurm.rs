//! Slurm: the shards are the tasks of an array, and a dependent job merges.
//!
//! The merging job starts when all tasks have ended (`afterany`), not only when all succeeded (`afterok`): missing runs
//! are determined from the store and not from exit codes, and after a lost task an `afterok` job would stay in the
//! queue forever without a message. If runs are missing, it exits with 1 and names their shards. Submitting again
//! submits only those, with a merging job of their own.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Engine, Prepared, Queued, Request, Submission, SubmitError, Waiting, answer, quoted, remember};
use crate::batch::shard::Shard;

/// The maximum time that the queue may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The placeholder for the job ID of the array.
const ARRAY: &str = "ARRAY";

pub(super) fn prepare(request: &Request) -> Result<Prepared, SubmitError> {
    Ok(Prepared {
        folder: request.jobs(),
        scripts: vec![
            ("shard.sh", request.shard_script("$SLURM_ARRAY_TASK_ID")?),
            ("merge.sh", request.merge_script()?),
        ],
        commands: vec![
            quoted(array(request).iter().map(String::as_str))?,
            quoted(merge(request, ARRAY).iter().map(String::as_str))?,
        ],
    })
}

/// File names are relative to the folder of the jobs, where the command runs: Slurm interprets `%` in them.
fn array(request: &Request) -> Vec<String> {
    let at_once = request.resources.at_once.map(|tasks| format!("%{tasks}")).unwrap_or_default();
    let mut words = vec!["sbatch".to_owned(), "--parsable".to_owned()];
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    option("array", format!("{}{at_once}", request.ranges()));
    option("job-name", request.job_name());
    option("output", "shard-%a.%A.log".to_owned());
    option("cpus-per-task", request.resources.cpus.to_string());
    if let Some(memory) = &request.resources.memory {
        option("mem", memory.clone());
    }
    words.extend(common(request));
    words.push("shard.sh".to_owned());
    words
}

fn merge(request: &Request, job: &str) -> Vec<String> {
    let mut words = vec!["sbatch".to_owned(), "--parsable".to_owned()];
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    option("dependency", format!("afterany:{job}"));
    option("job-name", format!("{}-merge", request.job_name()));
    option("output", "merge.%j.log".to_owned());
    words.extend(common(request));
    words.push("merge.sh".to_owned());
    words
}

/// The options of both kinds of job.
fn common(request: &Request) -> Vec<String> {
    let resources = &request.resources;
    let given = [("partition", &resources.partition), ("account", &resources.account), ("time", &resources.time)];
    let given = given.into_iter().filter_map(|(name, value)| Some([format!("--{name}"), value.clone()?]));
    given.flatten().chain(resources.options.iter().cloned()).collect()
}

pub(super) fn submit(request: &Request, mut submission: Submission) -> Result<Submission, SubmitError> {
    let job = job_number(&array(request), &request.jobs())?;
    submission.job = Some(job.clone());
    // Before anything else can fail: the next submission must know of these jobs.
    remember(&request.folder(), &submission)?;
    submission.merge_job = Some(job_number(&merge(request, &job), &request.jobs())?);
    remember(&request.folder(), &submission)?;
    Ok(submission)
}

/// Parses the output of `sbatch --parsable`: the job ID and, with several clusters, a semicolon and the cluster.
fn job_number(words: &[String], folder: &Path) -> Result<String, SubmitError> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let said = answer(&words, folder, "Slurm")?;
    let number = said.trim().split(';').next().unwrap_or_default();
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        let command = quoted(words)?;
        return Err(SubmitError::Refused { command, message: format!("it printed no job ID, but {:?}", said.trim()) });
    }
    Ok(number.to_owned())
}

/// A user's jobs in Slurm's queue.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    /// The states by array job ID and task number.
    tasks: HashMap<(String, u32), Waiting>,
}

impl Queue {
    /// Asks `squeue`. Returns `None` if it is missing or does not answer.
    #[must_use]
    pub fn ask() -> Option<Self> {
        let mut child = Command::new("squeue")
            .args(["--me", "--array", "--noheader", "--format=%F|%K|%T"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut stdout = child.stdout.take()?;
        // Read in a separate thread, since a long answer would fill the pipe.
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            stdout.read_to_string(&mut text).map(|_| text)
        });
        let start = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => {
                    let text = reader.join().ok()?.ok()?;
                    return status.success().then(|| Self::read(&text));
                }
                Ok(None) if start.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(5)),
                _ => {
                    let _ = child.kill();
                    let _ = child.wait();
                    log::warn!("squeue does not answer");
                    return None;
                }
            }
        }
    }

    fn read(text: &str) -> Self {
        let task = |line: &str| {
            let mut parts = line.split('|');
            let (job, task, state) = (parts.next()?.trim(), parts.next()?.trim().parse().ok()?, parts.next()?.trim());
            let waiting = match state {
                "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT" => {
                    Waiting::ToStart
                }
                "RUNNING" | "SUSPENDED" | "STOPPED" | "SIGNALING" | "RESIZING" | "STAGE_OUT" => Waiting::ToEnd,
                // It has ended, and only the cleanup remains.
                _ => return None,
            };
            Some(((job.to_owned(), task), waiting))
        };
        Self { tasks: text.lines().filter_map(task).collect() }
    }

    /// The state of a shard, which may have been submitted several times.
    #[must_use]
    pub fn of(&self, shard: Shard, submissions: &[Submission]) -> Queued {
        let handed = |submission: &&Submission| {
            submission.engine == Engine::Slurm && submission.job.is_some() && submission.shards.contains(&shard)
        };
        let mut jobs = submissions.iter().filter(handed).filter_map(|submission| submission.job.clone()).peekable();
        if jobs.peek().is_none() {
            return Queued::Unknown;
        }
        jobs.find_map(|job| self.tasks.get(&(job, shard.index())))
            .map_or(Queued::Gone, |waiting| Queued::Waiting(*waiting))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_read() {
        let queue = Queue::read("12|0|RUNNING\n12|1|PENDING\n12|2|COMPLETING\n13|N/A|PENDING\n14|1|PENDING\n");
        let shards: Vec<Shard> = (0..4).map(|index| Shard::new(index, 8).unwrap()).collect();
        let submission = |job: &str| Submission {
            engine: Engine::Slurm,
            submitted_s: 0,
            shards: shards.clone(),
            job: Some(job.to_owned()),
            merge_job: None,
        };
        let of = |index: u32, jobs: &[&str]| {
            let submissions: Vec<Submission> = jobs.iter().map(|job| submission(job)).collect();
            queue.of(Shard::new(index, 8).unwrap(), &submissions)
        };
        assert_eq!(of(0, &["12"]), Queued::Waiting(Waiting::ToEnd));
        assert_eq!(of(1, &["12"]), Queued::Waiting(Waiting::ToStart));
        assert_eq!([of(2, &["12"]), of(3, &["12"])], [Queued::Gone; 2]);
        assert_eq!(of(1, &["11", "14"]), Queued::Waiting(Waiting::ToStart));
        assert_eq!([of(0, &[]), of(5, &["12"])], [Queued::Unknown; 2]);
    }
}
