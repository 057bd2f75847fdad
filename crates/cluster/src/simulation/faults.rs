//! Nodes that go down and come up: the lost work, and the end of the run.

use rustc_hash::FxHashSet;

use super::metering::Change;
use super::{Event, Job, Simulation};
use crate::fault::{Calendar, Turn};
use crate::platform::Platform;
use crate::program::{NodeId, Program, SendId, WorkId};
use hetsim_base::engine::{Engine, EventId, Streams};
use hetsim_base::units::Time;

/// A node that may go down: its current life or outage, and the events that end with it.
#[derive(Debug, Default)]
struct Life {
    /// The number of faults that keep it down; zero while it is up.
    faults: u32,
    /// The number of permanent ones among them.
    for_good: u32,
    /// When it last came up or went down.
    since: Time,
    /// The total time of its finished outages.
    down: Time,
    /// The number of its last outage, counted over all nodes.
    outage: u64,
    /// Sends below this number belong to earlier lives.
    first_send: u64,
    /// The ends of its computations.
    works: Vec<(WorkId, EventId)>,
    /// Its timers.
    timers: FxHashSet<EventId>,
    /// The instant at which its first waiting job has the processor.
    wake: Option<EventId>,
}

impl Life {
    const fn is_down(&self) -> bool {
        self.faults > 0
    }

    /// Whether it is down and will return.
    const fn returns(&self) -> bool {
        self.faults > 0 && self.for_good == 0
    }
}

/// The nodes that are down and will return.
#[derive(Debug, Default)]
struct Returning {
    /// Their number.
    nodes: u32,
    /// The number of outages begun in the run.
    outages: u64,
    /// Set once only faults are left.
    awaited: Option<Awaited>,
}

/// The nodes whose return a run waits for in which only faults are left.
#[derive(Debug, Clone, Copy)]
struct Awaited {
    /// The number of outages begun before.
    outages: u64,
    /// The number of nodes that are still down because of these.
    nodes: u32,
}

impl Returning {
    /// A node is down no longer, or for good, whose last outage has this number.
    fn forget(&mut self, outage: u64) {
        self.nodes -= 1;
        if let Some(awaited) = self.awaited.as_mut().filter(|awaited| outage <= awaited.outages) {
            awaited.nodes -= 1;
        }
    }

    /// Whether a node is still down that was down when only faults were left. Nodes that went down since do not count:
    /// with many nodes, one is down at any time.
    fn any(&mut self) -> bool {
        let (outages, nodes) = (self.outages, self.nodes);
        self.awaited.get_or_insert(Awaited { outages, nodes }).nodes > 0
    }
}

/// The faults of nodes, and the nodes as these leave them.
#[derive(Debug)]
pub(super) struct Faults {
    /// By node; empty if no node has faults.
    lives: Vec<Life>,
    calendar: Calendar,
    returning: Returning,
}

impl Faults {
    pub(super) fn new(platform: &Platform, streams: &Streams) -> Self {
        Self {
            lives: platform.faults().iter().map(|_| Life::default()).collect(),
            calendar: Calendar::new(platform.faults(), streams),
            returning: Returning::default(),
        }
    }

    /// Whether any node has faults.
    pub(super) const fn any(&self) -> bool {
        !self.lives.is_empty()
    }

    #[inline]
    pub(super) fn is_down(&self, at: NodeId) -> bool {
        self.lives.get(at.index()).is_some_and(Life::is_down)
    }

    /// Whether a node was or is down for an event that came at `arrival`.
    #[inline]
    pub(super) fn misses(&self, at: NodeId, arrival: Time) -> bool {
        self.lives.get(at.index()).is_some_and(|life| life.is_down() || arrival < life.since)
    }

    /// Whether a send was made in an earlier life of its node.
    #[inline]
    pub(super) fn is_of_earlier_life(&self, at: NodeId, send: SendId) -> bool {
        self.lives.get(at.index()).is_some_and(|life| life.is_down() || send.number() < life.first_send)
    }

    /// Schedules the end of a computation, which is lost with its node.
    pub(super) fn schedule_end<M>(
        &mut self,
        engine: &mut Engine<Event<M>>,
        at: NodeId,
        work: WorkId,
        end: Time,
        event: Event<M>,
    ) {
        if let Some(life) = self.lives.get_mut(at.index()) {
            life.works.push((work, engine.schedule_movable(end, event)));
        } else {
            engine.schedule(end, event);
        }
    }

    /// Schedules the instant at which a node's first waiting job has the processor.
    pub(super) fn schedule_wake<M>(&mut self, engine: &mut Engine<Event<M>>, at: NodeId, ready: Time) {
        if let Some(life) = self.lives.get_mut(at.index()) {
            life.wake = Some(engine.schedule_movable(ready, Event::Wake { at }));
        } else {
            engine.schedule(ready, Event::Wake { at });
        }
    }

    #[inline]
    pub(super) fn woke(&mut self, at: NodeId) {
        if let Some(life) = self.lives.get_mut(at.index()) {
            life.wake = None;
        }
    }

    #[inline]
    pub(super) fn ended(&mut self, at: NodeId, work: WorkId) {
        if let Some(life) = self.lives.get_mut(at.index()) {
            life.works.retain(|(other, _)| *other != work);
        }
    }

    pub(super) fn keep_timer(&mut self, at: NodeId, timer: EventId) {
        if let Some(life) = self.lives.get_mut(at.index()) {
            life.timers.insert(timer);
        }
    }

    pub(super) fn forget_timer(&mut self, at: NodeId, timer: EventId) {
        if let Some(life) = self.lives.get_mut(at.index()) {
            life.timers.remove(&timer);
        }
    }
}

impl<M> Simulation<'_, M> {
    /// Runs the events of a run with faults. Faults precede all other events of their instant.
    pub(super) fn run_with_faults<P: Program<Message = M>>(&mut self, program: &mut P) {
        // Nodes that are down from the start must be down before the program starts; the program is told afterwards.
        let mut first = Vec::new();
        while self.faults.calendar.next_time() == Some(Time::ZERO) {
            first.extend(self.turn());
        }
        program.start(self);
        for (node, up) in first {
            self.tell(node, up, program);
        }
        while self.engine.fault().is_none() {
            self.settle_flows();
            let next = self.engine.next_time();
            match self.faults.calendar.next_time() {
                Some(time) if next.is_none_or(|next| time <= next) => {
                    if next.is_none() && !self.faults.returning.any() {
                        break;
                    }
                    self.engine.advance_to(time);
                    if let Some((node, up)) = self.turn() {
                        self.tell(node, up, program);
                    }
                }
                _ => {
                    self.follow_next();
                    let Some(event) = self.engine.pop() else { break };
                    self.faults.returning.awaited = None;
                    self.handle(event, program);
                }
            }
        }
        let now = self.engine.now();
        for (node, life) in (0..).zip(&self.faults.lives) {
            if life.is_down()
                && let Some(observer) = &mut self.observer
            {
                observer.on_outage(NodeId(node), life.since, now);
            }
        }
    }

    fn tell<P: Program<Message = M>>(&mut self, node: NodeId, up: bool, program: &mut P) {
        if up {
            program.on_up(node, self);
        } else {
            program.on_down(node, self);
        }
    }

    /// Applies the next turn of a fault. Returns the node and whether it is up, if that has changed.
    fn turn(&mut self) -> Option<(NodeId, bool)> {
        let Turn { node, up, for_good, .. } = self.faults.calendar.pop()?;
        let now = self.engine.now();
        self.follow(|trail| trail.outage(node, now));
        let life = &mut self.faults.lives[node.index()];
        let (was_down, returned) = (life.is_down(), life.returns());
        if up {
            life.faults -= 1;
        } else {
            life.faults += 1;
            life.for_good += u32::from(for_good);
        }
        let (is_down, returns) = (life.is_down(), life.returns());
        match (was_down, is_down) {
            (false, true) => self.go_down(node),
            (true, false) => self.come_up(node),
            _ => {}
        }
        match (returned, returns) {
            (false, true) => self.faults.returning.nodes += 1,
            (true, false) => self.faults.returning.forget(self.faults.lives[node.index()].outage),
            _ => {}
        }
        (was_down != is_down).then_some((node, !is_down))
    }

    /// Discards all state of a node's processor and memory.
    fn go_down(&mut self, at: NodeId) {
        let (now, index) = (self.engine.now(), at.index());
        self.meter(at, Change::Down);
        self.faults.returning.outages += 1;
        let life = &mut self.faults.lives[index];
        life.since = now;
        life.outage = self.faults.returning.outages;
        let (works, timers) = (std::mem::take(&mut life.works), std::mem::take(&mut life.timers));
        let wake = life.wake.take();
        for event in timers.into_iter().chain(wake) {
            self.engine.cancel(event);
        }
        for (_, event) in works {
            if let Some(Event::Computed { start, .. } | Event::ComputedInOrder { start, .. }) =
                self.engine.cancel(event)
            {
                self.cut_work(at, start);
            }
        }
        self.cut_shared(at);
        while let Some(job) = self.inboxes.pop(index) {
            self.counts.lost +=
                u64::from(matches!(job, Job::Message { .. } | Job::Fetched { .. } | Job::Matched { .. }));
        }
        if let Some(trail) = &mut self.trail {
            let lists = self.streaming.as_ref().map_or(0, |streaming| streaming.lists());
            trail.go_down(at, lists);
        }
        if let Some(matching) = &mut self.matching {
            self.counts.lost += matching.clear(at);
        }
        if let Some(streaming) = &mut self.streaming {
            self.counts.lost += streaming.clear(at);
        }
        self.computing.forget_working_set(at);
    }

    fn come_up(&mut self, at: NodeId) {
        let now = self.engine.now();
        self.meter(at, Change::Up);
        let life = &mut self.faults.lives[at.index()];
        let down_since = std::mem::replace(&mut life.since, now);
        life.down += now - down_since;
        life.first_send = self.counts.sends;
        self.nodes[at].handler_free = now;
        self.follow(|trail| trail.frees(at));
        self.observe(|observer| observer.on_outage(at, down_since, now));
    }

    /// Whether a node is down now.
    #[inline]
    #[must_use]
    pub fn is_down(&self, at: NodeId) -> bool {
        self.faults.is_down(at)
    }

    /// The total time for which a node has been down, up to the clock.
    #[must_use]
    pub fn down_time(&self, node: NodeId) -> Time {
        self.faults.lives.get(node.index()).map_or(Time::ZERO, |life| {
            life.down + if life.is_down() { self.engine.now() - life.since } else { Time::ZERO }
        })
    }
}
