//! Posted receives, and the rendezvous that waits for one.

use super::{Event, Job, RunError, Simulation};
use crate::cluster::flows::InFlight;
use crate::cluster::matching::{Found, Held};
use crate::cluster::network::{Delivery, Handshake, Transfer};
use crate::cluster::observer::SendSeen;
use crate::cluster::program::{NodeId, Receive, SendId};
use crate::units::Time;

impl<M> Simulation<'_, M> {
    /// A message that its receiver is ready for; one without a posted receive waits.
    #[inline]
    pub(super) fn matched(&mut self, at: NodeId, from: NodeId, message: M) -> Option<M> {
        match &mut self.matching {
            None => Some(message),
            Some(matching) => {
                let tag = (self.tag)(&message);
                matching.arrive(at, from, tag, message)
            }
        }
    }

    /// Hands over a message by rendezvous: its request leaves when the sender's processor has prepared it. It does not
    /// use the ports.
    pub(super) fn request(
        &mut self,
        (from, to): (NodeId, NodeId),
        (costs, handshake): (Transfer, Handshake),
        (send, bytes): (SendId, u64),
        message: M,
    ) {
        let ready = self.occupy(from, costs.overhead) + costs.injection;
        if self.wants_sent && handshake.buffered {
            self.engine.schedule(ready, Event::Sent { at: from, send });
        }
        let Some(matching) = &mut self.matching else { return };
        let number = matching.hold(Held { from, to, send, bytes, message });
        self.engine.schedule(ready + handshake.halves()[0], Event::Request { number });
    }

    /// Handles a request at its receiver.
    pub(super) fn requested(&mut self, number: u32) {
        let receiver = self.matching.as_ref().and_then(|matching| matching.held(number)).map(|held| held.to);
        if receiver.is_some_and(|to| self.is_down(to)) {
            self.matching.as_mut().and_then(|matching| matching.release(number));
            self.lost += 1;
            return;
        }
        let tag = self.tag;
        if self.matching.as_mut().is_some_and(|matching| matching.request(number, tag)) {
            self.grant(number);
        }
    }

    /// Answers a request.
    fn grant(&mut self, number: u32) {
        let held = self.matching.as_ref().and_then(|matching| matching.held(number));
        let Some(&Held { from, to, bytes, .. }) = held else { return };
        let [_, back] = self.costs(from, to, bytes).handshake.unwrap_or_default().halves();
        self.engine.schedule(self.engine.now() + back, Event::Granted { number });
    }

    /// Lets the bytes of a message leave whose request is granted.
    pub(super) fn granted(&mut self, number: u32) {
        let Some(held) = self.matching.as_mut().and_then(|matching| matching.release(number)) else { return };
        let Held { from, to, send, bytes, message } = held;
        if self.is_down(from) {
            self.lost += 1;
            return;
        }
        let link = self.platform.connection_between(from, to);
        let start = self.engine.now();
        match self.platform.numbered_connection(link).model.query(bytes) {
            Delivery::Flow(_) => {
                let (message_name, port) = (self.name(&message), self.flow_port(from, link));
                let seen =
                    SendSeen { from, to, bytes, start, free: start, arrival: Time::NEVER, message: message_name };
                self.send_flow(InFlight { seen, send, message, link: link as u32, port, granted: true });
            }
            Delivery::Closed(transfer) => {
                self.send_now((from, to), transfer.granted(), (send, bytes, link), message);
            }
            // Others have no rendezvous.
            _ => {}
        }
    }

    /// Posts a receive.
    pub(super) fn post_receive(&mut self, at: NodeId, receive: Receive) {
        let Some(matching) = &mut self.matching else { return };
        match matching.post(at, receive) {
            None => {}
            Some(Found::Request(number)) => self.grant(number),
            Some(Found::Message(from, message)) => {
                let overhead = self.platform.memory().copy(receive.bytes, self.platform.tick());
                self.wait(at, Job::Matched { from, overhead, message });
            }
        }
    }

    /// What a message costs.
    fn costs(&self, from: NodeId, to: NodeId, bytes: u64) -> Transfer {
        let link = self.platform.connection_between(from, to);
        match self.platform.numbered_connection(link).model.query(bytes) {
            Delivery::Closed(costs) | Delivery::Flow(costs) => costs,
            _ => Transfer::default(),
        }
    }

    /// A message that no receive is posted for, if the run has ended with one.
    pub(super) fn not_received(&self) -> Option<RunError> {
        let &Held { from, to, bytes, .. } = self.matching.as_ref()?.any_held()?;
        Some(RunError::NotReceived { from, to, bytes })
    }
}
