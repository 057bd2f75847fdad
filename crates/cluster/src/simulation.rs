//! The event loop: a [`Simulation`] runs a [`Program`] on a [`Platform`].

mod computing;
mod error;
mod event;
mod faults;
mod flowing;
mod following;
mod handling;
mod metering;
mod receiving;
mod requests;
mod sending;
mod streaming;

pub use error::RunError;

use event::{Event, Job};
use faults::{Life, Returning};
use metering::Meter;
use streaming::Streaming;

use super::capacity::Capacity;
use super::fault::Calendar;
use super::flows::{Flows, InFlight, has_flows};
use super::inbox::Inboxes;
use super::matching::{Envelope, Matching};
use super::observer::Observer;
use super::platform::Platform;
use super::processor::Processor;
use super::profile::Availability;
use super::program::{NodeId, PhaseOf, Program, Scope};
use super::trail::{Name, Trail};
use hetsim_base::engine::{Engine, EventId, Streams};
use hetsim_base::units::Time;

/// A node's clocks.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    /// When its processor is free of overheads.
    handler_free: Time,
    /// When its port may start the next message.
    port_out: Time,
    /// When the last message that held its port was received.
    port_in: Time,
}

/// The computations of a node, until the program [concluded](super::Context::conclude) if it did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// The number of running computations.
    running: u32,
    /// The sum of the running times of all computations.
    pub busy: Time,
    /// The operations of finished computations.
    pub operations: f64,
    /// The number of finished computations.
    pub works: u64,
}

/// A simulation: the state of a platform during a run.
#[derive(Debug)]
pub struct Simulation<'p, M> {
    platform: &'p Platform,
    engine: Engine<Event<M>>,
    streams: Streams,
    observer: Option<&'p mut dyn Observer>,
    /// The recorder of binding predecessors, and the name of the message whose overhead comes next.
    trail: Option<&'p mut Trail>,
    named: Name,
    /// The name of a message, for the observer.
    describe: fn(&M) -> &'static str,
    /// Its phase, for the trail.
    phase: fn(&M) -> PhaseOf,
    /// What posted receives see of a message.
    envelope: fn(NodeId, &M) -> Envelope,
    /// The posted receives, if the program posts them.
    matching: Option<Box<Matching<M>>>,
    nodes: Vec<Node>,
    /// The ports for messages that leave their cluster, and those of further levels, if separate: of all nodes for one
    /// level, then for the next.
    far: Vec<Node>,
    loads: Vec<Availability>,
    /// By node; empty until a working set is given on a node with a cache.
    working_sets: Vec<u64>,
    inboxes: Inboxes<Job<M>>,
    /// By node; empty until the first computation.
    usage: Vec<Usage>,
    processors: Vec<Processor>,
    capacity: Capacity<M>,
    /// The operations that wait for processors and ports at once, if messages stream into their receivers.
    streaming: Option<Box<Streaming<M>>>,
    /// The messages that flow over shared links, if there are such links.
    flows: Option<Box<Flows<M>>>,
    /// The event of the flows with the earliest end, and that of the next change of a link.
    flows_end: Option<EventId>,
    links_change: Option<EventId>,
    arrived: Vec<InFlight<M>>,
    /// By node; empty if no node has faults.
    lives: Vec<Life>,
    calendar: Calendar,
    returning: Returning,
    folded: bool,
    wants_sent: bool,
    /// The number of messages from each node to others over connections with jitter, sorted by receiver; empty before
    /// the first one.
    jittered: Vec<Vec<(NodeId, u32)>>,
    sends: u64,
    works: u64,
    messages: u64,
    lost: u64,
    completed: u32,
    completion: Option<Time>,
    /// By when all nodes are to have completed.
    until: Time,
    /// Until when computations count in `usage`.
    counts_until: Time,
    /// The measurements for energy, if the platform has any power model.
    meter: Option<Box<Meter>>,
    /// The first message that the network refused.
    refused: Option<RunError>,
}

impl<'p, M> Simulation<'p, M> {
    /// The simulation of `platform` at time zero, with the draws of `seed`.
    #[must_use]
    pub fn new(platform: &'p Platform, seed: u64) -> Self {
        Self::with_streams(platform, Streams::new(seed, 0))
    }

    /// The simulation of `platform` at time zero, with the draws of a seed and a replica.
    #[must_use]
    pub fn with_streams(platform: &'p Platform, streams: Streams) -> Self {
        let nodes = platform.nodes() as usize;
        let further = platform.last_port();
        Self {
            platform,
            engine: Engine::new(),
            observer: None,
            trail: None,
            named: Name::NONE,
            describe: |_| "",
            phase: |_| PhaseOf::Node,
            envelope: |from, _| Envelope { from, scope: Scope::HOST, tag: 0 },
            matching: None,
            nodes: vec![Node::default(); nodes],
            far: vec![Node::default(); nodes * further],
            loads: platform.loads().to_vec(),
            working_sets: Vec::new(),
            inboxes: Inboxes::new(),
            usage: Vec::new(),
            processors: Vec::new(),
            capacity: Capacity::new(),
            streaming: Streaming::of(platform, 1 + further),
            flows: has_flows(platform).then(|| Box::new(Flows::new(platform, streams))),
            flows_end: None,
            links_change: None,
            arrived: Vec::new(),
            lives: platform.faults().iter().map(|_| Life::default()).collect(),
            calendar: Calendar::new(platform.faults(), &streams),
            returning: Returning::default(),
            streams,
            folded: platform.constant_receive_overhead().is_some(),
            wants_sent: false,
            jittered: Vec::new(),
            sends: 0,
            works: 0,
            messages: 0,
            lost: 0,
            completed: 0,
            completion: None,
            until: Time::NEVER,
            counts_until: Time::NEVER,
            meter: platform.has_power().then(|| Box::new(Meter::new(nodes))),
            refused: None,
        }
    }

    /// The simulation, watched by `observer`.
    #[must_use]
    pub fn observed_by(mut self, observer: &'p mut dyn Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// The same, which ends [late](RunError::Late) if some node has not completed by `until`, and is not followed any
    /// further if all have. On a platform with faults of nodes it goes on.
    #[must_use]
    pub fn until(mut self, until: Time) -> Self {
        self.until = until;
        self
    }

    /// Runs `program` until no event is pending.
    ///
    /// Random faults never end. If only these are left, the run continues until the nodes that are down at that moment
    /// and will return have come up, and ends there unless one of them starts something.
    ///
    /// # Errors
    /// If the run is [late](Self::until), the engine stops (the clock is outgrown, or too many events wait), the network has no time or no path for a
    /// message, or a request of the program is invalid: a node that does not exist, or a number of operations that is
    /// negative or not finite.
    pub fn run<P: Program<Message = M>>(&mut self, program: &mut P) -> Result<(), RunError> {
        self.wants_sent = program.wants_sent();
        self.describe = P::describe;
        self.phase = P::phase;
        self.envelope = receiving::envelope::<P>;
        self.matching = program.posts_receives().then(|| Box::new(Matching::new(self.nodes.len())));
        if self.lives.is_empty() {
            program.start(self);
            while let Some(event) = self.next_event() {
                if self.engine.now() > self.until {
                    let is_over = self.completed >= self.platform.nodes();
                    return if is_over { Ok(()) } else { Err(RunError::Late { until: self.until }) };
                }
                self.handle(event, program);
            }
        } else {
            self.run_with_faults(program);
        }
        self.end_metering(false);
        let fault = self.refused.or_else(|| self.engine.fault().map(RunError::Engine));
        fault.or_else(|| self.stuck()).or_else(|| self.not_received()).map_or(Ok(()), Err)
    }

    /// When the last completed node completed; `None` if none has.
    #[must_use]
    pub const fn completion(&self) -> Option<Time> {
        self.completion
    }

    /// The number of completions.
    #[must_use]
    pub const fn completed(&self) -> u32 {
        self.completed
    }

    /// The number of delivered messages.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        self.messages
    }

    /// The number of messages that no handler received because a node was down: the receiver when they arrived or
    /// before their handler could run, or the sender when they were to be sent.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// The number of handled events.
    #[must_use]
    pub const fn events(&self) -> u64 {
        self.engine.handled()
    }

    /// The simulated platform.
    #[must_use]
    pub const fn platform(&self) -> &'p Platform {
        self.platform
    }

    /// The clock; after a run, the time of the last event.
    #[must_use]
    pub const fn clock(&self) -> Time {
        self.engine.now()
    }

    /// The computations of each node; empty if there were none.
    #[must_use]
    pub fn usage(&self) -> &[Usage] {
        &self.usage
    }

    /// The next event. Rates are solved before the clock moves on, for all starts and ends of an instant at once.
    #[inline]
    fn next_event(&mut self) -> Option<Event<M>> {
        self.settle_flows();
        self.follow_next();
        self.engine.pop()
    }

    #[inline]
    fn handle<P: Program<Message = M>>(&mut self, event: Event<M>, program: &mut P) {
        match event {
            Event::Deliver { to, from, overhead, port, message } => {
                self.deliver::<P, false>(to, from, overhead, port, message, program);
            }
            Event::Fetched { to, from, overhead, port, message } => {
                self.deliver::<P, true>(to, from, overhead, port, message, program);
            }
            Event::Arrive { to, from, overhead, port, message } => {
                if let Some(stalled) = self.capacity.arrived(to) {
                    self.engine.schedule(self.engine.now(), Event::Inject { from: stalled });
                    self.due(|trail| trail.now);
                }
                self.deliver::<P, false>(to, from, overhead, port, message, program);
            }
            Event::Head { to, from, bytes, order, message } => self.head_arrives(to, from, bytes, order, message),
            Event::Streamed { at, from, overhead, order, meets, message } => {
                self.streamed((at, from), overhead, (order, meets), message, program);
            }
            Event::Look { at } => self.look(at),
            Event::Wake { at } => {
                self.woke(at);
                if let Some(job) = self.inboxes.pop(at.index()) {
                    self.takes_job(at);
                    self.dispatch(at, job, program);
                }
            }
            Event::Request { number } => self.requested(number),
            Event::Granted { number } => self.granted(number),
            Event::Sent { at, send } => {
                if !self.is_of_earlier_life(at, send) {
                    self.admit(at, Job::Sent(send), program);
                }
            }
            Event::SentInOrder { at, send, order } => {
                if !self.is_of_earlier_life(at, send) {
                    self.admit(at, Job::SentInOrder(send, order), program);
                }
            }
            Event::Computed { at, work, start, operations } => {
                self.ended(at, work);
                self.end_work(at, start, operations);
                self.on_computed(at, work, program);
            }
            Event::ComputedInOrder { at, work, start, operations } => {
                self.ended(at, work);
                self.end_work(at, start, operations);
                let order = self.streaming.as_mut().and_then(|streaming| streaming.take_order(work));
                self.follows(order);
                self.on_computed(at, work, program);
                self.follows(None);
            }
            Event::Shared { at } => self.shared_end(at, program),
            Event::Timer { at, timer } => {
                self.forget_timer(at, EventId::from_bits(timer.number()));
                self.admit(at, Job::Timer(timer), program);
            }
            Event::Inject { from } => self.inject(from),
            Event::FlowStart { in_flight } => {
                if let Some(flows) = &mut self.flows {
                    if let Some(trail) = &mut self.trail
                        && let Some(send) = flows.send(in_flight)
                    {
                        trail.keep_flow(send, trail.now);
                    }
                    flows.start(in_flight, self.engine.now(), self.platform);
                }
            }
            Event::FlowsEnd => self.end_flows(program),
            Event::LinksChange => {
                self.links_change = None;
                if let Some(flows) = &mut self.flows {
                    flows.change(self.engine.now(), self.platform);
                }
                self.plan_flows();
            }
        }
    }
}
