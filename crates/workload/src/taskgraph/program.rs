//! A graph at work: what all dispatchers share, who decide which task starts where and when.

use super::book::{Book, Booked};
use super::instance::Instance;
use super::system::System;
use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId, PhaseOf, Program, TimerId, WorkId};

/// Decides which task starts where and when, and has data sent. Its book is kept by the [`TaskProgram`].
pub trait Dispatcher {
    /// Before the first task.
    fn begin(&mut self, book: &mut Book<'_>, context: &mut impl Context<u32>);

    /// Data for a task have come to a node.
    fn arrived(&mut self, at: NodeId, task: u32, book: &mut Book<'_>, context: &mut impl Context<u32>);

    /// A task has ended on a node.
    fn ended(&mut self, at: NodeId, task: u32, book: &mut Book<'_>, context: &mut impl Context<u32>);

    /// A timer has expired: that of the dispatcher, or one of the system.
    fn woken(&mut self, _: &mut Book<'_>, _: &mut impl Context<u32>) {}

    /// As [`Booked::busy`].
    fn busy(&self, _: NodeId) -> Option<Time> {
        None
    }
}

/// The program of a dispatcher. Its messages name the task that the data are for.
#[derive(Debug)]
pub struct TaskProgram<'a, D> {
    book: Book<'a>,
    dispatcher: D,
}

impl<'a, D> TaskProgram<'a, D> {
    /// The program of a graph on a machine.
    pub(super) fn of(instance: &'a Instance<'a>, dispatcher: D) -> Self {
        Self { book: Book::new(instance), dispatcher }
    }

    /// The same where the tasks pass a system.
    #[must_use]
    pub fn through(mut self, system: Option<System>) -> Self {
        self.book.pass(system);
        self
    }
}

impl<D: Dispatcher> Booked for TaskProgram<'_, D> {
    fn book(&self) -> &Book<'_> {
        &self.book
    }

    fn busy(&self, at: NodeId) -> Option<Time> {
        self.dispatcher.busy(at)
    }
}

impl<D: Dispatcher> Program for TaskProgram<'_, D> {
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
        self.dispatcher.begin(&mut self.book, context);
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, task: u32, context: &mut impl Context<u32>) {
        self.dispatcher.arrived(at, task, &mut self.book, context);
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<u32>) {
        if let Some(task) = self.book.computed(work, context) {
            self.dispatcher.ended(at, task, &mut self.book, context);
        }
    }

    fn on_timer(&mut self, _: NodeId, _: TimerId, context: &mut impl Context<u32>) {
        self.book.set_up(context);
        while let Some(task) = self.book.next_ended(context) {
            self.dispatcher.ended(self.book.node(task), task, &mut self.book, context);
        }
        self.dispatcher.woken(&mut self.book, context);
    }
}
