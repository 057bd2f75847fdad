//! A schedule at work: every processor runs its tasks in the order of the plan, each as soon as its data are there.

use std::collections::VecDeque;

use super::book::Book;
use super::instance::Instance;
use super::plan::Plan;
use super::program::{Dispatcher, TaskProgram};
use super::system::Room;
use hetsim_cluster::{Context, NodeId};

/// The program of a plan. An edge between two nodes is a message; one within a node takes no time.
pub type Replay<'a> = TaskProgram<'a, Planned<'a>>;

/// Starts tasks by a plan.
#[derive(Debug)]
pub struct Planned<'a> {
    instance: &'a Instance<'a>,
    plan: &'a Plan,
    processors: Vec<Processor>,
    /// For each node, how many of its tasks have not ended.
    left: Vec<u32>,
    several_cores: bool,
    /// What nodes have left, where tasks need more than a core; and by node, the tasks that wait for some of it.
    room: Option<(Room, Vec<VecDeque<u32>>)>,
}

/// A core.
#[derive(Debug, Clone, Copy)]
struct Processor {
    /// The place of its next task in its order.
    next: u32,
    computes: bool,
}

impl<'a> Replay<'a> {
    /// The program of a plan for this instance.
    #[must_use]
    pub fn new(instance: &'a Instance<'a>, plan: &'a Plan) -> Self {
        let mut left = vec![0; instance.platform.nodes() as usize];
        for (&node, processor) in instance.nodes().iter().zip(0..) {
            left[node.index()] += plan.tasks(processor).len() as u32;
        }
        let waiting = || vec![VecDeque::new(); left.len()];
        let room = instance.needs().are_any().then(|| (Room::new(instance.platform, instance.needs()), waiting()));
        let planned = Planned {
            instance,
            room,
            plan,
            processors: vec![Processor { next: 0, computes: false }; instance.nodes().len()],
            several_cores: instance.processors() > instance.platform.nodes(),
            left,
        };
        Self::of(instance, planned)
    }
}

impl Planned<'_> {
    /// Starts the next task of a processor if it can.
    #[inline]
    fn advance(&mut self, number: u32, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        let processor = &mut self.processors[number as usize];
        if processor.computes {
            return;
        }
        if let Some(&task) = self.plan.tasks(number).get(processor.next as usize)
            && book.is_ready(task)
        {
            processor.next += 1;
            processor.computes = true;
            let at = self.instance.nodes()[number as usize];
            if let Some((room, waiting)) = &mut self.room {
                let (need, waiting) = (self.instance.need(task), &mut waiting[at.index()]);
                if !waiting.is_empty() || !room.fits(need, at) {
                    return waiting.push_back(task);
                }
                room.take(need, at);
            }
            book.start(task, at, context);
        }
    }

    /// A task gives back what it took of its node: those that wait for it start.
    fn give_back(&mut self, task: u32, at: NodeId, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        let Some((room, waiting)) = &mut self.room else { return };
        room.release(self.instance.need(task), at);
        let waiting = &mut waiting[at.index()];
        while let Some(&first) = waiting.front()
            && room.fits(self.instance.need(first), at)
        {
            waiting.pop_front();
            room.take(self.instance.need(first), at);
            book.start(first, at, context);
        }
    }
}

impl Dispatcher for Planned<'_> {
    fn begin(&mut self, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        for processor in 0..self.instance.processors() {
            self.advance(processor, book, context);
        }
    }

    fn arrived(&mut self, _: NodeId, task: u32, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        if book.arrived(task) {
            self.advance(self.plan.processor(task), book, context);
        }
    }

    fn ended(&mut self, at: NodeId, task: u32, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        let processor = self.plan.processor(task);
        self.processors[processor as usize].computes = false;
        let successors = self.instance.graph.successors(task);
        // What is sent goes before what is computed next, so that overheads delay it.
        for edge in successors.clone() {
            let to = self.instance.nodes()[self.plan.processor(edge.to) as usize];
            if to == at {
                book.arrived(edge.to);
            } else {
                book.send(at, to, edge.bytes, edge.to, context);
            }
        }
        self.give_back(task, at, book, context);
        self.advance(processor, book, context);
        if self.several_cores {
            for edge in successors {
                let other = self.plan.processor(edge.to);
                if self.instance.nodes()[other as usize] == at {
                    self.advance(other, book, context);
                }
            }
        }
        let left = &mut self.left[at.index()];
        *left -= 1;
        if *left == 0 {
            context.complete(at);
        }
    }
}
