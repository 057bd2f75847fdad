//! Links with at most one flow, which need no solution.
//!
//! The capacity of a link that one flow has for itself is one more bound of that flow's rate. Only a link that has had
//! two flows at once takes part in solutions; it leaves them when its last flow has gone. So most links of a large
//! platform cost [`AddedLink`] only.

use super::added::{AddedLink, Occupancy};
use super::demand::LinkKind;
use super::link::{Link, LinkRest, Other};
use super::routes::Hop;
use super::solver::{BOUND, Solver};
use hetsim_base::units::Time;

impl Solver {
    /// Puts the links on a new flow's route to use: the contended ones are first among its hops, the others are its own.
    /// Returns the number of the contended ones.
    pub(crate) fn occupy(&mut self, id: u32, start: u32, length: u32) -> u32 {
        let mut contended = 0;
        for hop in start..start + length {
            let lane = self.routes.hops[hop as usize].lane;
            let number = lane.link();
            let link = self.added[number as usize];
            match (link.occupancy, link.kind) {
                (Occupancy::Idle, LinkKind::Shared) => {
                    let link = &mut self.added[number as usize];
                    (link.occupancy, link.number) = (Occupancy::Lone, id);
                    continue;
                }
                (Occupancy::Idle, LinkKind::Unshared) => {
                    self.contend(number);
                }
                (Occupancy::Lone, _) => self.share(number),
                (Occupancy::Contended, _) => {}
            }
            self.routes.hops[hop as usize].lane = lane.of(self.added[number as usize].number);
            self.routes.hops.swap(hop as usize, (start + contended) as usize);
            contended += 1;
        }
        contended
    }

    /// Makes a lone link contended, with the flow that it has.
    fn share(&mut self, number: u32) {
        let id = self.added[number as usize].number;
        let link = self.contend(number);
        let flow = &mut self.flows[id as usize];
        let first = (flow.start + flow.hops) as usize;
        let own = &mut self.routes.hops[first..first + flow.lone as usize];
        // A lone link is among its flow's own.
        let Some(place) = own.iter().position(|hop| hop.lane.link() == number) else { return };
        own.swap(0, place);
        own[0] = Hop { lane: own[0].lane.of(link), place: 0, ..own[0] };
        let Hop { lane, share, .. } = own[0];
        (flow.hops, flow.lone) = (flow.hops + 1, flow.lone - 1);
        let (weight, fair_share) = (flow.weight * share, self.fair_share_of(id));
        self.rest[link as usize].add(id, first as u32);
        let link = &mut self.links[link as usize];
        link.usage[lane.direction()] = link.units(weight * fair_share);
        link.crossing_maximum = fair_share;
        // Its bound, and what its other contended link knows of it, change with the next solution.
        self.bounded.push(id);
    }

    /// Gives an added link a place among the contended ones, without flows. Returns that place.
    fn contend(&mut self, number: u32) -> u32 {
        let AddedLink { capacity, kind, is_pair, .. } = self.added[number as usize];
        let back = if is_pair { self.back } else { 0.0 };
        let link = if let Some(link) = self.free_links.pop() {
            let rank = self.queue.renew(self.links[link as usize].rank);
            self.links[link as usize] = Link::new(capacity, kind, back, rank);
            let rest = &mut self.rest[link as usize];
            (rest.added, rest.kind) = (number, kind);
            link
        } else {
            let link = self.links.len() as u32;
            self.links.push(Link::new(capacity, kind, back, self.queue.add(link)));
            self.rest.push(LinkRest::new(number, kind));
            link
        };
        let added = &mut self.added[number as usize];
        (added.occupancy, added.number) = (Occupancy::Contended, link);
        link
    }

    /// Takes the contended links that have become idle out of further solutions.
    pub(crate) fn release(&mut self) {
        while let Some(link) = self.idle.pop() {
            let added = &mut self.added[self.rest[link as usize].added as usize];
            // A link may have been idle twice, or have flows again.
            let is_in_use = added.occupancy == Occupancy::Contended && added.number == link;
            if is_in_use && self.rest[link as usize].flows.is_empty() {
                added.occupancy = Occupancy::Idle;
                self.free_links.push(link);
            }
        }
    }

    /// The contended links on a flow's route.
    pub(crate) fn hops_of(&self, id: u32) -> &[Hop] {
        let flow = &self.flows[id as usize];
        &self.routes.hops[flow.start as usize..(flow.start + flow.hops) as usize]
    }

    /// The links that a flow has for itself.
    pub(crate) fn own_hops_of(&self, id: u32) -> &[Hop] {
        let flow = &self.flows[id as usize];
        let first = (flow.start + flow.hops) as usize;
        &self.routes.hops[first..first + flow.lone as usize]
    }

    /// The highest rate per weight that a flow's limit, its own links and unshared links allow; infinite if a contended
    /// link on its route never allows more.
    pub(crate) fn bound_of(&self, id: u32) -> f64 {
        // A flow alone loads the fuller direction of a pair.
        let most = |added: &AddedLink, hop: &Hop| {
            added.capacity / if added.is_pair { hop.share * self.back.max(1.0) } else { hop.share }
        };
        let own = self.own_hops_of(id).iter().map(|hop| most(&self.added[hop.lane.link() as usize], hop));
        let mut bound = own.fold(self.flow_rest[id as usize].limit, f64::min);
        let mut contended = f64::INFINITY;
        for hop in self.hops_of(id) {
            let most = most(&self.added[self.rest[hop.lane.link() as usize].added as usize], hop);
            match self.kind_of(hop) {
                LinkKind::Unshared => bound = bound.min(most),
                LinkKind::Shared => contended = contended.min(most),
            }
        }
        if bound < contended { bound / self.flows[id as usize].weight } else { f64::INFINITY }
    }

    /// Whether the rates of the flows on a contended link add up.
    pub(crate) fn kind_of(&self, hop: &Hop) -> LinkKind {
        self.rest[hop.lane.link() as usize].kind
    }

    /// The capacity of a contended link, in bytes per tick.
    pub(crate) fn capacity_of(&self, link: u32) -> f64 {
        self.added[self.rest[link as usize].added as usize].capacity
    }

    /// Notes in the lists of a flow's contended links which other links it crosses, if it is plain or long.
    pub(crate) fn mark(&mut self, id: u32) {
        let others = self.others(id);
        let Self { flows, routes, rest, .. } = self;
        let flow = &flows[id as usize];
        let of_flow = flow.start as usize..(flow.start + flow.hops) as usize;
        for (place, hop) in routes.hops[of_flow.clone()].iter().enumerate() {
            rest[hop.lane.link() as usize].others[hop.place as usize] = others[place % 2];
        }
        if others[0].lanes().is_some() {
            let lanes = routes.hops[of_flow.clone()].iter().map(|hop| hop.lane);
            routes.lanes[of_flow.clone()].iter_mut().zip(lanes).for_each(|(known, lane)| *known = lane);
            routes.lanes[of_flow.end - 1] = routes.lanes[of_flow.end - 1].as_last();
        }
    }

    /// What each of a flow's contended links is to know of it, in turn.
    fn others(&self, id: u32) -> [Other; 2] {
        let flow = &self.flows[id as usize];
        let is_plain = |hop: &Hop| hop.share == 1.0 && self.kind_of(hop) == LinkKind::Shared;
        match self.hops_of(id) {
            _ if flow.weight != self.usual_weight || flow.bound < f64::INFINITY => [Other::MANY; 2],
            [one] if is_plain(one) => [Other::free(one.lane); 2],
            [one, two] if is_plain(one) && is_plain(two) => {
                [Other::new(one.lane, two.lane), Other::new(two.lane, one.lane)]
            }
            [_, _, _, ..] if self.hops_of(id).iter().all(is_plain) => [Other::long(flow.start); 2],
            _ => [Other::MANY; 2],
        }
    }

    /// Gives each new flow without contended links its bound as its rate.
    pub(crate) fn place_lone(&mut self, now: Time) {
        let mut starting = std::mem::take(&mut self.starting);
        starting.retain(|&id| {
            let is_lone = self.flows[id as usize].hops == 0;
            if is_lone {
                self.note_move(id, now);
                self.flows[id as usize].bottleneck = BOUND;
            }
            !is_lone
        });
        self.starting = starting;
    }
}
