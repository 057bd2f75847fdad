//! The event loop: a [`Simulation`] runs a [`Program`] on a [`Platform`].

mod computing;
mod error;
mod event;
mod faults;
mod flowing;
mod following;
mod handling;
mod hooks;
mod jitter;
mod metering;
mod nodes;
mod receiving;
mod requests;
mod sending;
mod streaming;

pub use computing::Usage;
pub use error::RunError;

use computing::Computing;
use event::{Event, Job};
use faults::Faults;
use flowing::Flowing;
use hooks::Hooks;
use jitter::Jitter;
use metering::Meter;
use nodes::Nodes;
use streaming::{Streamed, Streaming};

use super::capacity::Capacity;
use super::inbox::Inboxes;
use super::matching::Matching;
use super::observer::Observer;
use super::platform::Platform;
use super::program::{NodeId, Program};
use super::trail::Trail;
use hetsim_base::engine::{Engine, EventId, Streams};
use hetsim_base::units::Time;

/// A simulation: the state of a platform during a run.
///
/// What not every platform or program needs costs a test where it is absent.
#[derive(Debug)]
pub struct Simulation<'p, M> {
    platform: &'p Platform,
    engine: Engine<Event<M>>,
    streams: Streams,
    hooks: Hooks<M>,
    nodes: Nodes<'p>,
    inboxes: Inboxes<Job<M>>,
    computing: Computing<'p>,
    /// Whether the receiver's overhead is part of each message's flight.
    folded: bool,
    jitter: Jitter,
    capacity: Capacity<M>,
    /// The operations that wait for processors and ports at once, if messages stream into their receivers.
    streaming: Option<Box<Streaming<M>>>,
    /// The messages that flow over shared links, if there are such links.
    flowing: Option<Box<Flowing<M>>>,
    /// The posted receives, if the program posts them.
    matching: Option<Box<Matching<M>>>,
    faults: Faults,
    counts: Counts,
    completion: Completion,
    /// The measurements for energy, if the platform has any power model.
    meter: Option<Box<Meter>>,
    observer: Option<&'p mut dyn Observer>,
    /// The recorder of binding predecessors.
    trail: Option<&'p mut Trail>,
    /// The first message that the network refused.
    refused: Option<RunError>,
}

/// How much has been asked for, and what became of the messages.
#[derive(Debug, Default)]
struct Counts {
    sends: u64,
    works: u64,
    messages: u64,
    lost: u64,
    /// The first computation that was lost with its node: that node, and when it went down.
    cut: Option<(NodeId, Time)>,
}

/// The nodes that have completed.
#[derive(Debug)]
struct Completion {
    nodes: u32,
    last: Option<Time>,
    /// By when all nodes are to have completed.
    until: Time,
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
        Self {
            platform,
            engine: Engine::new(),
            streams,
            hooks: Hooks::none(),
            nodes: Nodes::new(platform),
            inboxes: Inboxes::new(),
            computing: Computing::new(platform),
            folded: platform.constant_receive_overhead().is_some(),
            jitter: Jitter::new(streams),
            capacity: Capacity::new(),
            streaming: Streaming::of(platform),
            flowing: Flowing::of(platform, streams),
            matching: None,
            faults: Faults::new(platform, &streams),
            counts: Counts::default(),
            completion: Completion { nodes: 0, last: None, until: Time::NEVER },
            meter: Meter::of(platform),
            observer: None,
            trail: None,
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
        self.completion.until = until;
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
        self.hooks = Hooks::of(program);
        self.matching = program.posts_receives().then(|| Box::new(Matching::new(self.nodes.count())));
        if self.faults.any() {
            self.run_with_faults(program);
        } else {
            program.start(self);
            while let Some(event) = self.next_event() {
                let Completion { nodes, until, .. } = self.completion;
                if self.engine.now() > until {
                    let is_over = nodes >= self.platform.nodes();
                    return if is_over { Ok(()) } else { Err(RunError::Late { until }) };
                }
                self.handle(event, program);
            }
        }
        self.end_metering(false);
        let fault = self.refused.or_else(|| self.engine.fault().map(RunError::Engine));
        fault.or_else(|| self.stuck()).or_else(|| self.not_received()).map_or(Ok(()), Err)
    }

    /// When the last completed node completed; `None` if none has.
    #[must_use]
    pub const fn completion(&self) -> Option<Time> {
        self.completion.last
    }

    /// The number of completions.
    #[must_use]
    pub const fn completed(&self) -> u32 {
        self.completion.nodes
    }

    /// The number of delivered messages.
    #[must_use]
    pub const fn messages(&self) -> u64 {
        self.counts.messages
    }

    /// The number of messages that no handler received because a node was down: the receiver when they arrived or
    /// before their handler could run, or the sender when they were to be sent.
    #[must_use]
    pub const fn lost(&self) -> u64 {
        self.counts.lost
    }

    /// The first computation that was lost with its node: that node, and when it went down.
    #[must_use]
    pub const fn lost_work(&self) -> Option<(NodeId, Time)> {
        self.counts.cut
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
        self.computing.usage()
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
                self.streamed(Streamed { at, from, overhead, order, meets }, message, program);
            }
            Event::Look { at } => self.look(at),
            Event::Wake { at } => {
                self.faults.woke(at);
                if let Some(job) = self.inboxes.pop(at.index()) {
                    self.follow(|trail| trail.take_job(at));
                    self.dispatch(at, job, program);
                }
            }
            Event::Request { number } => self.requested(number),
            Event::Granted { number } => self.granted(number),
            Event::Sent { at, send } => {
                if !self.faults.is_of_earlier_life(at, send) {
                    self.admit(at, Job::Sent(send), program);
                }
            }
            Event::SentInOrder { at, send, order } => {
                if !self.faults.is_of_earlier_life(at, send) {
                    self.admit(at, Job::SentInOrder(send, order), program);
                }
            }
            Event::Computed { at, work, start, operations } => {
                self.faults.ended(at, work);
                self.end_work(at, start, operations);
                self.on_computed(at, work, program);
            }
            Event::ComputedInOrder { at, work, start, operations } => {
                self.faults.ended(at, work);
                self.end_work(at, start, operations);
                let order = self.streaming.as_mut().and_then(|streaming| streaming.take_order(work));
                self.follows(order);
                self.on_computed(at, work, program);
                self.follows(None);
            }
            Event::Shared { at } => self.shared_end(at, program),
            Event::Timer { at, timer } => {
                self.faults.forget_timer(at, EventId::from_bits(timer.number()));
                self.admit(at, Job::Timer(timer), program);
            }
            Event::Inject { from } => self.inject(from),
            Event::FlowStart { in_flight } => self.start_flow(in_flight),
            Event::FlowsEnd => self.end_flows(program),
            Event::LinksChange => self.change_links(),
        }
    }
}
