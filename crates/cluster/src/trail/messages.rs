//! Messages: ports, flights, shared links.

use super::{Mark, Subject, Trail};
use crate::critical::Part;
use crate::network::{Port, Transfer};
use crate::program::{NodeId, SendId};
use hetsim_base::units::Time;

/// A message of known cost that leaves its port.
#[derive(Debug)]
pub(crate) struct Leaving {
    pub(crate) transfer: Transfer,
    /// Whether it waited for the port.
    pub(crate) waited: bool,
    pub(crate) start: Time,
    pub(crate) free: Time,
    pub(crate) arrival: Time,
    pub(crate) delivered: Time,
    /// Whether the event of its arrival follows the receiver's overhead.
    pub(crate) folded: bool,
}

/// When a message streams into its receiver.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StreamingIn {
    /// Until when its bytes come.
    pub(crate) streamed: Time,
    /// Until when the receiver's processor is busy with it.
    pub(crate) end: Time,
    /// Until when the receiver's port is.
    pub(crate) free: Time,
}

impl Trail {
    /// After the last overhead a message is handed to its port.
    pub(crate) fn inject(&mut self, from: NodeId, to: NodeId, ready: Time, overhead: Time) {
        if self.start == Mark::UNKNOWN {
            self.ready = Mark::UNKNOWN;
            return;
        }
        let subject = Subject { from, to, name: self.named };
        let prepared = (self.end(self.start) + overhead).min(ready);
        let prepared = self.step(self.start, prepared, Part::Overhead, subject.sender());
        self.ready = self.step(prepared, ready, Part::Transmission, subject);
    }

    /// A message is written into its receiver's queue, which takes its sender until `alone` if no other message is in
    /// the way.
    pub(crate) fn queue_in(&mut self, from: NodeId, to: NodeId, alone: Time, through: Time) {
        let subject = Subject { from, to, name: self.named };
        let written = self.step(self.ready, alone, Part::Overhead, subject.sender());
        self.ready = self.step(written, through, Part::Sharing, subject);
        self.processors[from.index()] = self.ready;
    }

    /// A message of known cost leaves the port of this number.
    pub(crate) fn leave(&mut self, port: usize, subject: Subject, leaving: &Leaving) {
        let Leaving { transfer, waited, start, free, arrival, delivered, folded } = *leaving;
        let held = transfer.port != Port::Free;
        let left = if waited { self.ports_out[port] } else { self.ready };
        let streamed = (start + transfer.transmission).min(arrival);
        let streamed = self.step(left, streamed, Part::Transmission, subject);
        self.arrival = self.step(streamed, arrival, Part::Latency, subject);
        if transfer.port == Port::UntilDelivered && self.arrival != streamed && self.arrival != Mark::UNKNOWN {
            self.steps[self.arrival.0 as usize].in_port = true;
        }
        self.arrived = self.arrival;
        if folded || transfer.port == Port::UntilDelivered {
            let received = self.step(self.arrival, delivered, Part::Overhead, subject.receiver());
            self.arrived = if folded { received } else { self.arrival };
            self.freed = received;
        }
        if transfer.port != Port::UntilDelivered {
            self.freed = self.step(left, free, Part::Transmission, subject);
        }
        self.gone = left;
        if held {
            self.ports_out[port] = self.freed;
        }
    }

    /// The sender of the last message learns `later`, at `told`, that it has arrived and its port is free.
    pub(crate) fn confirm(&mut self, subject: Subject, later: Time, told: Time) -> Mark {
        let last = if self.is_at(self.freed, told - later) { self.freed } else { self.arrival };
        self.step(last, told, Part::Latency, subject.back())
    }

    /// The mark before an overhead of this length that ends now.
    pub(super) fn before(&self, overhead: Time) -> Mark {
        if overhead == Time::ZERO || self.now == Mark::UNKNOWN {
            self.now
        } else {
            self.steps[self.now.0 as usize].before
        }
    }

    /// A message passes the port of its receiver; `folded` is its overhead, if that was part of its flight.
    pub(crate) fn pass(&mut self, port: usize, folded: Time) {
        self.ports_in[port] = self.before(folded);
    }

    /// For how long the latency of a message, whose arrival this is, holds its ports.
    fn latency_in_port(&self, arrival: Mark) -> Time {
        if arrival == Mark::UNKNOWN {
            return Time::ZERO;
        }
        let step = self.steps[arrival.0 as usize];
        if step.in_port { step.end - self.end(step.before) } else { Time::ZERO }
    }

    /// A message waits for the port of its receiver, which lets it pass until `clear`: then it has held the port for as
    /// long as that of its sender, first with its bytes.
    pub(crate) fn wait_at_port(&mut self, port: usize, clear: Time, folded: Time, subject: Subject) {
        let latency = self.latency_in_port(self.before(folded));
        let streamed = self.step(self.ports_in[port], clear - latency, Part::Transmission, subject);
        let passed = self.step(streamed, clear, Part::Latency, subject);
        self.ports_in[port] = passed;
        self.arrived = self.step(passed, clear + folded, Part::Overhead, subject.receiver());
    }

    /// A message waits at a port with a bounded capacity.
    pub(crate) fn wait_for_capacity(&mut self, from: NodeId) {
        self.outgoing[from.index()].push_back(self.ready);
    }

    /// The first message of such a port leaves.
    pub(crate) fn has_capacity(&mut self, from: NodeId) {
        self.outgoing[from.index()].pop_front();
        self.ready = self.now;
    }

    /// When such a port looks at its first message.
    pub(crate) fn look(&self, from: NodeId, port: usize, at: Time) -> Mark {
        let causes = [self.outgoing[from.index()].front().copied(), Some(self.ports_out[port]), Some(self.now)];
        causes.into_iter().flatten().find(|mark| self.is_at(*mark, at)).unwrap_or(Mark::UNKNOWN)
    }

    /// A message is ready to leave over shared links.
    pub(crate) fn keep_flow(&mut self, send: SendId, mark: Mark) {
        self.flows.insert(send, mark);
    }

    /// It leaves at `start`, when it is ready or its turn has come. Returns the mark of its bytes' start.
    pub(crate) fn flow_leaves(&mut self, send: SendId, start: Time, flows: Time, subject: Subject) -> Mark {
        let ready = self.flows.get(&send).copied().unwrap_or(Mark::UNKNOWN);
        let left = if self.is_at(ready, start) { ready } else { self.now };
        self.step(left, flows, Part::Latency, subject)
    }

    /// All its bytes have arrived; alone it would have taken a shorter time.
    pub(crate) fn flow_ends(&mut self, send: SendId, now: Time, alone: Time, subject: Subject) {
        let start = self.flows.remove(&send).unwrap_or(Mark::UNKNOWN);
        if start == Mark::UNKNOWN {
            self.now = start;
            return;
        }
        let alone = alone.min(now - self.end(start));
        let streamed = self.step(start, self.end(start) + alone, Part::Transmission, subject);
        self.now = self.step(streamed, now, Part::Sharing, subject);
    }

    /// A message that streams leaves its node now. Returns the mark of its head at the receiver.
    pub(crate) fn stream_out(&mut self, port: usize, subject: Subject, free: Time, head: Time) -> Mark {
        self.freed = self.step(self.now, free, Part::Transmission, subject);
        self.ports_out[port] = self.freed;
        self.step(self.ready, head, Part::Latency, subject)
    }

    /// It streams into its receiver from now on. Returns the mark of its end.
    pub(crate) fn stream_in(&mut self, port: usize, subject: Subject, streaming: StreamingIn) -> Mark {
        let StreamingIn { streamed, end, free } = streaming;
        self.ports_in[port] = self.step(self.now, free, Part::Transmission, subject);
        let bytes = self.step(self.now, streamed, Part::Transmission, subject);
        let received = self.step(bytes, end, Part::Overhead, subject.receiver());
        self.processors[subject.to.index()] = received;
        received
    }
}
