//! hetsim's own format for writing by hand; docs/graphs.md describes it.

use std::collections::{BTreeMap, HashSet};

use ::toml::Spanned;
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

use super::collector::Collector;
use super::files::Files;
use super::{Instance, ReadError, Reader, number};
use crate::{CostMatrix, whole_bytes};

/// The format's reader.
#[derive(Debug)]
pub(super) struct Toml;

/// The longest text: the TOML tree takes many times its size.
const MOST_BYTES: usize = 64 << 20;

/// The TOML document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: Spanned<i64>,
    name: Option<String>,
    #[serde(default)]
    machines: Vec<String>,
    tasks: Vec<Spanned<Task>>,
    #[serde(default)]
    edges: Vec<Spanned<WrittenEdge>>,
    /// The bytes of each file.
    #[serde(default)]
    files: BTreeMap<String, Spanned<Measure>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    name: Option<String>,
    r#type: Option<String>,
    machine: Option<String>,
    operations: Option<Measure>,
    seconds: Option<Vec<f64>>,
    /// When a job arrives whose first task this is.
    arrival: Option<Measure>,
    #[serde(default)]
    reads: Vec<String>,
    #[serde(default)]
    writes: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "struct Edge")]
struct WrittenEdge {
    from: Measure,
    to: Measure,
    bytes: Option<Measure>,
}

/// A number or a string.
#[derive(Debug)]
enum Measure {
    Whole(i64),
    Real(f64),
    Text(String),
}

impl<'de> Deserialize<'de> for Measure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Measure;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number or a string")
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Measure, E> {
                Ok(Measure::Whole(value))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Measure, E> {
                Ok(Measure::Real(value))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Measure, E> {
                Ok(Measure::Text(text.to_owned()))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl Measure {
    /// The number, or what a text with a unit says.
    fn value(&self, parse: fn(&str) -> Result<f64, String>) -> Result<f64, String> {
        match self {
            Self::Whole(value) => Ok(*value as f64),
            Self::Real(value) => Ok(*value),
            Self::Text(text) => parse(text),
        }
    }

    fn bytes(&self) -> Result<u64, String> {
        match self {
            Self::Whole(value) => u64::try_from(*value).map_err(|_| format!("{value} is not a number of bytes")),
            Self::Real(value) => whole_bytes(*value).ok_or_else(|| format!("{value} is not a number of bytes")),
            Self::Text(text) => number::bytes(text),
        }
    }

    /// The task with this number or name.
    fn task(&self, graph: &Collector<'_>) -> Result<u32, String> {
        let tasks = graph.tasks();
        let known = match self {
            Self::Whole(value) => u32::try_from(*value).ok().filter(|&number| (number as usize) < tasks),
            Self::Real(value) => return Err(format!("expected a task's name or number, not {value}")),
            Self::Text(name) => graph.number(name),
        };
        known.ok_or_else(|| match self {
            Self::Text(name) => format!("there is no task {name:?}"),
            Self::Whole(value) => format!("there is no task {value}; there are {tasks}, numbered from 0"),
            Self::Real(value) => format!("{value} is not a task"),
        })
    }
}

impl Reader for Toml {
    fn read(&self, text: &str) -> Result<Vec<Instance>, ReadError> {
        if text.len() > MOST_BYTES {
            let message = "a graph of more than 64 MiB is too large for TOML; STG, DOT and JSON have no such limit";
            return Err(ReadError::general(message));
        }
        let written: Document = ::toml::from_str(text).map_err(|error| match error.span() {
            Some(span) => ReadError::at(text, span.start, error.message()),
            None => ReadError::general(error.message()),
        })?;
        let version = *written.version.get_ref();
        if version != 1 {
            let message = format!("version {version} is not known; this hetsim reads version 1");
            return Err(ReadError::at(text, written.version.span().start, message));
        }
        let mut graph = Collector::new(text);
        graph.declare_machines(written.machines.iter().map(String::as_str));
        check_machines(text, &written)?;
        let (works, matrix) = tasks(text, &mut graph, &written.tasks)?;
        graph.files(files(text, &written)?);
        for edge in &written.edges {
            let at = edge.span().start;
            let fault = |message: String| ReadError::at(text, at, message);
            let edge = edge.get_ref();
            let (from, to) = (edge.from.task(&graph).map_err(fault)?, edge.to.task(&graph).map_err(fault)?);
            let bytes = edge.bytes.as_ref().map_or(Ok(0), Measure::bytes).map_err(fault)?;
            graph.edge(from, to, bytes, at);
        }
        let graph = graph.build(&works, matrix)?;
        let worked = worked(text, &written.tasks);
        Ok(vec![Instance { name: written.name, graph, notes: Vec::new(), timed: None, worked }])
    }
}

/// Where the file lists machines, tasks name none but those.
fn check_machines(text: &str, written: &Document) -> Result<(), ReadError> {
    let known: HashSet<&str> = written.machines.iter().map(String::as_str).collect();
    let named = written.tasks.iter().filter_map(|task| Some((task, task.get_ref().machine.as_deref()?)));
    match named.filter(|_| !known.is_empty()).find(|(_, name)| !known.contains(name)) {
        None => Ok(()),
        Some((task, name)) => Err(ReadError::at(text, task.span().start, format!("`machines` does not list {name:?}"))),
    }
}

/// The files with their readers and writers.
fn files(text: &str, written: &Document) -> Result<Files<'static>, ReadError> {
    let mut files = Files::new(written.tasks.len());
    for (name, bytes) in &written.files {
        let sized = bytes.get_ref().bytes().and_then(|bytes| files.size(name.clone(), bytes));
        sized.map_err(|message| ReadError::at(text, bytes.span().start, message))?;
    }
    for (number, task) in (0..).zip(&written.tasks) {
        let known = |name: &String| {
            let known = written.files.contains_key(name).then(|| name.clone());
            known.ok_or_else(|| ReadError::at(text, task.span().start, format!("`files` has no file {name:?}")))
        };
        for name in &task.get_ref().reads {
            files.read(number, known(name)?);
        }
        for name in &task.get_ref().writes {
            files.write(number, known(name)?);
        }
    }
    files.sort();
    Ok(files)
}

/// The first work that is in operations with their unit.
fn worked(text: &str, tasks: &[Spanned<Task>]) -> Option<ReadError> {
    let with_unit = |task: &Spanned<Task>| match &task.get_ref().operations {
        Some(Measure::Text(work)) if number::is_in_operations(work) => Some((work.clone(), task.span().start)),
        _ => None,
    };
    tasks.iter().find_map(with_unit).map(|(work, at)| ReadError::at(text, at, number::no_time(&work)))
}

/// The work of each task with its position, and the cost matrix if the tasks have times.
type Costs = (Vec<(f64, usize)>, Option<CostMatrix>);

fn tasks(text: &str, graph: &mut Collector<'_>, tasks: &[Spanned<Task>]) -> Result<Costs, ReadError> {
    let (mut works, mut seconds) = (Vec::with_capacity(tasks.len()), Vec::new());
    let is_stream = tasks.first().is_some_and(|task| task.get_ref().arrival.is_some());
    let columns = tasks.first().and_then(|task| task.get_ref().seconds.as_ref()).map(Vec::len);
    for (index, task) in tasks.iter().enumerate() {
        let at = task.span().start;
        let fault = |message: &str| ReadError::at(text, at, message);
        let task = task.get_ref();
        // An unnamed task is known by its number, so no other task may have that name.
        let number = graph.named(task.name.clone().unwrap_or_else(|| index.to_string()), at)?;
        if let Some(name) = &task.r#type {
            graph.task_type(number, name.clone());
        }
        if let Some(name) = &task.machine {
            graph.machine(number, name.clone());
        }
        if let Some(arrival) = &task.arrival {
            if !is_stream {
                return Err(fault("the first task has no `arrival`, and this one has"));
            }
            graph.arrives(number, arrival.value(number::seconds).map_err(|message| fault(&message))?, at);
        }
        if task.seconds.as_ref().map(Vec::len) != columns {
            return Err(fault("expected `seconds` with the same number of processors for every task, or for none"));
        }
        let row = task.seconds.as_deref().unwrap_or_default();
        seconds.extend_from_slice(row);
        let work = match &task.operations {
            Some(operations) => operations.value(number::operations).map_err(|message| fault(&message))?,
            // The work on a reference processor of one operation per second.
            None if !row.is_empty() => row.iter().sum::<f64>() / row.len() as f64,
            None => {
                return Err(fault("expected `operations`, the task's work, or `seconds`, its time on each processor"));
            }
        };
        works.push((work, at));
    }
    let matrix = match columns {
        Some(columns) => Some(CostMatrix::new(columns as u32, seconds).map_err(|error| ReadError::graph(&error))?),
        None => None,
    };
    Ok((works, matrix))
}
