//! The task stream of Dask as JSON: what `get_task_stream` returns, with the intervals of each task.

use std::borrow::Cow;

use serde::Deserialize;

use super::{LoggedTask, TaskLog};
use crate::read::ReadError;

/// A task of the stream.
#[derive(Deserialize)]
#[serde(expecting = "a task with `key`, `worker` and `startstops`")]
struct StreamTask<'t> {
    #[serde(borrow)]
    key: Cow<'t, str>,
    #[serde(borrow)]
    worker: Cow<'t, str>,
    #[serde(default)]
    thread: Option<u64>,
    #[serde(borrow, default)]
    status: Cow<'t, str>,
    #[serde(default)]
    nbytes: Option<f64>,
    #[serde(borrow)]
    startstops: Vec<Interval<'t>>,
}

/// What a worker did for a task, from when to when in seconds.
#[derive(Deserialize)]
#[serde(expecting = "an interval with `action`, `start` and `stop`")]
struct Interval<'t> {
    #[serde(borrow)]
    action: Cow<'t, str>,
    start: f64,
    stop: f64,
}

pub(super) fn read(text: &str, log: &mut TaskLog) -> Result<(), ReadError> {
    let stream: Result<Vec<StreamTask<'_>>, serde_json::Error> = serde_json::from_str(text);
    let stream = stream.map_err(|error| ReadError::at(error.line(), error.to_string()))?;
    for task in &stream {
        let thread = task.thread.map(|thread| format!("{} {thread}", task.worker));
        for interval in &task.startstops {
            if interval.action != "compute" {
                log.ignore("actions other than compute");
                continue;
            }
            let read = LoggedTask {
                kind: log.kind(prefix(&task.key)),
                machine: log.machine(&task.worker),
                slot: thread.as_deref().map(|thread| log.slots.number(thread)),
                has_failed: !["", "OK"].contains(&&*task.status),
                started: Some(interval.start),
                seconds: interval.stop - interval.start,
                bytes: [None, task.nbytes],
                ..LoggedTask::default()
            };
            log.push(read).map_err(|message| ReadError::at(0, format!("task `{}`: {message}", task.key)))?;
        }
    }
    Ok(())
}

/// The function of a key: `inc` of `inc-4f2a9`, `read-csv` of `read-csv-1e8e4d09-1886-7` and of `('read-csv-4f2a9', 0)`.
fn prefix(key: &str) -> &str {
    let name = key.trim_start_matches(['(', '\'', '"']);
    let name = name.split(['\'', '"', ',']).next().unwrap_or_default();
    // What follows the name are digests and numbers.
    let is_digest = |part: &str| part.bytes().any(|byte| byte.is_ascii_digit());
    let mut end = name.find('-').unwrap_or(name.len());
    while let Some(next) = name[end..].strip_prefix('-').map(|rest| rest.split('-').next().unwrap_or_default()) {
        if is_digest(next) {
            break;
        }
        end += 1 + next.len();
    }
    &name[..end]
}
