//! Builds a task graph and rejects input that is not one.

use rustc_hash::{FxHashMap, FxHashSet};

use super::files::TaskFiles;
use super::labels::Labels;
use super::names::Names;
use super::{CostMatrix, GraphError, Jobs, TaskGraph};

/// An edge as it was added.
#[derive(Debug, Clone, Copy)]
struct Given {
    from: u32,
    to: u32,
    bytes: u64,
}

/// Collects tasks and edges. It takes 16 bytes per edge until [`Self::build`].
#[derive(Debug, Clone, Default)]
pub struct Builder {
    operations: Vec<f64>,
    names: Option<Names>,
    types: Labels,
    machines: Labels,
    edges: Vec<Given>,
    seconds: Option<CostMatrix>,
    files: Option<Box<TaskFiles>>,
    /// When each job arrives, and its first task.
    jobs: Vec<(f64, u32)>,
}

impl Builder {
    /// An empty builder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty builder with room for this many tasks and edges.
    #[must_use]
    pub fn with_capacity(tasks: usize, edges: usize) -> Self {
        Self { operations: Vec::with_capacity(tasks), edges: Vec::with_capacity(edges), ..Self::default() }
    }

    /// The number of tasks so far.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.operations.len()
    }

    /// The number of edges so far.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Adds a task without a name and returns its number. If another task is named by that number, [`Self::build`] gives
    /// it the number as a name, after as many underscores as no other name has.
    ///
    /// # Errors
    /// [`GraphError::BadOperations`], [`GraphError::TooMany`].
    pub fn task(&mut self, operations: f64) -> Result<u32, GraphError> {
        self.named_task("", operations)
    }

    /// Adds a task with a name and returns its number. An empty name means no name. [`Self::build`] checks for
    /// duplicates.
    ///
    /// # Errors
    /// [`GraphError::BadOperations`], [`GraphError::TooMany`].
    pub fn named_task(&mut self, name: &str, operations: f64) -> Result<u32, GraphError> {
        let number = u32::try_from(self.operations.len()).ok().filter(|&number| number < u32::MAX - 1);
        let number = number.ok_or(GraphError::TooMany { what: "tasks" })?;
        if !(operations.is_finite() && operations >= 0.0) {
            let task = if name.is_empty() { number.to_string() } else { name.to_owned() };
            return Err(GraphError::BadOperations { task, value: operations });
        }
        if self.names.is_none() && !name.is_empty() {
            self.names = Some(Names::blank(self.operations.len()));
        }
        if self.names.as_mut().is_some_and(|names| !names.push(name)) {
            return Err(GraphError::TooMany { what: "bytes of names" });
        }
        // Minus zero becomes plain zero.
        self.operations.push(operations + 0.0);
        Ok(number)
    }

    /// Says what program an existing task runs. An empty name says nothing.
    ///
    /// # Errors
    /// [`GraphError::UnknownTask`].
    pub fn task_type(&mut self, task: u32, name: &str) -> Result<(), GraphError> {
        self.known(task)?;
        if !name.is_empty() {
            self.types.set(task, name);
        }
        Ok(())
    }

    /// Says on which machine an existing task ran. An empty name says nothing. A machine that was not
    /// [declared](Self::declare_machines) gets the next number.
    ///
    /// # Errors
    /// [`GraphError::UnknownTask`].
    pub fn machine(&mut self, task: u32, name: &str) -> Result<(), GraphError> {
        self.known(task)?;
        if !name.is_empty() {
            self.machines.set(task, name);
        }
        Ok(())
    }

    /// Numbers machines in this order, whether or not a task ran on them; of a name that comes again, the first counts.
    pub fn declare_machines<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            self.machines.number(name);
        }
    }

    /// Begins a job that arrives at a time in seconds, not before the last: the tasks that are added next are its own.
    ///
    /// # Errors
    /// [`GraphError::BadArrival`], also where tasks without a job were added.
    pub fn arrive(&mut self, arrival_s: f64) -> Result<(), GraphError> {
        let earliest_s = self.jobs.last().map_or(0.0, |&(last_s, _)| last_s);
        let is_late = !self.operations.is_empty() && self.jobs.is_empty();
        if !(arrival_s.is_finite() && arrival_s >= earliest_s) || is_late {
            return Err(GraphError::BadArrival { job: self.jobs.len(), arrival_s, earliest_s });
        }
        // At most as many tasks are added.
        self.jobs.push((arrival_s, self.operations.len() as u32));
        Ok(())
    }

    /// Adds an edge between existing tasks.
    ///
    /// # Errors
    /// [`GraphError::UnknownTask`], [`GraphError::SelfLoop`], [`GraphError::TooMany`].
    pub fn edge(&mut self, from: u32, to: u32, bytes: u64) -> Result<(), GraphError> {
        self.known(from)?;
        self.known(to)?;
        if from == to {
            return Err(GraphError::SelfLoop { task: self.label(from) });
        }
        if self.edges.len() >= (u32::MAX - 1) as usize {
            return Err(GraphError::TooMany { what: "edges" });
        }
        self.edges.push(Given { from, to, bytes });
        Ok(())
    }

    /// Sets the time of each task on each of several unrelated processors.
    pub fn seconds(&mut self, matrix: CostMatrix) {
        self.seconds = Some(matrix);
    }

    /// Adds a file of so many bytes and returns its number. Once there is one, tasks read and write files only, whatever
    /// the edges carry.
    ///
    /// # Errors
    /// [`GraphError::TooMany`].
    pub fn file(&mut self, bytes: u64) -> Result<u32, GraphError> {
        self.files.get_or_insert_default().add(bytes)
    }

    /// Has an existing task read a file.
    ///
    /// # Errors
    /// [`GraphError::UnknownTask`], [`GraphError::UnknownFile`].
    pub fn reads(&mut self, task: u32, file: u32) -> Result<(), GraphError> {
        self.known(task)?;
        self.files.get_or_insert_default().used(task, file, false)
    }

    /// Has an existing task write a file.
    ///
    /// # Errors
    /// [`GraphError::UnknownTask`], [`GraphError::UnknownFile`].
    pub fn writes(&mut self, task: u32, file: u32) -> Result<(), GraphError> {
        self.known(task)?;
        self.files.get_or_insert_default().used(task, file, true)
    }

    fn known(&self, task: u32) -> Result<(), GraphError> {
        let tasks = self.operations.len();
        if (task as usize) < tasks { Ok(()) } else { Err(GraphError::UnknownTask { task, tasks }) }
    }

    fn label(&self, task: u32) -> String {
        self.names.as_ref().and_then(|names| names.get(task)).map_or_else(|| task.to_string(), str::to_owned)
    }

    /// Builds the graph.
    ///
    /// # Errors
    /// [`GraphError::DuplicateName`], [`GraphError::DuplicateEdge`], [`GraphError::Cycle`] (with one of the cycles),
    /// [`GraphError::BetweenJobs`], [`GraphError::MatrixRows`], [`GraphError::TooMany`] or
    /// [`GraphError::BadFiles`].
    pub fn build(mut self) -> Result<TaskGraph, GraphError> {
        let tasks = self.operations.len();
        if let Some(matrix) = self.seconds.as_ref().filter(|matrix| matrix.tasks() != tasks) {
            return Err(GraphError::MatrixRows { rows: matrix.tasks(), tasks });
        }
        self.name_all()?;
        // A stable sort by one end and then by the other is a radix sort by both: O(tasks + edges).
        let edges = self.edges.iter();
        let (_, by_head) = buckets(tasks, edges.map(|edge| edge.to), 0..self.edges.len() as u32);
        let tail = |&number: &u32| self.edges[number as usize].from;
        let (successor_starts, sorted) = buckets(tasks, by_head.iter().map(tail), by_head.iter().copied());
        drop(by_head);
        if let Some(pair) = sorted.windows(2).find(|pair| self.ends(pair[0]) == self.ends(pair[1])) {
            let (from, to) = self.ends(pair[1]);
            let (from, to) = (self.label(from), self.label(to));
            return Err(GraphError::DuplicateEdge { from, to, edge: pair[1] as usize });
        }
        let heads: Vec<u32> = sorted.iter().map(|&number| self.edges[number as usize].to).collect();
        let bytes = sorted.iter().map(|&number| self.edges[number as usize].bytes).collect();
        let (predecessor_starts, incoming) = buckets(tasks, heads.iter().copied(), 0..heads.len() as u32);
        let tails = incoming.iter().map(|&edge| self.edges[sorted[edge as usize] as usize].from).collect();
        let jobs = Jobs::new(&self.jobs, tasks as u32);
        let apart = |(from, to): (u32, u32)| jobs.of(from) != jobs.of(to);
        if jobs.count() > 1
            && let Some(&edge) = sorted.iter().find(|&&edge| apart(self.ends(edge)))
        {
            let (from, to) = self.ends(edge);
            return Err(GraphError::BetweenJobs { from: self.label(from), to: self.label(to), edge: edge as usize });
        }
        let Self { operations, names, types, machines, seconds, mut files, .. } = self;
        if let Some(files) = &mut files {
            files.sort(tasks)?;
        }
        let mut graph = TaskGraph {
            operations,
            successor_starts,
            heads,
            bytes,
            predecessor_starts,
            tails,
            incoming,
            order: Vec::new(),
            names,
            types,
            machines,
            seconds,
            files,
            jobs,
        };
        graph.simplify_files();
        graph.order = sort(&graph).map_err(|ring| {
            let (first, last) = (ring.first().copied(), ring.last().copied());
            let back = last.and_then(|last| graph.successors(last).find(|edge| Some(edge.to) == first));
            let edge = back.map_or(0, |edge| sorted[edge.id as usize] as usize);
            GraphError::Cycle { tasks: ring.into_iter().map(|task| graph.label(task)).collect(), edge }
        })?;
        Ok(graph)
    }

    fn ends(&self, edge: u32) -> (u32, u32) {
        let edge = self.edges[edge as usize];
        (edge.from, edge.to)
    }

    /// Checks that names differ, and names tasks without a name whose number is the name of another: files know tasks
    /// by name or number.
    fn name_all(&mut self) -> Result<(), GraphError> {
        let Some(names) = &self.names else { return Ok(()) };
        let mut taken = FxHashSet::default();
        let tasks = 0..self.operations.len() as u32;
        for (task, name) in tasks.clone().filter_map(|task| Some((task, names.get(task)?))) {
            if !taken.insert(name) {
                return Err(GraphError::DuplicateName { name: name.to_owned(), task });
            }
        }
        let mut all = Names::blank(0);
        for task in tasks {
            let mut name = names.get(task).unwrap_or_default().to_owned();
            if name.is_empty() && taken.contains(task.to_string().as_str()) {
                name = format!("_{task}");
                while taken.contains(name.as_str()) {
                    name.insert(0, '_');
                }
            }
            if !all.push(&name) {
                return Err(GraphError::TooMany { what: "bytes of names" });
            }
        }
        self.names = Some(all);
        Ok(())
    }
}

/// Sorts `values` stably by `keys`, all of them below `count`. Also returns where the values of each key start.
fn buckets(
    count: usize,
    keys: impl Iterator<Item = u32> + Clone,
    values: impl ExactSizeIterator<Item = u32>,
) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; count + 1];
    for key in keys.clone() {
        starts[key as usize + 1] += 1;
    }
    for index in 0..count {
        starts[index + 1] += starts[index];
    }
    let mut next = starts.clone();
    let mut sorted = vec![0; values.len()];
    for (key, value) in keys.zip(values) {
        let place = &mut next[key as usize];
        sorted[*place as usize] = value;
        *place += 1;
    }
    (starts, sorted)
}

/// Kahn's topological order; the queue is the order itself. Returns a cycle if the graph has one.
fn sort(graph: &TaskGraph) -> Result<Vec<u32>, Vec<u32>> {
    let mut waiting: Vec<u32> = graph.ids().map(|task| graph.in_degree(task)).collect();
    let mut order = Vec::with_capacity(graph.tasks());
    order.extend(graph.entries());
    let mut next = 0;
    while let Some(&task) = order.get(next) {
        next += 1;
        for edge in graph.successors(task) {
            let left = &mut waiting[edge.to as usize];
            *left -= 1;
            if *left == 0 {
                order.push(edge.to);
            }
        }
    }
    match waiting.iter().position(|&left| left > 0) {
        Some(task) => Err(cycle(graph, &waiting, task as u32)),
        None => Ok(order),
    }
}

/// Finds a cycle upstream of a task that never became ready. Each such task has a predecessor that is not ready either,
/// so the walk from predecessor to predecessor must return to a task that it has visited.
fn cycle(graph: &TaskGraph, waiting: &[u32], task: u32) -> Vec<u32> {
    let mut at: FxHashMap<u32, usize> = FxHashMap::default();
    let mut path = Vec::new();
    let mut task = task;
    while !at.contains_key(&task) {
        at.insert(task, path.len());
        path.push(task);
        let stuck = graph.predecessors(task).find(|edge| waiting[edge.from as usize] > 0);
        // One always exists; otherwise the task would have become ready.
        task = stuck.map_or(task, |edge| edge.from);
    }
    let mut ring: Vec<u32> = path.drain(at[&task]..).rev().collect();
    let lowest = ring.iter().enumerate().min_by_key(|(_, task)| **task).map_or(0, |(place, _)| place);
    ring.rotate_left(lowest);
    ring
}
