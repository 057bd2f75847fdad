//! New levels of a link's members, and what they do to the other links on their routes.

use super::link::{Link, MANY, Step, exceeds, reach};
use super::routes::Hop;
use super::solver::{BOUND, Flow, NONE, Solver};
use crate::units::Time;

/// Sums over the members of a link while they are brought to a new level.
#[derive(Default)]
struct Sums {
    /// What they use at the new level, in units of the link.
    usage: i128,
    /// How much more they use than before.
    change: i128,
    weight: f64,
}

impl Sums {
    /// Adds flows that are alike.
    fn add(&mut self, flows: u32, weight: f64, step: &Step) {
        self.usage += i128::from(flows) * i128::from(step.after);
        self.change += i128::from(flows) * i128::from(step.after - step.before);
        self.weight += f64::from(flows) * weight;
    }
}

/// Up to which level the other links on a member's route follow as it rises, and the first that doesn't.
fn follow(links: &[Link], flow: &Flow, hops: &[Hop], number: u32, step: &mut Step) -> (f64, u32) {
    let mut least = (flow.bound, BOUND);
    for hop in hops.iter().filter(|hop| hop.link != number) {
        let level = links[hop.link as usize].follow(flow.weight * hop.share, step);
        if level < least.0 {
            least = (level, hop.link);
        }
    }
    least
}

impl Solver {
    /// Brings the members of a link from level `old` to `new`; tells whether some left to other links on their way up.
    pub(crate) fn set_level(&mut self, number: u32, old: f64, new: f64, now: Time) -> bool {
        let link = &mut self.links[number as usize];
        let has_new = link.has_new;
        (link.level, link.has_new) = (new, false);
        self.statistics.visited += u64::from(link.members);
        let mut sums = Sums::default();
        if new == f64::INFINITY {
            // A capacity that became infinite holds nobody back.
            let members = &self.rest[number as usize].flows[..link.members as usize];
            self.rising.extend(members.iter().map(|crossing| crossing.flow));
        } else if self.step_plain(number, old, new, has_new, &mut sums) {
            self.step_others(number, old, new, has_new, &mut sums);
        }
        let link = &mut self.links[number as usize];
        link.usage += sums.change;
        (link.member_usage, link.member_weight) = (sums.usage, sums.weight);
        self.rise(number, old, new, now)
    }

    /// Brings the plain members of a link to a new level, but those that another link stops; tells whether others remain.
    ///
    /// Most of a solution's time is spent here.
    fn step_plain(&mut self, number: u32, old: f64, new: f64, has_new: bool, sums: &mut Sums) -> bool {
        let own = &self.links[number as usize];
        let (members, mut step) = (own.members as usize, Step::new(old, new));
        step.measure(1.0, own.scale);
        let own = step.clone();
        let lowest = if new > old { reach(new) } else { 0.0 };
        let (mut count, mut some_others, mut scale, mut change) = (0, false, step.scale(), step.after - step.before);
        for crossing in &self.rest[number as usize].flows[..members] {
            let Some(link) = self.links.get_mut(crossing.other as usize) else {
                some_others = true;
                continue;
            };
            if scale != link.scale {
                step.measure(1.0, link.scale);
                (scale, change) = (link.scale, step.after - step.before);
            }
            let stops =
                link.level < lowest || (change > 0 && link.members == 0 && link.is_overfull(i128::from(change)));
            if stops || (has_new && self.flows[crossing.flow as usize].bottleneck == NONE) {
                self.rising.push(crossing.flow);
                continue;
            }
            count += 1;
            link.visit(crossing.other, new, change, &mut self.queue);
        }
        sums.add(count, 1.0, &own);
        some_others
    }

    /// Brings the members of a link that aren't plain to a new level, but those that another link or their bound stops.
    fn step_others(&mut self, number: u32, old: f64, new: f64, has_new: bool, sums: &mut Sums) {
        let (members, scale) = (self.links[number as usize].members as usize, self.links[number as usize].scale);
        let (mut own, mut step) = (Step::new(old, new), Step::new(old, new));
        for crossing in &self.rest[number as usize].flows[..members] {
            if crossing.other != MANY {
                continue;
            }
            let flow = &self.flows[crossing.flow as usize];
            let hops = &self.routes.hops[flow.start as usize..(flow.start + flow.hops) as usize];
            let is_new = has_new && flow.bottleneck == NONE;
            if is_new || (new > old && exceeds(new, follow(&self.links, flow, hops, number, &mut step).0)) {
                self.rising.push(crossing.flow);
                continue;
            }
            for hop in hops {
                let weight = flow.weight * hop.share;
                if hop.link == number {
                    own.measure(weight, scale);
                    sums.add(1, weight, &own);
                } else {
                    let link = &mut self.links[hop.link as usize];
                    step.measure(weight, link.scale);
                    link.visit(hop.link, new, step.after - step.before, &mut self.queue);
                }
            }
        }
    }

    /// Brings members to a new level that are new, or that another link stops on their way up; tells whether some left.
    fn rise(&mut self, number: u32, old: f64, new: f64, now: Time) -> bool {
        let (mut rising, mut some_left) = (std::mem::take(&mut self.rising), false);
        for id in rising.drain(..) {
            let flow = self.flows[id as usize];
            let from = if flow.bottleneck == NONE { 0.0 } else { old };
            let hops = &self.routes.hops[flow.start as usize..(flow.start + flow.hops) as usize];
            let (most, other) = follow(&self.links, &flow, hops, number, &mut Step::new(from, new));
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

    /// Makes a flow that is nobody's member one of `bottleneck`, which brings it from level `old` to `level`.
    pub(crate) fn hold(&mut self, id: u32, bottleneck: u32, old: f64, mut level: f64) {
        if bottleneck == BOUND {
            self.flows[id as usize].bottleneck = BOUND;
        } else {
            self.touch(bottleneck);
            let weight = self.join(id, bottleneck);
            self.flows[id as usize].bottleneck = bottleneck;
            let link = &mut self.links[bottleneck as usize];
            if link.level == f64::INFINITY {
                link.level = level;
            }
            level = link.level;
            link.member_weight += weight;
            link.member_usage += link.units(weight * level);
            self.enqueue(bottleneck, level);
        }
        let flow = self.flows[id as usize];
        self.shift(&flow, old, level, bottleneck);
    }

    /// Accounts for a flow's new level on all its links, and queues those that this unsettles, but not its own bottleneck.
    pub(crate) fn shift(&mut self, flow: &Flow, old: f64, new: f64, bottleneck: u32) {
        for hop in flow.start..flow.start + flow.hops {
            let Hop { link: number, share, .. } = self.routes.hops[hop as usize];
            let (link, weight) = (&mut self.links[number as usize], flow.weight * share);
            link.usage += link.units(weight * new) - link.units(weight * old);
            if number == bottleneck {
                continue;
            }
            link.visitor_level = link.visitor_level.max(new);
            link.unsettle(number, new, &mut self.queue);
        }
    }
}
