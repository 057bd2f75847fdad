//! Messages on their way over links that they share.

use super::sending::varied;
use super::{Cluster, Event, Job, RunError};
use crate::cluster::flows::Parcel;
use crate::cluster::network::Transfer;
use crate::cluster::observer::{LinkSeen, Observer, SendSeen};
use crate::cluster::platform::Channel;
use crate::cluster::program::{NodeId, Program, SendId};
use crate::units::Time;

impl<M, O: Observer> Cluster<'_, M, O> {
    /// A message leaves a node over links that it shares: its latency comes first, then its bytes.
    pub(super) fn send_flowing(
        &mut self,
        (from, to): (NodeId, NodeId),
        latency: Time,
        (send, bytes, link): (SendId, u64, usize),
        message: M,
    ) {
        let start = self.occupy(from, Time::ZERO);
        let name = self.name(&message);
        let seen = SendSeen { from, to, bytes, start, free: start, arrival: Time::NEVER, message: name };
        let Some(flows) = &mut self.flows else { return };
        let Some(of_links) = flows.latency(&seen, self.platform) else {
            self.refuse(RunError::NoRoute { from, to }, from);
            return;
        };
        let mut transfer = Transfer { latency, ..Transfer::default() };
        let route = self.platform.numbered_link(link);
        if route.varies() {
            transfer = varied(transfer, route, start, || self.streams.stream("jitter", send.number()));
        }
        let latency = self.platform.transport().latency(transfer.latency + of_links);
        let parcel = flows.keep(Parcel { seen, send, message });
        self.engine.schedule(start + latency, Event::FlowStart { parcel });
    }

    /// Messages arrive whose bytes have all come.
    pub(super) fn end_flows<P: Program<Message = M>>(&mut self, program: &mut P) {
        self.flows_end = None;
        let mut arrived = std::mem::take(&mut self.arrived);
        if let Some(flows) = &mut self.flows {
            flows.take_ended(self.engine.now(), &mut arrived);
        }
        for Parcel { seen, send, message } in arrived.drain(..) {
            self.observer.on_send(&seen);
            if self.wants_sent && !self.is_of_earlier_life(seen.from, send) {
                self.admit(seen.from, Job::Sent(send), program);
            }
            self.deliver(seen.to, seen.from, Time::ZERO, Time::ZERO, message, program);
        }
        self.arrived = arrived;
    }

    /// Solves the rates where something has changed at this instant, unless more is to come at it.
    #[inline]
    pub(super) fn settle_flows(&mut self) {
        let is_stale = self.flows.as_ref().is_some_and(|flows| flows.is_stale());
        if is_stale && self.engine.next_time() != Some(self.engine.now()) {
            self.plan_flows();
        }
    }

    /// Solves the rates, and plans the end of the flows that end first and the next change of a link.
    pub(super) fn plan_flows(&mut self) {
        let now = self.engine.now();
        let Some(flows) = &mut self.flows else { return };
        let end = flows.solve(now);
        let change = flows.next_change();
        if O::WANTS_LINKS {
            for (&(channel, _), rate) in flows.carried().iter().zip(flows.rates()) {
                self.observer.on_link(&LinkSeen { channel, rate, now });
            }
        }
        self.flows_end = self.engine.plan(self.flows_end, end, || Event::FlowsEnd);
        self.links_change = self.engine.plan(self.links_change, change, || Event::LinksChange);
    }

    /// Why a run has ended with messages under way, if it has.
    pub(super) fn stuck(&self) -> Option<RunError> {
        let &SendSeen { from, to, bytes, .. } = self.flows.as_ref()?.any()?;
        Some(RunError::Stuck { from, to, bytes })
    }

    /// Every link that messages have shared so far, one direction after the other, with the bytes that it was given to
    /// carry.
    #[must_use]
    pub fn carried(&self) -> &[(Channel, f64)] {
        self.flows.as_ref().map_or(&[], |flows| flows.carried())
    }
}
