//! A new fair share of a link's members, and its effects on the other links of their routes.

use super::link::{Link, Other, RateStep, exceeds, reach};
use super::queue::Marker;
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
    for hop in hops.iter().filter(|hop| hop.lane.link() != number) {
        let (link, direction) = (hop.lane.link(), hop.lane.direction());
        let fair_share = links[link as usize].follow(direction, flow.weight * hop.share, step);
        if fair_share < least.0 {
            least = (fair_share, link);
        }
    }
    least
}

/// What the plain members of a link have told the others.
struct Pushed {
    /// The flows that have the new fair share, and those of them in the second direction.
    flows: u32,
    seconds: u32,
    /// Whether there are members that are not plain.
    some_others: bool,
    is_beyond: bool,
}

/// Applies a step of the plain members of a link, but for those that are new, to their other links.
///
/// Most of a solution's time is spent here, so nothing depends on the other links: those that must follow are marked,
/// and take members that have risen too far when their turn comes. Without `PAIRS` all links have one direction.
fn push<const PAIRS: bool>(
    links: &mut [Link],
    marker: &mut Marker<'_>,
    others: &[Other],
    weight: f64,
    mut step: RateStep,
    mut is_new: impl FnMut(usize) -> bool,
) -> Pushed {
    let (mut scale, mut change, new) = (step.scale(), step.after - step.before, step.new);
    let (mut flows, mut seconds, mut some_others, mut is_beyond) = (0, 0, false, false);
    for (place, &other) in others.iter().enumerate() {
        if is_new(place) {
            continue;
        }
        let Some(link) = links.get_mut(other.link() as usize) else {
            let is_free = other.is_free();
            (flows, seconds) = (flows + u32::from(is_free), seconds + u32::from(is_free) * other.own());
            some_others |= !is_free;
            continue;
        };
        if scale.to_bits() != link.scale.to_bits() {
            step.measure(weight, link.scale);
            (scale, change) = (link.scale, step.after - step.before);
        }
        let direction = if PAIRS { other.direction() } else { 0 };
        (flows, seconds) = (flows + 1, if PAIRS { seconds + other.own() } else { 0 });
        is_beyond |= link.add(direction, change);
        link.cross::<PAIRS>(direction, new, marker);
    }
    Pushed { flows, seconds, some_others, is_beyond }
}

impl Solver {
    /// Changes the members of a link from fair share `old` to `new`. Returns true if some members left to other links.
    pub(crate) fn set_fair_share(&mut self, number: u32, old: f64, new: f64, now: Time) -> bool {
        let (link, rest) = (&mut self.links[number as usize], &mut self.rest[number as usize]);
        link.fair_share = new;
        let has_new = std::mem::take(&mut rest.has_new);
        self.statistics.examined += u64::from(link.members);
        let mut sums = Sums::default();
        if new == f64::INFINITY {
            // A capacity that became infinite limits no flow.
            self.rising.extend(rest.flows[..link.members as usize].iter().map(|entry| entry.flow));
        } else if self.step_plain(number, old, new, has_new, &mut sums) {
            self.step_others(number, old, new, has_new, &mut sums);
        }
        let (link, rest) = (&mut self.links[number as usize], &mut self.rest[number as usize]);
        for direction in 0..2 {
            let sums = [i128::from(link.usage[direction]) + sums.change[direction], sums.usage[direction]];
            self.is_beyond |= sums.iter().any(|&sum| i64::try_from(sum).is_err());
            (link.usage[direction], rest.member_usage[direction]) = (sums[0] as i64, sums[1] as i64);
        }
        rest.member_weight = sums.weight;
        !self.rising.is_empty() && self.rise(number, old, new, now)
    }

    /// Changes the plain members of a link to a new fair share. Returns true if there are other members.
    fn step_plain(&mut self, number: u32, old: f64, new: f64, has_new: bool, sums: &mut Sums) -> bool {
        let Self { links, rest, queue, flows, rising, usual_weight: weight, .. } = self;
        let (members, scale) = (links[number as usize].members as usize, links[number as usize].scale);
        let rest = &rest[number as usize];
        let others = &rest.others[..members];
        let mut step = RateStep::new(old, new);
        step.measure(*weight, scale);
        let pushed = queue.mark_all(|marker| {
            if has_new {
                let is_new = |place: usize| {
                    let id = rest.flows[place].flow;
                    let is_new = !others[place].is_many() && flows[id as usize].bottleneck == NONE;
                    rising.extend(is_new.then_some(id));
                    is_new
                };
                push::<true>(links, marker, others, *weight, step.clone(), is_new)
            } else if self.back > 0.0 {
                push::<true>(links, marker, others, *weight, step.clone(), |_| false)
            } else {
                push::<false>(links, marker, others, *weight, step.clone(), |_| false)
            }
        });
        self.is_beyond |= pushed.is_beyond;
        sums.add(0, pushed.flows - pushed.seconds, self.usual_weight, &step);
        sums.add(1, pushed.seconds, self.usual_weight, &step);
        pushed.some_others
    }

    /// Changes the members of a link that are not plain to a new fair share, except those that their bound limits.
    fn step_others(&mut self, number: u32, old: f64, new: f64, has_new: bool, sums: &mut Sums) {
        let Self { links, rest, queue, flows, routes, rising, usual_weight, is_beyond, .. } = self;
        let (members, rest) = (links[number as usize].members as usize, &rest[number as usize]);
        let lowest = if new > old { reach(new) } else { 0.0 };
        let mut step = RateStep::new(old, new);
        step.measure(*usual_weight, links[number as usize].scale);
        let (own, mut pushed) = (step.clone(), [0; 2]);
        queue.mark_all(|marker| {
            for (entry, other) in rest.flows[..members].iter().zip(&rest.others) {
                if !other.is_many() {
                    continue;
                }
                let is_new = has_new && flows[entry.flow as usize].bottleneck == NONE;
                if let (Some(start), false) = (other.lanes(), is_new) {
                    for lane in &routes.lanes[start..] {
                        if lane.link() == number {
                            pushed[lane.direction()] += 1;
                        } else {
                            let (link, direction) = (&mut links[lane.link() as usize], lane.direction());
                            step.measure(*usual_weight, link.scale);
                            *is_beyond |= link.add(direction, step.after - step.before);
                            link.cross::<true>(direction, new, marker);
                        }
                        if lane.is_last() {
                            break;
                        }
                    }
                    continue;
                }
                let flow = &flows[entry.flow as usize];
                if flow.bound < lowest || is_new {
                    rising.push(entry.flow);
                    continue;
                }
                for hop in &routes.hops[flow.start as usize..(flow.start + flow.hops) as usize] {
                    let weight = flow.weight * hop.share;
                    let (link, direction) = (&mut links[hop.lane.link() as usize], hop.lane.direction());
                    step.measure(weight, link.scale);
                    if hop.lane.link() == number {
                        sums.usage[direction] += i128::from(step.after);
                        sums.change[direction] += i128::from(step.after - step.before);
                        sums.weight[direction] += weight;
                    } else {
                        *is_beyond |= link.add(direction, step.after - step.before);
                        link.cross::<true>(direction, new, marker);
                    }
                }
            }
        });
        sums.add(0, pushed[0], *usual_weight, &own);
        sums.add(1, pushed[1], *usual_weight, &own);
    }

    /// Changes new members, and members that their bound may limit, to a new fair share. Returns true if some left.
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
            rest.member_usage[direction] = rest.member_usage[direction].wrapping_add(link.units(weight * fair_share));
            self.queue.mark(link.rank);
        }
        let flow = self.flows[id as usize];
        self.shift(&flow, old, fair_share, bottleneck);
    }

    /// Applies a flow's change of rate to all its links, and marks them, except its own bottleneck.
    pub(crate) fn shift(&mut self, flow: &Flow, old: f64, new: f64, bottleneck: u32) {
        for hop in flow.start..flow.start + flow.hops {
            let Hop { lane, share, .. } = self.routes.hops[hop as usize];
            let (link, weight) = (&mut self.links[lane.link() as usize], flow.weight * share);
            let change = link.units(weight * new) - link.units(weight * old);
            self.is_beyond |= link.add(lane.direction(), change);
            if lane.link() != bottleneck {
                self.queue.mark_all(|marker| link.cross::<true>(lane.direction(), new, marker));
            }
        }
    }
}
