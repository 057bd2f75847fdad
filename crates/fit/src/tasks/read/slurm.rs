//! The accounting of Slurm, `sacct --parsable2`: columns by name, with `|` between.

use super::time::instant;
use super::{LoggedTask, TaskLog};
use crate::read::ReadError;
use crate::read::table::{AMOUNT, RowLength, TableReader, amount};

/// What is expected of the instants of a job that ran.
const WHEN: &str = "an instant such as 2026-03-01T12:00:00";

pub(super) fn read(text: &str, log: &mut TaskLog) -> Result<(), ReadError> {
    let mut table = TableReader::separated(text.as_bytes(), b'|', RowLength::Titles)?;
    let [id, nodes, state, start, end] = table.columns(["JobID", "NodeList", "State", "Start", "End"])?;
    let [name, submit, cpus] = ["JobName", "Submit", "AllocCPUS"].map(|title| table.find(title));
    while table.advance()? {
        // `CANCELLED by 1000`, or `COMPLETED` alone.
        let state = table.cell(state).split_whitespace().next().unwrap_or_default().trim_end_matches('+');
        let ran = |column: usize| !["", "Unknown", "None"].contains(&table.cell(column));
        let ignored = if table.cell(id).contains('.') {
            Some("job steps")
        } else if ["PENDING", "RUNNING", "REQUEUED", "RESIZING", "SUSPENDED"].contains(&state) {
            Some("jobs that have not ended")
        } else if state == "CANCELLED" && !(ran(start) && ran(end)) {
            Some("jobs cancelled before they started")
        } else if table.cell(nodes).contains([',', '[']) {
            Some("jobs on several nodes")
        } else {
            None
        };
        if let Some(what) = ignored {
            log.ignore(what);
            continue;
        }
        let at = |column: usize| table.value(column, WHEN, instant);
        let started = at(start)?;
        let task = LoggedTask {
            kind: log.kind(table.cell_of(name)),
            machine: log.machine(table.cell(nodes)),
            cores: table.value_of(cpus, AMOUNT, amount)?,
            has_failed: state != "COMPLETED",
            submitted: submit.map(at).transpose()?,
            started: Some(started),
            seconds: at(end)? - started,
            ..LoggedTask::default()
        };
        log.push(task).map_err(|message| table.error(message))?;
    }
    Ok(())
}
