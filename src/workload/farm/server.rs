//! The server's side of a task farm, whatever its messages are: rounds, who has what, what is late.

use std::collections::VecDeque;

use super::ledger::{Assignments, Chunk};
use crate::cluster::{Context, NodeId, TimerId};
use crate::policy::{ChunkPolicy, Kind, Seen};
use crate::units::Time;

/// What is to be done: rounds of independent tasks, one after the other, numbered over all rounds.
pub trait TaskSource {
    /// How many tasks each round has.
    fn tasks(&self) -> u32;

    /// The work of a task, in operations.
    fn operations(&self, task: u32) -> f64;

    /// The work of the first so many tasks together, in operations.
    fn total(&self, tasks: u32) -> f64;

    /// A task's result is in, for the first time.
    fn result(&mut self, task: u32);

    /// All results of a round are in. True if another round follows, which is made by the server's own computing of
    /// [`between`](Self::between) operations.
    fn end_round(&mut self, now: Time) -> bool;

    /// What the server computes at the end of a round, in operations.
    fn between(&self) -> f64;
}

/// How the server deals.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// How often a late task is given to an idle worker besides the one that has it.
    pub copies: u32,
    /// After how long without a result a worker's tasks are given to others.
    pub timeout: Option<Time>,
    /// Whether tasks may be lost, so that the server must know each of them.
    pub unreliable: bool,
}

/// What the server knows of a worker.
#[derive(Debug, Clone, Copy, Default)]
struct Client {
    /// What it was given and has not brought back.
    out: Chunk,
    /// How many chunks it was given.
    deals: u32,
    /// Whether it waits for work.
    idle: bool,
}

/// When a chunk is overdue, unless its worker was given another one since.
#[derive(Debug, Clone, Copy)]
struct Deadline {
    at: Time,
    worker: u32,
    deals: u32,
}

/// What the results of a chunk brought about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// The round goes on.
    Round,
    /// The round is over, and another one is to be made.
    Next,
    /// All rounds are over.
    End,
}

/// The server of a farm.
#[derive(Debug)]
pub struct Server<B> {
    /// What is to be done.
    pub bag: B,
    node: NodeId,
    dealer: ChunkPolicy,
    kind: Kind,
    rules: Rules,
    ledger: Assignments,
    clients: Vec<Client>,
    /// Whether a worker is thought to be there.
    present: Vec<bool>,
    /// Workers that have tasks, where the server knows.
    busy: u32,
    /// Workers that wait, first come, first served; some may have work by now.
    waiting: VecDeque<u32>,
    /// In the order in which they fall due.
    deadlines: VecDeque<Deadline>,
    timer: Option<TimerId>,
    /// When a result last came in.
    progress: Time,
    /// Whether a round is under way. Between rounds the server makes the next one.
    open: bool,
    rounds: u32,
    copied: u64,
    end: Option<Time>,
}

impl<B: TaskSource> Server<B> {
    /// The server at `node` of so many workers.
    pub fn new(bag: B, node: NodeId, workers: u32, (dealer, kind): (ChunkPolicy, Kind), rules: Rules) -> Self {
        Self {
            bag,
            node,
            dealer,
            kind,
            rules,
            ledger: Assignments::new(rules.copies > 0 || rules.unreliable),
            clients: vec![Client::default(); workers as usize],
            present: vec![true; workers as usize],
            busy: 0,
            waiting: VecDeque::new(),
            deadlines: VecDeque::new(),
            timer: None,
            progress: Time::ZERO,
            open: false,
            rounds: 0,
            copied: 0,
            end: None,
        }
    }

    /// Where it runs.
    #[inline]
    pub const fn node(&self) -> NodeId {
        self.node
    }

    /// How its policy works.
    #[inline]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The node of a worker: all but the server's, in their order.
    #[inline]
    pub const fn node_of(&self, worker: u32) -> NodeId {
        NodeId(if worker < self.node.0 { worker } else { worker + 1 })
    }

    /// The worker on a node other than the server's.
    #[inline]
    pub const fn worker_at(&self, node: NodeId) -> u32 {
        if node.0 < self.node.0 { node.0 } else { node.0 - 1 }
    }

    /// How many workers there are.
    pub fn workers(&self) -> u32 {
        self.clients.len() as u32
    }

    /// Rounds that are over.
    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Tasks of the present round that have no result.
    pub const fn unfinished(&self) -> u32 {
        self.ledger.unfinished()
    }

    /// Copies of late tasks that were dealt.
    pub const fn copied(&self) -> u64 {
        self.copied
    }

    /// When the last round was over; nothing before.
    pub const fn end(&self) -> Option<Time> {
        self.end
    }

    /// Whether a worker has tasks that the server waits for.
    pub fn has_work(&self, worker: u32) -> bool {
        self.clients[worker as usize].out.count > 0
    }

    /// Opens a round.
    pub fn open_round<M>(&mut self, context: &mut impl Context<M>) {
        let tasks = self.bag.tasks();
        self.ledger.open(tasks, self.rules.copies);
        self.dealer.begin(tasks);
        self.open = true;
        self.progress = context.now();
    }

    /// Deals to all workers at once, where the policy does so and it is time: at the start of a round, and again
    /// whenever all that was dealt is back and something is left.
    pub fn deal_all<M>(&mut self, context: &mut impl Context<M>) -> Vec<(u32, Chunk)> {
        let due = self.open && self.kind != Kind::SelfScheduling && self.busy == 0 && self.ledger.undealt() > 0;
        if !due || !self.present.contains(&true) {
            return Vec::new();
        }
        let counts = self.dealer.deal(self.ledger.undealt(), &self.present);
        let mut dealt = Vec::new();
        for (worker, count) in (0..).zip(counts).filter(|(_, count)| *count > 0) {
            // Tasks that were given up may lie apart; what is left of a share is dealt when all is back again.
            let Some(chunk) = self.ledger.take(count) else { break };
            self.note_deal(worker, chunk, context);
            dealt.push((worker, chunk));
        }
        dealt
    }

    /// The next tasks for a worker that has none, or a copy of a late one; nothing where there is nothing for it.
    #[inline]
    pub fn next_for<M>(&mut self, worker: u32, context: &mut impl Context<M>) -> Option<Chunk> {
        if !self.open {
            return None;
        }
        let left = self.ledger.undealt();
        let chunk = if left == 0 {
            if self.rules.copies == 0 {
                return None;
            }
            let copy = self.ledger.copy()?;
            self.copied += 1;
            copy
        } else if self.kind == Kind::SelfScheduling {
            let count = self.dealer.chunk(worker, left);
            self.ledger.take(count)?
        } else if self.kind == Kind::Stealing {
            // What was lost with a worker, task by task.
            self.ledger.take(1)?
        } else {
            return None;
        };
        self.note_deal(worker, chunk, context);
        Some(chunk)
    }

    #[inline]
    fn note_deal<M>(&mut self, worker: u32, chunk: Chunk, context: &mut impl Context<M>) {
        let client = &mut self.clients[worker as usize];
        client.idle = false;
        client.deals += 1;
        if self.kind != Kind::Stealing {
            self.busy += u32::from(client.out.count == 0);
            client.out = chunk;
        }
        if let Some(timeout) = self.rules.timeout {
            let deals = client.deals;
            self.deadlines.push_back(Deadline { at: context.now() + timeout, worker, deals });
            self.keep_timer(context);
        }
    }

    /// A worker brings results, and has nothing else.
    #[inline]
    pub fn heard<M>(&mut self, worker: u32, brought: Chunk, seen: &Seen, context: &mut impl Context<M>) -> After {
        self.present[worker as usize] = true;
        if brought.count > 0 {
            self.progress = context.now();
        }
        let client = &mut self.clients[worker as usize];
        let out = std::mem::take(&mut client.out);
        self.busy -= u32::from(out.count > 0);
        if seen.tasks > 0 {
            self.dealer.observe(worker, seen);
        }
        let bag = &mut self.bag;
        self.ledger.finish(brought, |task| bag.result(task));
        if out.count > 0 && out != brought {
            // It has been down since, and knows nothing of them.
            self.ledger.give_up(out);
        }
        if !self.open || self.ledger.unfinished() > 0 {
            return After::Round;
        }
        self.open = false;
        self.rounds += 1;
        if self.bag.end_round(context.now()) {
            return After::Next;
        }
        self.end = Some(context.now());
        if let Some(timer) = self.timer.take() {
            context.cancel_timer(timer);
        }
        After::End
    }

    /// A worker has nothing to do and waits to be told. Where all are dealt to at once, nobody has to stand in line.
    pub fn park(&mut self, worker: u32) {
        let client = &mut self.clients[worker as usize];
        if !client.idle && self.kind != Kind::Static {
            client.idle = true;
            self.waiting.push_back(worker);
        }
    }

    /// The worker that has waited longest, which no longer waits.
    pub fn unpark(&mut self) -> Option<u32> {
        while let Some(worker) = self.waiting.pop_front() {
            if std::mem::take(&mut self.clients[worker as usize].idle) {
                return Some(worker);
            }
        }
        None
    }

    /// Whether tasks are there for a worker that asks.
    pub fn has_tasks(&self) -> bool {
        self.open && self.ledger.undealt() > 0
    }

    /// A timer ran out: what is overdue is given up, to be dealt to others. True where something was.
    pub fn expire<M>(&mut self, timer: TimerId, context: &mut impl Context<M>) -> bool {
        if self.timer != Some(timer) {
            return false;
        }
        self.timer = None;
        let given_up = if self.kind == Kind::Stealing { self.no_progress(context) } else { self.overdue(context) };
        self.keep_timer(context);
        given_up
    }

    /// Gives up the chunks whose deadline has passed. Their workers count as gone until they are heard again.
    fn overdue<M>(&mut self, context: &mut impl Context<M>) -> bool {
        let mut given_up = false;
        while let Some(deadline) = self.deadlines.front() {
            let client = &mut self.clients[deadline.worker as usize];
            let waits_for_it = client.deals == deadline.deals && client.out.count > 0;
            if waits_for_it && deadline.at > context.now() {
                break;
            }
            if waits_for_it {
                self.ledger.give_up(std::mem::take(&mut client.out));
                self.busy -= 1;
                self.present[deadline.worker as usize] = false;
                given_up = true;
            }
            self.deadlines.pop_front();
        }
        given_up
    }

    /// Where workers pass tasks on to each other, the server can't know who has what: after a time without any result
    /// it gives up all that is missing, for those that ask.
    fn no_progress<M>(&mut self, context: &mut impl Context<M>) -> bool {
        self.deadlines.clear();
        let Some(timeout) = self.rules.timeout.filter(|_| self.open) else { return false };
        let due = self.progress + timeout;
        if due > context.now() {
            self.deadlines.push_back(Deadline { at: due, worker: 0, deals: 0 });
            return false;
        }
        // Nothing is out now; who is given some of it is given a time for it too.
        self.ledger.give_up_all();
        true
    }

    /// How long a worker waits for another one's answer; nothing where no answer is ever lost.
    pub const fn patience(&self) -> Option<Time> {
        self.rules.timeout
    }

    /// Whether it gives up what is overdue.
    pub const fn has_timeout(&self) -> bool {
        self.rules.timeout.is_some()
    }

    fn keep_timer<M>(&mut self, context: &mut impl Context<M>) {
        if let (None, Some(first)) = (self.timer, self.deadlines.front()) {
            self.timer = Some(context.set_timer(self.node, first.at - context.now()));
        }
    }
}
