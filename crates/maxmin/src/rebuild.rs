//! A solution from scratch, if most of the rates change at once.

use super::demand::{LinkKind, PathLink};
use super::fill::Problem;
use super::link::{Lane, SAME_FAIR_SHARE};
use super::routes::Hop;
use super::solver::{BOUND, NONE, Solver, after};
use hetsim_base::units::Time;

impl Solver {
    /// Solves all rates from scratch. A fair share that differs from the previous one by rounding only is kept.
    pub(crate) fn rebuild(&mut self, now: Time) {
        self.statistics.rebuilt += 1;
        let shares_links = |&id: &u32| self.flow_rest[id as usize].order.is_some() && self.flows[id as usize].hops > 0;
        let flows: Vec<u32> = (0..self.flows.len() as u32).filter(shares_links).collect();
        let filled = {
            let problem = self.problem(&flows);
            self.statistics.examined += problem.path_links.len() as u64;
            problem.fill()
        };
        self.queue.clear();
        self.is_beyond = false;
        self.starting.clear();
        for link in 0..self.links.len() {
            // The flows of a pair are on both of its lanes, so the first one to fill stops all of them.
            let lanes = [filled.fair_shares[2 * link], filled.fair_shares[2 * link + 1]];
            self.reopen(link as u32, lanes[0].min(lanes[1]));
        }
        for (place, &id) in flows.iter().enumerate() {
            let lane = filled.bottlenecks[place];
            let bottleneck = if lane == BOUND { BOUND } else { Lane(lane).link() };
            if self.flows[id as usize].bottleneck != bottleneck {
                self.note_move(id, now);
                self.flows[id as usize].bottleneck = bottleneck;
            }
            if bottleneck != BOUND {
                self.join(id, bottleneck);
            }
        }
        for id in flows {
            self.account(id);
        }
        self.sort_queue();
    }

    /// The current flows over the lanes of the current links; unshared links appear only in the flows' bounds.
    fn problem(&self, flows: &[u32]) -> Problem {
        let lanes = 0..2 * self.links.len() as u32;
        let capacities = lanes.map(|lane| self.capacity_of(Lane(lane).link())).collect();
        let mut problem = Problem { capacities, ..Problem::default() };
        for &id in flows {
            let flow = &self.flows[id as usize];
            let shared = self.hops_of(id).iter().filter(|hop| self.kind_of(hop) == LinkKind::Shared);
            let path_links = shared.flat_map(|hop| {
                let back =
                    PathLink { link: hop.lane.0 ^ 1, share: hop.share * self.links[hop.lane.link() as usize].back };
                let own = PathLink { link: hop.lane.0, share: hop.share };
                [own, back].into_iter().filter(|path_link| path_link.share > 0.0)
            });
            problem.add(path_links, flow.weight, flow.bound);
        }
        problem
    }

    /// Sets a link's new fair share, without members yet.
    fn reopen(&mut self, number: u32, fair_share: f64) {
        if !self.rest[number as usize].flows.is_empty() {
            self.touch(number);
        }
        let (link, rest) = (&mut self.links[number as usize], &mut self.rest[number as usize]);
        let before = rest.before;
        let stays = rest.touched
            && fair_share < f64::INFINITY
            && (fair_share - before).abs() <= SAME_FAIR_SHARE * 10.0 * fair_share;
        link.fair_share = if stays { before } else { fair_share };
        (link.usage, link.crossing_maximum) = ([0; 2], 0.0);
        (link.members, rest.has_new) = (0, false);
        (rest.member_usage, rest.member_weight) = ([0; 2], [0.0; 2]);
        for (entry, remaining) in rest.flows.iter().zip(rest.remaining.drain(..)) {
            // What a flow that joined in this solution has left is known.
            let has_sent = self.stamps[entry.flow as usize] != self.solution;
            if has_sent && self.flows[entry.flow as usize].bottleneck == number {
                self.remaining[entry.flow as usize] = after(remaining, rest.sent);
            }
        }
        rest.sent = 0.0;
    }

    /// Adds a flow with a known bottleneck to the sums of its links.
    fn account(&mut self, id: u32) {
        let (flow, fair_share) = (self.flows[id as usize], self.fair_share_of(id));
        for hop in flow.start..flow.start + flow.hops {
            let Hop { lane, share, .. } = self.routes.hops[hop as usize];
            let (number, direction) = (lane.link(), lane.direction());
            let (link, weight) = (&mut self.links[number as usize], flow.weight * share);
            let units = link.units(weight * fair_share);
            // Fair rates fill a link at most.
            link.usage[direction] += units;
            if number == flow.bottleneck {
                self.rest[number as usize].member_weight[direction] += weight;
                self.rest[number as usize].member_usage[direction] += units;
            } else {
                link.crossing_maximum = link.crossing_maximum.max(fair_share);
            }
        }
    }

    /// Updates the bounds that changed capacities of unshared links affect. A flow that a new bound limits starts again
    /// from zero.
    pub(crate) fn rebound(&mut self, now: Time) {
        while let Some(id) = self.bounded.pop() {
            if self.flow_rest[id as usize].order.is_none() {
                continue;
            }
            let (bound, fair_share) = (self.bound_of(id), self.fair_share_of(id));
            let flow = self.flows[id as usize];
            if bound == flow.bound {
                self.mark(id);
                continue;
            }
            if flow.bottleneck == NONE || (flow.bottleneck != BOUND && fair_share <= bound) {
                self.flows[id as usize].bound = bound;
                self.mark(id);
                continue;
            }
            self.restart(id, now);
            self.flows[id as usize].bound = bound;
            self.mark(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::demand::Demand;
    use super::*;
    use proptest::prelude::*;

    fn flow() -> impl Strategy<Value = (Vec<PathLink>, Demand)> {
        let limit = prop_oneof![Just(f64::INFINITY), 0.01..2.0];
        let demand = (1e3..1e6, prop_oneof![Just(1.0), 0.1..10.0], limit);
        let demand = demand.prop_map(|(bytes, weight, limit)| Demand { bytes, weight, limit });
        let path_link = (0u32..6, prop_oneof![Just(1.0), 0.05..3.0]).prop_map(|(link, share)| PathLink { link, share });
        (prop::collection::vec(path_link, 1..4), demand)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1000, ..ProptestConfig::default() })]

        /// Wherever the incremental solution is abandoned, the solution from scratch replaces it.
        #[test]
        fn giving_up_changes_no_rate(
            changes in prop::collection::vec((flow(), any::<bool>(), 0u64..40), 1..40),
            capacities in prop::collection::vec(0.1..10.0, 6),
        ) {
            let (mut patient, mut hasty) = (Solver::new(), Solver::new());
            for capacity in capacities {
                patient.add_link(capacity, LinkKind::Shared).unwrap();
                hasty.add_link(capacity, LinkKind::Shared).unwrap();
            }
            let mut ids = Vec::new();
            for (place, ((route, demand), stops, most)) in changes.into_iter().enumerate() {
                let now = Time(place as u64 * 10);
                if stops && !ids.is_empty() {
                    let id = ids.remove(place % ids.len());
                    patient.stop(id);
                    hasty.stop(id);
                }
                ids.push(patient.start(&route, demand).unwrap());
                prop_assert_eq!(ids.last().copied(), hasty.start(&route, demand).ok());
                patient.solve(now);
                hasty.begin();
                hasty.solve_within(now, most);
                for &id in &ids {
                    let (one, other) = (patient.rate(id), hasty.rate(id));
                    prop_assert!((one - other).abs() <= 1e-9 * one.max(other), "{} or {}", one, other);
                    let (one, other) = (patient.remaining(id, now), hasty.remaining(id, now));
                    prop_assert!((one - other).abs() <= 1e-6, "{} or {}", one, other);
                }
            }
        }
    }
}
