//! Bringing rates up to date after a change, by spreading it from link to link as far as rates change.
//!
//! Each flow is a *member* of the one link that holds it back and a *visitor* of the others on its route; all members of
//! a link have its *level* as their rate per weight. A link is *settled* when it is not overfull and, if it has members,
//! it is full and no visitor is above its level. When all links are settled each flow has a bottleneck, that is a full
//! link on which no flow is above it, or is at its bound, and rates with this property are the max–min fair ones
//! (Bertsekas and Gallager, Data Networks, 2nd ed., §6.5.2). So only links where something changed are settled anew: a
//! link takes visitors above its fair level as members, a rising member leaves to the first other link on its route that
//! can't follow, and links whose usage this changes wait their turn. The lowest level goes first: the fair level of a
//! link rests on flows below it only, so that lower levels are final first (as in the distributed computation of
//! advertised rates by Charny, Clark and Jain, Congestion control with explicit rate indication, ICC 1995).

use std::cmp::Reverse;

use super::link::{Crossing, exceeds};
use super::routes::Hop;
use super::solver::{BOUND, Solver};
use crate::units::Time;

/// How many flows of all are looked at before a solution from scratch is cheaper.
const PATIENCE: usize = 12;

/// Work that is always allowed, so that few flows don't come to a solution from scratch by chance.
const LEAST_WORK: u64 = 2000;

/// A visitor above the level of a link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Above {
    flow: u32,
    level: f64,
    /// Its weight times its share of the link.
    weight: f64,
    units: i128,
}

impl Solver {
    /// Brings all rates and ends up to date at `now`. A flow whose rate doesn't change keeps its end.
    ///
    /// A flow that is due by `now` but wasn't taken out stays due.
    pub fn solve(&mut self, now: Time) {
        let is_settled = self.queue.is_empty() && self.touched.is_empty() && self.measured.is_empty();
        self.begin();
        if is_settled && self.starting.is_empty() && self.bounded.is_empty() {
            return;
        }
        self.statistics.solutions += 1;
        self.rebound(now);
        let all = (self.active * PATIENCE + self.links.len()) as u64;
        self.solve_within(now, LEAST_WORK + all);
    }

    /// Starts a new solution, which has changed nothing yet.
    pub(crate) fn begin(&mut self) {
        self.solution = self.solution.wrapping_add(1);
        self.moved.clear();
        self.changed.clear();
    }

    /// Solves from the changes on if that looks at no more than about `most` flows, otherwise from scratch.
    pub(crate) fn solve_within(&mut self, now: Time, most: u64) {
        let enough = self.statistics.visited + most;
        // A solution from scratch looks at all flows and links, so that there must be many new ones for it to pay.
        let is_new = self.starting.len() > 8 + self.active / 8 + self.links.len() / 64;
        if !is_new {
            self.place_starting(now);
        }
        if is_new || !self.drain(now, enough) {
            self.rebuild(now);
        }
        self.finish(now);
    }

    /// Settles links until all are; false if it took too long.
    fn drain(&mut self, now: Time, enough: u64) -> bool {
        while let Some(Reverse((_, link))) = self.queue.pop() {
            if !self.links[link as usize].queued {
                continue;
            }
            if self.statistics.visited > enough {
                return false;
            }
            self.statistics.settled += 1;
            self.statistics.visited += 1;
            let again = self.settle(link, now);
            self.links[link as usize].queued = false;
            if again && self.links[link as usize].members > 0 {
                self.enqueue(link, self.links[link as usize].level);
            }
        }
        true
    }

    /// Makes each new flow a member of the link that looks the tightest for it.
    fn place_starting(&mut self, now: Time) {
        for place in 0..self.starting.len() {
            let id = self.starting[place];
            let flow = self.flows[id as usize];
            let mut tightest = (flow.bound, BOUND);
            for hop in flow.start..flow.start + flow.hops {
                let Hop { link: number, share, .. } = self.routes.hops[hop as usize];
                let link = &self.links[number as usize];
                let level = link.fair_level(link.member_usage, link.member_weight + flow.weight * share);
                if level < tightest.0 {
                    tightest = (level, number);
                }
            }
            let (level, number) = tightest;
            if number == BOUND {
                self.note_move(id, now);
                self.flows[id as usize].bottleneck = BOUND;
                self.shift(&flow, 0.0, level, BOUND);
            } else {
                // It uses nothing until its link is settled.
                self.touch(number);
                let weight = self.join(id, number);
                let link = &mut self.links[number as usize];
                link.member_weight += weight;
                link.has_new = true;
                link.queued = false;
                self.enqueue(number, level);
            }
        }
        self.starting.clear();
    }

    /// Settles one link; tells whether it must be settled again because members left.
    fn settle(&mut self, number: u32, now: Time) -> bool {
        let link = &self.links[number as usize];
        if link.members == 0 && !link.is_overfull(0) {
            return false;
        }
        let (old, has_new) = (link.level, link.has_new);
        let mut level = if link.members == 0 { -1.0 } else { link.fair_level(link.member_usage, link.member_weight) };
        self.above.clear();
        if exceeds(link.visitor_level, level) {
            level = self.find_above(number, level);
        }
        let link = &self.links[number as usize];
        if link.members == 0 && self.above.is_empty() {
            return false;
        }
        level = if link.members > 0 && link.is_same(level, old) { old } else { self.seen.same(level) };
        if level == old && !has_new && self.above.is_empty() {
            return false;
        }
        self.touch(number);
        let mut again = false;
        if level != old || has_new {
            again = self.set_level(number, old, level, now);
        }
        self.take_above(number, level, now);
        self.links[number as usize].close_if_empty();
        again
    }

    /// Collects the visitors of a link that must become members, and gives the level that they then share with them.
    ///
    /// Starts with all above `level`, which is below the fair one: each round leaves out those that the new level doesn't
    /// reach, which are fewer each time.
    fn find_above(&mut self, number: u32, mut level: f64) -> f64 {
        let (link, rest) = (&self.links[number as usize], &self.rest[number as usize]);
        let (mut weight, mut units) = (link.member_weight, link.member_usage);
        let mut top = 0.0_f64;
        self.statistics.visited += rest.flows.len() as u64;
        for crossing in &rest.flows[link.members as usize..] {
            let own = self.visitor_level(crossing);
            if exceeds(own, level) {
                let own_weight = self.weight_on(crossing);
                let used = link.units(own * own_weight);
                self.above.push(Above { flow: crossing.flow, level: own, weight: own_weight, units: used });
                weight += own_weight;
                units += used;
            } else {
                top = top.max(own);
            }
        }
        while !self.above.is_empty() {
            level = link.fair_level(units, weight);
            let before = self.above.len();
            self.above.retain(|above| {
                let stays = exceeds(above.level, level);
                if !stays {
                    weight -= above.weight;
                    units -= above.units;
                    top = top.max(above.level);
                }
                stays
            });
            if self.above.len() == before {
                break;
            }
        }
        if self.above.is_empty() && link.members > 0 {
            level = link.fair_level(link.member_usage, link.member_weight);
        }
        self.links[number as usize].visitor_level = top;
        level
    }

    /// The rate per weight of a visitor of a link.
    fn visitor_level(&self, visitor: &Crossing) -> f64 {
        match self.links.get(visitor.other as usize) {
            // A plain flow that the one link doesn't hold back is held back by the other.
            Some(other) if !other.has_new && other.members > 0 => other.level,
            _ => self.level(visitor.flow),
        }
    }

    /// Takes the visitors collected before as members.
    fn take_above(&mut self, number: u32, level: f64, now: Time) {
        let mut above = std::mem::take(&mut self.above);
        for Above { flow: id, level: own, .. } in above.drain(..) {
            self.note_move(id, now);
            let from = self.flows[id as usize].bottleneck;
            if from != BOUND {
                self.touch(from);
                self.leave(id);
            }
            self.hold(id, number, own, level);
        }
        self.above = above;
    }

    /// Has a link settled when its turn comes, which is at `level`.
    pub(crate) fn enqueue(&mut self, number: u32, level: f64) {
        let link = &mut self.links[number as usize];
        if !link.queued {
            link.queued = true;
            self.queue.push(Reverse((level.to_bits(), number)));
        }
    }
}
