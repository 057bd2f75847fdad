//! The event loop: a [`Cluster`] runs a [`Program`] on a [`Platform`].

mod computing;
mod faults;
mod sending;

use faults::{Life, Returning};
use sending::varied;

use thiserror::Error;

use super::capacity::{Capacity, Outgoing};
use super::fault::Calendar;
use super::inbox::Inboxes;
use super::network::{Carriage, Transfer};
use super::observer::{Observer, ReceiveSeen, SendSeen};
use super::platform::{Platform, Ports, Sharing};
use super::processor::Processor;
use super::profile::Availability;
use super::program::{Machine, NodeId, Program, Scope, SendId, TimerId, WorkId};
use super::shared_links::SharedLinks;
use crate::engine::{Engine, EngineError, EventId, Stream, Streams};
use crate::units::{Tick, Time};

/// Why a run failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RunError {
    /// The engine could not go on.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A node's clocks.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    /// When its processor is free of overheads.
    handler_free: Time,
    /// When its port may start the next message.
    port_out: Time,
    /// When the last message was received that held its port.
    port_in: Time,
}

/// What a node has computed, until the program [concluded](Machine::conclude) where it has.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Computations that run now.
    running: u32,
    /// How long computations have run, summed over them.
    pub busy: Time,
    /// The operations of those that have ended.
    pub operations: f64,
    /// Computations that have ended.
    pub works: u64,
}

/// What is to happen. With a message of four bytes it is 32 bytes long, which counts where a million wait: what can be
/// found again from the nodes is not kept here.
#[derive(Debug)]
enum Event<M> {
    /// A message is there: with its overhead paid where all have the same (`folded`), otherwise before it.
    Deliver { to: NodeId, from: NodeId, overhead: Time, port: Time, message: M },
    /// A message is there that counts against the receiver's capacity.
    Arrive { to: NodeId, from: NodeId, overhead: Time, port: Time, message: M },
    /// The first waiting job of a node has its overhead paid.
    Wake { at: NodeId },
    /// A send has left its node.
    Sent { at: NodeId, send: SendId },
    /// A computation of its own core ends.
    Computed { at: NodeId, work: WorkId, start: Time, operations: f64 },
    /// The first computation of a shared processor ends.
    Shared { at: NodeId },
    /// A timer runs out.
    Timer { at: NodeId, timer: TimerId },
    /// A port looks at its first message.
    Inject { from: NodeId },
    /// A message's latency is over: its bytes start to flow.
    FlowStart { flow: u32, from: NodeId, to: NodeId, send: SendId, message: M },
    /// A flow ends.
    FlowEnd { flow: u32, from: NodeId, to: NodeId, send: SendId, message: M },
    /// The bandwidth of a shared link changes.
    Solve,
}

// A message of four bytes, as of a broadcast.
const _: () = assert!(size_of::<Event<u32>>() == 32);

/// What waits for a node's processor, or has it.
#[derive(Debug)]
enum Job<M> {
    Message { from: NodeId, overhead: Time, message: M },
    Computed(WorkId),
    Sent(SendId),
    Timer(TimerId),
    Compute { work: WorkId, operations: f64 },
}

impl<M> Job<M> {
    const fn overhead(&self) -> Time {
        match self {
            Self::Message { overhead, .. } => *overhead,
            _ => Time::ZERO,
        }
    }
}

/// A simulated machine in the course of a run.
#[derive(Debug)]
pub struct Cluster<'p, M, O = ()> {
    platform: &'p Platform,
    engine: Engine<Event<M>>,
    streams: Streams,
    observer: O,
    /// The name of a message, for the observer.
    describe: fn(&M) -> &'static str,
    nodes: Vec<Node>,
    /// The ports for messages that leave their group, where they have their own.
    far: Vec<Node>,
    loads: Vec<Availability>,
    /// By node; empty until one is given on a node with a cache.
    working_sets: Vec<u64>,
    inboxes: Inboxes<Job<M>>,
    /// By node; empty until a first computation.
    usage: Vec<Usage>,
    processors: Vec<Processor>,
    capacity: Capacity<M>,
    shared: SharedLinks,
    next_solve: Option<EventId>,
    /// By node; empty where no node has faults.
    lives: Vec<Life>,
    calendar: Calendar,
    returning: Returning,
    folded: bool,
    wants_sent: bool,
    sends: u64,
    works: u64,
    messages: u64,
    lost: u64,
    completed: u32,
    completion: Option<Time>,
    /// Up to when computations count in `usage`.
    counts_until: Time,
}

impl<'p, M> Cluster<'p, M> {
    /// The machine of `platform` at time zero.
    #[must_use]
    pub fn new(platform: &'p Platform, streams: Streams) -> Self {
        Self::observed(platform, streams, ())
    }
}

impl<'p, M, O: Observer> Cluster<'p, M, O> {
    /// The machine of `platform` at time zero, watched by `observer`.
    #[must_use]
    pub fn observed(platform: &'p Platform, streams: Streams, observer: O) -> Self {
        let nodes = platform.nodes() as usize;
        let far = if platform.ports() == Ports::PerLevel { nodes } else { 0 };
        Self {
            platform,
            engine: Engine::new(),
            observer,
            describe: |_| "",
            nodes: vec![Node::default(); nodes],
            far: vec![Node::default(); far],
            loads: platform.loads().to_vec(),
            working_sets: Vec::new(),
            inboxes: Inboxes::new(),
            usage: Vec::new(),
            processors: Vec::new(),
            capacity: Capacity::new(),
            shared: SharedLinks::new(platform),
            next_solve: None,
            lives: platform.faults().iter().map(|_| Life::default()).collect(),
            calendar: Calendar::new(platform.faults(), &streams),
            returning: Returning::default(),
            streams,
            folded: platform.constant_receive_overhead().is_some(),
            wants_sent: false,
            sends: 0,
            works: 0,
            messages: 0,
            lost: 0,
            completed: 0,
            completion: None,
            counts_until: Time::NEVER,
        }
    }

    /// Runs `program` until nothing is left to happen.
    ///
    /// Faults that are drawn never end. So where they are all that is left, the run goes on until the nodes that are
    /// down at that moment and will come up have done so, and ends there unless one of them starts something.
    ///
    /// # Errors
    /// Where the engine cannot go on: the clock is outgrown, or too many events wait.
    pub fn run<P: Program<Message = M>>(&mut self, program: &mut P) -> Result<(), RunError> {
        self.wants_sent = P::WANTS_SENT;
        self.describe = P::describe;
        if self.lives.is_empty() {
            program.start(self);
            while let Some(event) = self.engine.pop() {
                self.handle(event, program);
            }
        } else {
            self.run_with_faults(program);
        }
        self.engine.fault().map_or(Ok(()), |fault| Err(fault.into()))
    }

    /// When the last node completed that has; nothing where none has.
    #[must_use]
    pub const fn completion(&self) -> Option<Time> {
        self.completion
    }

    /// How many times a node completed.
    #[must_use]
    pub const fn completed(&self) -> u32 {
        self.completed
    }

    /// Messages delivered.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// Messages that no handler got because a node was down: the receiver when they arrived or before their handler
    /// could run, or the sender when they were to be sent.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// Events handled.
    #[must_use]
    pub const fn events(&self) -> u64 {
        self.engine.handled()
    }

    /// What each node has computed; empty where none has.
    #[must_use]
    pub fn usage(&self) -> &[Usage] {
        &self.usage
    }

    /// The observer, with what it has seen.
    #[must_use]
    pub fn into_observer(self) -> O {
        self.observer
    }

    #[inline]
    fn handle<P: Program<Message = M>>(&mut self, event: Event<M>, program: &mut P) {
        match event {
            Event::Deliver { to, from, overhead, port, message } => {
                self.deliver(to, from, overhead, port, message, program);
            }
            Event::Arrive { to, from, overhead, port, message } => {
                if let Some(stalled) = self.capacity.arrived(to) {
                    self.engine.schedule(self.engine.now(), Event::Inject { from: stalled });
                }
                self.deliver(to, from, overhead, port, message, program);
            }
            Event::Wake { at } => {
                self.woke(at);
                if let Some(job) = self.inboxes.pop(at.index()) {
                    self.dispatch(at, job, program);
                }
            }
            Event::Sent { at, send } => {
                if !self.is_of_earlier_life(at, send) {
                    self.admit(at, Job::Sent(send), program);
                }
            }
            Event::Computed { at, work, start, operations } => {
                self.ended(at, work);
                self.end_work(at, start, operations);
                self.on_computed(at, work, program);
            }
            Event::Shared { at } => self.shared_end(at, program),
            Event::Timer { at, timer } => {
                self.forget_timer(at, EventId::from_bits(timer.number()));
                self.admit(at, Job::Timer(timer), program);
            }
            Event::Inject { from } => self.inject(from),
            Event::FlowStart { flow, from, to, send, message } => {
                let now = self.engine.now();
                // Its end is fixed by the solution below, which moves every event whose rate is new.
                let event = self.engine.schedule_movable(now, Event::FlowEnd { flow, from, to, send, message });
                self.shared.start(flow, now, event);
                self.solve();
            }
            Event::FlowEnd { flow, from, to, send, message } => {
                if let Some(seen) = self.shared.end(flow, self.engine.now()) {
                    self.observer.on_send(&seen);
                }
                self.solve();
                if self.wants_sent && !self.is_of_earlier_life(from, send) {
                    self.admit(from, Job::Sent(send), program);
                }
                self.deliver(to, from, Time::ZERO, Time::ZERO, message, program);
            }
            Event::Solve => {
                self.next_solve = None;
                self.solve();
            }
        }
    }

    /// A message is at its receiver: it passes the port and then the processor, waiting for either if need be.
    #[inline]
    fn deliver<P: Program<Message = M>>(
        &mut self,
        to: NodeId,
        from: NodeId,
        overhead: Time,
        port: Time,
        message: M,
        program: &mut P,
    ) {
        let now = self.engine.now();
        let arrival = if self.folded { now - overhead } else { now };
        if port > Time::ZERO {
            let port_in = &mut self.ports(to, from).port_in;
            // The port was needed for the whole gap before the arrival.
            if *port_in > arrival - port {
                let clear = *port_in + port;
                *port_in = clear;
                self.engine.schedule(
                    clear + (now - arrival),
                    Event::Deliver { to, from, overhead, port: Time::ZERO, message },
                );
                return;
            }
            *port_in = arrival;
        }
        if self.lives.get(to.index()).is_some_and(|life| life.misses(arrival)) {
            self.lost += 1;
            return;
        }
        let free = self.handler_is_free(to, arrival);
        if free && (self.folded || overhead == Time::ZERO) {
            self.nodes[to.index()].handler_free = now;
            self.dispatch(to, Job::Message { from, overhead, message }, program);
        } else {
            self.wait(to, Job::Message { from, overhead, message });
        }
    }

    /// Whether a handler that could have started at `since` found the processor free then and all the time since.
    #[inline]
    fn handler_is_free(&self, at: NodeId, since: Time) -> bool {
        self.nodes[at.index()].handler_free <= since && self.inboxes.is_empty(at.index()) && !self.all_cores_compute(at)
    }

    /// Whether computations hold every core, so that no handler can run. Never under processor sharing.
    #[inline]
    fn all_cores_compute(&self, at: NodeId) -> bool {
        self.usage.get(at.index()).is_some_and(|usage| usage.running > 0 && usage.running >= self.platform.cores(at))
            && self.platform.sharing() == Sharing::OneAtATime
    }

    /// Runs a handler that takes no overhead, now or when the processor is free.
    fn admit<P: Program<Message = M>>(&mut self, at: NodeId, job: Job<M>, program: &mut P) {
        if self.handler_is_free(at, self.engine.now()) {
            self.dispatch(at, job, program);
        } else {
            self.wait(at, job);
        }
    }

    /// The handler of a computation's end belongs to the computation: it goes before what waits for the processor.
    fn on_computed<P: Program<Message = M>>(&mut self, at: NodeId, work: WorkId, program: &mut P) {
        if self.nodes[at.index()].handler_free <= self.engine.now() && !self.inboxes.is_woken(at.index()) {
            self.dispatch(at, Job::Computed(work), program);
        } else {
            self.wait(at, Job::Computed(work));
        }
    }

    fn wait(&mut self, at: NodeId, job: Job<M>) {
        self.inboxes.push(at.index(), self.nodes.len(), job);
        self.serve(at);
    }

    /// Runs a handler and then whatever waits behind it.
    #[inline]
    fn dispatch<P: Program<Message = M>>(&mut self, at: NodeId, job: Job<M>, program: &mut P) {
        match job {
            Job::Message { from, overhead, message } => {
                self.messages += 1;
                let (name, now) = (self.name(&message), self.engine.now());
                self.observer.on_receive(&ReceiveSeen { at, from, message: name, overhead, now });
                program.on_message(at, from, message, self);
            }
            Job::Computed(work) => program.on_computed(at, work, self),
            Job::Sent(send) => program.on_sent(at, send, self),
            Job::Timer(timer) => program.on_timer(at, timer, self),
            // A computation never reaches a handler: `serve` starts it.
            Job::Compute { .. } => {}
        }
        if !self.inboxes.all_empty() {
            self.serve(at);
        }
    }

    /// Gives the processor of a node to the first job that waits there, if it can have it.
    fn serve(&mut self, at: NodeId) {
        while let Some(job) = self.inboxes.next(at.index()) {
            if self.all_cores_compute(at) {
                return;
            }
            if let Job::Compute { work, operations } = *job {
                self.inboxes.pop(at.index());
                self.start_work(at, work, operations);
            } else {
                let overhead = job.overhead();
                let ready = self.occupy(at, overhead) + overhead;
                self.inboxes.wake(at.index());
                self.schedule_wake(at, ready);
                return;
            }
        }
    }

    /// What the program calls a message, if anybody wants to know.
    #[inline]
    fn name(&self, message: &M) -> &'static str {
        if O::WANTS_NAMES { (self.describe)(message) } else { "" }
    }

    /// Takes the processor for `overhead` from the first instant on which it is free of other overheads, which is
    /// returned.
    #[inline]
    fn occupy(&mut self, at: NodeId, overhead: Time) -> Time {
        let now = self.engine.now();
        let start = self.nodes[at.index()].handler_free.max(now);
        if overhead > Time::ZERO {
            let shares = !self.processors.is_empty();
            if shares {
                self.with_cores(at, |processor, cores| processor.advance(now, cores));
            }
            self.nodes[at.index()].handler_free = start + overhead;
            if shares {
                self.plan_shared(at);
            }
        }
        start
    }
}

impl<M, O: Observer> Machine<M> for Cluster<'_, M, O> {
    #[inline]
    fn now(&self) -> Time {
        self.engine.now()
    }

    fn tick(&self) -> Tick {
        self.platform.tick()
    }

    #[inline]
    fn nodes(&self) -> u32 {
        self.nodes.len() as u32
    }

    #[inline]
    fn send_for(&mut self, scope: Scope, from: NodeId, to: NodeId, bytes: u64, message: M) -> SendId {
        let send = SendId::new(scope, self.sends);
        self.sends += 1;
        if self.is_down(from) {
            self.lost += 1;
            return send;
        }
        let link = self.platform.link_between(from, to);
        let carriage = if from == to {
            Carriage::Closed(Transfer::default())
        } else {
            self.platform.numbered_link(link).model.carriage(bytes)
        };
        match carriage {
            Carriage::Closed(transfer) => {
                let ready = self.occupy(from, transfer.overhead) + transfer.injection;
                let name = self.name(&message);
                let (at, port) = self.send_closed((from, to), ready, transfer, (send, bytes, link), name);
                let overhead = transfer.receive_overhead;
                self.engine.schedule(at, Event::Deliver { to, from, overhead, port, message });
            }
            Carriage::Bounded(transfer, limit) => {
                let ready = self.occupy(from, transfer.overhead) + transfer.injection;
                let outgoing = Outgoing { to, send, bytes, ready, transfer, link, limit, message };
                if self.capacity.queue(from, self.nodes.len(), outgoing) {
                    self.start_port(from, to);
                }
            }
            Carriage::Flow(latency) => {
                let start = self.occupy(from, Time::ZERO);
                let mut transfer = Transfer { latency, ..Transfer::default() };
                let route = self.platform.numbered_link(link);
                if route.varies() {
                    transfer = varied(transfer, route, start, || self.streams.stream("jitter", send.number()));
                }
                let name = self.name(&message);
                let seen = SendSeen { from, to, bytes, start, free: start, arrival: Time::NEVER, message: name };
                let flow = self.shared.add(seen, link);
                self.engine.schedule(start + transfer.latency, Event::FlowStart { flow, from, to, send, message });
            }
        }
        send
    }

    fn compute_for(&mut self, scope: Scope, at: NodeId, operations: f64) -> WorkId {
        let work = WorkId::new(scope, self.works);
        self.works += 1;
        if self.is_down(at) {
            return work;
        }
        if self.usage.is_empty() {
            self.usage = vec![Usage::default(); self.nodes.len()];
        }
        if self.platform.sharing() == Sharing::Processor {
            self.add_shared(at, work, operations);
        } else if self.inboxes.is_empty(at.index()) && !self.all_cores_compute(at) {
            self.start_work(at, work, operations);
        } else {
            self.wait(at, Job::Compute { work, operations });
        }
        work
    }

    fn set_timer_for(&mut self, scope: Scope, at: NodeId, delay: Time) -> TimerId {
        let due = self.engine.now() + delay;
        if self.is_down(at) {
            // The name of no event.
            return TimerId::new(scope, u64::MAX);
        }
        let mut timer = TimerId::new(scope, 0);
        self.engine.schedule_movable_with(due, |event| {
            timer = TimerId::new(scope, event.to_bits());
            Event::Timer { at, timer }
        });
        self.keep_timer(at, EventId::from_bits(timer.number()));
        timer
    }

    fn set_working_set(&mut self, at: NodeId, bytes: u64) {
        // Without a cache every working set is computed alike.
        if self.platform.cache(at).is_some() && !self.is_down(at) {
            self.working_sets.resize(self.nodes.len(), 0);
            self.working_sets[at.index()] = bytes;
        }
    }

    fn cancel_timer(&mut self, timer: TimerId) -> bool {
        let event = EventId::from_bits(timer.number());
        let found = self.engine.cancel(event);
        if let Some(Event::Timer { at, .. }) = found {
            self.forget_timer(at, event);
        }
        found.is_some()
    }

    fn complete(&mut self, at: NodeId) {
        self.completed += 1;
        self.completion = Some(self.engine.now());
        self.observer.on_complete(at, self.engine.now());
    }

    fn conclude(&mut self) {
        self.counts_until = self.counts_until.min(self.engine.now());
    }

    fn stream(&self, purpose: &str, index: u64) -> Stream {
        self.streams.stream(purpose, index)
    }
}
