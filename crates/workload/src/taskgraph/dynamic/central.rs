//! What the dynamic schedulers have in common that know of all ready tasks and idle cores: whenever there are both, one
//! of the tasks goes to one of the cores. The core then waits for the data and computes. The decisions reach the nodes at
//! no cost.

use super::super::book::Book;
use super::super::instance::Instance;
use super::super::program::Dispatcher;
use super::super::system::{Need, Room};
use super::Setup;
use super::ready::Ready;
use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId, TimerId};

/// Which ready task goes next, and where to.
pub trait ReadyRule {
    /// The order of ready tasks: the greatest goes first.
    type Priority: Ord;

    /// The priority of a task that has become ready.
    fn priority(&mut self, task: u32) -> Self::Priority;

    /// The node for a task, if there is room for it on any.
    fn node(&self, task: u32, room: &Room, book: &Book<'_>, context: &mut impl Context<u32>) -> Option<NodeId>;
}

/// Hands out ready tasks to idle cores.
#[derive(Debug)]
pub struct Central<'a, C: ReadyRule> {
    instance: &'a Instance<'a>,
    rule: C,
    ready: Ready<'a, C::Priority>,
    room: Room,
    /// When each job arrives, and which is the next.
    arrivals: Vec<Time>,
    next: usize,
    /// What calls the program when the next job arrives: a timer at a node with an idle core.
    wake: Option<(NodeId, TimerId)>,
}

impl<'a, C: ReadyRule> Central<'a, C> {
    /// With all cores idle.
    pub(super) fn new(setup: &Setup<'a>, rule: C) -> Self {
        let instance = setup.instance;
        Self {
            instance,
            rule,
            ready: Ready::new(instance.graph, setup.job_order),
            room: Room::new(instance.platform, instance.needs()),
            arrivals: instance.arrivals().collect(),
            next: 0,
            wake: None,
        }
    }

    fn make_ready(&mut self, task: u32) {
        self.ready.push(task, self.rule.priority(task));
    }

    /// Takes in the jobs that have arrived by now.
    fn take_arrived(&mut self, context: &mut impl Context<u32>) {
        let graph = self.instance.graph;
        while self.arrivals.get(self.next).is_some_and(|&arrival| arrival <= context.now()) {
            for task in graph.jobs().tasks(self.next).filter(|&task| graph.in_degree(task) == 0) {
                self.make_ready(task);
            }
            self.next += 1;
            self.cancel(context);
        }
    }

    /// Hands out ready tasks, and waits for the next job.
    fn go_on(&mut self, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        self.hand_out(book, context);
        self.await_arrival(context);
    }

    /// Has the program called when the next job arrives. Where no core is idle, the next task to end does that.
    fn await_arrival(&mut self, context: &mut impl Context<u32>) {
        let Some(&arrival) = self.arrivals.get(self.next) else { return };
        if self.wake.is_some_and(|(at, _)| self.room.idle_at(at) > 0) {
            return;
        }
        self.cancel(context);
        if let Some(at) = self.room.nodes(Need::default()).next() {
            self.wake = Some((at, context.set_timer(at, arrival.since(context.now()))));
        }
    }

    fn cancel(&mut self, context: &mut impl Context<u32>) {
        if let Some((_, timer)) = self.wake.take() {
            context.cancel_timer(timer);
        }
    }

    /// Hands out ready tasks while there is room for the first of them.
    fn hand_out(&mut self, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        while self.room.idle() > 0
            && let Some(task) = self.ready.first()
            && let Some(at) = self.rule.node(task, &self.room, book, context)
        {
            self.ready.take(task);
            self.room.take(self.instance.need(task), at);
            book.fetch(task, at, context);
        }
    }
}

impl<C: ReadyRule> Dispatcher for Central<'_, C> {
    fn begin(&mut self, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        self.take_arrived(context);
        self.go_on(book, context);
    }

    fn arrived(&mut self, at: NodeId, task: u32, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        if book.arrived(task) {
            book.start(task, at, context);
        }
    }

    fn ended(&mut self, at: NodeId, task: u32, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        self.room.release(self.instance.need(task), at);
        self.ready.ended(task);
        // Where all cores were busy, nobody was called when a job arrived. Its tasks became ready before those that follow
        // this one.
        self.take_arrived(context);
        let graph = self.instance.graph;
        for edge in graph.successors(task) {
            if book.arrived(edge.to) {
                self.make_ready(edge.to);
            }
        }
        self.go_on(book, context);
        if book.ended() == graph.tasks() {
            context.complete(at);
        }
    }

    fn woken(&mut self, book: &mut Book<'_>, context: &mut impl Context<u32>) {
        self.take_arrived(context);
        self.go_on(book, context);
    }
}
