//! Tasks in the order in which they became ready, each to the node with the most idle cores: what a workflow system over
//! a queue of jobs does that knows neither run times nor the way to the end.

use std::cmp::Reverse;

use super::super::book::Book;
use super::super::instance::Instance;
use super::super::program::TaskProgram;
use super::super::system::Room;
use super::Setup;
use super::central::{Central, ReadyRule};
use hetsim_cluster::{Context, NodeId};

/// The program.
pub type FirstComeProgram<'a> = TaskProgram<'a, Central<'a, MostIdle<'a>>>;

/// In the order of becoming ready, to the node with the most idle cores.
#[derive(Debug)]
pub struct MostIdle<'a> {
    instance: &'a Instance<'a>,
    /// How many tasks have become ready.
    ready: u32,
}

impl<'a> FirstComeProgram<'a> {
    /// The program of a graph on a machine.
    #[must_use]
    pub fn new(setup: &Setup<'a>) -> Self {
        let instance = setup.instance;
        Self::of(instance, Central::new(setup, MostIdle { instance, ready: 0 }))
    }
}

impl ReadyRule for MostIdle<'_> {
    type Priority = Reverse<u32>;

    fn priority(&mut self, _: u32) -> Self::Priority {
        self.ready += 1;
        Reverse(self.ready)
    }

    /// Of several nodes with the most idle cores, the first.
    fn node(&self, task: u32, room: &Room, _: &Book<'_>, _: &mut impl Context<u32>) -> Option<NodeId> {
        room.nodes(self.instance.need(task)).max_by_key(|&at| (room.idle_at(at), Reverse(at)))
    }
}
