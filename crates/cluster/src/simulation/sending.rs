//! Messages at ports and capacities.

use rand_distr::{Distribution, LogNormal};

use super::{Event, Node, Simulation};
use crate::capacity::Outgoing;
use crate::network::{Port, Transfer};
use crate::observer::SendSeen;
use crate::platform::Connection;
use crate::program::{NodeId, SendId};
use hetsim_base::engine::Stream;
use hetsim_base::units::{Time, round_up};

impl<M> Simulation<'_, M> {
    /// The ports of `at` for a message from or to `other`.
    #[inline]
    pub(super) fn ports(&mut self, at: NodeId, other: NodeId) -> &mut Node {
        if self.far.is_empty() {
            return &mut self.nodes[at.index()];
        }
        match self.port_between(at, other) {
            0 => &mut self.nodes[at.index()],
            port => &mut self.far[(port - 1) * self.nodes.len() + at.index()],
        }
    }

    /// The same ports, read-only.
    pub(super) fn ports_of(&self, at: NodeId, other: NodeId) -> &Node {
        match self.port_between(at, other) {
            0 => &self.nodes[at.index()],
            port => &self.far[(port - 1) * self.nodes.len() + at.index()],
        }
    }

    /// The number of a node's port for a message from or to `other`.
    #[inline]
    pub(super) fn port_between(&self, at: NodeId, other: NodeId) -> usize {
        if self.far.is_empty() { 0 } else { self.platform.port_between(at, other) }
    }

    /// Hands over a message of known cost, whatever else its node does.
    #[inline]
    pub(super) fn send_now(
        &mut self,
        (from, to): (NodeId, NodeId),
        transfer: Transfer,
        (send, bytes, link): (SendId, u64, usize),
        message: M,
    ) {
        let ready = self.occupy(from, transfer.overhead) + transfer.injection;
        self.follow_injection((from, to), ready, transfer.overhead);
        let (at, port) = self.send_closed((from, to), ready, transfer, (send, bytes, link), &message);
        let overhead = transfer.receive_overhead;
        self.engine.schedule(at, Event::Deliver { to, from, overhead, port, message });
        self.due(|trail| trail.arrived);
    }

    /// Lets a message of known cost leave its node.
    #[inline]
    pub(super) fn send_closed(
        &mut self,
        (from, to): (NodeId, NodeId),
        ready: Time,
        mut transfer: Transfer,
        (send, bytes, link): (SendId, u64, usize),
        message: &M,
    ) -> (Time, Time) {
        let start = if transfer.port == Port::Free { ready } else { ready.max(self.ports(from, to).port_out) };
        let route = self.platform.numbered_connection(link);
        // A message of a node to itself does not pass the network.
        if route.varies() && from != to {
            transfer = varied(transfer, route, start, || self.jitter(from, to));
        }
        let delivered = start + transfer.transmission + transfer.latency + transfer.tail;
        let free = match transfer.port {
            Port::Free => start,
            Port::Gap(gap) => start + gap,
            Port::UntilDelivered => delivered,
        };
        if transfer.port != Port::Free {
            self.ports(from, to).port_out = free;
        }
        if self.trail.is_some() {
            let subject = self.called((from, to), message);
            self.follow_leaving(subject, (transfer, start > ready), (start, free, delivered));
        }
        if self.observer.is_some() {
            self.show_send(SendSeen { from, to, bytes, start, free, arrival: delivered, message: "" }, message);
        }
        // The sender of a buffered message has gone on.
        let handshake = transfer.handshake.unwrap_or_default();
        let is_told = self.matching.is_some() && handshake.buffered;
        if self.wants_sent && !is_told {
            let free = match handshake.confirmation {
                Time::ZERO => free,
                later => (delivered - transfer.receive_overhead).max(free) + later,
            };
            self.engine.schedule(free, Event::Sent { at: from, send });
            let subject = self.called((from, to), message);
            self.due(|trail| match handshake.confirmation {
                Time::ZERO => trail.freed,
                later => trail.confirm(subject, later, free),
            });
        }
        // Jitter may make a flight shorter than the receiver's part of it; a message never arrives before its start.
        let arrival = (delivered - transfer.receive_overhead).max(start);
        (if self.folded { delivered } else { arrival }, free - start)
    }

    /// Shows a send to the observer, with the name of its message.
    #[cold]
    #[inline(never)]
    pub(super) fn show_send(&mut self, send: SendSeen, message: &M) {
        let name = self.name(message);
        if let Some(observer) = &mut self.observer {
            observer.on_send(&SendSeen { message: name, ..send });
        }
    }

    /// The stream for the next message from one node to another over a connection with jitter. It is named by the two
    /// nodes and the number of earlier messages between them, so that all programs meet the same draws.
    pub(super) fn jitter(&mut self, from: NodeId, to: NodeId) -> Stream {
        if self.jittered.is_empty() {
            self.jittered.resize_with(self.nodes.len(), Vec::new);
        }
        let counts = &mut self.jittered[from.index()];
        let place = counts.binary_search_by_key(&to, |(to, _)| *to).unwrap_or_else(|place| {
            counts.insert(place, (to, 0));
            place
        });
        let number = &mut counts[place].1;
        *number += 1;
        self.streams.stream_of("jitter", &[u64::from(from.0), u64::from(to.0), u64::from(*number - 1)])
    }

    /// Lets a port whose messages count against capacities look at its first one.
    pub(super) fn inject(&mut self, from: NodeId) {
        let Some(message) = self.capacity.start(from) else { return };
        let Outgoing { to, send, bytes, transfer, link, message, .. } = message;
        if let Some(trail) = &mut self.trail {
            trail.has_capacity(from);
        }
        let (at, port) = self.send_closed((from, to), self.engine.now(), transfer, (send, bytes, link), &message);
        let overhead = transfer.receive_overhead;
        self.engine.schedule(at, Event::Arrive { to, from, overhead, port, message });
        self.due(|trail| trail.arrived);
        self.start_port(from, to);
    }

    /// Schedules the next look of a port at its first message.
    pub(super) fn start_port(&mut self, from: NodeId, to: NodeId) {
        if let Some(ready) = self.capacity.next_ready(from) {
            let at = ready.max(self.ports(from, to).port_out).max(self.engine.now());
            self.engine.schedule(at, Event::Inject { from });
            if self.trail.is_some() {
                let port = self.port_number(from, to);
                self.due(|trail| trail.look(from, port, at));
            }
        }
    }
}

/// A transfer that starts at `start` on a connection whose latency, bandwidth or jitter is not constant.
pub(super) fn varied(transfer: Transfer, link: &Connection, start: Time, stream: impl FnOnce() -> Stream) -> Transfer {
    let mut varied = transfer;
    if let Some(profile) = &link.bandwidth {
        varied.transmission = profile.end_of(start, transfer.transmission.as_f64()) - start;
        if let Port::Gap(gap) = transfer.port {
            varied.port = Port::Gap(profile.end_of(start, gap.as_f64()) - start);
        }
    }
    if let Some(profile) = &link.latency {
        varied.latency = round_up(transfer.latency.as_f64() * profile.value(start));
    }
    if link.jitter > 0.0 {
        // The mean is 1 for any σ. A finite, positive σ is a valid parameter.
        if let Ok(jitter) = LogNormal::new(-0.5 * link.jitter * link.jitter, link.jitter) {
            let factor = jitter.sample(&mut stream());
            varied.transmission = round_up(varied.transmission.as_f64() * factor);
            varied.latency = round_up(varied.latency.as_f64() * factor);
        }
    }
    varied
}
