//! Computations: one at a time per core, or sharing the processor.

use super::error::RunError;
use super::metering::Change;
use super::{Event, Simulation};
use crate::flows::Moving;
use crate::platform::{Platform, Sharing};
use crate::processor::{Cores, Processor};
use crate::profile::Availability;
use crate::program::{Moved, NodeId, Program, WorkId};
use hetsim_base::units::{Time, round_up};

/// The computations of a node, until the program [concluded](crate::Context::conclude) if it did.
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

/// The cores of all nodes, their load and their computations.
#[derive(Debug)]
pub(super) struct Computing<'p> {
    platform: &'p Platform,
    /// By node; empty if no node has external load.
    loads: Vec<Availability>,
    /// That of a node without load.
    whole: Availability,
    /// By node; empty until a working set is given on a node with a cache.
    working_sets: Vec<u64>,
    /// By node; empty until the first computation.
    usage: Vec<Usage>,
    /// By node; empty until the first computation that shares a processor.
    processors: Vec<Processor>,
    /// Until when computations count in `usage`.
    counts_until: Time,
}

impl<'p> Computing<'p> {
    pub(super) fn new(platform: &'p Platform) -> Self {
        Self {
            platform,
            loads: platform.loads().to_vec(),
            whole: Availability::Constant(1.0),
            working_sets: Vec::new(),
            usage: Vec::new(),
            processors: Vec::new(),
            counts_until: Time::NEVER,
        }
    }

    /// Makes room for the computations of all nodes.
    pub(super) fn begin(&mut self) {
        if self.usage.is_empty() {
            self.usage = vec![Usage::default(); self.platform.nodes() as usize];
        }
    }

    pub(super) fn usage(&self) -> &[Usage] {
        &self.usage
    }

    /// Later computations don't count.
    pub(super) fn conclude(&mut self, now: Time) {
        self.counts_until = self.counts_until.min(now);
    }

    pub(super) fn set_working_set(&mut self, at: NodeId, bytes: u64) {
        self.working_sets.resize(self.platform.nodes() as usize, 0);
        self.working_sets[at.index()] = bytes;
    }

    /// A node that goes down forgets its working set.
    pub(super) fn forget_working_set(&mut self, at: NodeId) {
        if let Some(working_set) = self.working_sets.get_mut(at.index()) {
            *working_set = 0;
        }
    }

    /// The share of a core beside external load.
    pub(super) fn availability(&mut self, at: NodeId, now: Time) -> f64 {
        self.loads.get_mut(at.index()).map_or(1.0, |load| load.value(now))
    }

    /// Whether external load leaves nothing of a node in the end.
    fn is_starved(&self, at: NodeId) -> bool {
        self.loads.get(at.index()).is_some_and(|load| load.mean_share() == 0.0)
    }

    /// The time of so many operations on a whole core, for the current working set.
    pub(super) fn ticks(&self, at: NodeId, operations: f64) -> f64 {
        let speed = match self.working_sets.get(at.index()) {
            Some(&working_set) => self.platform.speed_on(at, working_set),
            None => self.platform.speed(at),
        };
        operations / speed
    }

    /// Whether computations hold every core, so that no handler can run. Never true under processor sharing.
    #[inline]
    pub(super) fn hold_all_cores(&self, at: NodeId) -> bool {
        self.usage.get(at.index()).is_some_and(|usage| usage.running > 0 && usage.running >= self.platform.cores(at))
            && self.platform.sharing() == Sharing::OneAtATime
    }

    /// Whether any computations have shared a processor.
    #[inline]
    pub(super) const fn shares(&self) -> bool {
        !self.processors.is_empty()
    }

    /// The cores of a node, one of which its handler holds until an instant.
    pub(super) fn cores(&mut self, at: NodeId, handler_until: Time) -> Cores<'_> {
        let availability = self.loads.get_mut(at.index()).unwrap_or(&mut self.whole);
        Cores { count: self.platform.cores(at), handler_until, availability }
    }

    /// The shared processor of a node, and the same cores.
    fn shared(&mut self, at: NodeId, handler_until: Time) -> (&mut Processor, Cores<'_>) {
        let availability = self.loads.get_mut(at.index()).unwrap_or(&mut self.whole);
        (&mut self.processors[at.index()], Cores { count: self.platform.cores(at), handler_until, availability })
    }

    /// Counts the time of a computation that ends, and its operations, if they are done.
    fn count(&mut self, at: NodeId, start: Time, now: Time, operations: Option<f64>) {
        let usage = &mut self.usage[at.index()];
        usage.running -= 1;
        usage.busy += now.min(self.counts_until).since(start);
        if let Some(operations) = operations
            && now <= self.counts_until
        {
            usage.operations += operations;
            usage.works += 1;
        }
    }
}

impl<M> Simulation<'_, M> {
    /// Starts a computation on a core of its own, or adds it to those that share the processor.
    pub(super) fn start_work(&mut self, at: NodeId, work: WorkId, operations: f64, moved: Moved) {
        let (now, free) = (self.engine.now(), self.nodes[at].handler_free);
        let start = free.max(now);
        self.computing.usage[at.index()].running += 1;
        if self.platform.shares_memory()
            && let Some((channel, bytes)) = self.platform.passes(at, moved)
        {
            return self.start_moving(Moving { at, work, start, operations, channel, bytes }, free);
        }
        let mut event = Event::Computed { at, work, start, operations };
        if let Some(streaming) = &mut self.streaming {
            streaming.computes(at, start);
            if self.matching.is_some() {
                streaming.keep_order(work);
                event = Event::ComputedInOrder { at, work, start, operations };
            }
        }
        self.meter(at, Change::Begin(start));
        let ticks = self.computing.ticks(at, operations);
        let end = match self.computing.loads.get_mut(at.index()) {
            Some(load) => load.end_of(start, ticks),
            None => start + round_up(ticks),
        };
        if end == Time::NEVER && self.computing.is_starved(at) {
            self.refused.get_or_insert(RunError::Starved { at });
        }
        self.faults.schedule_end(&mut self.engine, at, work, end, event);
        self.due(|trail| trail.compute(work, at, now, free, round_up(ticks), end));
    }

    /// Ends a computation: its core is free from now on.
    pub(super) fn end_work(&mut self, at: NodeId, start: Time, operations: f64) {
        let now = self.engine.now();
        let held_all = self.computing.hold_all_cores(at);
        self.meter(at, Change::End);
        self.computing.count(at, start, now, Some(operations));
        if held_all {
            let free = self.nodes[at].handler_free;
            if free <= now {
                self.follow(|trail| trail.frees(at));
            }
            self.nodes[at].handler_free = free.max(now);
        }
        self.observe(|observer| observer.on_compute(at, start, now));
    }

    /// Ends all computations that share the processor of a node that goes down.
    pub(super) fn cut_shared(&mut self, at: NodeId) {
        if let Some(processor) = self.computing.processors.get_mut(at.index()) {
            let event = processor.event.take();
            let starts = processor.clear();
            event.and_then(|event| self.engine.cancel(event));
            for start in starts {
                self.cut_work(at, start);
            }
        }
    }

    /// Ends a computation early, with its node: its operations do not count, but its time does.
    pub(super) fn cut_work(&mut self, at: NodeId, start: Time) {
        let now = self.engine.now();
        self.counts.cut.get_or_insert((at, now));
        self.computing.count(at, start, now, None);
        if now > start {
            self.observe(|observer| observer.on_compute(at, start, now));
        }
    }

    pub(super) fn add_shared(&mut self, at: NodeId, work: WorkId, operations: f64) {
        let now = self.engine.now();
        if self.computing.processors.is_empty() {
            self.computing.processors.resize_with(self.nodes.count(), Processor::default);
        }
        let ticks = self.computing.ticks(at, operations);
        let (processor, mut cores) = self.shared(at);
        processor.advance(now, &mut cores);
        processor.add(work, ticks, operations);
        self.computing.usage[at.index()].running += 1;
        self.follow(|trail| trail.share(work, round_up(ticks)));
        self.meter(at, Change::Begin(now));
        self.plan_shared(at);
    }

    pub(super) fn shared_end<P: Program<Message = M>>(&mut self, at: NodeId, program: &mut P) {
        let now = self.engine.now();
        let (processor, mut cores) = self.shared(at);
        processor.event = None;
        processor.advance(now, &mut cores);
        let ended = processor.finish();
        self.plan_shared(at);
        if let Some(ended) = ended {
            self.follow(|trail| trail.shared(ended.work, at, now));
            self.end_work(at, ended.start, ended.operations);
            self.on_computed(at, ended.work, program);
        }
    }

    /// Brings a shared processor to the clock, before its handler takes a core.
    pub(super) fn advance_shared(&mut self, at: NodeId) {
        let now = self.engine.now();
        let (processor, mut cores) = self.shared(at);
        processor.advance(now, &mut cores);
    }

    /// Sets the event of a shared processor to the end of the computation that ends next.
    pub(super) fn plan_shared(&mut self, at: NodeId) {
        let (processor, mut cores) = self.computing.shared(at, self.nodes[at].handler_free);
        let end = processor.next_end(&mut cores);
        processor.event = self.engine.plan(processor.event, end, || Event::Shared { at });
    }

    fn shared(&mut self, at: NodeId) -> (&mut Processor, Cores<'_>) {
        self.computing.shared(at, self.nodes[at].handler_free)
    }
}
