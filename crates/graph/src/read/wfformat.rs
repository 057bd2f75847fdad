//! WfFormat, the JSON of WfCommons, in versions 1.2 to 1.6.
//!
//! Version 1.2 calls the tasks `jobs`. Version 1.5 splits the workflow into its specification and the measurements of
//! its run; 1.6 is read in the same way. Sizes are bytes: the old schemas say kilobytes, but every published instance
//! has bytes, as its authors' own migration to 1.4 shows. A task's operations are its run time in seconds, on a
//! reference processor of one operation per second. An edge leads from a parent to its child and carries the files that
//! the parent writes and the child reads; without shared files it carries nothing. A file that is listed several times
//! must have the same size each time.

mod written;

use super::collector::Collector;
use super::error::NOWHERE;
use super::files::Files;
use super::{Instance, ReadError, Reader};
use crate::TaskGraph;
use written::{Machine, Root, Version, WrittenRun, WrittenTask, WrittenText};

/// The format's reader.
#[derive(Debug)]
pub(super) struct Wfformat;

/// The supported versions.
const VERSIONS: [&str; 5] = ["1.2", "1.3", "1.4", "1.5", "1.6"];

impl Reader for Wfformat {
    fn read(&self, text: &str) -> Result<Vec<Instance>, ReadError> {
        // Check the version first: the meaning of the keys in another one is unknown.
        let json = |error: serde_json::Error| ReadError::json(text, &error);
        let version: Version<'_> = serde_json::from_str(text).map_err(json)?;
        let known = version.schema_version.as_deref();
        let known = known.ok_or_else(|| ReadError::general("expected `schemaVersion`, the version of WfFormat"))?;
        let Some(minor) = VERSIONS.iter().position(|&version| version == known) else {
            let message = format!("WfFormat {known} is not supported; supported versions are {}", VERSIONS.join(", "));
            return Err(place(text, known, message));
        };
        let root: Root<'_> = serde_json::from_str(text).map_err(json)?;
        let (tasks, runtimes) = parts(text, root.workflow, minor)?;
        let mut reading =
            WorkflowReading { text, graph: Collector::new(text), files: Files::new(tasks.len()), split: Vec::new() };
        for file in runtimes.files {
            let sized = file.bytes().and_then(|bytes| reading.files.size(file.id.clone(), bytes));
            sized.map_err(|message| place(text, &file.id, message))?;
        }
        let listed = runtimes.machines.iter().filter_map(|machine| machine.node_name.as_deref());
        reading.graph.declare_machines(listed);
        let mut works = Vec::with_capacity(tasks.len());
        let mut aliases = rustc_hash::FxHashMap::default();
        for task in &tasks {
            let id = task.id.as_ref().or(task.name.as_ref());
            let id = id.ok_or_else(|| ReadError::general("a task has neither `id` nor `name`"))?;
            let number = reading.graph.named(id.0.clone(), offset(text, id))?;
            let measured = runtimes.runs.get(&**id);
            let command = measured.and_then(|run| run.command.as_ref()).or(task.command.as_ref());
            let ran = command.and_then(|command| command.program.as_ref()).filter(|program| !program.is_empty());
            let program = ran.or(task.name.as_ref()).filter(|name| ***name != **id).map(|name| name.0.clone());
            if let Some(program) = program.or_else(|| program_of(&id.0).map(|name| name.to_owned().into())) {
                reading.graph.task_type(number, program);
            }
            if let Some(name) = &task.name {
                // Tasks with IDs may share a name; such a name identifies none of them.
                aliases.entry(&**name).and_modify(|other| *other = None).or_insert(Some(number));
            }
            let seconds = task.seconds().or(measured.map(|run| run.runtime_in_seconds));
            let seconds = seconds.ok_or_else(|| place(text, id, format!("task {:?} has no run time", &**id)))?;
            works.push((seconds, offset(text, id)));
            let ran_on = measured.and_then(|run| run.machines.as_deref()).unwrap_or_default();
            reading.ran_on(number, task.machine.iter().chain(ran_on));
            reading.passes(number, task)?;
        }
        reading.files.sort();
        reading.edges(&tasks, &aliases)?;
        Ok(vec![Instance {
            name: version.name.map(|name| name.to_string()),
            notes: reading.notes(),
            graph: reading.build(&works)?,
            timed: None,
            worked: None,
        }])
    }
}

/// The program of a task that is named after it and a number, as WfCommons names tasks: `mProject_ID0000012`.
fn program_of(name: &str) -> Option<&str> {
    let program = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let program = program.strip_suffix("_ID").filter(|_| program.len() < name.len())?;
    (!program.is_empty()).then_some(program)
}

/// The position of a name. It is part of the text, unless it contains escapes.
fn offset(text: &str, name: &str) -> usize {
    let offset = (name.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    if offset < text.len() { offset } else { NOWHERE }
}

/// An error at a name.
fn place(text: &str, name: &str, message: String) -> ReadError {
    ReadError::at(text, offset(text, name), message)
}

/// The measurements, which are separate from the tasks from 1.5 on, and the machines.
#[derive(Debug, Default)]
struct MeasuredRuns<'a> {
    runs: rustc_hash::FxHashMap<std::borrow::Cow<'a, str>, WrittenRun<'a>>,
    files: Vec<written::SizedFile<'a>>,
    machines: Vec<Machine<'a>>,
}

/// The tasks, wherever the version puts them.
fn parts<'a>(
    text: &str,
    workflow: written::Workflow<'a>,
    minor: usize,
) -> Result<(Vec<WrittenTask<'a>>, MeasuredRuns<'a>), ReadError> {
    let missing = |key: &str| {
        let version = VERSIONS[minor];
        ReadError::general(format!("expected `{key}` in the workflow, as WfFormat {version} has it"))
    };
    if minor < 3 {
        let (key, tasks) = if minor == 0 { ("jobs", workflow.jobs) } else { ("tasks", workflow.tasks) };
        let machines = workflow.machines.unwrap_or_default();
        return Ok((tasks.ok_or_else(|| missing(key))?, MeasuredRuns { machines, ..MeasuredRuns::default() }));
    }
    let specification = workflow.specification.ok_or_else(|| missing("specification"))?;
    let execution = workflow.execution.ok_or_else(|| missing("execution"))?;
    let mut runs = rustc_hash::FxHashMap::default();
    for run in execution.tasks {
        if let Some(other) = runs.insert(run.id.clone(), run) {
            return Err(place(text, &other.id, format!("task {:?} has two run times", other.id)));
        }
    }
    let machines = execution.machines.unwrap_or_default();
    Ok((specification.tasks, MeasuredRuns { runs, files: specification.files, machines }))
}

/// The state of the reader.
struct WorkflowReading<'a> {
    text: &'a str,
    graph: Collector<'a>,
    files: Files<'a>,
    /// The tasks that ran on several machines.
    split: Vec<u32>,
}

impl<'a> WorkflowReading<'a> {
    /// Notes on which machines a task ran: the first counts.
    fn ran_on<'b>(&mut self, number: u32, mut machines: impl Iterator<Item = &'b WrittenText<'a>>)
    where
        'a: 'b,
    {
        if let Some(first) = machines.next() {
            self.graph.machine(number, first.0.clone());
            if machines.any(|other| other != first) {
                self.split.push(number);
            }
        }
    }

    /// Says which machines of tasks were left out.
    fn notes(&self) -> Vec<ReadError> {
        let Some(&first) = self.split.first() else { return Vec::new() };
        let name = self.graph.name(first);
        let others = match self.split.len() - 1 {
            0 => String::new(),
            1 => ", and so did 1 other task".to_owned(),
            count => format!(", and so did {count} other tasks"),
        };
        vec![place(
            self.text,
            name,
            format!("task {name:?} ran on several machines{others}: the first that is named counts"),
        )]
    }

    /// Builds the graph with its files.
    fn build(mut self, works: &[(f64, usize)]) -> Result<TaskGraph, ReadError> {
        self.graph.files(self.files);
        self.graph.build(works, None)
    }

    /// Notes the files that a task reads and writes.
    fn passes(&mut self, number: u32, task: &WrittenTask<'a>) -> Result<(), ReadError> {
        for file in &task.input_files {
            self.files.read(number, file.0.clone());
        }
        for file in &task.output_files {
            self.files.write(number, file.0.clone());
        }
        for file in &task.files {
            let fault = |message: String| place(self.text, &file.id, message);
            if let Some(bytes) = file.bytes() {
                bytes.and_then(|bytes| self.files.size(file.id.clone(), bytes)).map_err(fault)?;
            }
            match file.link.as_ref() {
                "input" => self.files.read(number, file.id.clone()),
                "output" => self.files.write(number, file.id.clone()),
                other => return Err(fault(format!("expected the link `input` or `output`, not {other:?}"))),
            }
        }
        Ok(())
    }

    /// Adds an edge for each parent, and for each child that does not name the task as its parent.
    fn edges(
        &mut self,
        tasks: &[WrittenTask<'a>],
        aliases: &rustc_hash::FxHashMap<&str, Option<u32>>,
    ) -> Result<(), ReadError> {
        let mut pairs = Vec::new();
        for (number, task) in (0u32..).zip(tasks) {
            let find = |other: &str| {
                let known = self.graph.number(other).or(aliases.get(other).copied().flatten());
                known.ok_or_else(|| {
                    let message = format!("task {:?} names {other:?}, which is not a task", self.graph.name(number));
                    place(self.text, other, message)
                })
            };
            for parent in &task.parents {
                pairs.push((find(parent)?, number));
            }
            for child in &task.children {
                pairs.push((number, find(child)?));
            }
        }
        // Both ends may list the same edge.
        pairs.sort_unstable();
        pairs.dedup();
        for (from, to) in pairs {
            let bytes = self.files.between(from, to).map_err(ReadError::general)?;
            let at = offset(self.text, self.graph.name(to));
            self.graph.edge(from, to, bytes, at);
        }
        Ok(())
    }
}
