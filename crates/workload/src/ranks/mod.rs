//! Programs of ranks, each written down as one rank goes through it: send, compute, receive, one after the other.
//!
//! A [`Program`] reacts to events, which suits short rules. A program with a long way through it is easier to write and to
//! read as what one rank does: an asynchronous function that waits where a call of a message-passing library would
//! block. [`RankProgram`] runs one such function for each rank.

mod calls;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll, Waker};

use hetsim_base::units::{Tick, Time};
use hetsim_cluster::{Context, NodeId, PhaseOf, Program, Receive, SendId, TimerId, WorkId};

pub use calls::{RankCall, are_complete, write_calls};

/// What tells the messages of a rank program apart: the low byte is their kind, of which the program gives the names.
pub type Tag = u32;

/// What a rank asks of the platform.
#[derive(Debug, Clone, Copy)]
enum RankRequest {
    Send {
        to: u32,
        bytes: u64,
        tag: Tag,
    },
    Post {
        from: u32,
        bytes: u64,
        tag: Tag,
    },
    Probe {
        from: u32,
        tag: Tag,
    },
    Compute {
        operations: f64,
    },
    /// Lets a rank go on after a delay.
    Wake {
        rank: u32,
        delay: Time,
    },
    Phase(u32),
}

/// The clock, as ranks see it.
#[derive(Debug)]
struct Clock {
    now: Cell<Time>,
    tick: Cell<Tick>,
}

/// What a rank waits for, and what has come.
#[derive(Debug, Default)]
struct Mailbox {
    requests: RefCell<Vec<RankRequest>>,
    received: RefCell<Vec<(u32, Tag)>>,
    is_sent: Cell<bool>,
    is_computed: Cell<bool>,
    is_woken: Cell<bool>,
    probed: Cell<Option<bool>>,
    /// What the rank has called, where that is recorded.
    calls: RefCell<Option<Vec<RankCall>>>,
}

/// One rank of a program: what it can ask for. Each call that waits is awaited before the next.
#[derive(Debug)]
pub struct Rank {
    number: u32,
    clock: Rc<Clock>,
    mailbox: Rc<Mailbox>,
}

impl Rank {
    /// Its number.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// The clock.
    #[must_use]
    pub fn now(&self) -> Time {
        self.clock.now.get()
    }

    /// The clock's tick.
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.clock.tick.get()
    }

    fn ask(&self, request: RankRequest) {
        self.mailbox.requests.borrow_mut().push(request);
    }

    fn record(&self, call: RankCall) {
        if let Some(calls) = &mut *self.mailbox.calls.borrow_mut() {
            calls.push(call);
        }
    }

    /// Sends a message, until its buffer may be used again: a message by rendezvous until it is through.
    pub async fn send(&self, to: u32, bytes: u64, tag: Tag) {
        self.record(RankCall::Send { to, tag, bytes });
        self.ask(RankRequest::Send { to, bytes, tag });
        until(|| self.mailbox.is_sent.take().then_some(())).await;
    }

    /// Posts a receive, and goes on at once.
    pub fn post(&self, from: u32, bytes: u64, tag: Tag) {
        self.record(RankCall::Post { from, tag, bytes });
        self.ask(RankRequest::Post { from, bytes, tag });
    }

    /// Waits for the message of a receive that was posted.
    pub async fn wait(&self, from: u32, tag: Tag) {
        self.record(RankCall::Wait { from, tag });
        until(|| self.mailbox.take(from, tag)).await;
    }

    /// Posts a receive, and waits for its message.
    pub async fn receive(&self, from: u32, bytes: u64, tag: Tag) {
        self.post(from, bytes, tag);
        self.wait(from, tag).await;
    }

    /// Sends a message to a rank and receives one of it.
    pub async fn exchange(&self, with: u32, sent: u64, received: u64, tag: Tag) {
        self.post(with, received, tag);
        self.send(with, sent, tag).await;
        self.wait(with, tag).await;
    }

    /// Whether a message is there to be received.
    pub async fn probe(&self, from: u32, tag: Tag) -> bool {
        self.ask(RankRequest::Probe { from, tag });
        until(|| self.mailbox.probed.take()).await
    }

    /// Computes.
    pub async fn compute(&self, operations: f64) {
        if operations > 0.0 {
            self.record(RankCall::Compute(operations));
            self.ask(RankRequest::Compute { operations });
            until(|| self.mailbox.is_computed.take().then_some(())).await;
        }
    }

    /// Lets a rank that waits to be [woken](Self::woken), or will, go on after a delay.
    pub fn wake(&self, rank: u32, delay: Time) {
        self.ask(RankRequest::Wake { rank, delay });
    }

    /// Waits to be woken.
    pub async fn woken(&self) {
        self.record(RankCall::Woken);
        until(|| self.mailbox.is_woken.take().then_some(())).await;
    }

    /// What the rank does from now on belongs to a phase, for the critical path.
    pub fn enter(&self, phase: u32) {
        self.ask(RankRequest::Phase(phase));
    }
}

impl Mailbox {
    /// Takes a message that has come.
    fn take(&self, from: u32, tag: Tag) -> Option<()> {
        let mut received = self.received.borrow_mut();
        let place = received.iter().position(|message| *message == (from, tag))?;
        received.remove(place);
        Some(())
    }
}

/// Waits until something has come.
async fn until<T>(mut has_come: impl FnMut() -> Option<T>) -> T {
    poll_fn(|_| has_come().map_or(Poll::Pending, Poll::Ready)).await
}

/// A program in which each rank runs a function of its own.
pub struct RankProgram<'f> {
    nodes: Vec<NodeId>,
    rank_of: Vec<u32>,
    clock: Rc<Clock>,
    mailboxes: Vec<Rc<Mailbox>>,
    /// By rank; nothing once it is done.
    functions: Vec<Option<Pin<Box<dyn Future<Output = ()> + 'f>>>>,
    phase_names: &'static [&'static str],
}

impl fmt::Debug for RankProgram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RankProgram").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

/// A message of a rank program: its tag.
#[derive(Debug, Clone, Copy)]
pub struct Tagged(Tag);

impl<'f> RankProgram<'f> {
    /// The program that runs `function` on each of `nodes`, rank r on `nodes[r]`; each node has one. The phases that
    /// ranks [enter](Rank::enter) have these names.
    pub fn new<F: Future<Output = ()> + 'f>(
        nodes: Vec<NodeId>,
        phase_names: &'static [&'static str],
        mut function: impl FnMut(Rank) -> F,
    ) -> Self {
        let places = nodes.iter().map(|node| node.index() + 1).max().unwrap_or(0);
        let mut rank_of = vec![0; places];
        for (node, rank) in nodes.iter().zip(0..) {
            rank_of[node.index()] = rank;
        }
        let clock = Rc::new(Clock { now: Cell::new(Time::ZERO), tick: Cell::default() });
        let mailboxes: Vec<Rc<Mailbox>> = nodes.iter().map(|_| Rc::default()).collect();
        let rank = |(mailbox, number): (&Rc<Mailbox>, u32)| Rank {
            number,
            clock: Rc::clone(&clock),
            mailbox: Rc::clone(mailbox),
        };
        let ranks: Vec<Rank> = mailboxes.iter().zip(0..).map(rank).collect();
        let functions = ranks.into_iter().map(|rank| Some(Box::pin(function(rank)) as _)).collect();
        Self { nodes, rank_of, clock, mailboxes, functions, phase_names }
    }

    /// The same, which records what each rank calls.
    #[must_use]
    pub fn recorded(self) -> Self {
        for mailbox in &self.mailboxes {
            mailbox.calls.replace(Some(Vec::new()));
        }
        self
    }

    /// What each rank has called, where that was [recorded](Self::recorded); nothing elsewhere.
    #[must_use]
    pub fn calls(&self) -> Option<Vec<Vec<RankCall>>> {
        self.mailboxes.iter().map(|mailbox| mailbox.calls.take()).collect()
    }

    /// Lets a rank go on until it waits for something that has not come.
    fn advance(&mut self, rank: u32, context: &mut impl Context<Tagged>) {
        let (place, node) = (rank as usize, self.nodes[rank as usize]);
        self.clock.now.set(context.now());
        self.clock.tick.set(context.tick());
        let mut task = TaskContext::from_waker(Waker::noop());
        let mut goes_on = true;
        while goes_on {
            let Some(function) = &mut self.functions[place] else { return };
            let is_done = function.as_mut().poll(&mut task).is_ready();
            goes_on = false;
            for request in self.mailboxes[place].requests.borrow_mut().drain(..) {
                goes_on |= self.serve(place, node, request, context);
            }
            if is_done {
                self.functions[place] = None;
                context.complete(node);
            }
        }
    }

    /// Serves a request. Returns true if it is answered at once.
    fn serve(&self, place: usize, node: NodeId, request: RankRequest, context: &mut impl Context<Tagged>) -> bool {
        let receive =
            |from: u32, bytes, tag: Tag| Receive { from: Some(self.node(from)), tag: Some(u64::from(tag)), bytes };
        match request {
            RankRequest::Send { to, bytes, tag } => drop(context.send(node, self.node(to), bytes, Tagged(tag))),
            RankRequest::Post { from, bytes, tag } => context.post(node, receive(from, bytes, tag)),
            RankRequest::Compute { operations } => drop(context.compute(node, operations)),
            RankRequest::Wake { rank, delay } => drop(context.set_timer(self.node(rank), delay)),
            RankRequest::Phase(phase) => context.enter_phase(node, phase),
            RankRequest::Probe { from, tag } => {
                self.mailboxes[place].probed.set(Some(context.probe(node, receive(from, 0, tag))));
                return true;
            }
        }
        false
    }

    /// The node of a rank. An unknown rank has an unknown node, which ends the run.
    fn node(&self, rank: u32) -> NodeId {
        self.nodes.get(rank as usize).copied().unwrap_or(NodeId(u32::MAX))
    }
}

impl Program for RankProgram<'_> {
    type Message = Tagged;

    fn wants_sent(&self) -> bool {
        true
    }

    fn posts_receives(&self) -> bool {
        true
    }

    fn tag(message: &Tagged) -> u64 {
        u64::from(message.0)
    }

    fn phase(_: &Tagged) -> PhaseOf {
        PhaseOf::Node
    }

    fn phase_name(&self, phase: u32) -> String {
        self.phase_names.get(phase as usize).map_or_else(|| phase.to_string(), ToString::to_string)
    }

    fn start(&mut self, context: &mut impl Context<Tagged>) {
        for rank in 0..self.nodes.len() as u32 {
            self.advance(rank, context);
        }
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, message: Tagged, context: &mut impl Context<Tagged>) {
        let rank = self.rank_of[at.index()];
        self.mailboxes[rank as usize].received.borrow_mut().push((self.rank_of[from.index()], message.0));
        self.advance(rank, context);
    }

    fn on_sent(&mut self, at: NodeId, _: SendId, context: &mut impl Context<Tagged>) {
        let rank = self.rank_of[at.index()];
        self.mailboxes[rank as usize].is_sent.set(true);
        self.advance(rank, context);
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<Tagged>) {
        let rank = self.rank_of[at.index()];
        self.mailboxes[rank as usize].is_computed.set(true);
        self.advance(rank, context);
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<Tagged>) {
        let rank = self.rank_of[at.index()];
        self.mailboxes[rank as usize].is_woken.set(true);
        self.advance(rank, context);
    }
}
