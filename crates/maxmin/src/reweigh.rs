//! What [bundles](super::Bundles) ask of the solver: flows whose weight changes while they flow.

use super::demand::{LinkKind, PathLink, Reweighed};
use super::solver::{BOUND, NONE, Solver, after, end_after};
use hetsim_base::units::Time;

impl Solver {
    /// Finds the flows that are due by `now`, in the order of their start. Each of them stops, or gets another weight
    /// before the next solution.
    pub(crate) fn find_due(&mut self, now: Time, due: &mut Vec<u32>) {
        due.clear();
        while let Some((_, id)) = self.bound_ends.first().filter(|end| end.0 <= now) {
            self.bound_ends.remove(id);
            due.push(id);
        }
        while let Some((_, number)) = self.ends.first().filter(|end| end.0 <= now) {
            self.ends.remove(number);
            due.extend(self.due_on(number, now));
            self.touch(number);
        }
        due.sort_unstable_by_key(|&id| self.order_of(id));
    }

    /// The members of a link that are due by `now`.
    fn due_on(&self, number: u32, now: Time) -> impl Iterator<Item = u32> {
        let (link, rest) = (&self.links[number as usize], &self.rest[number as usize]);
        let is_due = move |remaining: f64| end_after(rest.since, after(remaining, rest.sent), link.fair_share) <= now;
        let members = rest.flows.iter().zip(&rest.remaining);
        members.filter(move |(_, remaining)| is_due(**remaining)).map(|(entry, _)| entry.flow)
    }

    /// Whether a flow would be due by `now` with so many more bytes per weight.
    pub(crate) fn is_due(&self, id: u32, more: f64, now: Time) -> bool {
        end_after(self.since(id), self.remaining_of(id) + more, self.fair_share_of(id)) <= now
    }

    /// What a flow has sent by `now` beyond what it had to send, in bytes per weight: below zero before its end.
    pub(crate) fn progress(&self, id: u32, now: Time) -> f64 {
        let time = now.since(self.since(id));
        let sent = if time == Time::ZERO { 0.0 } else { self.fair_share_of(id) * time.as_f64() };
        sent - self.remaining_of(id)
    }

    /// The number of flows that started before a flow.
    pub(crate) fn order_of(&self, id: u32) -> u64 {
        self.flow_rest[id as usize].order.unwrap_or(u64::MAX)
    }

    /// Whether a flow has started and not stopped.
    pub(crate) fn is_under_way(&self, id: u32) -> bool {
        self.flow_rest[id as usize].order.is_some()
    }

    /// The number of a flow that starts now.
    pub(crate) fn next_order(&mut self) -> u64 {
        self.started += 1;
        self.started - 1
    }

    /// The weight and the limit of a flow.
    pub(crate) fn weight_and_limit(&self, id: u32) -> (f64, f64) {
        (self.flows[id as usize].weight, self.flow_rest[id as usize].limit)
    }

    /// Whether a flow goes over the links of a route and no others, all of them shared. False, too, for a route that
    /// names a link twice.
    pub(crate) fn goes_over(&self, id: u32, route: &[PathLink]) -> bool {
        let contended = self.hops_of(id).iter().map(|hop| hop.lane.of(self.rest[hop.lane.link() as usize].added));
        let hops = self.hops_of(id).iter().chain(self.own_hops_of(id));
        let lanes = contended.chain(self.own_hops_of(id).iter().map(|hop| hop.lane));
        let mut known = lanes.zip(hops).map(|(lane, hop)| PathLink { link: lane.added(), share: hop.share });
        let is_shared = |path_link: &PathLink| self.added[path_link.link as usize].kind == LinkKind::Shared;
        let length = self.hops_of(id).len() + self.own_hops_of(id).len();
        length > 0 && route.len() == length && known.all(|own| route.contains(&own) && is_shared(&own))
    }

    /// Changes flows' weights at `now`: they start again from zero.
    pub(crate) fn apply_weights(&mut self, now: Time) {
        while let Some(Reweighed { flow: id, weight, limit, remaining }) = self.reweighed.pop() {
            self.restart(id, now);
            (self.flows[id as usize].weight, self.flow_rest[id as usize].limit) = (weight, limit);
            self.remaining[id as usize] = remaining;
            self.flows[id as usize].bound = self.bound_of(id);
            self.mark(id);
        }
    }

    /// Takes a flow's rate from it, so that the solution finds another one.
    pub(crate) fn restart(&mut self, id: u32, now: Time) {
        let (flow, fair_share) = (self.flows[id as usize], self.fair_share_of(id));
        if flow.bottleneck == NONE {
            return;
        }
        self.note_move(id, now);
        if flow.bottleneck != BOUND {
            self.touch(flow.bottleneck);
            self.leave(id);
        }
        self.shift(&flow, fair_share, 0.0, NONE);
        self.flows[id as usize].bottleneck = NONE;
        self.starting.push(id);
    }
}
