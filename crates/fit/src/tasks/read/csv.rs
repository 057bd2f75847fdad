//! Any CSV with a row a task; the task streams of Dask as tables are such, too.

use super::time::{INSTANT, instant};
use super::{LoggedTask, TaskLog};
use crate::read::ReadError;
use crate::read::table::{AMOUNT, RowLength, TableReader, amount};
use hetsim_text::nearest;

/// What columns are for, each with other titles that are usual.
const COLUMNS: [(&str, &[&str]); 12] = [
    ("task", &["key", "id"]),
    ("type", &["name", "kind"]),
    ("tag", &["sample"]),
    ("machine", &["worker", "host", "hostname", "node"]),
    ("slot", &["thread", "core"]),
    ("submitted", &["submit"]),
    ("started", &["start", "begin"]),
    ("ended", &["end", "stop"]),
    ("seconds", &["duration_s"]),
    ("cores", &["cpus"]),
    ("bytes_in", &[]),
    ("bytes_out", &[]),
];

pub(super) fn read(text: &str, log: &mut TaskLog, columns: &[(String, String)]) -> Result<(), ReadError> {
    let mut table = TableReader::of_commas(text.as_bytes(), RowLength::Titles)?;
    for (meant, _) in columns {
        if !COLUMNS.iter().any(|(name, _)| name == meant) {
            let names = COLUMNS.map(|(name, _)| name);
            let near = nearest(meant, names.iter().copied()).map(|near| format!(": is it `{near}`?"));
            let advice = near.unwrap_or_else(|| format!("; there are {}", names.join(", ")));
            return Err(ReadError::at(0, format!("--columns: no column is for `{meant}`{advice}")));
        }
    }
    let find = |(name, others): (&str, &[&str])| match columns.iter().find(|(meant, _)| meant == name) {
        Some((_, title)) => table.column(title).map(Some),
        None => Ok(table.find(name).or_else(|| others.iter().find_map(|title| table.find(title)))),
    };
    let mut found = [None; COLUMNS.len()];
    for (found, column) in found.iter_mut().zip(COLUMNS) {
        *found = find(column)?;
    }
    let [_, kind, tag, machine, slot, submitted, started, ended, seconds, cores, bytes_in, bytes_out] = found;
    if seconds.is_none() && started.zip(ended).is_none() {
        return Err(table.error("there are neither columns `started` and `ended` nor `seconds`; --columns names them"));
    }
    // A task stream also tells transfers and what else keeps a worker busy.
    let action = table.find("action");
    while table.advance()? {
        if action.is_some_and(|action| table.cell(action) != "compute") {
            log.ignore("actions other than compute");
            continue;
        }
        let at = |column: Option<usize>| column.map(|column| table.value(column, INSTANT, instant)).transpose();
        let (started, ended) = (at(started)?, at(ended)?);
        let given = seconds.map(|column| table.value(column, "a time in seconds", amount)).transpose()?;
        let seconds = given.or_else(|| Some(ended? - started?)).unwrap_or_default();
        let number = |column: Option<usize>| table.value_of(column, AMOUNT, amount);
        let task = LoggedTask {
            kind: log.kind(table.cell_of(kind)),
            machine: log.machine(table.cell_of(machine)),
            tag: Some(table.cell_of(tag)).filter(|tag| !tag.is_empty()).map(|tag| log.tags.number(tag)),
            slot: slot.map(|slot| log.slots.number(table.cell(slot))),
            cores: number(cores)?,
            has_failed: false,
            submitted: table.value_of(submitted, INSTANT, instant)?,
            started: started.or_else(|| Some(ended? - seconds)),
            ended,
            seconds,
            bytes: [number(bytes_in)?, number(bytes_out)?],
        };
        log.push(task).map_err(|message| table.error(message))?;
    }
    Ok(())
}
