//! The trace of Nextflow: columns by name, with tabs between; times as people read them, or raw as milliseconds.

use super::time::{duration, instant};
use super::{LoggedTask, TaskLog};
use crate::read::ReadError;
use crate::read::table::{AMOUNT, RowLength, TableReader, amount};

/// What is expected of an instant.
const WHEN: &str = "an instant such as 2026-03-01 12:00:00.000, or milliseconds since 1970";

/// What is expected of a duration.
const HOW_LONG: &str = "a duration such as `1m 3s` or `250ms`, or milliseconds";

pub(super) fn read(text: &str, log: &mut TaskLog) -> Result<(), ReadError> {
    let mut table = TableReader::separated(text.as_bytes(), b'\t', RowLength::Titles)?;
    let [status, realtime] = table.columns(["status", "realtime"])?;
    let [process, name, tags, hostname, cpus] =
        ["process", "name", "tag", "hostname", "cpus"].map(|title| table.find(title));
    let [submit, start, complete, duration_of] =
        ["submit", "start", "complete", "duration"].map(|title| table.find(title));
    while table.advance()? {
        let state = table.cell(status);
        if state == "CACHED" {
            log.ignore("cached tasks");
            continue;
        }
        if ["NEW", "SUBMITTED", "RUNNING"].contains(&state) || table.cell(realtime) == "-" && state != "COMPLETED" {
            log.ignore("tasks that have not run to an end");
            continue;
        }
        let at = |column: Option<usize>| table.value_of(column, WHEN, millis_or(instant));
        let seconds = table.value(realtime, HOW_LONG, millis_or(duration))?;
        let submitted = at(submit)?;
        let until = table.value_of(duration_of, HOW_LONG, millis_or(duration))?;
        // A trace without starts has the instant or the duration until the task was complete.
        let complete = at(complete)?.or_else(|| Some(submitted? + until?));
        let started = at(start)?.or_else(|| Some(complete? - seconds));
        // `align (sample 7)` is a task of the process `align`.
        let (named, tag) = split(table.cell_of(name));
        let tag = tag.filter(|tag| !is_no_tag(tag)).or_else(|| said(table.cell_of(tags)));
        let task = LoggedTask {
            kind: log.kind(said(table.cell_of(process)).unwrap_or(named)),
            tag: tag.map(|tag| log.tags.number(tag)),
            machine: log.machine(table.cell_of(hostname)),
            cores: table.value_of(cpus, AMOUNT, amount)?,
            has_failed: state != "COMPLETED",
            submitted,
            started,
            seconds,
            ..LoggedTask::default()
        };
        log.push(task).map_err(|message| table.error(message))?;
    }
    Ok(())
}

/// The process and the tag of a task's name.
fn split(name: &str) -> (&str, Option<&str>) {
    match name.split_once(" (") {
        Some((process, tag)) => (process, Some(tag.strip_suffix(')').unwrap_or(tag))),
        None => (name, None),
    }
}

/// Whether that is the number of the task within its process, or a value that was not there.
fn is_no_tag(tag: &str) -> bool {
    tag == "null" || tag.bytes().all(|byte| byte.is_ascii_digit())
}

/// What a cell says, if it says anything.
fn said(cell: &str) -> Option<&str> {
    Some(cell).filter(|cell| !["", "-"].contains(cell))
}

/// Seconds of a number of milliseconds, or of what else may be written.
fn millis_or(other: fn(&str) -> Option<f64>) -> impl Fn(&str) -> Option<f64> {
    move |text| text.parse().map_or_else(|_| other(text), |millis: u64| Some(millis as f64 / 1e3))
}
