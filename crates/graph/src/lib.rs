//! Task graphs as plain data: tasks, dependencies and the bytes passed between tasks.
//!
//! A [`TaskGraph`] is dense: tasks and edges are numbers from 0 (`u32`). Adjacency is kept in both directions in flat
//! arrays, with the successors of a task in rising order, so two graphs with the same tasks and edges are equal however
//! they were built. A graph takes 20 bytes per task and 20 bytes per edge. Names add their bytes and 4 more per task, a
//! cost matrix 8 bytes per task and processor, types and machines 4 per task each, files 8 each and 8 per use.
//!
//! The work of a task is a number of operations (`f64`, finite, not negative). A format that gives times instead yields
//! the operations of a reference processor of one operation per second; [`TaskGraph::scaled`] converts them to another.
//! An edge carries whole bytes (`u64`), since the simulated network sends whole bytes and a prediction must match its
//! simulation exactly; zero bytes mean order without data. For unrelated processors, [`TaskGraph::seconds`] holds the
//! time of each task on each of them. Modules that know the platform convert durations to ticks.
//!
//! All algorithms here use loops, never recursion, and take O(tasks + edges).

mod builder;
mod error;
mod files;
pub mod generate;
mod jobs;
mod labels;
mod levels;
mod matrix;
mod names;
pub mod read;
mod stream;
pub mod write;

pub use builder::Builder;
pub use error::GraphError;
pub use jobs::Jobs;
pub use levels::{CriticalPath, Length};
pub use matrix::CostMatrix;

use std::ops::Range;

use files::TaskFiles;
use labels::Labels;
use names::Names;

/// An edge: `to` cannot start before `from` has ended and its bytes have arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The edge number; edges are numbered by rising (`from`, `to`).
    pub id: u32,
    /// The predecessor, which sends the data.
    pub from: u32,
    /// The successor, which waits for the data.
    pub to: u32,
    /// The number of bytes sent.
    pub bytes: u64,
}

/// A directed acyclic graph of tasks, made by a [`Builder`].
#[derive(Debug, Clone, PartialEq)]
pub struct TaskGraph {
    operations: Vec<f64>,
    /// The start of each task's edges in `heads` and `bytes`, whose index is the edge number; one more entry at the
    /// end.
    successor_starts: Vec<u32>,
    heads: Vec<u32>,
    bytes: Vec<u64>,
    /// The reverse direction: `tails` and `incoming` (edge numbers) by successor.
    predecessor_starts: Vec<u32>,
    tails: Vec<u32>,
    incoming: Vec<u32>,
    order: Vec<u32>,
    names: Option<Names>,
    types: Labels,
    machines: Labels,
    seconds: Option<CostMatrix>,
    /// The files that tasks read and write, where the edges don't say the same.
    files: Option<Box<TaskFiles>>,
    jobs: Jobs,
}

impl TaskGraph {
    /// The number of tasks.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.operations.len()
    }

    /// The number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.heads.len()
    }

    /// The work of a task in operations.
    #[must_use]
    #[inline]
    pub fn operations(&self, task: u32) -> f64 {
        self.operations[task as usize]
    }

    /// The work of all tasks in operations.
    #[must_use]
    pub fn total_operations(&self) -> f64 {
        self.operations.iter().sum()
    }

    /// The bytes on all edges. No sum of `u64` values here overflows 128 bits.
    #[must_use]
    pub fn total_bytes(&self) -> u128 {
        self.bytes.iter().map(|&bytes| u128::from(bytes)).sum()
    }

    /// The time of each task on each processor, if the processors are unrelated.
    #[must_use]
    pub fn seconds(&self) -> Option<&CostMatrix> {
        self.seconds.as_ref()
    }

    /// The name of a task, if it has one.
    #[must_use]
    pub fn name(&self, task: u32) -> Option<&str> {
        self.names.as_ref().and_then(|names| names.get(task))
    }

    /// The name of a task for messages: its own, or its number.
    #[must_use]
    pub fn label(&self, task: u32) -> String {
        self.name(task).map_or_else(|| task.to_string(), str::to_owned)
    }

    /// Whether any task has a name.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.names.is_some()
    }

    /// The types of tasks, by their numbers: what programs the tasks run.
    #[must_use]
    pub fn types(&self) -> &[String] {
        self.types.names()
    }

    /// The number of a task's type, if it has one.
    #[must_use]
    #[inline]
    pub fn type_of(&self, task: u32) -> Option<u32> {
        self.types.get(task)
    }

    /// The name of a task's type, if it has one.
    #[must_use]
    pub fn type_name(&self, task: u32) -> Option<&str> {
        self.types.name(task)
    }

    /// The machines of a run of the graph that was recorded, by their numbers: in the order in which the file lists them.
    #[must_use]
    pub fn machines(&self) -> &[String] {
        self.machines.names()
    }

    /// The number of the machine on which a task ran, if that was recorded.
    #[must_use]
    #[inline]
    pub fn machine_of(&self, task: u32) -> Option<u32> {
        self.machines.get(task)
    }

    /// The name of the machine on which a task ran, if that was recorded.
    #[must_use]
    pub fn machine_name(&self, task: u32) -> Option<&str> {
        self.machines.name(task)
    }

    /// The tasks in topological order by Kahn's rule: tasks that become ready first come first, by number if they
    /// become ready together.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The numbers of the edges that leave a task, for use with [`Self::head`] and [`Self::bytes`].
    #[must_use]
    #[inline]
    pub fn outgoing(&self, task: u32) -> Range<u32> {
        self.successor_starts[task as usize]..self.successor_starts[task as usize + 1]
    }

    /// The task that an edge leads to.
    #[must_use]
    #[inline]
    pub fn head(&self, edge: u32) -> u32 {
        self.heads[edge as usize]
    }

    /// The number of bytes on an edge.
    #[must_use]
    #[inline]
    pub fn bytes(&self, edge: u32) -> u64 {
        self.bytes[edge as usize]
    }

    /// The edges that leave a task, by rising successor.
    #[must_use]
    #[inline]
    pub fn successors(&self, task: u32) -> impl ExactSizeIterator<Item = Edge> + Clone + '_ {
        let range = self.successor_starts[task as usize] as usize..self.successor_starts[task as usize + 1] as usize;
        let first = range.start as u32;
        let both = self.heads[range.clone()].iter().zip(&self.bytes[range]).enumerate();
        both.map(move |(index, (&to, &bytes))| Edge { id: first + index as u32, from: task, to, bytes })
    }

    /// The edges that enter a task, by rising predecessor.
    #[must_use]
    #[inline]
    pub fn predecessors(&self, task: u32) -> impl ExactSizeIterator<Item = Edge> + Clone + '_ {
        let range =
            self.predecessor_starts[task as usize] as usize..self.predecessor_starts[task as usize + 1] as usize;
        let both = self.tails[range.clone()].iter().zip(&self.incoming[range]);
        both.map(move |(&from, &id)| Edge { id, from, to: task, bytes: self.bytes[id as usize] })
    }

    /// The number of edges that leave a task.
    #[must_use]
    #[inline]
    pub fn out_degree(&self, task: u32) -> u32 {
        self.successor_starts[task as usize + 1] - self.successor_starts[task as usize]
    }

    /// The number of edges that enter a task.
    #[must_use]
    #[inline]
    pub fn in_degree(&self, task: u32) -> u32 {
        self.predecessor_starts[task as usize + 1] - self.predecessor_starts[task as usize]
    }

    /// All edges, by rising number.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.ids().flat_map(|task| self.successors(task))
    }

    /// The numbers of all tasks.
    #[must_use]
    pub fn ids(&self) -> Range<u32> {
        0..self.operations.len() as u32
    }

    /// The tasks without predecessors.
    pub fn entries(&self) -> impl Iterator<Item = u32> + '_ {
        self.ids().filter(|&task| self.in_degree(task) == 0)
    }

    /// The tasks without successors.
    pub fn exits(&self) -> impl Iterator<Item = u32> + '_ {
        self.ids().filter(|&task| self.out_degree(task) == 0)
    }

    /// The same graph with scaled costs: work times `operations`, bytes times `bytes` rounded to whole bytes. A cost
    /// matrix does not change.
    ///
    /// # Errors
    /// A factor that is negative or not finite, or a product that overflows its type.
    pub fn scaled(mut self, operations: f64, bytes: f64) -> Result<Self, GraphError> {
        for factor in [operations, bytes] {
            if !(factor.is_finite() && factor >= 0.0) {
                return Err(GraphError::BadFactor { factor });
            }
        }
        for task in self.ids() {
            let value = self.operations[task as usize] * operations;
            if !value.is_finite() {
                return Err(GraphError::BadOperations { task: self.label(task), value });
            }
            self.operations[task as usize] = value;
        }
        // A factor of one keeps even counts above 2⁵³ exact.
        if bytes != 1.0 {
            for count in &mut self.bytes {
                let value = *count as f64 * bytes;
                *count = whole_bytes(value).ok_or(GraphError::BadBytes { value })?;
            }
            if let Some(files) = self.files.take() {
                let scaled = files.scaled(bytes).ok_or(GraphError::BadBytes { value: f64::INFINITY })?;
                self.files = Some(Box::new(scaled));
            }
        }
        Ok(self)
    }
}

/// Rounds a number to a count of bytes. Returns `None` if it is negative, not finite or above 2⁶⁴ − 1.
#[must_use]
pub fn whole_bytes(value: f64) -> Option<u64> {
    (value >= 0.0 && value < u64::MAX as f64).then(|| value.round() as u64)
}

#[cfg(test)]
mod tests;
