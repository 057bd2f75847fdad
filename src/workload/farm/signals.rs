//! The adaptive algorithm of Bazterra et al. (JPDC 2005, §5) as the state machines that the paper describes.
//!
//! A task costs four messages: WorkRequest, YesWork, the individual, and WorkEnd with the result. The server is a
//! blocking one: it handles one signal at a time, and its messages leave one after the other, each for as long as the
//! network model holds its port. A client that has been down announces itself with `Joined`, which the paper, where
//! nothing breaks, does not have.

use std::collections::VecDeque;

use super::Sizes;
use super::ledger::Chunk;
use super::server::{After, Server, TaskSource};
use super::worker::Worker;
use crate::cluster::{Context, NodeId, Program, TimerId, WorkId};
use crate::policy::Seen;

/// The signals of the paper, and what they carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Server to client: there is work. It wakes a client, or answers its request.
    YesWork,
    /// Client to server: a request for an individual.
    WorkRequest,
    /// Server to client: there is nothing left in this generation.
    NoWork,
    /// Server to client: the individual itself, right after `YesWork` (or several, under a policy that deals chunks).
    Individual(Chunk),
    /// Client to server: an evaluation has ended, with its result.
    WorkEnd(Chunk),
    /// Server to client: the evolution is over.
    Shutdown,
    /// Client to server: here again after a fault.
    Joined,
}

/// What a client is doing (§5.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    /// Waits for a first `YesWork`.
    #[default]
    Initialisation,
    /// Has asked, and waits for `YesWork` or `NoWork`.
    Asking,
    /// Was promised an individual.
    Promised,
    /// Evaluates.
    Working,
    /// Waits for `YesWork` or `Shutdown`.
    Sleep,
    /// Takes no more signals.
    Off,
}

/// What the server's processor is busy with.
#[derive(Debug, Clone, Copy)]
enum Job {
    Answer(u32),
    MakeGeneration,
}

/// The program of the adaptive algorithm.
#[derive(Debug)]
pub struct Adaptive<B> {
    server: Server<B>,
    clients: Vec<(Mode, Worker)>,
    /// Clients whose request overtook their results, which only jitter brings about.
    early: Vec<u32>,
    sizes: Sizes,
    /// What the server computes for each answer, in operations.
    service: f64,
    jobs: VecDeque<(WorkId, Job)>,
}

impl<B: TaskSource> Adaptive<B> {
    /// The program of `server`, which computes `service` operations for each answer.
    pub fn new(server: Server<B>, sizes: Sizes, service: f64) -> Self {
        let clients = vec![(Mode::default(), Worker::default()); server.workers() as usize];
        Self { server, clients, early: Vec::new(), sizes, service, jobs: VecDeque::new() }
    }

    /// The server, with what it knows.
    pub const fn server(&self) -> &Server<B> {
        &self.server
    }

    /// The server, to be read out after a run.
    pub fn into_server(self) -> Server<B> {
        self.server
    }

    #[inline]
    fn tell(&self, client: u32, signal: Signal, context: &mut impl Context<Signal>) {
        context.send(self.server.node(), self.server.node_of(client), self.sizes.signal, signal);
    }

    #[inline]
    fn ask(&mut self, client: u32, at: NodeId, context: &mut impl Context<Signal>) {
        self.clients[client as usize].0 = Mode::Asking;
        context.send(at, self.server.node(), self.sizes.signal, Signal::WorkRequest);
    }

    // The server's active mode (§5.4.2).

    fn requested(&mut self, client: u32, context: &mut impl Context<Signal>) {
        if self.server.has_work(client) {
            self.early.push(client);
        } else if self.service > 0.0 {
            let work = context.compute(self.server.node(), self.service);
            self.jobs.push_back((work, Job::Answer(client)));
        } else {
            self.answer(client, context);
        }
    }

    #[inline]
    fn answer(&mut self, client: u32, context: &mut impl Context<Signal>) {
        if self.server.end().is_some() {
            return;
        }
        if let Some(chunk) = self.server.next_for(client, context) {
            self.tell(client, Signal::YesWork, context);
            let bytes = u64::from(chunk.count) * self.sizes.task;
            context.send(self.server.node(), self.server.node_of(client), bytes, Signal::Individual(chunk));
        } else {
            self.tell(client, Signal::NoWork, context);
            self.server.park(client);
        }
    }

    fn ended(&mut self, client: u32, chunk: Chunk, context: &mut impl Context<Signal>) {
        let worker = &self.clients[client as usize].1;
        let seen = if worker.chunk == chunk { worker.seen } else { Seen::default() };
        match self.server.heard(client, chunk, &seen, context) {
            After::Round => {}
            After::Next => {
                let operations = self.server.bag.between();
                if operations > 0.0 {
                    let work = context.compute(self.server.node(), operations);
                    self.jobs.push_back((work, Job::MakeGeneration));
                } else {
                    self.open_round(context);
                }
            }
            After::End => {
                context.conclude();
                context.complete(self.server.node());
                for client in 0..self.server.workers() {
                    self.tell(client, Signal::Shutdown, context);
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

    /// Wakes the clients that sleep, as long as there is work for them.
    fn wake(&mut self, context: &mut impl Context<Signal>) {
        if self.server.has_tasks() {
            while let Some(client) = self.server.unpark() {
                self.tell(client, Signal::YesWork, context);
            }
        }
    }
}

impl<B: TaskSource> Program for Adaptive<B> {
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

    /// The server's initialisation mode (§5.4.1).
    fn start(&mut self, context: &mut impl Context<Signal>) {
        self.server.open_round(context);
        for client in 0..self.server.workers() {
            self.tell(client, Signal::YesWork, context);
        }
    }

    #[inline]
    fn on_message(&mut self, at: NodeId, from: NodeId, signal: Signal, context: &mut impl Context<Signal>) {
        match signal {
            Signal::WorkRequest => return self.requested(self.server.worker_at(from), context),
            Signal::WorkEnd(chunk) => return self.ended(self.server.worker_at(from), chunk, context),
            Signal::Joined => {
                let client = self.server.worker_at(from);
                self.server.heard(client, Chunk::EMPTY, &Seen::default(), context);
                self.server.park(client);
                return self.wake(context);
            }
            _ => {}
        }
        // The client (§5.3). Where jitter lets a signal overtake another, the later one is taken for what it means.
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
                self.sizes.set_working_set(at, chunk.count, context);
                let operations = self.server.bag.operations(chunk.first);
                let (mode, worker) = &mut self.clients[client as usize];
                *mode = Mode::Working;
                worker.take_up(chunk, at, operations, context);
            }
            // A promise that its individual has overtaken.
            _ => {}
        }
    }

    #[inline]
    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<Signal>) {
        if at == self.server.node() {
            let place = self.jobs.iter().position(|(job, _)| *job == work);
            let Some((_, job)) = place.and_then(|place| self.jobs.remove(place)) else { return };
            match job {
                Job::Answer(client) => self.answer(client, context),
                Job::MakeGeneration => self.open_round(context),
            }
            return;
        }
        let client = self.server.worker_at(at);
        let (mode, worker) = &mut self.clients[client as usize];
        if *mode == Mode::Off {
            // What it was at when it was shut down, a copy or a task that was dealt again, has no use any more.
            return;
        }
        if let Some(task) = worker.computed(context) {
            let operations = self.server.bag.operations(task);
            worker.compute(at, operations, context);
            return;
        }
        let chunk = worker.chunk;
        let bytes = self.sizes.signal + u64::from(chunk.count) * self.sizes.result;
        context.send(at, self.server.node(), bytes, Signal::WorkEnd(chunk));
        self.ask(client, at, context);
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<Signal>) {
        if at == self.server.node() && self.server.expire(timer, context) {
            self.wake(context);
        }
    }

    fn on_down(&mut self, at: NodeId, _: &mut impl Context<Signal>) {
        if at != self.server.node() {
            self.clients[self.server.worker_at(at) as usize] = (Mode::default(), Worker::default());
        }
    }

    fn on_up(&mut self, at: NodeId, context: &mut impl Context<Signal>) {
        if at != self.server.node() {
            context.send(at, self.server.node(), self.sizes.signal, Signal::Joined);
        }
    }
}
