//! A dynamic list scheduler that sees the external load.
//!
//! Whenever a task is ready and a core is idle, the ready task of highest upward rank (with nominal costs, as in HEFT)
//! goes to the idle core where it would end first. The estimate assumes that its data leave the nodes where they were
//! made at once and without contention, and that the node keeps its present speed, load included. The core then waits
//! for the data and computes. The scheduler sees everything, and its decisions reach the nodes at no cost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::book::{Book, Booked};
use super::super::instance::Instance;
use super::Setup;
use crate::RunFailure;
use hetsim_cluster::{Context, NodeId, PhaseOf, Program, WorkId};
use hetsim_schedule::rank;

/// The program.
#[derive(Debug)]
pub struct OnlineProgram<'a> {
    instance: &'a Instance<'a>,
    /// For each task its rank's bits, which are in the order of their values, and its place in the graph's order.
    priorities: Vec<(u64, Reverse<u32>)>,
    ready: BinaryHeap<((u64, Reverse<u32>), u32)>,
    /// The idle cores of each node.
    idle: Vec<u32>,
    idle_total: u32,
    book: Book<'a>,
}

impl<'a> OnlineProgram<'a> {
    /// The program of a graph on a machine.
    ///
    /// # Errors
    /// A sentence, where there can be no tables of costs.
    pub fn new(setup: &Setup<'a>) -> Result<Self, RunFailure> {
        let instance = setup.instance;
        let (graph, platform) = (instance.graph, instance.platform);
        let ranks = rank::upward(graph, &instance.costs()?);
        let mut priorities: Vec<_> = ranks.into_iter().map(|rank| ((rank + 0.0).to_bits(), Reverse(0))).collect();
        for (&task, place) in graph.order().iter().zip(0..) {
            priorities[task as usize].1 = Reverse(place);
        }
        let idle: Vec<u32> = (0..platform.nodes()).map(|node| platform.cores(NodeId(node))).collect();
        Ok(Self {
            instance,
            priorities,
            ready: BinaryHeap::with_capacity(graph.tasks()),
            idle_total: idle.iter().sum(),
            idle,
            book: Book::new(instance),
        })
    }

    /// Hands out ready tasks while there are idle cores.
    fn hand_out(&mut self, context: &mut impl Context<u32>) {
        while self.idle_total > 0
            && let Some((_, task)) = self.ready.pop()
        {
            let at = self.best(task, context);
            self.idle[at.index()] -= 1;
            self.idle_total -= 1;
            self.fetch(task, at, context);
        }
    }

    /// The idle node where a task would end first; of several, the first. Where no speed is above zero, the one of the
    /// greatest nominal speed.
    fn best(&self, task: u32, context: &mut impl Context<u32>) -> NodeId {
        let platform = self.instance.platform;
        let mut best: Option<(f64, f64, NodeId)> = None;
        for (node, _) in (0u32..).zip(&self.idle).filter(|(_, idle)| **idle > 0) {
            let at = NodeId(node);
            let arrival = self.instance.graph.predecessors(task).map(|edge| {
                let from = self.book.node(edge.from);
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
        // There is an idle core: `hand_out` has looked.
        best.map_or(NodeId(0), |(_, _, at)| at)
    }

    /// Has a task's data sent to where it will run, and starts it once they are there.
    fn fetch(&mut self, task: u32, at: NodeId, context: &mut impl Context<u32>) {
        let mut missing = 0;
        for edge in self.instance.graph.predecessors(task) {
            let from = self.book.node(edge.from);
            if from != at {
                missing += 1;
                self.book.send(from, at, edge.bytes, task, context);
            }
        }
        self.book.place(task, at, missing, context);
    }

    fn make_ready(&mut self, task: u32) {
        self.ready.push((self.priorities[task as usize], task));
    }
}

impl Booked for OnlineProgram<'_> {
    fn book(&self) -> &Book<'_> {
        &self.book
    }
}

impl Program for OnlineProgram<'_> {
    /// The task that the data are for.
    type Message = u32;

    fn describe(_: &u32) -> &'static str {
        "data"
    }

    fn phase(task: &u32) -> PhaseOf {
        PhaseOf::Number(*task)
    }

    fn phase_name(&self, task: u32) -> String {
        self.book.phase_name(task)
    }

    fn start(&mut self, context: &mut impl Context<u32>) {
        let graph = self.instance.graph;
        for task in graph.entries() {
            self.make_ready(task);
        }
        self.hand_out(context);
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, task: u32, context: &mut impl Context<u32>) {
        if self.book.arrived(task) {
            self.book.start(task, at, context);
        }
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<u32>) {
        let task = self.book.end(work);
        self.idle[at.index()] += 1;
        self.idle_total += 1;
        let graph = self.instance.graph;
        for edge in graph.successors(task) {
            if self.book.arrived(edge.to) {
                self.make_ready(edge.to);
            }
        }
        self.hand_out(context);
        if self.book.ended() == graph.tasks() {
            context.complete(at);
        }
    }
}
