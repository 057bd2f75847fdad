//! Why tasks and edges form no graph.

use std::fmt::Write;

use thiserror::Error;

/// The reason why tasks and edges do not form a graph. Messages identify a task by its name or, without one, by its
/// number.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// An edge refers to a task that does not exist.
    #[error("there is no task {task}; there are {tasks}, numbered from 0")]
    UnknownTask {
        /// The task number in the edge.
        task: u32,
        /// The number of tasks so far.
        tasks: usize,
    },
    /// An edge leads from a task to itself.
    #[error("task {task} waits for itself")]
    SelfLoop {
        /// The task's label.
        task: String,
    },
    /// The same edge was given twice.
    #[error("the edge {from} → {to} is given twice")]
    DuplicateEdge {
        /// The predecessor.
        from: String,
        /// The successor.
        to: String,
        /// The index of the repeated edge in the order of input, from 0.
        edge: usize,
    },
    /// Two tasks share a name.
    #[error("two tasks are named {name:?}")]
    DuplicateName {
        /// The shared name.
        name: String,
        /// The number of the second task.
        task: u32,
    },
    /// Tasks wait for each other in a cycle.
    #[error("a cycle: {}", ring(tasks))]
    Cycle {
        /// The tasks of the cycle in edge order, starting with the lowest number; the last leads to the first.
        tasks: Vec<String>,
        /// The index of the edge from the last task to the first in the order of input, from 0.
        edge: usize,
    },
    /// The work of a task is negative or not finite.
    #[error("task {task} has {value} operations; they must be 0 or more, and finite")]
    BadOperations {
        /// The task's label.
        task: String,
        /// The rejected number of operations.
        value: f64,
    },
    /// A time in the cost matrix is negative or not finite.
    #[error("task {task} takes {value} s on processor {processor}; it must be 0 or more, and finite")]
    BadSeconds {
        /// The task number.
        task: usize,
        /// The processor number.
        processor: usize,
        /// The rejected time in seconds.
        value: f64,
    },
    /// The data of an edge is not a valid number of bytes.
    #[error("{value} is not a number of bytes; it must be 0 or more and below 2^64")]
    BadBytes {
        /// The rejected number.
        value: f64,
    },
    /// The number of matrix values is not a multiple of the row length.
    #[error("{values} times do not fill rows of {processors} processors")]
    MatrixShape {
        /// The number of values.
        values: usize,
        /// The expected number of values per row.
        processors: u32,
    },
    /// The cost matrix and the graph have different numbers of tasks.
    #[error("the cost matrix has {rows} rows and the graph has {tasks} tasks")]
    MatrixRows {
        /// The number of matrix rows.
        rows: usize,
        /// The number of tasks in the graph.
        tasks: usize,
    },
    /// A job arrives before the one before it, or at no time at all; or there are tasks before the first.
    #[error("job {job} arrives at {arrival_s} s; it must be {earliest_s} or more, and finite")]
    BadArrival {
        /// The number of the job.
        job: usize,
        /// The rejected time in seconds.
        arrival_s: f64,
        /// The arrival of the job before it.
        earliest_s: f64,
    },
    /// A task waits for a task of another job.
    #[error("the edge {from} → {to} leads from one job to another")]
    BetweenJobs {
        /// The predecessor's label.
        from: String,
        /// The successor's label.
        to: String,
        /// The index of the edge in the order of input, from 0.
        edge: usize,
    },
    /// A task reads or writes a file that was not added.
    #[error("there is no file {file}: the graph has {files} files")]
    UnknownFile {
        /// The number of the file.
        file: u32,
        /// The number of files.
        files: usize,
    },
    /// The files that a task reads, or writes, have too many bytes.
    #[error("the files of task {task} have 2^64 bytes or more")]
    BadFiles {
        /// The task number.
        task: u32,
    },
    /// A scaling factor is negative or not finite.
    #[error("a factor must be 0 or more, and finite, not {factor}")]
    BadFactor {
        /// The rejected factor.
        factor: f64,
    },
    /// A count exceeds the range of `u32`.
    #[error("too many {what}: the most is 2^32 − 2")]
    TooMany {
        /// The counted item.
        what: &'static str,
    },
}

/// The most tasks of a cycle that a message lists.
const MOST_SHOWN: usize = 12;

/// Formats a cycle as `a → b → a` and leaves out the middle of a long one.
fn ring(tasks: &[String]) -> String {
    let mut text = String::new();
    let left_out = tasks.len().saturating_sub(MOST_SHOWN);
    for (index, task) in tasks.iter().enumerate() {
        if index < MOST_SHOWN - 2 || index >= MOST_SHOWN - 2 + left_out {
            text.push_str(task);
            text.push_str(" → ");
        } else if index == MOST_SHOWN - 2 {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "({left_out} more) → ");
        }
    }
    text + tasks.first().map_or("", String::as_str)
}
