//! A new fair share of a link's members, and its effects on the other links of their routes.

use super::link::{Link, Other, RateStep, exceeds, reach};
use super::routes::Hop;
use super::solver::{BOUND, Flow, NONE, Solver};
use hetsim_base::units::Time;

/// Sums over the members of a link, by their direction, while they change to a new fair share.
#[derive(Default)]
struct Sums {
    /// Their usage at the new fair share, in units of the link.
    usage: [i128; 2],
    /// The increase of their usage.
    change: [i128; 2],
    weight: [f64; 2],
}

impl Sums {
    /// Adds equal flows of a direction.
    fn add(&mut self, direction: usize, flows: u32, weight: f64, step: &RateStep) {
        self.usage[direction] += i128::from(flows) * i128::from(step.after);
        self.change[direction] += i128::from(flows) * i128::from(step.after - step.before);
        self.weight[direction] += f64::from(flows) * weight;
    }
}

/// The highest rate per weight that the other links on a rising member's route allow, and the first link that limits
/// it.
fn follow(links: &[Link], flow: &Flow, hops: &[Hop], number: u32, step: &mut RateStep) -> (f64, u32) {
    let mut least = (flow.bound, BOUND);
    for hop in hops.iter().filter(|hop| hop.row.link() != number) {
        let (link, direction) = (hop.row.link(), hop.row.direction());
        let fair_share = links[link as usize].follow(direction, flow.weight * hop.share, step);
        if fair_share < least.0 {
            least = (fair_share, link);
        }
    }
    least
}

/// Adds the change of usage of a flow that takes a step to all links on its route, or takes it back.
fn apply(links: &mut [Link], flow: &Flow, hops: &[Hop], step: &mut RateStep, sign: i128) {
    for hop in hops {
        let link = &mut links[hop.row.link() as usize];
        step.measure(flow.weight * hop.share, link.scale);
        link.usage[hop.row.direction()] += sign * i128::from(step.after - step.before);
    }
}

impl Solver {
    /// Changes the members of a link from fair share `old` to `new`. Returns true if some rising members left to other
    /// links.
    pub(crate) fn set_fair_share(&mut self, number: u32, old: f64, new: f64, now: Time) -> bool {
        let link = &mut self.links[number as usize];
        let has_new = link.has_new;
        (link.fair_share, link.has_new) = (new, false);
        self.statistics.examined += u64::from(link.members);
        let mut sums = Sums::default();
        if new == f64::INFINITY {
            // A capacity that became infinite limits no flow.
            let members = &self.rest[number as usize].flows[..link.members as usize];
            self.rising.extend(members.iter().map(|entry| entry.flow));
        } else if self.step_plain(number, old, new, has_new, &mut sums) {
            self.step_others(number, old, new, has_new, &mut sums);
        }
        let link = &mut self.links[number as usize];
        link.usage = [link.usage[0] + sums.change[0], link.usage[1] + sums.change[1]];
        let rest = &mut self.rest[number as usize];
        (rest.member_usage, rest.member_weight) = (sums.usage, sums.weight);
        !self.rising.is_empty() && self.rise(number, old, new, now)
    }

    /// Changes the plain members of a link to a new fair share, except those that another link limits. Returns true if
    /// there are other members.
    ///
    /// Most of a solution's time is spent here.
    fn step_plain(&mut self, number: u32, old: f64, new: f64, has_new: bool, sums: &mut Sums) -> bool {
        let own = &self.links[number as usize];
        let (members, mut step) = (own.members as usize, RateStep::new(old, new));
        step.measure(self.usual_weight, own.scale);
        let own = step.clone();
        let lowest = if new > old { reach(new) } else { 0.0 };
        let (mut scale, mut change) = (step.scale(), step.after - step.before);
        let (mut all, mut seconds, mut some_others) = (0, 0, false);
        let rest = &self.rest[number as usize];
        for (place, &other) in rest.others[..members].iter().enumerate() {
            let flow = || rest.flows[place].flow;
            let Some(link) = self.links.get_mut(other.link() as usize) else {
                let is_free = other.is_free();
                if is_free && has_new && self.flows[flow() as usize].bottleneck == NONE {
                    self.rising.push(flow());
                } else if is_free {
                    (all, seconds) = (all + 1, seconds + other.own());
                } else {
                    some_others = true;
                }
                continue;
            };
            if scale != link.scale {
                step.measure(self.usual_weight, link.scale);
                (scale, change) = (link.scale, step.after - step.before);
            }
            let usage = link.usage[other.direction()] + i128::from(change);
            let is_slower = link.fair_share < lowest;
            if !(is_slower || has_new || usage > i128::from(link.alarm)) {
                // Nearly all: nothing here depends on the link, so that it costs no wrong guess of a branch.
                link.usage[other.direction()] = usage;
                link.crossing_maximum = if new > link.crossing_maximum { new } else { link.crossing_maximum };
                (all, seconds) = (all + 1, seconds + other.own());
                continue;
            }
            let fills = || link.members == 0 && link.is_overfull(other.direction(), i128::from(change));
            let stops = is_slower || (change > 0 && fills());
            if stops || (has_new && self.flows[flow() as usize].bottleneck == NONE) {
                self.rising.push(flow());
                continue;
            }
            (all, seconds) = (all + 1, seconds + other.own());
            link.change_crossing(other.row(), new, change, &mut self.queue);
        }
        sums.add(0, all - seconds, self.usual_weight, &own);
        sums.add(1, seconds, self.usual_weight, &own);
        some_others
    }

    /// Changes the members of a link that are not plain to a new fair share, except those that another link or their
    /// bound limits.
    fn step_others(&mut self, number: u32, old: f64, new: f64, has_new: bool, sums: &mut Sums) {
        let members = self.links[number as usize].members as usize;
        let lowest = if new > old { reach(new) } else { 0.0 };
        let mut step = RateStep::new(old, new);
        let rest = &self.rest[number as usize];
        for (entry, _) in rest.flows[..members].iter().zip(&rest.others).filter(|(_, other)| **other == Other::MANY) {
            let flow = &self.flows[entry.flow as usize];
            let hops = &self.routes.hops[flow.start as usize..(flow.start + flow.hops) as usize];
            // Nearly always, other links need no more than new sums, so these come first. The own link raises no alarm: it
            // has the new fair share already, and is queued.
            let mut alarm = flow.bound < lowest || (has_new && flow.bottleneck == NONE);
            let (mut own_direction, mut own_usage, mut own_weight) = (0, 0, 0.0);
            for hop in hops {
                let weight = flow.weight * hop.share;
                let (link, direction) = (&mut self.links[hop.row.link() as usize], hop.row.direction());
                step.measure(weight, link.scale);
                link.usage[direction] += i128::from(step.after - step.before);
                alarm |= (link.fair_share < lowest) | (link.usage[direction] > i128::from(link.alarm));
                if hop.row.link() == number {
                    (own_direction, own_usage, own_weight) = (direction, step.after, weight);
                } else {
                    link.crossing_maximum = if new > link.crossing_maximum { new } else { link.crossing_maximum };
                }
            }
            if alarm {
                apply(&mut self.links, flow, hops, &mut step, -1);
                let is_new = has_new && flow.bottleneck == NONE;
                if is_new || (new > old && exceeds(new, follow(&self.links, flow, hops, number, &mut step).0)) {
                    self.rising.push(entry.flow);
                    continue;
                }
                apply(&mut self.links, flow, hops, &mut step, 1);
                for other in hops.iter().map(|hop| hop.row.link()).filter(|&link| link != number) {
                    self.links[other as usize].request_update(other, new, &mut self.queue);
                }
            }
            sums.usage[own_direction] += i128::from(own_usage);
            sums.weight[own_direction] += own_weight;
        }
    }

    /// Changes new members, and members that another link may limit, to a new fair share. Returns true if some left.
    fn rise(&mut self, number: u32, old: f64, new: f64, now: Time) -> bool {
        let (mut rising, mut some_left) = (std::mem::take(&mut self.rising), false);
        for id in rising.drain(..) {
            let flow = self.flows[id as usize];
            let from = if flow.bottleneck == NONE { 0.0 } else { old };
            let hops = &self.routes.hops[flow.start as usize..(flow.start + flow.hops) as usize];
            let (most, other) = follow(&self.links, &flow, hops, number, &mut RateStep::new(from, new));
            self.note_move(id, now);
            self.drop_out(id, number);
            if new == f64::INFINITY || exceeds(new, most) {
                some_left = true;
                self.hold(id, other, from, most);
            } else {
                self.hold(id, number, from, new);
            }
        }
        self.rising = rising;
        some_left
    }

    /// Makes a flow without a bottleneck a member of `bottleneck`, which changes its rate per weight from `old` to
    /// `fair_share`.
    pub(crate) fn hold(&mut self, id: u32, bottleneck: u32, old: f64, mut fair_share: f64) {
        if bottleneck == BOUND {
            self.flows[id as usize].bottleneck = BOUND;
        } else {
            self.touch(bottleneck);
            let (direction, weight) = self.join(id, bottleneck);
            self.flows[id as usize].bottleneck = bottleneck;
            let link = &mut self.links[bottleneck as usize];
            if link.fair_share == f64::INFINITY {
                link.fair_share = fair_share;
            }
            fair_share = link.fair_share;
            let rest = &mut self.rest[bottleneck as usize];
            rest.member_weight[direction] += weight;
            rest.member_usage[direction] += link.units(weight * fair_share);
            self.enqueue(bottleneck, fair_share);
        }
        let flow = self.flows[id as usize];
        self.shift(&flow, old, fair_share, bottleneck);
    }

    /// Applies a flow's change of rate to all its links, and queues those that need an update, except its own
    /// bottleneck.
    pub(crate) fn shift(&mut self, flow: &Flow, old: f64, new: f64, bottleneck: u32) {
        for hop in flow.start..flow.start + flow.hops {
            let Hop { row, share, .. } = self.routes.hops[hop as usize];
            let number = row.link();
            let (link, weight) = (&mut self.links[number as usize], flow.weight * share);
            link.usage[row.direction()] += link.units(weight * new) - link.units(weight * old);
            if number == bottleneck {
                continue;
            }
            link.crossing_maximum = link.crossing_maximum.max(new);
            link.request_update(number, new, &mut self.queue);
        }
    }
}
