//! The adaptive algorithm of Bazterra et al. (JPDC 2005, §5) as the state machines of the paper.
//!
//! A task costs four messages: WorkRequest, YesWork, the individual, and WorkEnd with the result. The server is
//! blocking: it handles one signal at a time, and its messages leave one after the other, each for as long as the
//! network model holds its port. A client that has been down announces itself with `Joined`, which the paper does not
//! need, since its nodes do not fail.

use super::assignments::Chunk;
use super::server::{Job, RoundStatus, Server, TaskSource};
use super::worker::Worker;
use hetsim_cluster::{Context, NodeId, Program, TimerId, WorkId};
use hetsim_policy::ChunkReport;

/// The signals of the paper and their contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// Server to client: there is work. It wakes a client or answers its request.
    YesWork,
    /// Client to server: a request for an individual.
    WorkRequest,
    /// Server to client: no work is left in this generation.
    NoWork,
    /// Server to client: the individual, right after `YesWork` (or several, under a policy that deals chunks).
    Individual(Chunk),
    /// Client to server: an evaluation has ended, with its result.
    WorkEnd(Chunk),
    /// Server to client: the evolution is over.
    Shutdown,
    /// Client to server: the client is back after a fault.
    Joined,
}

/// The state of a client (§5.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    /// It waits for the first `YesWork`.
    #[default]
    Initialisation,
    /// It has asked, and waits for `YesWork` or `NoWork`.
    Asking,
    /// It waits for the individual after `YesWork`.
    Promised,
    /// It evaluates.
    Working,
    /// It waits for `YesWork` or `Shutdown`.
    Sleep,
    /// It ignores all signals.
    Off,
}

/// The program of the adaptive algorithm.
#[derive(Debug)]
pub(super) struct Adaptive<S> {
    pub server: Server<S>,
    clients: Vec<(Mode, Worker)>,
    /// Clients whose request overtook their results, which only jitter can cause.
    early: Vec<u32>,
}

impl<S: TaskSource> Adaptive<S> {
    /// The program of a server.
    pub(super) fn new(mut server: Server<S>) -> Self {
        let clients = vec![(Mode::default(), Worker::default()); server.slots.workers() as usize];
        server.drops_early = true;
        Self { server, clients, early: Vec::new() }
    }

    #[inline]
    fn send_signal(&self, client: u32, signal: Signal, context: &mut impl Context<Signal>) {
        context.send(self.server.node, self.server.node_of(client), self.server.rules.sizes.signal, signal);
    }

    #[inline]
    fn ask(&mut self, client: u32, at: NodeId, context: &mut impl Context<Signal>) {
        self.clients[client as usize].0 = Mode::Asking;
        context.send(at, self.server.node, self.server.rules.sizes.signal, Signal::WorkRequest);
    }

    // The server's active mode (§5.4.2).

    fn requested(&mut self, client: u32, context: &mut impl Context<Signal>) {
        if self.server.has_work(client) {
            self.early.push(client);
        } else if !self.server.works_for(Job::Answer(client), context) {
            self.answer(client, context);
        }
    }

    #[inline]
    fn answer(&mut self, client: u32, context: &mut impl Context<Signal>) {
        if self.server.end.is_some() {
            return;
        }
        if let Some(chunk) = self.server.next_for(client, context) {
            self.send_signal(client, Signal::YesWork, context);
            let bytes = u64::from(chunk.count) * self.server.rules.sizes.task;
            context.send(self.server.node, self.server.node_of(client), bytes, Signal::Individual(chunk));
        } else {
            self.send_signal(client, Signal::NoWork, context);
            self.server.enqueue(client);
        }
    }

    fn ended(&mut self, client: u32, chunk: Chunk, context: &mut impl Context<Signal>) {
        let report = self.clients[client as usize].1.report_of(chunk);
        match self.server.receive_results(client, chunk, &report, context) {
            RoundStatus::Running => {}
            RoundStatus::NextRound => {
                if !self.server.works_for(Job::MakeRound, context) {
                    self.open_round(context);
                }
            }
            RoundStatus::AllDone => {
                context.conclude();
                context.complete(self.server.node);
                for client in 0..self.server.slots.workers() {
                    self.send_signal(client, Signal::Shutdown, context);
                }
            }
        }
        if let Some(place) = self.early.iter().position(|early| *early == client) {
            self.early.swap_remove(place);
            self.requested(client, context);
        }
    }

    fn open_round(&mut self, context: &mut impl Context<Signal>) {
        self.server.open_round(context);
        self.wake(context);
    }

    /// Wakes the sleeping clients while there is work for them.
    fn wake(&mut self, context: &mut impl Context<Signal>) {
        if self.server.has_tasks() {
            while let Some(client) = self.server.next_waiting() {
                self.send_signal(client, Signal::YesWork, context);
            }
        }
    }
}

impl<S: TaskSource> Program for Adaptive<S> {
    type Message = Signal;

    fn describe(signal: &Signal) -> &'static str {
        match signal {
            Signal::YesWork => "YesWork",
            Signal::WorkRequest => "WorkRequest",
            Signal::NoWork => "NoWork",
            Signal::Individual(_) => "individual",
            Signal::WorkEnd(_) => "WorkEnd",
            Signal::Shutdown => "Shutdown",
            Signal::Joined => "Joined",
        }
    }

    fn phase_name(&self, round: u32) -> String {
        format!("round {round}")
    }

    /// The server's initialisation mode (§5.4.1).
    fn start(&mut self, context: &mut impl Context<Signal>) {
        if self.server.starts_up(context) {
            (0..self.server.slots.workers()).for_each(|client| self.server.enqueue(client));
            return;
        }
        self.server.open_round(context);
        for client in 0..self.server.slots.workers() {
            self.send_signal(client, Signal::YesWork, context);
        }
    }

    #[inline]
    fn on_message(&mut self, at: NodeId, from: NodeId, signal: Signal, context: &mut impl Context<Signal>) {
        match signal {
            Signal::WorkRequest => return self.requested(self.server.worker_at(from), context),
            Signal::WorkEnd(chunk) => return self.ended(self.server.worker_at(from), chunk, context),
            Signal::Joined => {
                let client = self.server.worker_at(from);
                self.server.receive_results(client, Chunk::EMPTY, &ChunkReport::default(), context);
                self.server.enqueue(client);
                return self.wake(context);
            }
            _ => {}
        }
        // The client (§5.3). If jitter lets a signal overtake another, the later one keeps its meaning.
        let client = self.server.worker_at(at);
        match (self.clients[client as usize].0, signal) {
            (Mode::Off, _) => {}
            (_, Signal::Shutdown) => self.clients[client as usize].0 = Mode::Off,
            (Mode::Initialisation | Mode::Sleep, Signal::YesWork) | (Mode::Promised, Signal::NoWork) => {
                self.ask(client, at, context);
            }
            (Mode::Asking, Signal::YesWork) => self.clients[client as usize].0 = Mode::Promised,
            (Mode::Asking, Signal::NoWork) => self.clients[client as usize].0 = Mode::Sleep,
            (mode, Signal::Individual(chunk)) if mode != Mode::Working => {
                self.server.rules.sizes.set_working_set(at, chunk.count, context);
                let operations = self.server.operations(chunk.first, at);
                let (mode, worker) = &mut self.clients[client as usize];
                *mode = Mode::Working;
                worker.take_up(chunk, at, operations, context);
            }
            // A `YesWork` that its individual has overtaken.
            _ => {}
        }
    }

    #[inline]
    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<Signal>) {
        if at == self.server.node {
            match self.server.worked_for(work) {
                Some(Job::Answer(client)) => self.answer(client, context),
                Some(Job::MakeRound) => self.open_round(context),
                None => {}
            }
            return;
        }
        let client = self.server.worker_at(at);
        let (mode, worker) = &mut self.clients[client as usize];
        if *mode == Mode::Off {
            // The shutdown interrupted a copy or a repeated task, whose result is no longer needed.
            return;
        }
        if let Some(task) = worker.computed(context) {
            let operations = self.server.operations(task, at);
            worker.compute(at, operations, context);
            return;
        }
        let chunk = worker.chunk;
        let bytes = self.server.rules.sizes.signal + u64::from(chunk.count) * self.server.rules.sizes.result;
        context.send(at, self.server.node, bytes, Signal::WorkEnd(chunk));
        self.ask(client, at, context);
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<Signal>) {
        if at == self.server.node && self.server.expire(timer, context) {
            self.wake(context);
        }
    }

    fn on_down(&mut self, at: NodeId, context: &mut impl Context<Signal>) {
        if at != self.server.node {
            let client = self.server.worker_at(at);
            self.server.note_down(client, context);
            self.clients[client as usize] = (Mode::default(), Worker::default());
        }
    }

    fn on_up(&mut self, at: NodeId, context: &mut impl Context<Signal>) {
        if at != self.server.node {
            self.server.note_up(self.server.worker_at(at));
            context.send(at, self.server.node, self.server.rules.sizes.signal, Signal::Joined);
        }
    }
}
