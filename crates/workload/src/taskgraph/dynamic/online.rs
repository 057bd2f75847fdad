//! A dynamic list scheduler that sees the external load.
//!
//! Whenever a task is ready and a core is idle, the ready task of highest upward rank (with nominal costs, as in HEFT)
//! goes to the idle core where it would end first. The estimate assumes that its data leave the nodes where they were
//! made at once and without contention, and that the node keeps its present speed, load included.

use std::cmp::Reverse;

use super::super::book::Book;
use super::super::instance::Instance;
use super::super::program::TaskProgram;
use super::super::system::Room;
use super::Setup;
use super::central::{Central, ReadyRule};
use crate::RunFailure;
use hetsim_cluster::{Context, NodeId};
use hetsim_schedule::rank;

/// The program.
pub type OnlineProgram<'a> = TaskProgram<'a, Central<'a, EarliestFinish<'a>>>;

/// By upward rank, to where it ends first.
#[derive(Debug)]
pub struct EarliestFinish<'a> {
    instance: &'a Instance<'a>,
    /// For each task its rank's bits, which are in the order of their values, and its place in the graph's order.
    priorities: Vec<(u64, Reverse<u32>)>,
}

impl<'a> OnlineProgram<'a> {
    /// The program of a graph on a machine.
    ///
    /// # Errors
    /// A sentence, where there can be no tables of costs.
    pub fn new(setup: &Setup<'a>) -> Result<Self, RunFailure> {
        let instance = setup.instance;
        let graph = instance.graph;
        let ranks = rank::upward(graph, &instance.costs()?);
        let mut priorities: Vec<_> = ranks.into_iter().map(|rank| ((rank + 0.0).to_bits(), Reverse(0))).collect();
        for (&task, place) in graph.order().iter().zip(0..) {
            priorities[task as usize].1 = Reverse(place);
        }
        Ok(Self::of(instance, Central::new(setup, EarliestFinish { instance, priorities })))
    }
}

impl ReadyRule for EarliestFinish<'_> {
    type Priority = (u64, Reverse<u32>);

    fn priority(&mut self, task: u32) -> Self::Priority {
        self.priorities[task as usize]
    }

    /// The idle node where a task would end first; of several, the first. Where no speed is above zero, the one of the
    /// greatest nominal speed.
    fn node(&self, task: u32, room: &Room, book: &Book<'_>, context: &mut impl Context<u32>) -> Option<NodeId> {
        let platform = self.instance.platform;
        let mut best: Option<(f64, f64, NodeId)> = None;
        for at in room.nodes(self.instance.need(task)) {
            let arrival = self.instance.graph.predecessors(task).map(|edge| {
                let from = book.node(edge.from);
                self.instance.transfer(edge.bytes, from, at)
            });
            let wait = arrival.max().unwrap_or_default().as_f64();
            let share = context.availability(at);
            let ticks = self.instance.operations(task, at) / platform.speed(at);
            let end = if share > 0.0 { wait + ticks / share } else { f64::INFINITY };
            let whole = wait + ticks;
            if best.is_none_or(|(least, least_whole, _)| {
                end < least || (end.is_infinite() && least.is_infinite() && whole < least_whole)
            }) {
                best = Some((end, whole, at));
            }
        }
        best.map(|(_, _, at)| at)
    }
}
