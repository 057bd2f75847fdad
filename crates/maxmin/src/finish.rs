//! Ends after a solution, and changes of capacity.

use super::solver::{BOUND, Solver, after, end_after};
use hetsim_base::units::Time;

/// The least of some numbers, by four chains that do not wait for each other.
fn least(numbers: &[f64]) -> f64 {
    let lesser = |one: f64, other: f64| if other < one { other } else { one };
    let (fours, rest) = numbers.as_chunks::<4>();
    let mut least = [f64::INFINITY; 4];
    for four in fours {
        least = std::array::from_fn(|place| lesser(least[place], four[place]));
    }
    least.into_iter().chain(rest.iter().copied()).fold(f64::INFINITY, lesser)
}

impl Solver {
    /// Updates remaining bytes and ends where the solution at `now` changed rates.
    pub(crate) fn finish(&mut self, now: Time) {
        for place in 0..self.touched.len() {
            self.finish_link(self.touched[place], now);
        }
        self.touched.clear();
        for place in 0..self.moved.len() {
            let (id, _) = self.moved[place];
            let flow = &self.flows[id as usize];
            if flow.bottleneck == BOUND {
                self.flow_rest[id as usize].since = now;
                self.bound_ends.set(id, end_after(now, self.remaining[id as usize], flow.bound));
            } else {
                self.bound_ends.remove(id);
            }
        }
        while let Some(link) = self.measured.pop() {
            self.measure(link, 0.0);
        }
        self.release();
    }

    /// Updates the members of a link, and the first end among them.
    fn finish_link(&mut self, number: u32, now: Time) {
        let (link, rest) = (&mut self.links[number as usize], &mut self.rest[number as usize]);
        rest.touched = false;
        if link.members == 0 {
            self.ends.remove(number);
            return;
        }
        let gone = now.since(rest.since).as_f64();
        // The remaining bytes of members that joined in this solution refer to `now`, those of the others to `since`.
        // If there was no fair share before, all joined in this solution.
        let (sent, owed) = if link.fair_share == rest.before {
            (0.0, link.fair_share * gone)
        } else {
            self.changed.push((number, rest.before));
            rest.since = now;
            (rest.before * gone, 0.0)
        };
        let sent = rest.sent + sent;
        if rest.is_changed {
            if rest.joined == self.solution {
                for (remaining, entry) in rest.remaining.iter_mut().zip(&rest.flows) {
                    let is_new = self.stamps[entry.flow as usize] == self.solution;
                    *remaining = after(*remaining, if is_new { -owed } else { sent });
                }
            } else {
                rest.remaining.iter_mut().for_each(|remaining| *remaining = after(*remaining, sent));
            }
            (rest.sent, rest.least, rest.is_changed) = (0.0, least(&rest.remaining), false);
        } else {
            rest.sent = sent;
        }
        self.ends.set(number, end_after(rest.since, after(rest.least, rest.sent), link.fair_share));
    }

    /// Sets a link's units by its capacity and `most`, another rate that they must represent, and converts its sums.
    pub(crate) fn measure(&mut self, number: u32, most: f64) {
        let capacity = self.capacity_of(number);
        let link = &mut self.links[number as usize];
        link.measure(capacity, most);
        link.usage = [0; 2];
        self.rest[number as usize].member_usage = [0; 2];
        for place in 0..self.rest[number as usize].flows.len() {
            let entry = self.rest[number as usize].flows[place];
            let (used, direction) = (self.used(entry), self.direction_of(entry));
            let link = &mut self.links[number as usize];
            let units = link.units(used);
            self.is_beyond |= link.add(direction, units);
            if place < link.members as usize {
                let usage = &mut self.rest[number as usize].member_usage[direction];
                *usage = usage.wrapping_add(units);
            }
        }
    }
}
