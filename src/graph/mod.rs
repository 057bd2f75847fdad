//! Task graphs as plain data: tasks, what must end before what, and the bytes that pass between them.
//!
//! A [`TaskGraph`] is dense: a task is a number from 0 (`u32`), and so is an edge. Adjacency is kept both ways in flat
//! arrays, with the successors of a task in rising order, so two graphs with the same tasks and edges are equal
//! however they were built. It takes 20 bytes a task and 20 bytes an edge; names and a cost matrix come on top where there
//! are any (a name its bytes and 4 more, the matrix 8 bytes a task and processor).
//!
//! The work of a task is a number of operations (`f64`, finite, not negative). A format that tells times and not work gives
//! the operations of a reference processor of one operation a second; [`TaskGraph::scaled`] puts them on another. An edge
//! carries whole bytes (`u64`), since that is what the machine sends, and a prediction has to meet its simulation
//! exactly; zero bytes are order without data. Where processors are unrelated, [`TaskGraph::seconds`] holds a time for each task
//! on each of them. Durations in ticks are made above, by those who know the platform.
//!
//! Everything here walks by loops, never by recursion, and in O(tasks + edges).

mod builder;
pub mod generate;
mod levels;
mod matrix;
mod names;
pub mod read;
pub mod write;

pub use builder::{Builder, GraphError};
pub use levels::{CriticalPath, Length};
pub use matrix::CostMatrix;

use std::ops::Range;

use names::Names;

/// An edge: `to` can't start before `from` has ended and its bytes have arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Its number: edges are numbered by rising (`from`, `to`).
    pub id: u32,
    /// The task whose result is sent.
    pub from: u32,
    /// The task that waits for it.
    pub to: u32,
    /// The bytes sent.
    pub bytes: u64,
}

/// A directed graph of tasks without cycles. Made by a [`Builder`].
#[derive(Debug, Clone, PartialEq)]
pub struct TaskGraph {
    operations: Vec<f64>,
    /// Where each task's edges start in `heads` and `bytes`, whose index is the edge's number; one more entry at the end.
    successor_starts: Vec<u32>,
    heads: Vec<u32>,
    bytes: Vec<u64>,
    /// The same backwards: `tails` and `incoming` (edge numbers) by the task that waits.
    predecessor_starts: Vec<u32>,
    tails: Vec<u32>,
    incoming: Vec<u32>,
    order: Vec<u32>,
    names: Option<Names>,
    seconds: Option<CostMatrix>,
}

impl TaskGraph {
    /// How many tasks there are.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.operations.len()
    }

    /// How many edges there are.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.heads.len()
    }

    /// The work of a task, in operations.
    #[must_use]
    #[inline]
    pub fn operations(&self, task: u32) -> f64 {
        self.operations[task as usize]
    }

    /// The work of all tasks, in operations.
    #[must_use]
    pub fn total_operations(&self) -> f64 {
        self.operations.iter().sum()
    }

    /// The bytes on all edges. In 128 bits, since no sum of `u64` outgrows them.
    #[must_use]
    pub fn total_bytes(&self) -> u128 {
        self.bytes.iter().map(|&bytes| u128::from(bytes)).sum()
    }

    /// The time of each task on each processor, where processors are unrelated.
    #[must_use]
    pub fn seconds(&self) -> Option<&CostMatrix> {
        self.seconds.as_ref()
    }

    /// The name of a task, if it has one.
    #[must_use]
    pub fn name(&self, task: u32) -> Option<&str> {
        self.names.as_ref().and_then(|names| names.get(task))
    }

    /// The name of a task as people see it: its own, or its number.
    #[must_use]
    pub fn label(&self, task: u32) -> String {
        self.name(task).map_or_else(|| task.to_string(), str::to_owned)
    }

    /// Whether any task has a name.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.names.is_some()
    }

    /// The tasks in an order in which every edge goes forwards: by Kahn's rule, those ready first come first, in the order
    /// of their numbers where they become ready together.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The numbers of the edges that leave a task: neighbours in [`Self::head`] and [`Self::bytes`].
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

    /// The bytes that an edge carries.
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

    /// The edges that end at a task, by rising predecessor.
    #[must_use]
    #[inline]
    pub fn predecessors(&self, task: u32) -> impl ExactSizeIterator<Item = Edge> + Clone + '_ {
        let range =
            self.predecessor_starts[task as usize] as usize..self.predecessor_starts[task as usize + 1] as usize;
        let both = self.tails[range.clone()].iter().zip(&self.incoming[range]);
        both.map(move |(&from, &id)| Edge { id, from, to: task, bytes: self.bytes[id as usize] })
    }

    /// How many edges leave a task.
    #[must_use]
    #[inline]
    pub fn out_degree(&self, task: u32) -> u32 {
        self.successor_starts[task as usize + 1] - self.successor_starts[task as usize]
    }

    /// How many edges end at a task.
    #[must_use]
    #[inline]
    pub fn in_degree(&self, task: u32) -> u32 {
        self.predecessor_starts[task as usize + 1] - self.predecessor_starts[task as usize]
    }

    /// Every edge, by rising number.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.ids().flat_map(|task| self.successors(task))
    }

    /// The numbers of all tasks.
    #[must_use]
    pub fn ids(&self) -> Range<u32> {
        0..self.operations.len() as u32
    }

    /// Tasks that wait for nothing.
    pub fn entries(&self) -> impl Iterator<Item = u32> + '_ {
        self.ids().filter(|&task| self.in_degree(task) == 0)
    }

    /// Tasks that nothing waits for.
    pub fn exits(&self) -> impl Iterator<Item = u32> + '_ {
        self.ids().filter(|&task| self.out_degree(task) == 0)
    }

    /// The same graph with other measures: each task's work times `operations`, each edge's bytes times `bytes`, rounded to
    /// the nearest whole byte. A cost matrix stays as it is.
    ///
    /// # Errors
    /// Where a factor is negative or not finite, or a product outgrows its type.
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
        // A factor of one leaves even counts above 2⁵³ as they are.
        if bytes != 1.0 {
            for count in &mut self.bytes {
                let value = *count as f64 * bytes;
                *count = whole_bytes(value).ok_or(GraphError::BadBytes { value })?;
            }
        }
        Ok(self)
    }
}

/// A count of bytes from a number: the nearest whole one. None where it is negative, not finite or above 2⁶⁴ − 1.
#[must_use]
pub fn whole_bytes(value: f64) -> Option<u64> {
    (value >= 0.0 && value < u64::MAX as f64).then(|| value.round() as u64)
}

#[cfg(test)]
mod tests;
