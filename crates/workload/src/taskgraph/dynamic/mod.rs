//! Schedulers that decide in the course of the run, one a file.
//!
//! That a task's predecessors have all ended is known everywhere at once and costs nothing; what moves are data and,
//! where a file says so, requests.

mod central;
mod first_come;
mod online;
mod ready;
mod recorded;
mod work_stealing;

use super::instance::Instance;
use hetsim_base::engine::Streams;
use hetsim_base::registry::names;
use hetsim_base::units::Bytes;

pub use central::{Central, ReadyRule};
pub use first_come::FirstComeProgram;
pub use online::OnlineProgram;
pub use ready::JobOrder;
pub use recorded::RecordedProgram;
pub(super) use recorded::recorded_nodes;
pub use work_stealing::{StealingMessage, StealingProgram};

names! {
    /// A scheduler at work during the run. A new one is a file with its program, and a line here.
    "dynamic scheduler": Dynamic {
        online::Online = "the ready task of highest upward rank to the idle node where it ends first at its present speed",
        first_come::FirstCome = "tasks as they become ready, each to the node with the most idle cores, as queues of jobs do",
        recorded::Recorded = "each task on the node on which the file says that it ran, in the order in which they become ready",
        work_stealing::WorkStealing = "every node runs what it made ready; idle ones ask others, who answer and send data between two of their tasks",
    }
}

impl Dynamic {
    /// Whether it can take in jobs that arrive in the course of the run.
    pub(super) const fn takes_jobs(self) -> bool {
        matches!(self, Self::Online | Self::FirstCome)
    }

    /// Whether it gives a task only to a node that has what the task needs.
    pub(super) const fn looks_for_room(self) -> bool {
        !matches!(self, Self::Recorded)
    }
}

/// What a dynamic scheduler starts from.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The graph and the machine.
    pub instance: &'a Instance<'a>,
    /// What those that draw draw from.
    pub streams: Streams,
    /// Which job goes first.
    pub job_order: JobOrder,
    /// The length of a request.
    pub signal_size: Bytes,
}
