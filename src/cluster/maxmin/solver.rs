//! Links that flows share: what a simulator asks of them.

use std::collections::BinaryHeap;

use super::demand::{BadFlow, BadLink, Demand, LinkKind, check, check_capacity};
use super::ends::Ends;
use super::link::{Crossing, Link, LinkRest, MANY, Queue, Seen};
use super::routes::{Hop, PathLink, Routes};
use crate::units::{Time, round_up};

/// Stands for a flow's own bound where a link is named that holds it back.
pub(crate) const BOUND: u32 = u32::MAX;

/// Stands for no link: nothing holds the flow back yet, its rate is zero.
pub(crate) const NONE: u32 = u32::MAX - 1;

/// How much work the solver did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Solutions with anything to solve.
    pub solutions: u64,
    /// Links whose level was worked out anew, each time counted.
    pub settled: u64,
    /// Flows looked at while links were settled.
    pub visited: u64,
    /// Solutions from scratch.
    pub rebuilt: u64,
}

/// A flow on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow {
    pub(crate) weight: f64,
    /// The highest rate per weight, from its limit and the unshared links on its route.
    pub(crate) bound: f64,
    /// The link whose level is its rate per weight, or [`BOUND`], or [`NONE`].
    pub(crate) bottleneck: u32,
    /// Its first hop, and how many hops it has.
    pub(crate) start: u32,
    pub(crate) hops: u32,
}

/// What is seldom asked of a flow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlowRest {
    pub(crate) limit: f64,
    /// When `remaining` was told, for a flow at its bound.
    pub(crate) since: Time,
    /// Counts the flows that started before it; none where the slot is free.
    pub(crate) order: Option<u64>,
}

/// Links and the flows on them, whose rates are max–min fair.
///
/// Give it starts, stops and new capacities of one instant, then call [`solve`](Self::solve) once. Flow numbers are
/// slots, which are used again.
#[derive(Debug)]
pub struct Solver {
    pub(crate) links: Vec<Link>,
    pub(crate) rest: Vec<LinkRest>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) flow_rest: Vec<FlowRest>,
    /// Per flow, the bytes left per weight, at the tick that its bottleneck tells.
    pub(crate) remaining: Vec<f64>,
    /// Per flow, the solution in which its bottleneck last changed; what remains was told anew then.
    pub(crate) stamps: Vec<u32>,
    pub(crate) routes: Routes,
    free: Vec<u32>,
    pub(crate) active: usize,
    started: u64,
    /// Flows that start at the next solution.
    pub(crate) starting: Vec<u32>,
    /// Flows whose bound an unshared link's new capacity may change at the next solution.
    pub(crate) bounded: Vec<u32>,
    /// Links to settle, lowest level first; one that isn't marked as queued was settled since.
    pub(crate) queue: Queue,
    /// Links whose members or their level may have changed.
    pub(crate) touched: Vec<u32>,
    /// Links whose level the last solution changed, with the level before.
    pub(crate) changed: Vec<(u32, f64)>,
    /// Flows whose bottleneck the last solution changed, with their rate per weight before.
    pub(crate) moved: Vec<(u32, f64)>,
    /// Links whose units are to be set anew after the next solution.
    pub(crate) measured: Vec<u32>,
    /// The number of the present solution.
    pub(crate) solution: u32,
    /// When the first member of each link ends.
    pub(crate) ends: Ends,
    /// When each flow at its bound ends.
    pub(crate) bound_ends: Ends,
    /// Visitors above the level of the link that is being settled.
    pub(crate) above: Vec<super::settle::Above>,
    /// Members that are new or may have to leave the link that is being settled.
    pub(crate) rising: Vec<u32>,
    pub(crate) seen: Seen,
    pub(crate) statistics: Statistics,
}

impl Default for Solver {
    fn default() -> Self {
        Self::new()
    }
}

impl Solver {
    /// No links and no flows.
    #[must_use]
    pub fn new() -> Self {
        Self {
            links: Vec::new(),
            rest: Vec::new(),
            flows: Vec::new(),
            flow_rest: Vec::new(),
            remaining: Vec::new(),
            stamps: Vec::new(),
            routes: Routes::default(),
            free: Vec::new(),
            active: 0,
            started: 0,
            starting: Vec::new(),
            bounded: Vec::new(),
            queue: BinaryHeap::new(),
            touched: Vec::new(),
            changed: Vec::new(),
            moved: Vec::new(),
            measured: Vec::new(),
            solution: 0,
            ends: Ends::default(),
            bound_ends: Ends::default(),
            above: Vec::new(),
            rising: Vec::new(),
            seen: Seen::new(),
            statistics: Statistics::default(),
        }
    }

    /// Adds a link of some capacity, in bytes a tick (not negative, infinite for one that never fills), and gives its
    /// number: they count up from zero. Links may come at any time, also while there are flows on others.
    ///
    /// # Errors
    ///
    /// Where the capacity is negative or not a number.
    pub fn add_link(&mut self, capacity: f64, kind: LinkKind) -> Result<u32, BadLink> {
        check_capacity(capacity)?;
        self.links.push(Link::new(capacity, kind));
        self.rest.push(LinkRest { capacity, ..LinkRest::default() });
        Ok(self.links.len() as u32 - 1)
    }

    /// Starts a flow over the links of `route` at the next solution and gives its number.
    ///
    /// Of each link it takes its rate times its share of that link, so that an unshared link bounds its rate at the
    /// capacity over the share. The shares of a link named twice add up; of those of an unshared one the largest counts.
    /// A flow over no link at all is held back by its limit alone, and ends at once where that is infinite.
    ///
    /// # Errors
    ///
    /// Where the demand or the route makes no sense; nothing has changed then.
    pub fn start(&mut self, route: &[PathLink], demand: Demand) -> Result<u32, BadFlow> {
        check(route, demand, self.links.len())?;
        let (start, hops) = self.routes.add(route, &self.links);
        let flow = Flow { weight: demand.weight, bound: f64::INFINITY, bottleneck: NONE, start, hops };
        let rest = FlowRest { limit: demand.limit, since: Time::ZERO, order: Some(self.started) };
        let id = self.free.pop().unwrap_or_else(|| {
            self.remaining.push(0.0);
            self.stamps.push(0);
            self.flows.push(flow);
            self.flow_rest.push(rest);
            self.flows.len() as u32 - 1
        });
        (self.flows[id as usize], self.flow_rest[id as usize]) = (flow, rest);
        (self.remaining[id as usize], self.stamps[id as usize]) = (demand.bytes / demand.weight, self.solution);
        let others = self.others(&flow, demand);
        for hop in start..start + hops {
            let cell = &mut self.routes.hops[hop as usize];
            let list = &mut self.rest[cell.link as usize].flows;
            cell.place = list.len() as u32;
            list.push(Crossing { flow: id, hop, other: others[(hop - start) as usize % 2] });
        }
        self.flows[id as usize].bound = self.bound_of(id);
        self.started += 1;
        self.active += 1;
        self.starting.push(id);
        Ok(id)
    }

    /// Takes a flow off its links, be it at its end or before; its number may name another from now on.
    pub fn stop(&mut self, id: u32) {
        let Some(FlowRest { order: order @ Some(_), .. }) = self.flow_rest.get_mut(id as usize) else { return };
        *order = None;
        let flow = self.flows[id as usize];
        let level = self.level(id);
        match flow.bottleneck {
            NONE => self.starting.retain(|&other| other != id),
            BOUND => self.bound_ends.remove(id),
            link => {
                self.touch(link);
                self.leave(id);
            }
        }
        self.shift(&flow, level, 0.0, BOUND);
        for hop in flow.start..flow.start + flow.hops {
            let Hop { link, place, .. } = self.routes.hops[hop as usize];
            let list = &mut self.rest[link as usize].flows;
            list.swap_remove(place as usize);
            if let Some(last) = list.get(place as usize) {
                self.routes.hops[last.hop as usize].place = place;
            }
        }
        self.routes.remove(flow.start, flow.hops);
        self.free.push(id);
        self.active -= 1;
    }

    /// Changes the capacity of a link, in bytes a tick (not negative), from the next solution on.
    ///
    /// # Errors
    ///
    /// Where there is no such link, or the capacity is negative or not a number; nothing has changed then.
    pub fn set_capacity(&mut self, link: u32, capacity: f64) -> Result<(), BadLink> {
        check_capacity(capacity)?;
        let (place, links) = (link as usize, self.links.len());
        let Some(rest) = self.rest.get_mut(place) else { return Err(BadLink::Link { link, links }) };
        rest.capacity = capacity;
        if self.links[place].kind == LinkKind::Unshared {
            self.bounded.extend(rest.flows.iter().map(|crossing| crossing.flow));
            return Ok(());
        }
        // Units that also tell the present usage are needed until the flows are at their new rates.
        let flows = &self.rest[place].flows;
        let used: f64 = flows.iter().map(|crossing| self.used(crossing)).filter(|used| used.is_finite()).sum();
        let level = capacity / flows.len().max(1) as f64;
        self.measure(link, used);
        self.measured.push(link);
        self.enqueue(link, level);
        Ok(())
    }

    /// Ends the flows that are due by `now`: takes them off their links and puts their numbers into `ended`, in the order
    /// of their start.
    pub fn take_ended(&mut self, now: Time, ended: &mut Vec<u32>) {
        ended.clear();
        while let Some((_, id)) = self.bound_ends.first().filter(|end| end.0 <= now) {
            self.bound_ends.remove(id);
            ended.push(id);
        }
        while let Some((_, number)) = self.ends.first().filter(|end| end.0 <= now) {
            self.ends.remove(number);
            let (link, rest) = (&self.links[number as usize], &self.rest[number as usize]);
            let members = rest.flows[..link.members as usize].iter().map(|crossing| crossing.flow);
            let due = |&id: &u32| end_after(rest.since, self.remaining[id as usize], link.level) <= now;
            ended.extend(members.filter(due));
            self.touch(number);
        }
        ended.sort_unstable_by_key(|&id| self.flow_rest[id as usize].order);
        for &id in &*ended {
            self.stop(id);
        }
    }

    /// When the next flow ends at the present rates, if one does.
    #[must_use]
    pub fn next_end(&self) -> Option<Time> {
        let firsts = [self.ends.first(), self.bound_ends.first()];
        firsts.into_iter().flatten().map(|(at, _)| at).min()
    }

    /// The flows whose rate the last solution changed, new ones included; asked before the next start or stop.
    pub fn changed(&self) -> impl Iterator<Item = u32> {
        let moved = self.moved.iter().filter(|&&(id, before)| self.level(id) != before).map(|&(id, _)| id);
        let members = self.changed.iter().flat_map(|&(link, _)| {
            let members = &self.rest[link as usize].flows[..self.links[link as usize].members as usize];
            members.iter().map(|crossing| crossing.flow)
        });
        moved.chain(members.filter(|&id| self.stamps[id as usize] != self.solution))
    }

    /// How many flows there are.
    #[must_use]
    pub fn active(&self) -> usize {
        self.active
    }

    /// The present rate of a flow, in bytes a tick.
    #[must_use]
    pub fn rate(&self, id: u32) -> f64 {
        self.level(id) * self.flows[id as usize].weight
    }

    /// When a flow ends at its present rate.
    #[must_use]
    pub fn end(&self, id: u32) -> Time {
        end_after(self.since(id), self.remaining[id as usize], self.level(id))
    }

    /// The bytes that a flow has left at `now`.
    #[must_use]
    pub fn remaining(&self, id: u32, now: Time) -> f64 {
        let remaining = self.remaining[id as usize];
        left(remaining, self.level(id), now.since(self.since(id))) * self.flows[id as usize].weight
    }

    /// The links on a flow's route, each once.
    pub fn links_of(&self, id: u32) -> impl Iterator<Item = u32> {
        self.hops_of(&self.flows[id as usize]).iter().map(|hop| hop.link)
    }

    /// How many flows cross a link, those of the next solution included.
    #[must_use]
    pub fn flows_on(&self, link: u32) -> usize {
        self.rest[link as usize].flows.len()
    }

    /// How much of a link is used, in bytes a tick: the sum of the rates of the flows on it, each times its share. Kept
    /// for a shared link, summed up when asked for one that never fills.
    #[must_use]
    pub fn usage(&self, link: u32) -> f64 {
        let (link, flows) = (&self.links[link as usize], &self.rest[link as usize].flows);
        if link.scale > 0.0 {
            return link.usage as f64 / link.scale;
        }
        flows.iter().map(|crossing| self.used(crossing)).sum()
    }

    /// How much work was done so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The rate per weight of a flow.
    pub(crate) fn level(&self, id: u32) -> f64 {
        let flow = &self.flows[id as usize];
        match flow.bottleneck {
            NONE => 0.0,
            BOUND => flow.bound,
            link => self.links[link as usize].level,
        }
    }

    /// The tick at which a flow's remaining bytes are told.
    fn since(&self, id: u32) -> Time {
        match self.flows[id as usize].bottleneck {
            NONE => Time::NEVER,
            BOUND => self.flow_rest[id as usize].since,
            link => self.rest[link as usize].since,
        }
    }

    /// The other link as seen from each of the two of a plain flow.
    fn others(&self, flow: &Flow, demand: Demand) -> [u32; 2] {
        match self.hops_of(flow) {
            [one, two] if demand.weight == 1.0 && demand.limit == f64::INFINITY => {
                let is_plain = |hop: &Hop| hop.share == 1.0 && self.links[hop.link as usize].kind == LinkKind::Shared;
                if is_plain(one) && is_plain(two) { [two.link, one.link] } else { [MANY; 2] }
            }
            _ => [MANY; 2],
        }
    }

    /// The highest rate per weight that a flow's limit and unshared links allow.
    pub(crate) fn bound_of(&self, id: u32) -> f64 {
        let flow = &self.flows[id as usize];
        let unshared = self.hops_of(flow).iter().filter(|hop| self.links[hop.link as usize].kind == LinkKind::Unshared);
        let most = unshared.map(|hop| self.rest[hop.link as usize].capacity / hop.share);
        most.fold(self.flow_rest[id as usize].limit, f64::min) / flow.weight
    }

    /// The hops of a flow's route.
    fn hops_of(&self, flow: &Flow) -> &[Hop] {
        &self.routes.hops[flow.start as usize..(flow.start + flow.hops) as usize]
    }

    /// What a flow uses of a link in whose list it is, in bytes a tick.
    pub(crate) fn used(&self, crossing: &Crossing) -> f64 {
        self.level(crossing.flow) * self.weight_on(crossing)
    }
}

/// What is left of `remaining` after some time at `rate`.
pub(crate) fn left(remaining: f64, rate: f64, time: Time) -> f64 {
    if time == Time::ZERO { remaining } else { after(remaining, rate * time.as_f64()) }
}

/// What is left of `remaining` when `sent` is gone: nothing where that is only what a rounded end left over.
pub(crate) fn after(remaining: f64, sent: f64) -> f64 {
    let left = remaining - sent;
    if left > remaining * (8.0 * f64::EPSILON) { left } else { 0.0 }
}

/// When `remaining` is done at `rate` from `since` on, rounded up to a tick; never where nothing flows.
pub(crate) fn end_after(since: Time, remaining: f64, rate: f64) -> Time {
    if remaining == 0.0 || rate == f64::INFINITY {
        return since;
    }
    Time(since.0.saturating_add(round_up(remaining / rate).0))
}
