//! Posted receives, and the rendezvous that waits for one.

use super::sending::Departure;
use super::{Event, Job, RunError, Simulation};
use crate::critical::Part;
use crate::header::Header;
use crate::matching::{Envelope, Found, Held};
use crate::network::{Delivery, Handshake, Transfer};
use crate::program::{NodeId, Receive, Scope};

impl<M> Simulation<'_, M> {
    /// An eager message that its receiver is ready for; one without a posted receive waits.
    #[inline]
    pub(super) fn matched(&mut self, at: NodeId, from: NodeId, message: M) -> Option<M> {
        match &mut self.matching {
            None => Some(message),
            Some(matching) => {
                let envelope = (self.hooks.envelope)(from, &message);
                matching.arrive(at, envelope, message)
            }
        }
    }

    /// Tells the sender of a message that streams that it has found its receive.
    pub(super) fn release_sender(&mut self, to: NodeId, envelope: Envelope) {
        let send = self.matching.as_mut().and_then(|matching| matching.release_sender(to, envelope));
        if let Some(send) = send {
            self.tell_sent(envelope.from, send, self.engine.now(), |trail| trail.now);
        }
    }

    /// Whether the receiver of a message whose rendezvous was granted still wants it; otherwise the message is lost.
    pub(super) fn fetched(&mut self, at: NodeId, from: NodeId, message: &M) -> bool {
        let envelope = (self.hooks.envelope)(from, message);
        let is_wanted = self.matching.as_mut().is_some_and(|matching| matching.fetched(at, envelope));
        self.counts.lost += u64::from(!is_wanted);
        is_wanted
    }

    /// Hands over a message by rendezvous: its request leaves when the sender's processor has prepared it. It does not
    /// use the ports.
    pub(super) fn request(&mut self, header: Header, costs: Transfer, handshake: Handshake, message: M) {
        let Header { from, to, send, .. } = header;
        let ready = self.make_ready(from, to, &costs);
        if self.hooks.wants_sent && handshake.buffered {
            self.engine.schedule(ready, Event::Sent { at: from, send });
            self.due(|trail| trail.ready);
        }
        let subject = self.called(from, to, &message);
        let Some(matching) = &mut self.matching else { return };
        let number = matching.hold(Held { header, message });
        let there = ready + handshake.halves()[0];
        self.engine.schedule(there, Event::Request { number });
        self.due(|trail| trail.step(trail.ready, there, Part::Latency, subject));
    }

    /// Handles a request at its receiver.
    pub(super) fn requested(&mut self, number: u32) {
        let receiver = self.matching.as_ref().and_then(|matching| matching.held(number)).map(|held| held.header.to);
        if receiver.is_some_and(|to| self.is_down(to)) {
            self.matching.as_mut().and_then(|matching| matching.release(number));
            self.counts.lost += 1;
            return;
        }
        let envelope = self.hooks.envelope;
        let of_held = |held: &Held<M>| envelope(held.header.from, &held.message);
        if self.matching.as_mut().is_some_and(|matching| matching.request(number, of_held)) {
            self.grant(number);
        }
    }

    /// Answers a request.
    fn grant(&mut self, number: u32) {
        let held = self.matching.as_ref().and_then(|matching| matching.held(number));
        let Some(&Held { header, ref message }) = held else { return };
        let subject = self.called(header.to, header.from, message);
        let [_, back] = self.costs(header).handshake.unwrap_or_default().halves();
        let back = self.engine.now() + back;
        self.engine.schedule(back, Event::Granted { number });
        self.due(|trail| trail.step(trail.now, back, Part::Latency, subject));
    }

    /// Lets the bytes of a message leave whose request is granted, unless its sender has been down since.
    pub(super) fn granted(&mut self, number: u32) {
        let Some(held) = self.matching.as_mut().and_then(|matching| matching.release(number)) else { return };
        let Held { header, message } = held;
        let Header { from, to, send, bytes, link } = header;
        if self.faults.is_of_earlier_life(from, send) {
            self.counts.lost += 1;
            let envelope = (self.hooks.envelope)(from, &message);
            let found = self.matching.as_mut().and_then(|matching| matching.withdraw(to, envelope));
            self.serve_receive(to, found);
            return;
        }
        let start = self.engine.now();
        match self.platform.numbered_connection(link).model.query(bytes) {
            Delivery::Flow(_) => {
                self.follow(|trail| trail.keep_flow(send, trail.now));
                self.send_flow(header, start, message, true);
            }
            Delivery::Closed(transfer) => {
                let transfer = transfer.granted();
                let ready = self.make_ready(from, to, &transfer);
                let Departure { due, port } = self.send_closed(header, ready, transfer, &message);
                let overhead = transfer.receive_overhead;
                self.engine.schedule(due, Event::Fetched { to, from, overhead, port, message });
                self.due(|trail| trail.arrived);
            }
            // Others have no rendezvous.
            _ => {}
        }
    }

    /// Posts a receive.
    pub(super) fn post_receive(&mut self, at: NodeId, scope: Scope, receive: Receive) {
        let Some(matching) = &mut self.matching else {
            return self.refuse(RunError::PostsNone { at }, at);
        };
        let found = matching.post(at, scope, receive);
        self.serve_receive(at, found);
    }

    /// Whether a message waits at a node that a receive would take. An eager one may wait for the processor, too.
    pub(super) fn finds(&self, at: NodeId, scope: Scope, receive: Receive) -> bool {
        let envelope = self.hooks.envelope;
        let in_inbox = |job: &Job<M>| match job {
            Job::Message { from, message, .. } => envelope(*from, message).is_for(scope, receive),
            _ => false,
        };
        self.matching.as_ref().is_some_and(|matching| matching.finds(at, scope, receive))
            || self.inboxes.iter(at.index()).any(in_inbox)
    }

    /// Gives a receive what has waited for it.
    fn serve_receive(&mut self, at: NodeId, found: Option<Found<M>>) {
        match found {
            None => {}
            Some(Found::Request(number)) => self.grant(number),
            Some(Found::Message { envelope, bytes, message, releases }) => {
                if releases {
                    self.release_sender(at, envelope);
                }
                let overhead = self.platform.memory().copy(bytes, self.platform.tick());
                self.wait(at, Job::Matched { from: envelope.from, overhead, message });
            }
        }
    }

    /// What a message costs.
    fn costs(&self, header: Header) -> Transfer {
        match self.platform.numbered_connection(header.link).model.query(header.bytes) {
            Delivery::Closed(costs) | Delivery::Flow(costs) => costs,
            _ => Transfer::default(),
        }
    }

    /// A message that no receive is posted for, if the run has ended with one. The request of a sender that has been
    /// down since is none.
    pub(super) fn not_received(&self) -> Option<RunError> {
        let matching = self.matching.as_ref()?;
        let mut held = matching.all_held().map(|held| held.header);
        let held = held.find(|header| !self.faults.is_of_earlier_life(header.from, header.send));
        let Header { from, to, bytes, .. } = held.or_else(|| matching.any_unreleased())?;
        Some(RunError::NotReceived { from, to, bytes })
    }

    /// The number of messages that have come and for which no receive has been posted so far.
    #[must_use]
    pub fn unexpected(&self) -> u64 {
        self.matching.as_ref().map_or(0, |matching| matching.unexpected())
    }
}
