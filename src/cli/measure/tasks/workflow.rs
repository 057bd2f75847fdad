//! Logs whose tasks wait for each other: the graph of the tasks, and the scenario that runs it where they ran.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::super::super::console::Console;
use super::super::super::{Failure, bad_input};
use super::super::{PLATFORM, write_file};
use super::written::{Operations, measured, platform_speeds};
use super::{TextTable, table};
use crate::fit::tasks::{Dependencies, LoggedTask, ProcessPair, TaskFit, TaskLog, most_submitted};
use crate::graph::read::{Drawing, Format};
use crate::graph::{Builder, GraphError, TaskGraph, write};
use crate::input::Input;
use crate::printable::counted;

/// The scenario in the results folder, and the graph beside it.
const SCENARIO: &str = "workflow.toml";
const GRAPH: &str = "graph.toml";

/// Reads a drawing of the processes of a log, and finds what its tasks waited for.
pub(in crate::cli) fn dependencies(log: &TaskLog, file: &Path) -> Result<Dependencies, Failure> {
    let text = Input::open(file).and_then(Input::text).map_err(bad_input)?;
    let failed = |message: String| bad_input(format!("{}: {message}", file.display()));
    let other =
        if text.contains("digraph") { "" } else { ": Nextflow writes one if the name of the file ends in `.dot`" };
    let drawing = Drawing::read(&text).map_err(|error| failed(format!("{error}{other}")))?;
    Dependencies::of(log, &drawing).map_err(failed)
}

/// Writes the graph, its machines, and the scenario that runs it on them, whose file it returns.
pub(in crate::cli) fn write_workflow(
    console: &Console,
    folder: &Path,
    (log, fit, found): (&TaskLog, &TaskFit, &Dependencies),
    files: &[PathBuf],
) -> Result<PathBuf, Failure> {
    let graph = graph(log, fit, found).map_err(|error| Failure::Run(error.to_string()))?;
    let mut text = Vec::new();
    write::write(&graph, Format::Toml, &mut text).map_err(|error| Failure::Run(error.to_string()))?;
    write_file(console, &folder.join(GRAPH), &String::from_utf8_lossy(&text))?;
    write_file(console, &folder.join(PLATFORM), &platform(log, fit, files))?;
    let file = folder.join(SCENARIO);
    write_file(console, &file, &scenario(log, found))?;
    Ok(file)
}

/// The tasks in the order of the log, also those that failed, each with its process, its machine and its operations.
fn graph(log: &TaskLog, fit: &TaskFit, found: &Dependencies) -> Result<TaskGraph, GraphError> {
    let mut builder = Builder::with_capacity(log.tasks.len(), found.edges.len());
    builder.declare_machines(log.machines().iter().map(String::as_str));
    let operations = Operations::of(log, fit);
    let mut numbers = vec![u32::MAX; log.tasks.len()];
    let mut times_named: HashMap<String, usize> = HashMap::new();
    for (task, number) in log.tasks.iter().zip(&mut numbers) {
        let process = &log.kinds()[task.kind as usize];
        let tag = task.tag.map(|tag| format!(" ({})", log.tags()[tag as usize])).unwrap_or_default();
        let name = format!("{process}{tag}");
        let times = times_named.entry(name.clone()).or_default();
        *times += 1;
        let name = if *times == 1 { name } else { format!("{name} #{times}") };
        *number = builder.named_task(&name, operations.of_task(task))?;
        builder.task_type(*number, process)?;
        builder.machine(*number, &log.machines()[task.machine as usize])?;
    }
    for &(from, to) in &found.edges {
        builder.edge(numbers[from as usize], numbers[to as usize], 0)?;
    }
    builder.build()
}

/// A node for each machine, for `platform.include`.
fn platform(log: &TaskLog, fit: &TaskFit, files: &[PathBuf]) -> String {
    // Tasks of less than a second are told apart by what runs at the same time.
    let most = most_submitted(log).into_iter().zip(&fit.machines);
    let cores: Vec<String> = most.map(|(most, machine)| most.max(machine.used.slots).to_string()).collect();
    format!(
        "# Machines by `hetsim measure --tasks {}`: a core for each task that had been submitted to the machine and had not\n\
         # ended at the same time. The median machine has 1Gop/s. No data pass from node to node: what a task waits for them is\n\
         # in the scenario's `type_dispatch`.\n\n\
         [cluster.machines]\nnodes = {}\nnode_cores = [{}]\n{}\
         network = {{ model = \"delay\", latency = \"0s\", bandwidth = \"1GB/s\" }}\n",
        measured(files),
        fit.machines.len(),
        cores.join(", "),
        platform_speeds(log, fit, |_| 1),
    )
}

/// What passes from the submission of tasks of each type to their start, in seconds, in the mean.
fn dispatch(log: &TaskLog) -> String {
    let mut sums = vec![(0.0, 0_u32); log.kinds().len()];
    for task in &log.tasks {
        if let (Some(submitted), Some(started)) = (task.submitted, task.started) {
            let sum = &mut sums[task.kind as usize];
            *sum = (sum.0 + (started - submitted).max(0.0), sum.1 + 1);
        }
    }
    let lines = log.kinds().iter().zip(sums).filter(|(_, (_, count))| *count > 0);
    let line = |(name, (sum, count)): (&String, (f64, u32))| {
        format!("{} = \"{:.6}s\"\n", toml::Value::from(name.as_str()), sum / f64::from(count))
    };
    lines.map(line).collect()
}

fn scenario(log: &TaskLog, found: &Dependencies) -> String {
    let submitted = log.tasks.iter().filter_map(|task| task.submitted).fold(f64::INFINITY, f64::min);
    let ended = log.tasks.iter().filter_map(LoggedTask::ended).fold(submitted, f64::max);
    format!(
        "# The tasks of a workflow where they ran, each when those before it have ended. The log took {:.3} s.\n\
         version = 1\nquestion = \"What does this workflow take on its machines?\"\n\n\
         [platform]\ninclude = \"{PLATFORM}\"\n\n\
         [workload]\nkind = \"taskgraph\"\nfile = \"{GRAPH}\"\nscheduler = \"recorded\"\n\n\
         [workload.system]\nsubmission = \"{:.9}s\"\n\n[workload.system.type_dispatch]\n{}",
        ended - submitted,
        found.between_submissions(log).unwrap_or_default(),
        dispatch(log),
    )
}

/// Which processes wait for which, and how that was found.
pub(super) fn pairs(log: &TaskLog, found: &Dependencies) -> TextTable {
    let name = |kind: u32| log.kinds()[kind as usize].clone();
    let rows = found.pairs.iter().map(|pair| {
        vec![name(pair.from), name(pair.to), pair.dependencies.to_string(), pair.pairing.name().to_owned()]
    });
    let mut notes: Vec<String> = super::left_out(found.pairs.len(), "--json").into_iter().collect();
    if found.contradicted > 0 {
        let pairs = counted(found.contradicted, "pair");
        notes
            .push(format!("Not counted: {pairs} whose tags match, though the second task did not wait for the first."));
    }
    let title = "Dependencies between tasks, by the graph of processes and by tags or instants".to_owned();
    let rows = rows.take(super::MOST_ROWS).collect();
    TextTable { keys: 2, ..table(title, &["predecessor", "successor", "dependencies", "by"], rows, notes) }
}

/// The same with all of them.
pub(super) fn json(log: &TaskLog, found: &Dependencies) -> Json {
    let name = |kind: u32| &log.kinds()[kind as usize];
    let pair = |pair: &ProcessPair| {
        json!({
            "predecessor": name(pair.from), "successor": name(pair.to), "dependencies": pair.dependencies,
            "by": pair.pairing.name(),
        })
    };
    json!({
        "processes": found.pairs.iter().map(pair).collect::<Vec<Json>>(),
        "contradicted": found.contradicted,
        "between_submissions_s": found.between_submissions(log),
    })
}
