//! The farm with plain messages: a worker returns results and is given more tasks, or is dealt a share at once.
//!
//! A worker that is given chunks ahead has a slot for each, and computes the chunks of its slots in order of arrival.

use std::collections::VecDeque;

use rand::RngExt;

use super::assignments::Chunk;
use super::reports::Reports;
use super::server::{Job, RoundStatus, Server, TaskSource};
use super::worker::Worker;
use hetsim_base::engine::Stream;
use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId, Program, TimerId, WorkId};
use hetsim_policy::Kind;

/// The messages between server and workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// To the server: the results of these tasks; this slot of the worker is idle.
    Done(u16, Chunk),
    /// From the server: tasks for this slot of the worker.
    Work(u16, Chunk),
    /// From the server: the chunk of this slot of the worker is wanted back, if it waits.
    Recall(u16),
    /// To the server: the chunk of this slot, which has waited.
    Returned(u16, Chunk),
    /// To another worker: a request for tasks of this round.
    Steal(u32),
    /// To the worker that asked: half of the remaining tasks, or none.
    StolenChunk(Chunk),
}

/// A worker's search for work when its own has run out. It asks other workers, drawn at random, a bounded number of
/// times, since nobody knows whether any work is left.
#[derive(Debug)]
struct Thief {
    stream: Stream,
    /// The number of victims asked since it last had work.
    tries: u32,
    /// The timeout for the answer of a victim that may be down.
    timer: Option<TimerId>,
}

/// The number of failed attempts after which a worker gives up until the next round.
const fn most_tries(workers: u32) -> u32 {
    2 * (u32::BITS - (workers - 1).leading_zeros())
}

/// The program of a farm.
#[derive(Debug)]
pub struct Farm<S> {
    /// The server and its state.
    pub server: Server<S>,
    /// One per slot.
    workers: Vec<Worker>,
    /// The slot whose chunk a worker computes, or has computed last; empty if each has a single one.
    computing: Vec<u32>,
    /// One per worker if workers steal; empty otherwise.
    thieves: Vec<Thief>,
    /// By worker: the chunks that arrived while it was busy, with their slots. Empty until there is one: without chunks
    /// ahead, that takes a fault.
    held: Vec<VecDeque<(u32, Chunk)>>,
    /// By worker: the timer until its chunk is set up; empty where that takes no time.
    set_up: Vec<Option<TimerId>>,
    /// By worker: what it has not told the server; empty without heartbeats.
    pub(super) untold: Vec<Reports>,
    /// What the server has not looked at.
    pub(super) unseen: Reports,
}

impl<S: TaskSource> Farm<S> {
    /// The program of a server.
    #[must_use]
    pub fn new(server: Server<S>) -> Self {
        let workers = vec![Worker::default(); server.slots.count() as usize];
        let computing = if server.slots.ahead() { (0..server.slots.workers()).collect() } else { Vec::new() };
        let set_up = if server.rules.setup > Time::ZERO { server.slots.workers() } else { 0 };
        let untold = if server.rules.rhythm.beats() { server.slots.workers() } else { 0 };
        Self {
            workers,
            computing,
            thieves: Vec::new(),
            held: Vec::new(),
            set_up: vec![None; set_up as usize],
            untold: vec![Reports::default(); untold as usize],
            unseen: Reports::default(),
            server,
        }
    }

    // The server.

    pub(super) fn results(&mut self, slot: u32, chunk: Chunk, context: &mut impl Context<Message>) {
        let report = self.workers[slot as usize].report_of(chunk);
        match self.server.receive_results(slot, chunk, &report, context) {
            RoundStatus::Running => {
                if !self.server.works_for(Job::Answer(slot), context) {
                    self.answer(slot, context);
                }
            }
            RoundStatus::NextRound => {
                self.server.enqueue(slot);
                if !self.server.works_for(Job::MakeRound, context) {
                    self.open_round(context);
                }
            }
            RoundStatus::AllDone => {
                context.conclude();
                context.complete(self.server.node);
            }
        }
    }

    #[inline]
    fn answer(&mut self, slot: u32, context: &mut impl Context<Message>) {
        // The slot may have been given tasks while the server was busy.
        if !self.server.has_work(slot) {
            if let Some(chunk) = self.server.next_for(slot, context) {
                self.give(slot, chunk, context);
            } else {
                self.server.enqueue(slot);
                self.server.plan_rebalancing(context);
            }
        }
        if self.server.kind == Kind::Static {
            self.deal(context);
        }
    }

    fn open_round(&mut self, context: &mut impl Context<Message>) {
        self.server.open_round(context);
        self.deal(context);
        self.serve_waiting(context);
    }

    fn deal(&mut self, context: &mut impl Context<Message>) {
        for (worker, chunk) in self.server.deal_all(context) {
            self.give(worker, chunk, context);
        }
    }

    /// Gives work to the waiting slots.
    fn serve_waiting(&mut self, context: &mut impl Context<Message>) {
        while self.server.kind != Kind::Static && self.server.has_tasks() {
            let Some(slot) = self.server.next_waiting() else { break };
            self.answer(slot, context);
        }
    }

    /// The node of a slot's worker, and the slot's place there.
    #[inline]
    fn address(&self, slot: u32) -> (NodeId, u16) {
        (self.server.node_of(self.server.slots.worker_of(slot)), self.server.slots.place_of(slot))
    }

    #[inline]
    fn give(&self, slot: u32, chunk: Chunk, context: &mut impl Context<Message>) {
        let (to, place) = self.address(slot);
        let bytes = self.server.rules.sizes.with_tasks(chunk.count);
        context.send(self.server.node, to, bytes, Message::Work(place, chunk));
    }

    // A worker.

    /// The slot whose chunk a worker computes, or has computed last.
    #[inline]
    fn current(&self, worker: u32) -> u32 {
        self.computing.get(worker as usize).copied().unwrap_or(worker)
    }

    #[inline]
    fn take_up(&mut self, slot: u32, at: NodeId, chunk: Chunk, context: &mut impl Context<Message>) {
        let worker = self.server.slots.worker_of(slot);
        if self.workers[self.current(worker) as usize].computes {
            self.hold(worker, slot, chunk);
            return;
        }
        if let Some(current) = self.computing.get_mut(worker as usize) {
            *current = slot;
        }
        self.server.rules.sizes.set_working_set(at, chunk.count, context);
        if let Some(timer) = self.set_up.get_mut(worker as usize) {
            self.workers[slot as usize].set_up(chunk);
            *timer = Some(context.set_timer(at, self.server.rules.setup));
            return;
        }
        let operations = self.server.operations(chunk.first, at);
        self.workers[slot as usize].take_up(chunk, at, operations, context);
    }

    /// Handles a timer of a worker: its chunk is set up, if it is the timer of that.
    fn begin(&mut self, worker: u32, at: NodeId, timer: TimerId, context: &mut impl Context<Message>) {
        let slot = self.current(worker);
        let own = self.set_up.get_mut(worker as usize);
        if own.is_some_and(|own| own.take_if(|own| *own == timer).is_some()) {
            let state = &mut self.workers[slot as usize];
            let operations = self.server.operations(state.chunk.first, at);
            state.compute(at, operations, context);
        }
    }

    /// Keeps a chunk until its worker has computed those that arrived before it.
    fn hold(&mut self, worker: u32, slot: u32, chunk: Chunk) {
        if self.held.is_empty() {
            self.held.resize_with(self.server.slots.workers() as usize, VecDeque::new);
        }
        self.held[worker as usize].push_back((slot, chunk));
    }

    #[inline]
    pub(super) fn bring(&self, at: NodeId, slot: u32, chunk: Chunk, context: &mut impl Context<Message>) {
        let bytes = self.server.rules.sizes.signal + u64::from(chunk.count) * self.server.rules.sizes.result;
        context.send(at, self.server.node, bytes, Message::Done(self.server.slots.place_of(slot), chunk));
    }

    /// Gives the server back the chunk of a slot, unless its computation has begun.
    fn give_back(&mut self, at: NodeId, place: u16, context: &mut impl Context<Message>) {
        let worker = self.server.worker_at(at);
        let slot = self.server.slots.slot(worker, place);
        let Some(held) = self.held.get_mut(worker as usize) else { return };
        let Some(position) = held.iter().rposition(|(held, _)| *held == slot) else { return };
        if let Some((_, chunk)) = held.remove(position) {
            let bytes = self.server.rules.sizes.with_tasks(chunk.count);
            context.send(at, self.server.node, bytes, Message::Returned(place, chunk));
        }
    }

    fn steal(&mut self, worker: u32, at: NodeId, context: &mut impl Context<Message>) {
        let workers = self.server.slots.workers();
        let thief = &mut self.thieves[worker as usize];
        if workers == 1 || thief.tries == most_tries(workers) {
            if self.server.rules.timeout.is_some() {
                // The server may know of lost tasks.
                self.bring(at, worker, Chunk::EMPTY, context);
            }
            return;
        }
        thief.tries += 1;
        let other = thief.stream.random_range(0..workers - 1);
        let victim = if other < worker { other } else { other + 1 };
        thief.timer = self.server.rules.timeout.map(|patience| context.set_timer(at, patience.with(1)));
        let round = self.round_of(worker);
        context.send(at, self.server.node_of(victim), self.server.rules.sizes.signal, Message::Steal(round));
    }

    /// The round of a worker's last tasks.
    fn round_of(&self, worker: u32) -> u32 {
        self.workers[worker as usize].chunk.first / self.server.source.tasks()
    }

    /// Cancels the timer: an answer or other work has arrived.
    fn stop_waiting(&mut self, worker: u32, context: &mut impl Context<Message>) {
        if let Some(timer) = self.thieves.get_mut(worker as usize).and_then(|thief| thief.timer.take()) {
            context.cancel_timer(timer);
        }
    }

    fn receive_stolen(&mut self, worker: u32, at: NodeId, chunk: Chunk, context: &mut impl Context<Message>) {
        self.stop_waiting(worker, context);
        if chunk.count > 0 {
            self.thieves[worker as usize].tries = 0;
            self.take_up(worker, at, chunk, context);
        } else if !self.workers[worker as usize].computes {
            self.steal(worker, at, context);
        }
    }
}

impl<S: TaskSource> Program for Farm<S> {
    type Message = Message;

    fn describe(message: &Message) -> &'static str {
        match message {
            Message::Done(_, Chunk::EMPTY) => "request",
            Message::Done(..) => "results",
            Message::Work(..) => "work",
            Message::Recall(_) => "recall",
            Message::Returned(..) => "returned tasks",
            Message::Steal(_) => "steal",
            Message::StolenChunk(_) => "stolen tasks",
        }
    }

    fn phase_name(&self, round: u32) -> String {
        format!("round {round}")
    }

    fn start(&mut self, context: &mut impl Context<Message>) {
        if self.server.kind == Kind::Stealing {
            let thief = |worker| Thief { stream: context.stream("steal", worker), tries: 0, timer: None };
            self.thieves = (0..u64::from(self.server.slots.workers())).map(thief).collect();
        }
        if !self.server.starts_up(context) {
            self.open_round(context);
        }
        if self.server.kind == Kind::SelfScheduling {
            for slot in 0..self.server.slots.count() {
                self.bring(self.server.node_of(self.server.slots.worker_of(slot)), slot, Chunk::EMPTY, context);
            }
        }
    }

    #[inline]
    fn on_message(&mut self, at: NodeId, from: NodeId, message: Message, context: &mut impl Context<Message>) {
        match message {
            Message::Done(place, chunk) => {
                self.note(self.server.slots.slot(self.server.worker_at(from), place), chunk, context);
            }
            Message::Work(place, chunk) => {
                let worker = self.server.worker_at(at);
                self.stop_waiting(worker, context);
                if let Some(thief) = self.thieves.get_mut(worker as usize) {
                    thief.tries = 0;
                }
                self.take_up(self.server.slots.slot(worker, place), at, chunk, context);
            }
            Message::Recall(place) => self.give_back(at, place, context),
            Message::Returned(place, chunk) => {
                let slot = self.server.slots.slot(self.server.worker_at(from), place);
                if let Some(to) = self.server.reassign(slot, chunk, context) {
                    self.give(to, chunk, context);
                }
            }
            Message::Steal(round) => {
                let worker = self.server.worker_at(at);
                // A thief of an earlier round has work of its own by now.
                let late = self.round_of(worker) > round;
                let chunk = if late { Chunk::EMPTY } else { self.workers[worker as usize].give_away() };
                let bytes = self.server.rules.sizes.with_tasks(chunk.count);
                context.send(at, from, bytes, Message::StolenChunk(chunk));
            }
            Message::StolenChunk(chunk) => self.receive_stolen(self.server.worker_at(at), at, chunk, context),
        }
    }

    #[inline]
    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<Message>) {
        if at == self.server.node {
            match self.server.worked_for(work) {
                Some(Job::Answer(slot)) => self.answer(slot, context),
                Some(Job::MakeRound) => self.open_round(context),
                None => {}
            }
            return;
        }
        let worker = self.server.worker_at(at);
        let slot = self.current(worker);
        let state = &mut self.workers[slot as usize];
        if let Some(task) = state.computed(context) {
            let operations = self.server.operations(task, at);
            state.compute(at, operations, context);
            return;
        }
        let chunk = state.chunk;
        self.report(at, slot, chunk, context);
        if let Some((slot, chunk)) = self.held.get_mut(worker as usize).and_then(VecDeque::pop_front) {
            self.take_up(slot, at, chunk, context);
        } else if !self.thieves.is_empty() {
            self.steal(worker, at, context);
        }
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<Message>) {
        if at != self.server.node {
            self.tell(at, timer, context);
            let worker = self.server.worker_at(at);
            self.begin(worker, at, timer, context);
            // The timer of the awaited answer, not of an earlier one.
            let thief = self.thieves.get_mut(worker as usize);
            let waits = thief.is_some_and(|thief| thief.timer.take_if(|waiting| *waiting == timer).is_some());
            if waits && !self.workers[worker as usize].computes {
                self.steal(worker, at, context);
            }
            return;
        }
        self.look(timer, context);
        for slot in self.server.rebalance(timer, context) {
            let (to, place) = self.address(slot);
            context.send(self.server.node, to, self.server.rules.sizes.signal, Message::Recall(place));
        }
        if self.server.expire(timer, context) {
            if self.server.kind == Kind::Static {
                self.deal(context);
            }
            self.serve_waiting(context);
        }
    }

    fn on_down(&mut self, at: NodeId, context: &mut impl Context<Message>) {
        if at != self.server.node {
            let worker = self.server.worker_at(at);
            self.server.note_down(worker, context);
            self.forget(worker);
            if let Some(timer) = self.set_up.get_mut(worker as usize) {
                *timer = None;
            }
            self.server.slots.of(worker).for_each(|slot| self.workers[slot as usize] = Worker::default());
            if let Some(held) = self.held.get_mut(worker as usize) {
                held.clear();
            }
            if let Some(thief) = self.thieves.get_mut(worker as usize) {
                (thief.tries, thief.timer) = (0, None);
            }
        }
    }

    /// A worker reports to the server when it is up again.
    fn on_up(&mut self, at: NodeId, context: &mut impl Context<Message>) {
        if at != self.server.node {
            let worker = self.server.worker_at(at);
            self.server.note_up(worker);
            self.server.slots.of(worker).for_each(|slot| self.bring(at, slot, Chunk::EMPTY, context));
        }
    }
}
