//! The interface of the solver: links that flows share.

use super::added::{AddedLink, Occupancy, both_directions};
use super::demand::{BadFlow, BadLink, Demand, LinkKind, PathLink, Reweighed, check, check_capacity};
use super::ends::Ends;
use super::link::{Above, Lane, Link, LinkFlow, LinkRest, RecentShares};
use super::queue::Queue;
use super::routes::{Hop, Routes};
use hetsim_base::units::{Time, round_up};

/// Stands for a flow's own bound in place of a bottleneck.
pub(crate) const BOUND: u32 = u32::MAX;

/// Stands for no bottleneck: the flow has not started, its rate is zero.
pub(crate) const NONE: u32 = u32::MAX - 1;

/// Counters of the solver's work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Solutions with changes.
    pub solutions: u64,
    /// Updates of a link's fair share.
    pub updated: u64,
    /// Flows examined by updates.
    pub examined: u64,
    /// Solutions from scratch.
    pub rebuilt: u64,
}

/// An active flow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow {
    pub(crate) weight: f64,
    /// The highest rate per weight, from its limit and the unshared and lone links on its route.
    pub(crate) bound: f64,
    /// The link whose fair share is its rate per weight, or [`BOUND`], or [`NONE`].
    pub(crate) bottleneck: u32,
    /// Its first hop, the number of its hops over contended links, and that of further ones over lone links.
    pub(crate) start: u32,
    pub(crate) hops: u32,
    pub(crate) lone: u32,
}

/// The part of a flow that is seldom accessed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlowRest {
    pub(crate) limit: f64,
    /// The instant to which `remaining` refers, for a flow at its bound.
    pub(crate) since: Time,
    /// The number of flows that started before it; `None` if the slot is free.
    pub(crate) order: Option<u64>,
}

/// Links and flows with max–min fair rates.
///
/// Pass all starts, stops and new capacities of one instant, then call [`solve`](Self::solve) once. Flow numbers are
/// slots and are reused.
#[derive(Debug)]
pub struct Solver {
    /// The links by the numbers that callers know.
    pub(crate) added: Vec<AddedLink>,
    /// The contended links; all numbers of links in the solver are indices here, but for those of lone hops.
    pub(crate) links: Vec<Link>,
    pub(crate) rest: Vec<LinkRest>,
    pub(crate) free_links: Vec<u32>,
    /// Contended links whose last flow may have gone.
    pub(crate) idle: Vec<u32>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) flow_rest: Vec<FlowRest>,
    /// Per flow that is no member of a link: the remaining bytes per weight, at the tick that its bottleneck gives.
    pub(crate) remaining: Vec<f64>,
    /// Per flow: the solution in which its bottleneck last changed, and its remaining bytes were updated.
    pub(crate) stamps: Vec<u32>,
    pub(crate) routes: Routes,
    free: Vec<u32>,
    pub(crate) active: usize,
    pub(crate) started: u64,
    /// Flows that start with the next solution.
    pub(crate) starting: Vec<u32>,
    /// Flows whose bound may change with the next solution, by the capacity or the use of a link.
    pub(crate) bounded: Vec<u32>,
    /// Flows whose weight changes with the next solution.
    pub(crate) reweighed: Vec<Reweighed>,
    /// Links to update.
    pub(crate) queue: Queue,
    /// Whether a sum of usage is beyond its numbers, so that the next solution must be found from scratch.
    pub(crate) is_beyond: bool,
    /// Links whose members or fair share may have changed.
    pub(crate) touched: Vec<u32>,
    /// Links whose fair share the last solution changed, with the previous fair share.
    pub(crate) changed: Vec<(u32, f64)>,
    /// Flows whose bottleneck the last solution changed, with their previous rate per weight.
    pub(crate) moved: Vec<(u32, f64)>,
    /// Links whose units will be recomputed after the next solution.
    pub(crate) measured: Vec<u32>,
    /// The number of the current solution.
    pub(crate) solution: u32,
    /// When the first member of each link ends.
    pub(crate) ends: Ends,
    /// When each flow at its bound ends.
    pub(crate) bound_ends: Ends,
    /// Crossing flows above the fair share of the link that is being updated.
    pub(crate) above: Vec<Above>,
    /// Members that are new or may have to leave the link that is being updated.
    pub(crate) rising: Vec<u32>,
    pub(crate) recent: RecentShares,
    /// The weight of most flows, as far as it is known: that of the first one since there were none.
    pub(crate) usual_weight: f64,
    /// The load on the other direction of a pair per byte; zero if there are no pairs.
    pub(crate) back: f64,
    pub(crate) statistics: Statistics,
}

impl Default for Solver {
    fn default() -> Self {
        Self::new()
    }
}

impl Solver {
    /// A solver without links and flows.
    #[must_use]
    pub fn new() -> Self {
        Self {
            added: Vec::new(),
            links: Vec::new(),
            rest: Vec::new(),
            free_links: Vec::new(),
            idle: Vec::new(),
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
            reweighed: Vec::new(),
            queue: Queue::default(),
            is_beyond: false,
            touched: Vec::new(),
            changed: Vec::new(),
            moved: Vec::new(),
            measured: Vec::new(),
            solution: 0,
            ends: Ends::default(),
            bound_ends: Ends::default(),
            above: Vec::new(),
            rising: Vec::new(),
            recent: RecentShares::new(),
            usual_weight: 1.0,
            back: 0.0,
            statistics: Statistics::default(),
        }
    }

    /// A solver without links and flows, with pairs of links: per byte, a flow over one of a [pair](Self::add_pair) loads
    /// the other one with so much, as by acknowledgements.
    ///
    /// # Errors
    ///
    /// If the load is not positive and finite.
    pub fn with_pairs(back: f64) -> Result<Self, BadLink> {
        let is_load = back > 0.0 && back.is_finite();
        if is_load { Ok(Self { back, ..Self::new() }) } else { Err(BadLink::Back(back)) }
    }

    /// Adds two links with the same capacity, in bytes per tick (not negative), one a direction. Every flow over one of
    /// them loads the other one, too; its route names the one that it takes. Returns the number of the first; the other
    /// one has the next.
    ///
    /// # Errors
    ///
    /// If the capacity is negative or not a number, or the solver was not made [with pairs](Self::with_pairs).
    pub fn add_pair(&mut self, capacity: f64) -> Result<u32, BadLink> {
        check_capacity(capacity)?;
        if self.back == 0.0 {
            return Err(BadLink::Back(self.back));
        }
        self.added.extend([0, 1].map(|direction| AddedLink::of_pair(capacity, direction)));
        Ok(self.added.len() as u32 - 2)
    }

    /// Adds a link with a capacity in bytes per tick (not negative, infinite for one that never fills). Returns its
    /// number, counted from zero. Links may be added at any time, also while there are flows on others.
    ///
    /// # Errors
    ///
    /// If the capacity is negative or not a number.
    pub fn add_link(&mut self, capacity: f64, kind: LinkKind) -> Result<u32, BadLink> {
        check_capacity(capacity)?;
        self.added.push(AddedLink::new(capacity, kind));
        Ok(self.added.len() as u32 - 1)
    }

    /// The other direction of a link's pair; `None` if the link is in no pair.
    #[must_use]
    pub fn paired_with(&self, link: u32) -> Option<u32> {
        let added = self.added.get(link as usize).filter(|added| added.is_pair)?;
        Some(if added.direction == 0 { link + 1 } else { link - 1 })
    }

    /// Starts a flow over the links of `route` with the next solution. Returns its number.
    ///
    /// The flow loads each link with its rate times its share of that link, so that an unshared link bounds its rate at
    /// the capacity over the share. The shares of a link named twice add up; for an unshared link the largest counts. A
    /// flow over no links is limited by its limit alone, and ends at once if that is infinite.
    ///
    /// # Errors
    ///
    /// If the demand or the route is invalid; nothing has changed then.
    pub fn start(&mut self, route: &[PathLink], demand: Demand) -> Result<u32, BadFlow> {
        check(route, demand, self.added.len())?;
        let both = if self.back > 0.0 { both_directions(route, &self.added) } else { None };
        if let Some(link) = both {
            return Err(BadFlow::BothDirections { link });
        }
        if self.active == 0 {
            self.usual_weight = demand.weight;
        }
        let (start, length) = self.routes.add(route, &self.added);
        let flow = Flow { weight: demand.weight, bound: f64::INFINITY, bottleneck: NONE, start, hops: 0, lone: length };
        let rest = FlowRest { limit: demand.limit, since: Time::ZERO, order: Some(self.next_order()) };
        let id = self.free.pop().unwrap_or_else(|| {
            self.remaining.push(0.0);
            self.stamps.push(0);
            self.flows.push(flow);
            self.flow_rest.push(rest);
            self.flows.len() as u32 - 1
        });
        (self.flows[id as usize], self.flow_rest[id as usize]) = (flow, rest);
        (self.remaining[id as usize], self.stamps[id as usize]) = (demand.bytes / demand.weight, self.solution);
        let hops = self.occupy(id, start, length);
        (self.flows[id as usize].hops, self.flows[id as usize].lone) = (hops, length - hops);
        for hop in start..start + hops {
            let cell = &mut self.routes.hops[hop as usize];
            cell.place = self.rest[cell.lane.link() as usize].add(id, hop);
        }
        self.flows[id as usize].bound = self.bound_of(id);
        self.mark(id);
        self.active += 1;
        self.starting.push(id);
        Ok(id)
    }

    /// Removes a flow, at its end or before; its number may be reused from now on.
    pub fn stop(&mut self, id: u32) {
        let Some(FlowRest { order: order @ Some(_), .. }) = self.flow_rest.get_mut(id as usize) else { return };
        *order = None;
        let flow = self.flows[id as usize];
        let fair_share = self.fair_share_of(id);
        match flow.bottleneck {
            NONE => self.starting.retain(|&other| other != id),
            BOUND => self.bound_ends.remove(id),
            link => {
                self.touch(link);
                self.leave(id);
            }
        }
        self.shift(&flow, fair_share, 0.0, BOUND);
        for hop in flow.start..flow.start + flow.hops {
            let Hop { lane, place, .. } = self.routes.hops[hop as usize];
            let link = lane.link();
            let rest = &mut self.rest[link as usize];
            rest.remove(place as usize);
            if let Some(last) = rest.flows.get(place as usize) {
                self.routes.hops[last.hop as usize].place = place;
            } else if rest.flows.is_empty() {
                self.idle.push(link);
            }
        }
        for hop in flow.start + flow.hops..flow.start + flow.hops + flow.lone {
            self.added[self.routes.hops[hop as usize].lane.link() as usize].occupancy = Occupancy::Idle;
        }
        self.routes.remove(flow.start, flow.hops + flow.lone);
        self.free.push(id);
        self.active -= 1;
    }

    /// Changes the capacity of a link, in bytes per tick (not negative), with the next solution; that of both directions
    /// of a pair.
    ///
    /// # Errors
    ///
    /// If the link does not exist, or the capacity is negative or not a number; nothing has changed then.
    pub fn set_capacity(&mut self, link: u32, capacity: f64) -> Result<(), BadLink> {
        check_capacity(capacity)?;
        let links = self.added.len();
        let Some(first) = self.first_of(link) else { return Err(BadLink::Link { link, links }) };
        let added = &mut self.added[first as usize];
        added.capacity = capacity;
        let link = match added.occupancy {
            Occupancy::Idle => return Ok(()),
            Occupancy::Lone => {
                self.bounded.push(added.number);
                return Ok(());
            }
            Occupancy::Contended => added.number,
        };
        self.bounded.extend(self.rest[link as usize].flows.iter().map(|entry| entry.flow));
        if added.kind == LinkKind::Unshared {
            return Ok(());
        }
        // The units must also represent the current usage until the flows have their new rates.
        let flows = &self.rest[link as usize].flows;
        let used: f64 = flows.iter().map(|&entry| self.used(entry)).filter(|used| used.is_finite()).sum();
        let used = used * self.links[link as usize].back.max(1.0);
        self.measure(link, used);
        self.measured.push(link);
        self.queue.mark(self.links[link as usize].rank);
        Ok(())
    }

    /// Ends the flows that are due by `now`: removes them and puts their numbers into `ended`, in the order of their
    /// start.
    pub fn take_ended(&mut self, now: Time, ended: &mut Vec<u32>) {
        self.find_due(now, ended);
        for &id in &*ended {
            self.stop(id);
        }
    }

    /// When the next flow ends at the current rates, if any does.
    #[must_use]
    pub fn next_end(&self) -> Option<Time> {
        let firsts = [self.ends.first(), self.bound_ends.first()];
        firsts.into_iter().flatten().map(|(at, _)| at).min()
    }

    /// The flows whose rate the last solution changed, including new ones. Valid until the next start or stop.
    pub fn changed(&self) -> impl Iterator<Item = u32> {
        let moved = self.moved.iter().filter(|&&(id, before)| self.fair_share_of(id) != before).map(|&(id, _)| id);
        let members = self.changed.iter().flat_map(|&(link, _)| {
            let members = &self.rest[link as usize].flows[..self.links[link as usize].members as usize];
            members.iter().map(|entry| entry.flow)
        });
        moved.chain(members.filter(|&id| self.stamps[id as usize] != self.solution))
    }

    /// The number of flows.
    #[must_use]
    pub fn active(&self) -> usize {
        self.active
    }

    /// The current rate of a flow, in bytes per tick.
    #[must_use]
    pub fn rate(&self, id: u32) -> f64 {
        self.fair_share_of(id) * self.flows[id as usize].weight
    }

    /// When a flow ends at its current rate.
    #[must_use]
    pub fn end(&self, id: u32) -> Time {
        end_after(self.since(id), self.remaining_of(id), self.fair_share_of(id))
    }

    /// The remaining bytes of a flow at `now`.
    #[must_use]
    pub fn remaining(&self, id: u32, now: Time) -> f64 {
        left(self.remaining_of(id), self.fair_share_of(id), now.since(self.since(id))) * self.flows[id as usize].weight
    }

    /// The links that a flow's route names, each once, in no order.
    pub fn links_of(&self, id: u32) -> impl Iterator<Item = u32> {
        let contended = self.hops_of(id).iter().map(|hop| hop.lane.of(self.rest[hop.lane.link() as usize].added));
        let all = contended.chain(self.own_hops_of(id).iter().map(|hop| hop.lane));
        all.map(Lane::added)
    }

    /// The number of a link, or of the first one of its pair; `None` if there is no such link.
    fn first_of(&self, link: u32) -> Option<u32> {
        self.added.get(link as usize).map(|added| link - u32::from(added.direction))
    }

    /// The number of flows on a link, including those that start with the next solution.
    #[must_use]
    pub fn flows_on(&self, link: u32) -> usize {
        let Some(first) = self.first_of(link) else { return 0 };
        let link = self.added[first as usize];
        match link.occupancy {
            Occupancy::Idle => 0,
            Occupancy::Lone => 1,
            Occupancy::Contended => self.rest[link.number as usize].flows.len(),
        }
    }

    /// The usage of a link, in bytes per tick: the sum of the rates of the flows on it, each times its share. It is
    /// stored for a shared link, and computed on request for a link that never fills.
    #[must_use]
    pub fn usage(&self, link: u32) -> f64 {
        let Some(first) = self.first_of(link) else { return 0.0 };
        let (added, direction) = (self.added[first as usize], (link - first) as usize);
        match added.occupancy {
            Occupancy::Idle => 0.0,
            Occupancy::Lone => {
                let own = self.own_hops_of(added.number).iter().find(|hop| hop.lane.link() == first);
                let back = |hop: &Hop| if hop.lane.direction() == direction { 1.0 } else { self.back };
                own.map_or(0.0, |hop| self.rate(added.number) * hop.share * back(hop))
            }
            Occupancy::Contended => {
                let (link, flows) = (&self.links[added.number as usize], &self.rest[added.number as usize].flows);
                if link.scale > 0.0 {
                    return link.loads(link.usage)[direction] as f64 / link.scale;
                }
                flows.iter().map(|&entry| self.used(entry)).sum()
            }
        }
    }

    /// The work of the solver so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The rate per weight of a flow.
    pub(crate) fn fair_share_of(&self, id: u32) -> f64 {
        let flow = &self.flows[id as usize];
        match flow.bottleneck {
            NONE => 0.0,
            BOUND => flow.bound,
            link => self.links[link as usize].fair_share,
        }
    }

    /// The remaining bytes per weight of a flow, at the tick that its bottleneck gives.
    pub(crate) fn remaining_of(&self, id: u32) -> f64 {
        let bottleneck = self.flows[id as usize].bottleneck;
        let own = self.hops_of(id).iter().find(|hop| hop.lane.link() == bottleneck);
        let of_member = own.and_then(|hop| {
            let rest = &self.rest[hop.lane.link() as usize];
            rest.remaining.get(hop.place as usize).map(|&remaining| after(remaining, rest.sent))
        });
        of_member.unwrap_or(self.remaining[id as usize])
    }

    /// The tick to which a flow's remaining bytes refer.
    pub(crate) fn since(&self, id: u32) -> Time {
        match self.flows[id as usize].bottleneck {
            NONE => Time::NEVER,
            BOUND => self.flow_rest[id as usize].since,
            link => self.rest[link as usize].since,
        }
    }

    /// The usage of a link by a flow in its list, in bytes per tick.
    pub(crate) fn used(&self, entry: LinkFlow) -> f64 {
        self.fair_share_of(entry.flow) * self.weight_on(entry)
    }
}

/// The rest of `remaining` after some time at `rate`.
pub(crate) fn left(remaining: f64, rate: f64, time: Time) -> f64 {
    if time == Time::ZERO { remaining } else { after(remaining, rate * time.as_f64()) }
}

/// The rest of `remaining` after `sent` bytes: zero if the difference comes from a rounded end.
pub(crate) fn after(remaining: f64, sent: f64) -> f64 {
    let left = remaining - sent;
    if left > remaining * (8.0 * f64::EPSILON) { left } else { 0.0 }
}

/// When `remaining` is done at `rate` from `since` on, rounded up to a tick; never if nothing flows, not even what is empty.
pub(crate) fn end_after(since: Time, remaining: f64, rate: f64) -> Time {
    if rate == 0.0 {
        return Time::NEVER;
    }
    if remaining == 0.0 || rate == f64::INFINITY {
        return since;
    }
    Time(since.0.saturating_add(round_up(remaining / rate).0))
}
