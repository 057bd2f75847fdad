//! A mapping at work where the tasks of a node share its processor: each starts as soon as its data are there.
//!
//! No task waits for another but by the graph, so of a schedule only the mapping counts, and not the order. All tasks
//! of a node that are under way get on alike, each with a core at most: what SimGrid does with a DAG whose tasks are
//! assigned to hosts.

use super::book::Book;
use super::instance::Instance;
use super::plan::Plan;
use super::program::{Dispatcher, TaskProgram};
use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId};

/// The program of a mapping on shared processors. An edge between two nodes is a message; one within a node takes no
/// time.
pub type SharedProgram<'a> = TaskProgram<'a, Shared<'a>>;

/// Starts tasks where a plan has them, as soon as they can.
#[derive(Debug)]
pub struct Shared<'a> {
    instance: &'a Instance<'a>,
    plan: &'a Plan,
    nodes: Vec<SharedNode>,
}

/// What a node does.
#[derive(Debug, Clone, Copy, Default)]
struct SharedNode {
    /// How many of its tasks have not ended.
    left: u32,
    /// Tasks under way, and since when there are so many.
    running: u32,
    since: Time,
    /// For how long its cores have had tasks, summed over them.
    busy: Time,
}

impl SharedNode {
    /// Brings the book up to `now`, on a node of so many cores.
    fn advance(&mut self, now: Time, cores: u32) {
        self.busy += now.since(self.since) * u64::from(self.running.min(cores));
        self.since = now;
    }
}

impl<'a> SharedProgram<'a> {
    /// The program of a plan for this instance.
    #[must_use]
    pub fn new(instance: &'a Instance<'a>, plan: &'a Plan) -> Self {
        let mut nodes = vec![SharedNode::default(); instance.platform.nodes() as usize];
        for (&node, processor) in instance.nodes().iter().zip(0..) {
            nodes[node.index()].left += plan.tasks(processor).len() as u32;
        }
        Self::of(instance, Shared { instance, plan, nodes })
    }
}

impl Shared<'_> {
    fn node(&self, task: u32) -> NodeId {
        self.instance.nodes()[self.plan.processor(task) as usize]
    }

    fn start_task(&mut self, task: u32, at: NodeId, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        let node = &mut self.nodes[at.index()];
        node.advance(context.now(), self.instance.platform.cores(at));
        node.running += 1;
        book.start(task, at, context);
    }

    /// One thing that a task waits for is there.
    fn bring(&mut self, task: u32, at: NodeId, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        if book.arrived(task) {
            self.start_task(task, at, book, context);
        }
    }
}

impl Dispatcher for Shared<'_> {
    fn begin(&mut self, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        for processor in 0..self.instance.processors() {
            for &task in self.plan.tasks(processor) {
                if book.is_ready(task) {
                    self.start_task(task, self.instance.nodes()[processor as usize], book, context);
                }
            }
        }
    }

    fn arrived(&mut self, at: NodeId, task: u32, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        self.bring(task, at, book, context);
    }

    fn ended(&mut self, at: NodeId, task: u32, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        let node = &mut self.nodes[at.index()];
        node.advance(context.now(), self.instance.platform.cores(at));
        node.running -= 1;
        node.left -= 1;
        let left = node.left;
        let successors = self.instance.graph.successors(task);
        // What is sent goes before what is computed next, so that overheads delay it.
        for edge in successors.clone() {
            let to = self.node(edge.to);
            if to != at {
                book.send(at, to, edge.bytes, edge.to, context);
            }
        }
        for edge in successors {
            if self.node(edge.to) == at {
                self.bring(edge.to, at, book, context);
            }
        }
        if left == 0 {
            context.complete(at);
        }
    }

    fn busy(&self, at: NodeId) -> Option<Time> {
        Some(self.nodes[at.index()].busy)
    }
}
