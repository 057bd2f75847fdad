//! Updates of rates after a change, spread from link to link as far as rates change.
//!
//! Each flow is a *member* of the one link that limits it and a *crossing flow* on the others of its route. All members
//! of a link have the link's *fair share* as their rate per weight. A link is *up to date* when it is not overfull and,
//! if it has members, it is full and no crossing flow exceeds its fair share. When all links are up to date, each flow
//! is at its bound or has a bottleneck, a full link on which no flow has a higher rate per weight. Rates with this
//! property are the max–min fair ones (Bertsekas and Gallager, Data Networks, 2nd ed., §6.5.2).
//!
//! So only links where something changed are updated: a link takes crossing flows above its fair share as members, and
//! links whose usage changes are marked for an update. The lowest fair share goes first, or nearly so: it depends only
//! on flows with lower rates per weight, so lower fair shares are final first (as in the distributed computation of
//! advertised rates by Charny, Clark and Jain, Congestion control with explicit rate indication, ICC 1995). The order is
//! a matter of speed: updates end when all links are up to date.

use super::link::{Above, Link, LinkRest, exceeds};
use super::routes::Hop;
use super::solver::{BOUND, Solver};
use hetsim_base::units::Time;

/// The number of examined flows per active flow above which a solution from scratch is cheaper.
const MAX_WORK_PER_FLOW: usize = 12;

/// Work that is always allowed, so that a few flows do not cause a solution from scratch by chance.
const LEAST_WORK: u64 = 2000;

impl Solver {
    /// Updates all rates and ends at `now`. A flow whose rate does not change keeps its end.
    ///
    /// A flow that is due by `now` but was not taken out stays due.
    pub fn solve(&mut self, now: Time) {
        let is_current = self.queue.is_empty() && self.touched.is_empty() && self.measured.is_empty();
        self.begin();
        if is_current && self.starting.is_empty() && self.bounded.is_empty() && self.reweighed.is_empty() {
            self.release();
            return;
        }
        self.statistics.solutions += 1;
        let all = (self.active * MAX_WORK_PER_FLOW + self.links.len()) as u64;
        self.solve_within(now, LEAST_WORK + all);
    }

    /// Starts a new solution without changes.
    pub(crate) fn begin(&mut self) {
        self.solution = self.solution.wrapping_add(1);
        self.moved.clear();
        self.changed.clear();
    }

    /// Solves incrementally if that examines at most about `most` flows, otherwise from scratch.
    pub(crate) fn solve_within(&mut self, now: Time, most: u64) {
        let enough = self.statistics.examined + most;
        // A solution from scratch examines all flows and links, so it pays only for many new flows.
        self.apply_weights(now);
        self.rebound(now);
        self.place_lone(now);
        let is_new = self.starting.len() > 8 + self.active / 8 + self.links.len() / 64;
        if !is_new {
            self.place_starting(now);
        }
        if is_new || !self.drain(now, enough) {
            self.rebuild(now);
        }
        self.finish(now);
    }

    /// Updates links until all are up to date. Returns false if that took too long.
    fn drain(&mut self, now: Time, enough: u64) -> bool {
        while let Some(link) = self.queue.take() {
            if self.is_beyond || self.statistics.examined > enough {
                return false;
            }
            self.statistics.updated += 1;
            self.statistics.examined += 1;
            let again = self.update_link(link, now);
            let Link { rank, members, .. } = self.links[link as usize];
            if !again || members == 0 {
                self.queue.unmark(rank);
            } else {
                self.queue.mark(rank);
            }
        }
        if self.queue.is_unsorted() {
            self.sort_queue();
        }
        !self.is_beyond
    }

    /// Sorts the ranks of links by their fair shares.
    pub(crate) fn sort_queue(&mut self) {
        let Self { queue, links, .. } = self;
        let sorted = queue.sort(|link| links[link as usize].fair_share);
        for (rank, &link) in (0..).zip(sorted) {
            links[link as usize].rank = rank;
        }
    }

    /// Makes each new flow a member of the link that seems to limit it most.
    fn place_starting(&mut self, now: Time) {
        for place in 0..self.starting.len() {
            let id = self.starting[place];
            let flow = self.flows[id as usize];
            let mut tightest = (flow.bound, BOUND);
            for hop in flow.start..flow.start + flow.hops {
                let Hop { lane, share, .. } = self.routes.hops[hop as usize];
                let number = lane.link();
                let rest = &self.rest[number as usize];
                let mut weights = rest.member_weight;
                weights[lane.direction()] += flow.weight * share;
                let fair_share = self.links[number as usize].compute_fair_share(rest.member_usage, weights);
                if fair_share < tightest.0 {
                    tightest = (fair_share, number);
                }
            }
            let (bound, number) = tightest;
            if number == BOUND {
                self.note_move(id, now);
                self.flows[id as usize].bottleneck = BOUND;
                self.shift(&flow, 0.0, bound, BOUND);
            } else {
                // The flow uses nothing until its link is updated.
                self.touch(number);
                let (direction, weight) = self.join(id, number);
                self.rest[number as usize].member_weight[direction] += weight;
                self.rest[number as usize].has_new = true;
                self.queue.mark(self.links[number as usize].rank);
            }
        }
        self.starting.clear();
    }

    /// Updates one link. Returns true if members left, so that it needs another update.
    fn update_link(&mut self, number: u32, now: Time) -> bool {
        let link = &self.links[number as usize];
        if link.members == 0 && !link.is_overfull(0, 0) {
            return false;
        }
        let old = link.fair_share;
        let LinkRest { member_usage: used, member_weight: weights, has_new, .. } = self.rest[number as usize];
        let mut fair_share = if link.members == 0 { -1.0 } else { link.compute_fair_share(used, weights) };
        self.above.clear();
        if exceeds(link.crossing_maximum, fair_share) {
            fair_share = self.find_above(number, fair_share);
        }
        let link = &self.links[number as usize];
        if link.members == 0 && self.above.is_empty() {
            return false;
        }
        let rest = &self.rest[number as usize];
        // Links are updated in no certain order: what they were before this solution counts, not what they are on the way.
        let before = if rest.touched { rest.before } else { old };
        let stays = link.members > 0 && link.is_same(fair_share, before, weights);
        fair_share = if stays { before } else { self.recent.same(fair_share) };
        if fair_share == old && !has_new && self.above.is_empty() {
            return false;
        }
        self.touch(number);
        let mut again = false;
        if fair_share != old || has_new {
            again = self.set_fair_share(number, old, fair_share, now);
        }
        if !self.above.is_empty() {
            self.take_above(number, fair_share, now);
        }
        self.close_if_empty(number);
        again
    }

    /// Collects the crossing flows of a link that must become members. Returns the fair share that they then have in
    /// common with the members.
    ///
    /// Starts with all flows above `fair_share`, which is below the result: each round removes those that the new fair
    /// share does not reach, so their number falls.
    fn find_above(&mut self, number: u32, mut fair_share: f64) -> f64 {
        let (link, rest) = (&self.links[number as usize], &self.rest[number as usize]);
        let mut units = rest.member_usage;
        let mut top = 0.0_f64;
        self.statistics.examined += rest.flows.len() as u64;
        for place in link.members as usize..rest.others.len() {
            let own = self.crossing_fair_share(rest, place);
            if exceeds(own, fair_share) {
                let entry = rest.flows[place];
                let direction = self.direction_of(entry);
                let weight = self.weight_on(entry);
                let used = link.units(own * weight);
                self.above.push(Above { flow: entry.flow, fair_share: own, direction, weight, units: used });
                units[direction] = units[direction].wrapping_add(used);
            } else {
                top = top.max(own);
            }
        }
        while !self.above.is_empty() {
            // Added up in each round: a difference would keep the rounding of heavy flows that are gone.
            let weights = self.above.iter().fold(rest.member_weight, |mut sums, above| {
                sums[above.direction] += above.weight;
                sums
            });
            fair_share = link.compute_fair_share(units, weights);
            let before = self.above.len();
            self.above.retain(|above| {
                let stays = exceeds(above.fair_share, fair_share);
                if !stays {
                    units[above.direction] = units[above.direction].wrapping_sub(above.units);
                    top = top.max(above.fair_share);
                }
                stays
            });
            if self.above.len() == before {
                break;
            }
        }
        if self.above.is_empty() && link.members > 0 {
            fair_share = link.compute_fair_share(rest.member_usage, rest.member_weight);
        }
        self.links[number as usize].crossing_maximum = top;
        fair_share
    }

    /// The rate per weight of the crossing flow at a place of a link's list.
    fn crossing_fair_share(&self, rest: &LinkRest, place: usize) -> f64 {
        match self.links.get(rest.others[place].link() as usize) {
            // A plain flow that one link does not limit is limited by the other.
            Some(other) if other.members > 0 && !self.rest[rest.others[place].link() as usize].has_new => {
                other.fair_share
            }
            _ => self.fair_share_of(rest.flows[place].flow),
        }
    }

    /// Makes the collected crossing flows members.
    fn take_above(&mut self, number: u32, fair_share: f64, now: Time) {
        let mut above = std::mem::take(&mut self.above);
        for Above { flow: id, fair_share: own, .. } in above.drain(..) {
            self.note_move(id, now);
            let from = self.flows[id as usize].bottleneck;
            if from != BOUND {
                self.touch(from);
                self.leave(id);
            }
            self.hold(id, number, own, fair_share);
        }
        self.above = above;
    }
}
