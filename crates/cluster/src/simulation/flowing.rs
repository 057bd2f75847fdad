//! What flows over shared links: messages, and the bytes that computations move through shared memory.

use super::metering::Change;
use super::{Event, Job, RunError, Simulation};
use crate::critical::Part;
use crate::flows::{Flow, Flows, InFlight, Moving};
use crate::header::Header;
use crate::network::{Fair, Transfer};
use crate::observer::{LinkSeen, SendSeen};
use crate::platform::{Channel, Platform};
use crate::program::{NodeId, Program};
use crate::queues::Queues;
use crate::trail::{Name, Subject};
use hetsim_base::engine::{EngineError, EventId, Streams};
use hetsim_base::units::{Time, round_up};

/// The messages that flow over shared links, and the events of these.
#[derive(Debug)]
pub(super) struct Flowing<M> {
    flows: Flows<M>,
    /// The event of the flows with the earliest end.
    end: Option<EventId>,
    /// That of the next change of a link.
    change: Option<EventId>,
    /// What has flowed by now; empty otherwise.
    arrived: Vec<Flow<M>>,
    /// Those of receivers in memory.
    queues: Queues,
}

impl<M> Flowing<M> {
    /// `None` if nothing flows on the platform.
    pub(super) fn of(platform: &Platform, streams: Streams) -> Option<Box<Self>> {
        let flows = platform.shares_memory() || platform.connections().iter().any(|link| link.model.is_flow());
        flows.then(|| {
            Box::new(Self {
                flows: Flows::new(platform, streams),
                end: None,
                change: None,
                arrived: Vec::new(),
                queues: Queues::default(),
            })
        })
    }
}

impl<M> Simulation<'_, M> {
    /// Hands over a message that crosses shared links.
    pub(super) fn send_flowing(&mut self, header: Header, costs: Transfer, message: M) {
        let Header { from, to, send, bytes, link } = header;
        let ready = self.make_ready(from, to, &costs);
        let model = &self.platform.numbered_connection(link).model;
        let start = match model.shared_links().and_then(|links| links.queues(bytes)) {
            Some(length) if model.sends_eagerly(bytes) && from != to => self.queue_in(from, to, ready, length),
            _ => ready,
        };
        self.follow(|trail| trail.keep_flow(send, trail.ready));
        if self.hooks.wants_sent && model.sends_eagerly(bytes) {
            self.engine.schedule(start, Event::Sent { at: from, send });
            self.due(|trail| trail.ready);
        }
        self.send_flow(header, start, message, false);
    }

    /// Lets a sender write its message into the queue of the receiver, from `ready` on when its turn comes. Returns when
    /// it has, until when its processor is busy.
    fn queue_in(&mut self, from: NodeId, to: NodeId, ready: Time, length: Time) -> Time {
        let (now, nodes) = (self.engine.now(), self.nodes.count());
        let Some(Flowing { queues, .. }) = self.flowing.as_deref_mut() else { return ready };
        let through = queues.hold(to, nodes, ready, length, now) + length;
        self.busy_until(from, through);
        self.follow(|trail| trail.queue_in(from, to, ready + length, through));
        through
    }

    /// Lets a message leave its node that is ready at `start`, when its turn comes.
    pub(super) fn send_flow(&mut self, header: Header, start: Time, message: M, granted: bool) {
        let Header { from, to, send, bytes, link } = header;
        let name = self.name(&message);
        let seen = SendSeen { from, to, bytes, start, free: start, arrival: Time::NEVER, message: name };
        let port = self.nodes.port_number(from, to) as u32;
        let Some(Flowing { flows, .. }) = self.flowing.as_deref_mut() else { return };
        let in_flight = flows.keep(Flow::Message(InFlight { seen, send, message, link: link as u32, port, granted }));
        let is_free = match self.platform.transport().most_sends {
            None => true,
            Some(most) => flows.queue(in_flight, port, self.nodes.ports(), most.get()),
        };
        if is_free {
            self.leave(in_flight);
        }
    }

    /// Lets a message leave its node: its latency comes first, then its bytes.
    fn leave(&mut self, number: u32) {
        let now = self.engine.now();
        let Some(Flowing { flows, .. }) = self.flowing.as_deref_mut() else { return };
        let left = flows.leave(number, now, self.platform);
        let Some((&InFlight { seen, send, link, granted, ref message, .. }, of_links)) = left else { return };
        let name = if self.trail.is_some() { self.hooks.name(message) } else { Name::NONE };
        let Some(of_links) = of_links else {
            self.refuse(RunError::NoRoute { from: seen.from, to: seen.to }, seen.from);
            return;
        };
        let route = self.platform.numbered_connection(link as usize);
        let latency = route.model.shared_links().map_or(Time::ZERO, Fair::latency);
        let costs = route.model.flow_costs(seen.bytes);
        // An empty message has no bytes whose rate could be bounded.
        let alone = if seen.bytes == 0 { costs.transmission } else { Time::ZERO };
        let own = costs.flight(granted) - latency + alone;
        let mut transfer = Transfer { latency, ..Transfer::default() };
        if route.varies() {
            transfer = self.jitter.vary(transfer, route, seen.start, seen.from, seen.to);
        }
        let latency = self.platform.transport().latency(transfer.latency + of_links, seen.bytes) + own;
        let flows = seen.start + latency;
        self.engine.schedule(flows, Event::FlowStart { in_flight: number });
        self.due(|trail| trail.flow_leaves(send, seen.start, flows, Subject { from: seen.from, to: seen.to, name }));
    }

    /// Lets a computation's bytes flow from its start on; its processor is free for it at `free`.
    #[cold]
    #[inline(never)]
    pub(super) fn start_moving(&mut self, moving: Moving, free: Time) {
        let Moving { at, work, start, operations, .. } = moving;
        let now = self.engine.now();
        self.meter(at, Change::Begin(start));
        let alone = self.computing.ticks(at, operations);
        self.follow(|trail| trail.share_from(work, at, now, free, round_up(alone)));
        let Some(Flowing { flows, .. }) = self.flowing.as_deref_mut() else { return };
        let in_flight = flows.keep(Flow::Work(moving, alone));
        self.engine.schedule(start, Event::FlowStart { in_flight });
        self.due(|trail| trail.starts(at, now, free));
    }

    /// Ends what has flowed: delivers messages, and lets computations go on.
    pub(super) fn end_flows<P: Program<Message = M>>(&mut self, program: &mut P) {
        let Some(flowing) = &mut self.flowing else { return };
        flowing.end = None;
        let now = self.engine.now();
        let mut arrived = std::mem::take(&mut flowing.arrived);
        flowing.flows.take_ended(now, &mut arrived);
        for flow in arrived.drain(..) {
            match flow {
                Flow::Message(message) => self.end_message(message, program),
                Flow::Work(Moving { at, work, start, operations, .. }, _) => {
                    self.follow(|trail| trail.shared(work, at, now));
                    self.end_work(at, start, operations);
                    self.on_computed(at, work, program);
                }
            }
        }
        if let Some(flowing) = &mut self.flowing {
            flowing.arrived = arrived;
        }
    }

    /// Delivers a message whose bytes have all arrived.
    #[inline]
    fn end_message<P: Program<Message = M>>(&mut self, in_flight: InFlight<M>, program: &mut P) {
        let InFlight { seen, send, message, port, link, granted } = in_flight;
        let model = &self.platform.numbered_connection(link as usize).model;
        self.observe(|observer| observer.on_send(&seen));
        let subject = self.called(seen.from, seen.to, &message);
        if self.trail.is_some() {
            self.follow_flow_end(send, subject, seen.bytes);
        }
        if let Some(next) = self.flowing.as_mut().and_then(|flowing| flowing.flows.next_turn(port)) {
            self.leave(next);
        }
        let costs = model.flow_costs(seen.bytes);
        let overhead = costs.receive_overhead;
        if self.hooks.wants_sent && !model.sends_eagerly(seen.bytes) && !self.faults.is_of_earlier_life(seen.from, send)
        {
            match costs.handshake.map_or(Time::ZERO, |handshake| handshake.confirmation) {
                Time::ZERO => self.admit(seen.from, Job::Sent(send), program),
                later => {
                    let told = self.engine.now() + later;
                    self.engine.schedule(told, Event::Sent { at: seen.from, send });
                    self.due(|trail| trail.step(trail.now, told, Part::Latency, subject.back()));
                }
            }
        }
        if granted {
            self.deliver::<P, true>(seen.to, seen.from, overhead, Time::ZERO, message, program);
        } else {
            self.deliver::<P, false>(seen.to, seen.from, overhead, Time::ZERO, message, program);
        }
    }

    /// Starts the flow of a message's or a computation's bytes.
    pub(super) fn start_flow(&mut self, in_flight: u32) {
        let Some(Flowing { flows, .. }) = self.flowing.as_deref_mut() else { return };
        if let Some(trail) = &mut self.trail
            && let Some(send) = flows.send(in_flight)
        {
            trail.keep_flow(send, trail.now);
        }
        flows.start(in_flight, self.engine.now(), self.platform);
    }

    /// Applies the change of a link.
    pub(super) fn change_links(&mut self) {
        if let Some(Flowing { flows, change, .. }) = self.flowing.as_deref_mut() {
            *change = None;
            flows.change(self.engine.now(), self.platform);
        }
        self.plan_flows();
    }

    /// Solves the rates if something has changed, unless more events are pending at this instant.
    #[inline]
    pub(super) fn settle_flows(&mut self) {
        let is_stale = self.flowing.as_ref().is_some_and(|flowing| flowing.flows.is_stale());
        if is_stale && self.engine.next_time() != Some(self.engine.now()) {
            self.plan_flows();
        }
    }

    /// Solves the rates, and schedules the earliest end of a flow and the next change of a link.
    pub(super) fn plan_flows(&mut self) {
        let now = self.engine.now();
        let Some(Flowing { flows, end: end_event, change: change_event, .. }) = self.flowing.as_deref_mut() else {
            return;
        };
        let end = flows.solve(now);
        let change = flows.next_change();
        if let Some(observer) = &mut self.observer
            && observer.wants_links()
        {
            for (&(channel, _), rate) in flows.carried().iter().zip(flows.rates()) {
                observer.on_link(&LinkSeen { channel, rate, now });
            }
        }
        // The end first: what has flowed by the instant of a change arrives, whatever becomes of its links.
        *end_event = self.engine.plan(*end_event, end, || Event::FlowsEnd);
        *change_event = self.engine.plan(*change_event, change, || Event::LinksChange);
    }

    /// Why a run has ended with messages in flight, if it has.
    pub(super) fn stuck(&self) -> Option<RunError> {
        let flows = &self.flowing.as_ref()?.flows;
        // Any flow, however slow, would end beyond the clock.
        if flows.any_flows() {
            return Some(EngineError::Outgrown.into());
        }
        let &SendSeen { from, to, bytes, .. } = flows.any()?;
        Some(RunError::Stuck { from, to, bytes })
    }

    /// Every shared link used so far, each direction separately, with the bytes offered to it.
    #[must_use]
    pub fn carried(&self) -> &[(Channel, f64)] {
        self.flowing.as_ref().map_or(&[], |flowing| flowing.flows.carried())
    }
}
