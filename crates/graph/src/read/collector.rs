//! Collects the tasks and edges of a file in their order, each edge with its position, and builds the graph.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::ReadError;
use super::files::Files;
use crate::{Builder, CostMatrix, GraphError, TaskGraph};

/// An edge of the file with its byte position.
#[derive(Debug, Clone, Copy)]
struct EdgeRecord {
    from: u32,
    to: u32,
    bytes: u64,
    offset: u32,
}

/// The content of a file so far.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    text: &'a str,
    builder: Builder,
    named: Vec<Cow<'a, str>>,
    numbers: FxHashMap<Cow<'a, str>, u32>,
    edges: Vec<EdgeRecord>,
    types: Vec<(u32, Cow<'a, str>)>,
    machines: Vec<(u32, Cow<'a, str>)>,
    /// The first named task of each job, with its arrival and position.
    arrivals: Vec<(u32, f64, usize)>,
    files: Files<'a>,
}

impl<'a> Collector<'a> {
    /// No content yet.
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            builder: Builder::new(),
            named: Vec::new(),
            numbers: FxHashMap::default(),
            edges: Vec::new(),
            types: Vec::new(),
            machines: Vec::new(),
            arrivals: Vec::new(),
            files: Files::default(),
        }
    }

    /// The number of tasks so far.
    pub(super) fn tasks(&self) -> usize {
        self.builder.tasks() + self.named.len()
    }

    /// Adds a task without a name. Either all tasks of a file have names or none.
    pub(super) fn task(&mut self, operations: f64, offset: usize) -> Result<u32, ReadError> {
        self.builder.task(operations).map_err(|error| self.fault(offset, &error))
    }

    /// Begins a job that arrives at a time in seconds; the tasks that follow are its own.
    pub(super) fn arrive(&mut self, arrival_s: f64, offset: usize) -> Result<(), ReadError> {
        self.builder.arrive(arrival_s).map_err(|error| self.fault(offset, &error))
    }

    /// Begins a job with a named task.
    pub(super) fn arrives(&mut self, task: u32, arrival_s: f64, offset: usize) {
        self.arrivals.push((task, arrival_s, offset));
    }

    /// The number of a task by its name; a new name adds a task.
    pub(super) fn intern(&mut self, name: impl Into<Cow<'a, str>>, offset: usize) -> Result<u32, ReadError> {
        let name = name.into();
        if let Some(&number) = self.numbers.get(&name) {
            return Ok(number);
        }
        let number =
            u32::try_from(self.named.len()).map_err(|_| self.fault(offset, &GraphError::TooMany { what: "tasks" }))?;
        self.numbers.insert(name.clone(), number);
        self.named.push(name);
        Ok(number)
    }

    /// Adds a task with a name that must be new.
    pub(super) fn named(&mut self, name: impl Into<Cow<'a, str>>, offset: usize) -> Result<u32, ReadError> {
        let name = name.into();
        if self.numbers.contains_key(&name) {
            return Err(ReadError::at(self.text, offset, format!("two tasks are named {name:?}")));
        }
        self.intern(name, offset)
    }

    /// Says what program a task runs.
    pub(super) fn task_type(&mut self, task: u32, name: impl Into<Cow<'a, str>>) {
        self.types.push((task, name.into()));
    }

    /// Says on which machine a task ran.
    pub(super) fn machine(&mut self, task: u32, name: impl Into<Cow<'a, str>>) {
        self.machines.push((task, name.into()));
    }

    /// Numbers machines in this order.
    pub(super) fn declare_machines<'b>(&mut self, names: impl IntoIterator<Item = &'b str>) {
        self.builder.declare_machines(names);
    }

    /// Says what files the named tasks read and write.
    pub(super) fn files(&mut self, files: Files<'a>) {
        self.files = files;
    }

    /// The number of an existing task by its name.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The name of a named task.
    pub(super) fn name(&self, task: u32) -> &str {
        &self.named[task as usize]
    }

    /// Adds an edge. Its tasks may follow later in the file.
    pub(super) fn edge(&mut self, from: u32, to: u32, bytes: u64, offset: usize) {
        // Texts are shorter than 4 GiB, so every position fits.
        self.edges.push(EdgeRecord { from, to, bytes, offset: offset as u32 });
    }

    /// An error at a position.
    pub(super) fn fault(&self, offset: usize, error: &GraphError) -> ReadError {
        ReadError::at(self.text, offset, error.to_string())
    }

    /// Builds the graph. `operations` holds the work and position of each named task and is empty if tasks have no
    /// names.
    pub(super) fn build(self, operations: &[(f64, usize)], matrix: Option<CostMatrix>) -> Result<TaskGraph, ReadError> {
        let Self { text, mut builder, named, numbers, edges, types, machines, arrivals, files } = self;
        drop(numbers);
        // Names that only number the tasks are dropped: they come from a graph without names.
        let counted = (0u32..).zip(&named).all(|(number, name)| name.parse() == Ok(number));
        let mut arrivals = arrivals.into_iter().peekable();
        for (number, (name, &(work, offset))) in (0..).zip(named.iter().zip(operations)) {
            if let Some((_, arrival_s, offset)) = arrivals.next_if(|&(first, ..)| first == number) {
                builder.arrive(arrival_s).map_err(|error| ReadError::at(text, offset, error.to_string()))?;
            }
            let name = if counted { "" } else { name };
            let added = builder.named_task(name, work);
            added.map_err(|error| ReadError::at(text, offset, error.to_string()))?;
        }
        for (task, name) in &types {
            builder.task_type(*task, name).map_err(|error| ReadError::graph(&error))?;
        }
        for (task, name) in &machines {
            builder.machine(*task, name).map_err(|error| ReadError::graph(&error))?;
        }
        files.add_to(&mut builder).map_err(|error| ReadError::graph(&error))?;
        for edge in &edges {
            let added = builder.edge(edge.from, edge.to, edge.bytes);
            added.map_err(|error| ReadError::at(text, edge.offset as usize, error.to_string()))?;
        }
        if let Some(matrix) = matrix {
            builder.seconds(matrix);
        }
        if builder.tasks() == 0 {
            return Err(ReadError::general("the graph has no tasks"));
        }
        builder.build().map_err(|error| match error {
            GraphError::DuplicateEdge { edge, .. }
            | GraphError::Cycle { edge, .. }
            | GraphError::BetweenJobs { edge, .. } => {
                ReadError::at(text, edges[edge].offset as usize, error.to_string())
            }
            error => ReadError::graph(&error),
        })
    }
}
