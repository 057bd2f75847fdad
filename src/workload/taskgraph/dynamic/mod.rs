//! Schedulers that decide in the course of the run, one a file.
//!
//! That a task's predecessors have all ended is known everywhere at once and costs nothing; what moves are data and,
//! where a file says so, requests.

use super::book::Book;
use super::instance::Instance;
use crate::cluster::NodeId;
use crate::engine::Streams;
use crate::registry::names;
use crate::units::{Bytes, Time};

pub use online::OnlineProgram;
pub use work_stealing::{StealingMessage, StealingProgram};

names! {
    /// A scheduler at work during the run. A new one is a file with its program, and a line here.
    "dynamic scheduler": Dynamic {
        online::Online = "the ready task of highest upward rank to the idle node where it ends first at its present speed",
        work_stealing::WorkStealing = "every node runs what it made ready; idle ones ask others, who answer and send data between two of their tasks",
    }
}

/// What a dynamic scheduler starts from.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The graph and the machine.
    pub instance: &'a Instance<'a>,
    /// What those that draw draw from.
    pub streams: Streams,
    /// The length of a request.
    pub signal_size: Bytes,
}

/// For each task, how many of its predecessors have not ended.
fn predecessors(instance: &Instance<'_>) -> Vec<u32> {
    instance.graph.ids().map(|task| instance.graph.in_degree(task)).collect()
}

/// A program whose tasks are all told in a book.
pub trait Booked {
    /// What is known of the tasks.
    fn book(&self) -> &Book;

    /// For how long a node's cores had tasks, summed over them, where that is not the sum of its tasks' times: where
    /// tasks share a core.
    fn busy(&self, _: NodeId) -> Option<Time> {
        None
    }
}

impl Booked for super::replay::Replay<'_> {
    fn book(&self) -> &Book {
        self.book()
    }
}
