//! Each task on the node on which it ran when the graph was recorded: what a run of the same placement takes, whatever the
//! rule was that placed the tasks.
//!
//! The machine that the file lists n-th is the n-th node of the platform. A task that is ready queues at its node, first in,
//! first out; a queue holds up no other node's tasks.

use std::collections::VecDeque;

use super::super::book::Book;
use super::super::instance::Instance;
use super::super::program::{Dispatcher, TaskProgram};
use super::super::system::Room;
use super::Setup;
use crate::RunFailure;
use hetsim_cluster::{Context, NodeId, Platform};
use hetsim_graph::TaskGraph;

/// The program.
pub type RecordedProgram<'a> = TaskProgram<'a, Recorded<'a>>;

/// Starts tasks where they were recorded.
#[derive(Debug)]
pub struct Recorded<'a> {
    instance: &'a Instance<'a>,
    /// The node of each task.
    nodes: Vec<NodeId>,
    /// By node, the ready tasks that wait for room on it.
    waiting: Vec<VecDeque<u32>>,
    room: Room,
}

/// The node of each task, by the machines of the file.
///
/// # Errors
/// A sentence, where a task has no machine or there are more machines than nodes.
pub(in super::super) fn recorded_nodes(graph: &TaskGraph, platform: &Platform) -> Result<Vec<NodeId>, RunFailure> {
    let (machines, nodes) = (graph.machines().len(), platform.nodes());
    if machines == 0 {
        return Err("the graph does not say on which machines its tasks ran: take another scheduler".into());
    }
    if machines > nodes as usize {
        let s = if nodes == 1 { "" } else { "s" };
        return Err(format!("the tasks ran on {machines} machines, and the platform has {nodes} node{s}").into());
    }
    let node = |task: u32| {
        let machine = graph.machine_of(task).map(NodeId);
        machine.ok_or_else(|| format!("the graph does not say on which machine task {} ran", graph.label(task)).into())
    };
    graph.ids().map(node).collect()
}

impl<'a> RecordedProgram<'a> {
    /// The program of a graph on a machine.
    ///
    /// # Errors
    /// A sentence, where the graph does not say which node each task ran on.
    pub fn new(setup: &Setup<'a>) -> Result<Self, RunFailure> {
        let instance = setup.instance;
        let recorded = Recorded {
            instance,
            nodes: recorded_nodes(instance.graph, instance.platform)?,
            waiting: vec![VecDeque::new(); instance.platform.nodes() as usize],
            room: Room::new(instance.platform, instance.needs()),
        };
        Ok(Self::of(instance, recorded))
    }
}

impl Recorded<'_> {
    /// Lets a task queue at its node.
    fn make_ready(&mut self, task: u32, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        let at = self.nodes[task as usize];
        self.waiting[at.index()].push_back(task);
        self.go_on(at, book, context);
    }

    /// Hands out a node's tasks while there is room for the first of them.
    fn go_on(&mut self, at: NodeId, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        while let Some(&task) = self.waiting[at.index()].front()
            && self.room.fits(self.instance.need(task), at)
        {
            self.waiting[at.index()].pop_front();
            self.room.take(self.instance.need(task), at);
            book.fetch(task, at, context);
        }
    }
}

impl Dispatcher for Recorded<'_> {
    fn begin(&mut self, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        for task in self.instance.graph.entries() {
            self.make_ready(task, book, context);
        }
    }

    fn arrived(&mut self, at: NodeId, task: u32, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        if book.arrived(task) {
            book.start(task, at, context);
        }
    }

    fn ended(&mut self, at: NodeId, task: u32, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        self.room.release(self.instance.need(task), at);
        // Those that wait became ready before those that this task makes ready.
        self.go_on(at, book, context);
        let graph = self.instance.graph;
        for edge in graph.successors(task) {
            if book.arrived(edge.to) {
                self.make_ready(edge.to, book, context);
            }
        }
        if book.ended() == graph.tasks() {
            context.complete(at);
        }
    }
}
