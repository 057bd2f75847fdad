//! What the dynamic schedulers have in common that know of all ready tasks and idle cores: whenever there are both, one
//! of the tasks goes to one of the cores. The core then waits for the data and computes. The decisions reach the nodes at
//! no cost.

use std::collections::BinaryHeap;

use super::super::book::Book;
use super::super::instance::Instance;
use super::super::program::Dispatcher;
use hetsim_cluster::{Context, NodeId};

/// Which ready task goes next, and where to.
pub trait ReadyRule {
    /// The order of ready tasks: the greatest goes first.
    type Priority: Ord;

    /// The priority of a task that has become ready.
    fn priority(&mut self, task: u32) -> Self::Priority;

    /// The node for a task; at least one has an idle core.
    fn node(&self, task: u32, idle: &[u32], book: &Book<'_>, context: &mut impl Context<u32>) -> NodeId;
}

/// Hands out ready tasks to idle cores.
#[derive(Debug)]
pub struct Central<'a, C: ReadyRule> {
    instance: &'a Instance<'a>,
    rule: C,
    ready: BinaryHeap<(C::Priority, u32)>,
    /// The idle cores of each node.
    idle: Vec<u32>,
    idle_total: u32,
}

impl<'a, C: ReadyRule> Central<'a, C> {
    /// With all cores idle.
    pub(super) fn new(instance: &'a Instance<'a>, rule: C) -> Self {
        let platform = instance.platform;
        let idle: Vec<u32> = (0..platform.nodes()).map(|node| platform.cores(NodeId(node))).collect();
        let ready = BinaryHeap::with_capacity(instance.graph.tasks());
        Self { instance, rule, ready, idle_total: idle.iter().sum(), idle }
    }

    fn make_ready(&mut self, task: u32) {
        self.ready.push((self.rule.priority(task), task));
    }

    /// Hands out ready tasks while there are idle cores.
    fn hand_out(&mut self, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        while self.idle_total > 0
            && let Some((_, task)) = self.ready.pop()
        {
            let at = self.rule.node(task, &self.idle, book, context);
            self.idle[at.index()] -= 1;
            self.idle_total -= 1;
            self.fetch(task, at, book, context);
        }
    }

    /// Has a task's data sent to where it will run, and starts it once they are there.
    fn fetch(&self, task: u32, at: NodeId, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        let mut missing = 0;
        for edge in self.instance.graph.predecessors(task) {
            let from = book.node(edge.from);
            if from != at {
                missing += 1;
                book.send(from, at, edge.bytes, task, context);
            }
        }
        book.place(task, at, missing, context);
    }
}

impl<C: ReadyRule> Dispatcher for Central<'_, C> {
    fn begin(&mut self, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        for task in self.instance.graph.entries() {
            self.make_ready(task);
        }
        self.hand_out(book, context);
    }

    fn arrived(&mut self, at: NodeId, task: u32, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        if book.arrived(task) {
            book.start(task, at, context);
        }
    }

    fn ended(&mut self, at: NodeId, task: u32, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        self.idle[at.index()] += 1;
        self.idle_total += 1;
        let graph = self.instance.graph;
        for edge in graph.successors(task) {
            if book.arrived(edge.to) {
                self.make_ready(edge.to);
            }
        }
        self.hand_out(book, context);
        if book.ended() == graph.tasks() {
            context.complete(at);
        }
    }
}
