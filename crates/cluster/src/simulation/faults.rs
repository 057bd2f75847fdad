//! Nodes that go down and come up: the lost work, and the end of the run.

use rustc_hash::FxHashSet;

use super::metering::Change;
use super::{Event, Job, Simulation};
use crate::fault::Turn;
use crate::program::{NodeId, Program, SendId, WorkId};
use hetsim_base::engine::EventId;
use hetsim_base::units::Time;

/// A node that may go down: its current life or outage, and the events that end with it.
#[derive(Debug, Default)]
pub(super) struct Life {
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
    pub(super) const fn is_down(&self) -> bool {
        self.faults > 0
    }

    /// Whether it is down and will return.
    const fn returns(&self) -> bool {
        self.faults > 0 && self.for_good == 0
    }

    /// Whether the node was or is down for an event that came at `arrival`.
    pub(super) fn misses(&self, arrival: Time) -> bool {
        self.is_down() || arrival < self.since
    }
}

/// The nodes that are down and will return.
#[derive(Debug, Default)]
pub(super) struct Returning {
    /// Their number.
    nodes: u32,
    /// The number of outages begun in the run.
    outages: u64,
    /// Set once only faults are left: the number of begun outages, and the number of those nodes still down.
    awaited: Option<(u64, u32)>,
}

impl<M> Simulation<'_, M> {
    /// Runs the events of a run with faults. Faults precede all other events of their instant.
    pub(super) fn run_with_faults<P: Program<Message = M>>(&mut self, program: &mut P) {
        // Nodes that are down from the start must be down before the program starts; the program is told afterwards.
        let mut first = Vec::new();
        while self.calendar.next_time() == Some(Time::ZERO) {
            first.extend(self.turn());
        }
        program.start(self);
        for (node, up) in first {
            self.tell(node, up, program);
        }
        while self.engine.fault().is_none() {
            self.settle_flows();
            let next = self.engine.next_time();
            match self.calendar.next_time() {
                Some(time) if next.is_none_or(|next| time <= next) => {
                    if next.is_none() && !self.waits_for_nodes() {
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
                    self.returning.awaited = None;
                    self.handle(event, program);
                }
            }
        }
        let now = self.engine.now();
        for (node, life) in (0..).zip(&self.lives) {
            if life.is_down()
                && let Some(observer) = &mut self.observer
            {
                observer.on_outage(NodeId(node), life.since, now);
            }
        }
    }

    /// Whether a node is still down that was down when only faults were left. Nodes that went down since do not count:
    /// with many nodes, one is down at any time.
    fn waits_for_nodes(&mut self) -> bool {
        let Returning { nodes, outages, ref mut awaited } = self.returning;
        awaited.get_or_insert((outages, nodes)).1 > 0
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
        let Turn { node, up, for_good, .. } = self.calendar.pop()?;
        let now = self.engine.now();
        if let Some(trail) = &mut self.trail {
            trail.outage(node, now);
        }
        let life = &mut self.lives[node.index()];
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
        let outage = self.lives[node.index()].outage;
        match (returned, returns) {
            (false, true) => self.returning.nodes += 1,
            (true, false) => {
                self.returning.nodes -= 1;
                if let Some((_, nodes)) = self.returning.awaited.as_mut().filter(|(begun, _)| outage <= *begun) {
                    *nodes -= 1;
                }
            }
            _ => {}
        }
        (was_down != is_down).then_some((node, is_down)).map(|(node, is_down)| (node, !is_down))
    }

    /// Discards all state of a node's processor and memory.
    fn go_down(&mut self, at: NodeId) {
        let (now, index) = (self.engine.now(), at.index());
        self.meter(at, Change::Down);
        self.returning.outages += 1;
        let life = &mut self.lives[index];
        life.since = now;
        life.outage = self.returning.outages;
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
        if let Some(processor) = self.processors.get_mut(index) {
            let event = processor.event.take();
            let starts = processor.clear();
            event.and_then(|event| self.engine.cancel(event));
            for start in starts {
                self.cut_work(at, start);
            }
        }
        while let Some(job) = self.inboxes.pop(index) {
            self.lost += u64::from(matches!(job, Job::Message { .. } | Job::Fetched { .. } | Job::Matched { .. }));
        }
        if let Some(trail) = &mut self.trail {
            let lists = self.streaming.as_ref().map_or(0, |streaming| streaming.lists());
            trail.go_down(at, lists);
        }
        if let Some(matching) = &mut self.matching {
            self.lost += matching.clear(at);
        }
        if let Some(streaming) = &mut self.streaming {
            self.lost += streaming.clear(at);
        }
        if let Some(working_set) = self.working_sets.get_mut(index) {
            *working_set = 0;
        }
    }

    /// Ends a computation early: its operations do not count, but its time does.
    fn cut_work(&mut self, at: NodeId, start: Time) {
        let now = self.engine.now();
        let usage = &mut self.usage[at.index()];
        usage.running -= 1;
        usage.busy += now.min(self.counts_until).since(start);
        if now > start
            && let Some(observer) = &mut self.observer
        {
            observer.on_compute(at, start, now);
        }
    }

    fn come_up(&mut self, at: NodeId) {
        let now = self.engine.now();
        self.meter(at, Change::Up);
        let life = &mut self.lives[at.index()];
        let down_since = std::mem::replace(&mut life.since, now);
        life.down += now - down_since;
        life.first_send = self.sends;
        self.nodes[at.index()].handler_free = now;
        if let Some(trail) = &mut self.trail {
            trail.frees(at);
        }
        if let Some(observer) = &mut self.observer {
            observer.on_outage(at, down_since, now);
        }
    }

    /// Whether a node is down now.
    #[inline]
    pub fn is_down(&self, at: NodeId) -> bool {
        self.lives.get(at.index()).is_some_and(Life::is_down)
    }

    /// Whether a send was made in an earlier life of its node.
    #[inline]
    pub(super) fn is_of_earlier_life(&self, at: NodeId, send: SendId) -> bool {
        self.lives.get(at.index()).is_some_and(|life| life.is_down() || send.number() < life.first_send)
    }

    /// Schedules the end of a computation, which is lost with its node.
    pub(super) fn schedule_end(&mut self, at: NodeId, work: WorkId, end: Time, event: Event<M>) {
        if let Some(life) = self.lives.get_mut(at.index()) {
            life.works.push((work, self.engine.schedule_movable(end, event)));
        } else {
            self.engine.schedule(end, event);
        }
    }

    /// Schedules the instant at which a node's first waiting job has the processor.
    pub(super) fn schedule_wake(&mut self, at: NodeId, ready: Time) {
        if let Some(life) = self.lives.get_mut(at.index()) {
            life.wake = Some(self.engine.schedule_movable(ready, Event::Wake { at }));
        } else {
            self.engine.schedule(ready, Event::Wake { at });
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

    /// The total time for which a node has been down, up to the clock.
    #[must_use]
    pub fn down_time(&self, node: NodeId) -> Time {
        self.lives.get(node.index()).map_or(Time::ZERO, |life| {
            life.down + if life.is_down() { self.engine.now() - life.since } else { Time::ZERO }
        })
    }
}
