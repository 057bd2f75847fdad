//! The job log of GNU parallel: `Seq Host Starttime JobRuntime Send Receive Exitval Signal Command`, with tabs between.

use super::time::{INSTANT, instant};
use super::{LoggedTask, TaskLog};
use crate::read::ReadError;
use crate::read::table::{AMOUNT, RowLength, TableReader, amount};

pub(super) fn read(text: &str, log: &mut TaskLog) -> Result<(), ReadError> {
    let mut table = TableReader::separated(text.as_bytes(), b'\t', RowLength::TitlesOrMore)?;
    let [host, start, runtime, status, signal, command] =
        table.columns(["Host", "Starttime", "JobRuntime", "Exitval", "Signal", "Command"])?;
    let [sent, received] = ["Send", "Receive"].map(|title| table.find(title));
    while table.advance()? {
        // Jobs on this machine have a colon in the place of a host.
        let task = LoggedTask {
            kind: log.kind(program(table.cell(command))),
            machine: log.machine(if table.cell(host) == ":" { "localhost" } else { table.cell(host) }),
            has_failed: [status, signal].iter().any(|&column| table.cell(column) != "0"),
            started: Some(table.value(start, INSTANT, instant)?),
            seconds: table.value(runtime, "a time in seconds", amount)?,
            bytes: [table.value_of(sent, AMOUNT, amount)?, table.value_of(received, AMOUNT, amount)?],
            ..LoggedTask::default()
        };
        log.push(task).map_err(|message| table.error(message))?;
    }
    Ok(())
}

/// The program that a command line runs, without its folders.
fn program(command: &str) -> &str {
    let first = command.split_whitespace().find(|word| !word.contains('=')).unwrap_or_default();
    first.rsplit('/').next().unwrap_or_default()
}
