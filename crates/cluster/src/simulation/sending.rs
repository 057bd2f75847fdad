//! Messages at ports and capacities.

use super::{Event, Simulation};
use crate::capacity::Outgoing;
use crate::header::Header;
use crate::network::{Port, Transfer};
use crate::observer::SendSeen;
use crate::program::NodeId;
use crate::trail::Leaving;
use hetsim_base::units::Time;

/// What follows from the departure of a message of known cost.
pub(super) struct Departure {
    /// When the event of its arrival is due.
    pub(super) due: Time,
    /// For how long it holds the port of its receiver.
    pub(super) port: Time,
}

impl<M> Simulation<'_, M> {
    /// Hands over a message of known cost, whatever else its node does.
    #[inline]
    pub(super) fn send_now(&mut self, header: Header, transfer: Transfer, message: M) {
        let Header { from, to, .. } = header;
        let ready = self.make_ready(from, to, &transfer);
        let Departure { due, port } = self.send_closed(header, ready, transfer, &message);
        let overhead = transfer.receive_overhead;
        self.engine.schedule(due, Event::Deliver { to, from, overhead, port, message });
        self.due(|trail| trail.arrived);
    }

    /// Lets a message of known cost leave its node.
    #[inline]
    pub(super) fn send_closed(
        &mut self,
        Header { from, to, send, bytes, link }: Header,
        ready: Time,
        mut transfer: Transfer,
        message: &M,
    ) -> Departure {
        let holds = transfer.port != Port::Free;
        let start = if holds { ready.max(self.nodes.port(from, to).port_out) } else { ready };
        let route = self.platform.numbered_connection(link);
        // A message of a node to itself does not pass the network.
        if route.varies() && from != to {
            transfer = self.jitter.vary(transfer, route, start, from, to);
        }
        let delivered = start + transfer.transmission + transfer.latency + transfer.tail;
        let free = match transfer.port {
            Port::Free => start,
            Port::Gap(gap) => start + gap,
            Port::UntilDelivered => delivered,
        };
        if holds {
            self.nodes.port_mut(from, to).port_out = free;
        }
        // Jitter may make a flight shorter than the receiver's part of it; a message never arrives before its start.
        let arrival = (delivered - transfer.receive_overhead).max(start);
        if self.trail.is_some() {
            let (waited, folded) = (start > ready, self.folded);
            self.follow_leaving(
                from,
                to,
                message,
                &Leaving { transfer, waited, start, free, arrival, delivered, folded },
            );
        }
        if self.observer.is_some() {
            self.show_send(SendSeen { from, to, bytes, start, free, arrival: delivered, message: "" }, message);
        }
        // An eager send ends when the port starts with its message: the gap passes beside what the rank does next.
        let is_eager = self.matching.is_some() && transfer.handshake.is_none();
        let goes_on = is_eager && matches!(transfer.port, Port::Gap(_));
        // The sender of a buffered message has gone on.
        let handshake = transfer.handshake.unwrap_or_default();
        let is_told = self.matching.is_some() && handshake.buffered;
        if self.hooks.wants_sent && !is_told {
            let told = match handshake.confirmation {
                Time::ZERO if goes_on => start,
                Time::ZERO => free,
                later => (delivered - transfer.receive_overhead).max(free) + later,
            };
            self.engine.schedule(told, Event::Sent { at: from, send });
            let subject = self.called(from, to, message);
            self.due(|trail| match handshake.confirmation {
                Time::ZERO if goes_on => trail.gone,
                Time::ZERO => trail.freed,
                later => trail.confirm(subject, later, told),
            });
        }
        Departure { due: if self.folded { delivered } else { arrival }, port: free - start }
    }

    /// Shows a send to the observer, with the name of its message.
    #[cold]
    #[inline(never)]
    pub(super) fn show_send(&mut self, send: SendSeen, message: &M) {
        let name = self.name(message);
        self.observe(|observer| observer.on_send(&SendSeen { message: name, ..send }));
    }

    /// Lets a port whose messages count against capacities look at its first one.
    pub(super) fn inject(&mut self, from: NodeId) {
        let Some(Outgoing { header, transfer, message, .. }) = self.capacity.start(from) else { return };
        self.follow(|trail| trail.has_capacity(from));
        let to = header.to;
        let Departure { due, port } = self.send_closed(header, self.engine.now(), transfer, &message);
        let overhead = transfer.receive_overhead;
        self.engine.schedule(due, Event::Arrive { to, from, overhead, port, message });
        self.due(|trail| trail.arrived);
        self.start_port(from, to);
    }

    /// Schedules the next look of a port at its first message.
    pub(super) fn start_port(&mut self, from: NodeId, to: NodeId) {
        if let Some(ready) = self.capacity.next_ready(from) {
            let at = ready.max(self.nodes.port(from, to).port_out).max(self.engine.now());
            self.engine.schedule(at, Event::Inject { from });
            if self.trail.is_some() {
                let port = self.nodes.port_number(from, to);
                self.due(|trail| trail.look(from, port, at));
            }
        }
    }
}
