//! Which flows are members of which link.

use super::link::{LinkFlow, loses_digits};
use super::solver::{BOUND, NONE, Solver, left};
use hetsim_base::units::Time;

impl Solver {
    /// Removes a flow and its usage from the members of its bottleneck.
    pub(crate) fn leave(&mut self, id: u32) {
        let flow = self.flows[id as usize];
        let (direction, weight) = self.drop_out(id, flow.bottleneck);
        let (link, rest) = (&self.links[flow.bottleneck as usize], &mut self.rest[flow.bottleneck as usize]);
        let units = link.units(weight * link.fair_share);
        rest.member_usage[direction] = rest.member_usage[direction].wrapping_sub(units);
        rest.member_weight[direction] -= weight;
        if loses_digits(rest.member_weight[direction], weight) {
            let members = &self.rest[flow.bottleneck as usize].flows[..link.members as usize];
            let own = members.iter().filter(|&&entry| self.direction_of(entry) == direction);
            let stays = own.map(|&entry| self.weight_on(entry)).sum();
            self.rest[flow.bottleneck as usize].member_weight[direction] = stays;
        }
        self.close_if_empty(flow.bottleneck);
    }

    /// Clears the sums over a link's members when the last one has left.
    pub(crate) fn close_if_empty(&mut self, number: u32) {
        let link = &mut self.links[number as usize];
        if link.members == 0 {
            link.fair_share = f64::INFINITY;
            let rest = &mut self.rest[number as usize];
            rest.has_new = false;
            (rest.member_usage, rest.member_weight) = ([0; 2], [0.0; 2]);
        }
    }

    /// Makes a flow a member of a link on its route. Returns its direction there, and its weight times its share.
    pub(crate) fn join(&mut self, id: u32, number: u32) -> (usize, f64) {
        let members = self.links[number as usize].members;
        self.links[number as usize].members = members + 1;
        let rest = &mut self.rest[number as usize];
        rest.remaining.push(self.remaining[id as usize]);
        (rest.joined, rest.is_changed) = (self.solution, true);
        self.swap(id, number, members).0
    }

    /// Makes a member of a link a crossing flow. It stops, or its remaining bytes have been [updated](Self::note_move).
    /// Returns its direction there, and its weight times its share.
    pub(crate) fn drop_out(&mut self, id: u32, number: u32) -> (usize, f64) {
        let members = self.links[number as usize].members - 1;
        self.links[number as usize].members = members;
        let (load, from) = self.swap(id, number, members);
        let rest = &mut self.rest[number as usize];
        rest.remaining.swap_remove(from);
        rest.is_changed = true;
        load
    }

    /// The direction of a flow in a link's list.
    pub(crate) fn direction_of(&self, entry: LinkFlow) -> usize {
        self.routes.hops[entry.hop as usize].lane.direction()
    }

    /// The weight of a flow in a link's list times its share of the link.
    pub(crate) fn weight_on(&self, entry: LinkFlow) -> f64 {
        self.flows[entry.flow as usize].weight * self.routes.hops[entry.hop as usize].share
    }

    /// Swaps a flow in a link's list with the one at `place`. Returns its direction there with its weight times its
    /// share, and its place so far.
    fn swap(&mut self, id: u32, number: u32, place: u32) -> ((usize, f64), usize) {
        let flow = &self.flows[id as usize];
        let hops = flow.start as usize..(flow.start + flow.hops) as usize;
        let Some(hop) = self.routes.hops[hops].iter_mut().find(|hop| hop.lane.link() == number) else {
            return ((0, 0.0), 0);
        };
        let load = (hop.lane.direction(), flow.weight * hop.share);
        let from = std::mem::replace(&mut hop.place, place) as usize;
        let rest = &mut self.rest[number as usize];
        rest.swap(from, place as usize);
        if from != place as usize {
            self.routes.hops[rest.flows[from].hop as usize].place = from as u32;
        }
        (load, from)
    }

    /// Marks a link whose members or fair share are about to change.
    pub(crate) fn touch(&mut self, number: u32) {
        let rest = &mut self.rest[number as usize];
        if !rest.touched {
            (rest.touched, rest.before) = (true, self.links[number as usize].fair_share);
            self.touched.push(number);
        }
    }

    /// Updates a flow's remaining bytes to `now` before its bottleneck changes, once per solution.
    pub(crate) fn note_move(&mut self, id: u32, now: Time) {
        if self.stamps[id as usize] == self.solution {
            return;
        }
        let flow = &self.flows[id as usize];
        let (before, since) = match flow.bottleneck {
            NONE => (-1.0, now),
            BOUND => (flow.bound, self.flow_rest[id as usize].since),
            link => {
                let rest = &self.rest[link as usize];
                (if rest.touched { rest.before } else { self.links[link as usize].fair_share }, rest.since)
            }
        };
        self.remaining[id as usize] = left(self.remaining_of(id), before, now.since(since));
        self.stamps[id as usize] = self.solution;
        self.moved.push((id, before));
    }
}
