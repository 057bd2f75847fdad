//! The executions of `WfFormat` 1.5: run times and machines of tasks, seldom with instants.

use serde::Deserialize;

use super::time::{INSTANT, instant};
use super::{LoggedTask, TaskLog};
use crate::read::ReadError;

/// The file, as far as a log goes.
#[derive(Deserialize)]
struct ExecutedFile {
    workflow: ExecutedWorkflow,
}

/// A workflow that was executed.
#[derive(Deserialize)]
struct ExecutedWorkflow {
    execution: ExecutedTasks,
}

/// The tasks that were executed.
#[derive(Deserialize)]
struct ExecutedTasks {
    tasks: Vec<ExecutedTask>,
}

/// A task that was executed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a task with `id` and `runtimeInSeconds`")]
struct ExecutedTask {
    id: String,
    runtime_in_seconds: f64,
    executed_at: Option<String>,
    #[serde(default)]
    machines: Vec<String>,
    core_count: Option<f64>,
    command: Option<ExecutedCommand>,
    read_bytes: Option<f64>,
    written_bytes: Option<f64>,
}

/// What a task ran.
#[derive(Deserialize)]
struct ExecutedCommand {
    program: Option<String>,
}

pub(super) fn read(text: &str, log: &mut TaskLog) -> Result<(), ReadError> {
    let file: Result<ExecutedFile, serde_json::Error> = serde_json::from_str(text);
    let file = file.map_err(|error| ReadError::at(error.line(), error.to_string()))?;
    for task in &file.workflow.execution.tasks {
        let wrong = |message: String| ReadError::at(0, format!("task `{}`: {message}", task.id));
        if task.machines.len() > 1 {
            log.ignore("tasks on several machines");
            continue;
        }
        let at = |text: &String| {
            instant(text).ok_or_else(|| wrong(format!("`executedAt`: expected {INSTANT}, not `{text}`")))
        };
        let program = task.command.as_ref().and_then(|command| command.program.as_deref());
        let read = LoggedTask {
            // WfCommons names a task after its program: `mProject_ID0000012`.
            kind: log.kind(program.or(task.id.split("_ID").next()).unwrap_or_default()),
            machine: log.machine(task.machines.first().map_or("", String::as_str)),
            cores: task.core_count,
            started: task.executed_at.as_ref().map(at).transpose()?,
            seconds: task.runtime_in_seconds,
            bytes: [task.read_bytes, task.written_bytes],
            ..LoggedTask::default()
        };
        log.push(read).map_err(wrong)?;
    }
    Ok(())
}
