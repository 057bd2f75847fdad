//! Tasks in the order in which they became ready, each to the node with the most idle cores: what a workflow system over
//! a queue of jobs does that knows neither run times nor the way to the end.

use std::cmp::Reverse;

use super::super::book::Book;
use super::super::program::TaskProgram;
use super::Setup;
use super::central::{Central, ReadyRule};
use hetsim_cluster::{Context, NodeId};

/// The program.
pub type FirstComeProgram<'a> = TaskProgram<'a, Central<'a, MostIdle>>;

/// In the order of becoming ready, to the node with the most idle cores.
#[derive(Debug, Default)]
pub struct MostIdle {
    /// How many tasks have become ready.
    ready: u32,
}

impl<'a> FirstComeProgram<'a> {
    /// The program of a graph on a machine.
    #[must_use]
    pub fn new(setup: &Setup<'a>) -> Self {
        Self::of(setup.instance, Central::new(setup, MostIdle::default()))
    }
}

impl ReadyRule for MostIdle {
    type Priority = Reverse<u32>;

    fn priority(&mut self, _: u32) -> Self::Priority {
        self.ready += 1;
        Reverse(self.ready)
    }

    /// Of several nodes with the most idle cores, the first.
    fn node(&self, _: u32, idle: &[u32], _: &Book<'_>, _: &mut impl Context<u32>) -> NodeId {
        let most = (0u32..).zip(idle).max_by_key(|&(node, idle)| (*idle, Reverse(node)));
        most.map_or(NodeId(0), |(node, _)| NodeId(node))
    }
}
