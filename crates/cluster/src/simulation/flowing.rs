//! Messages on shared links.

use super::sending::varied;
use super::{Event, Job, RunError, Simulation};
use crate::critical::Part;
use crate::flows::InFlight;
use crate::network::Transfer;
use crate::observer::{LinkSeen, SendSeen};
use crate::platform::Channel;
use crate::program::{NodeId, Program, SendId};
use crate::trail::Name;
use hetsim_base::engine::EngineError;
use hetsim_base::units::Time;

impl<M> Simulation<'_, M> {
    /// Hands over a message that crosses shared links.
    pub(super) fn send_flowing(
        &mut self,
        (from, to): (NodeId, NodeId),
        costs: Transfer,
        (send, bytes, link): (SendId, u64, usize),
        message: M,
    ) {
        let start = self.occupy(from, costs.overhead) + costs.injection;
        self.follow_injection((from, to), start, costs.overhead);
        if let Some(trail) = &mut self.trail {
            trail.keep_flow(send, trail.ready);
        }
        let name = self.name(&message);
        let port = self.flow_port(from, to);
        if self.wants_sent && self.platform.numbered_connection(link).model.sends_eagerly(bytes) {
            self.engine.schedule(start, Event::Sent { at: from, send });
            self.due(|trail| trail.ready);
        }
        let seen = SendSeen { from, to, bytes, start, free: start, arrival: Time::NEVER, message: name };
        self.send_flow(InFlight { seen, send, message, link: link as u32, port, granted: false });
    }

    /// The number of a node's port for messages to another one.
    pub(super) fn flow_port(&self, from: NodeId, to: NodeId) -> u32 {
        (self.port_between(from, to) * self.nodes.len()) as u32 + from.0
    }

    /// Lets a message leave its node, when its turn comes.
    pub(super) fn send_flow(&mut self, in_flight: InFlight<M>) {
        let port = in_flight.port;
        let Some(flows) = &mut self.flows else { return };
        let in_flight = flows.keep(in_flight);
        let ports = self.nodes.len() + self.far.len();
        let is_free = match self.platform.transport().most_sends {
            None => true,
            Some(most) => flows.queue(in_flight, port, ports, most.get()),
        };
        if is_free {
            self.leave(in_flight);
        }
    }

    /// Lets a message leave its node: its latency comes first, then its bytes.
    fn leave(&mut self, number: u32) {
        let now = self.engine.now();
        let Some(flows) = &mut self.flows else { return };
        let left = flows.leave(number, now, self.platform);
        let Some((&InFlight { seen, send, link, granted, ref message, .. }, of_links)) = left else { return };
        let follows = self.trail.is_some();
        let name = if follows { Name::of(message, self.describe, self.phase) } else { Name::NONE };
        let Some(of_links) = of_links else {
            self.refuse(RunError::NoRoute { from: seen.from, to: seen.to }, seen.from);
            return;
        };
        let route = self.platform.numbered_connection(link as usize);
        let latency = self.platform.governing_latency(seen.from, seen.to);
        let costs = route.model.flow_costs(seen.bytes);
        // An empty message has no bytes whose rate could be bounded.
        let alone = if seen.bytes == 0 { costs.transmission } else { Time::ZERO };
        let own = costs.flight(granted) - latency + alone;
        let mut transfer = Transfer { latency, ..Transfer::default() };
        if route.varies() {
            transfer = varied(transfer, route, seen.start, || self.jitter(seen.from, seen.to));
        }
        let latency = self.platform.transport().latency(transfer.latency + of_links, seen.bytes) + own;
        let flows = seen.start + latency;
        self.engine.schedule(flows, Event::FlowStart { in_flight: number });
        self.due(|trail| trail.flow_leaves(send, seen.start, flows, (seen.from, seen.to, name)));
    }

    /// Delivers the messages whose bytes have all arrived.
    pub(super) fn end_flows<P: Program<Message = M>>(&mut self, program: &mut P) {
        self.flows_end = None;
        let mut arrived = std::mem::take(&mut self.arrived);
        if let Some(flows) = &mut self.flows {
            flows.take_ended(self.engine.now(), &mut arrived);
        }
        for InFlight { seen, send, message, port, link, granted } in arrived.drain(..) {
            let model = &self.platform.numbered_connection(link as usize).model;
            if let Some(observer) = &mut self.observer {
                observer.on_send(&seen);
            }
            let subject = self.called((seen.from, seen.to), &message);
            if self.trail.is_some() {
                self.follow_flow_end(send, subject, seen.bytes);
            }
            if let Some(next) = self.flows.as_mut().and_then(|flows| flows.next_turn(port)) {
                self.leave(next);
            }
            let costs = model.flow_costs(seen.bytes);
            let overhead = costs.receive_overhead;
            if self.wants_sent && !model.sends_eagerly(seen.bytes) && !self.is_of_earlier_life(seen.from, send) {
                match costs.handshake.map_or(Time::ZERO, |handshake| handshake.confirmation) {
                    Time::ZERO => self.admit(seen.from, Job::Sent(send), program),
                    later => {
                        let told = self.engine.now() + later;
                        self.engine.schedule(told, Event::Sent { at: seen.from, send });
                        let back = (seen.to, seen.from, subject.2);
                        self.due(|trail| trail.step(trail.now, told, Part::Latency, back));
                    }
                }
            }
            if granted {
                self.deliver::<P, true>(seen.to, seen.from, overhead, Time::ZERO, message, program);
            } else {
                self.deliver::<P, false>(seen.to, seen.from, overhead, Time::ZERO, message, program);
            }
        }
        self.arrived = arrived;
    }

    /// Solves the rates if something has changed, unless more events are pending at this instant.
    #[inline]
    pub(super) fn settle_flows(&mut self) {
        let is_stale = self.flows.as_ref().is_some_and(|flows| flows.is_stale());
        if is_stale && self.engine.next_time() != Some(self.engine.now()) {
            self.plan_flows();
        }
    }

    /// Solves the rates, and schedules the earliest end of a flow and the next change of a link.
    pub(super) fn plan_flows(&mut self) {
        let now = self.engine.now();
        let Some(flows) = &mut self.flows else { return };
        let end = flows.solve(now);
        let change = flows.next_change();
        if let Some(observer) = &mut self.observer
            && observer.wants_links()
        {
            for (&(channel, _), rate) in flows.carried().iter().zip(flows.rates()) {
                observer.on_link(&LinkSeen { channel, rate, now });
            }
        }
        self.flows_end = self.engine.plan(self.flows_end, end, || Event::FlowsEnd);
        self.links_change = self.engine.plan(self.links_change, change, || Event::LinksChange);
    }

    /// Why a run has ended with messages in flight, if it has.
    pub(super) fn stuck(&self) -> Option<RunError> {
        let flows = self.flows.as_ref()?;
        let &SendSeen { from, to, bytes, .. } = flows.any()?;
        // Any flow, however slow, would end beyond the clock.
        Some(if flows.any_flows() { EngineError::Outgrown.into() } else { RunError::Stuck { from, to, bytes } })
    }

    /// Every shared link used so far, each direction separately, with the bytes offered to it.
    #[must_use]
    pub fn carried(&self) -> &[(Channel, f64)] {
        self.flows.as_ref().map_or(&[], |flows| flows.carried())
    }
}
