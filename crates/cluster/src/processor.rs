//! Processor sharing by virtual time: all computations of a node progress alike, and only the one that ends next has
//! an event.
//!
//! Virtual time is the work, in ticks of a whole core, that each computation has received. A computation that needs w
//! ticks and starts at virtual time v ends at virtual time v + w, whatever joins or leaves in between; only the instant
//! of that virtual time changes.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use hetsim_base::engine::EventId;
use hetsim_base::units::Time;

use super::profile::Availability;
use super::program::WorkId;

/// The computations of one node.
#[derive(Debug, Default)]
pub(super) struct Processor {
    virtual_time: f64,
    last: Time,
    active: BinaryHeap<Reverse<Active>>,
    arrivals: u64,
    pub(super) event: Option<EventId>,
}

/// A computation in progress.
#[derive(Debug, PartialEq)]
pub(super) struct Active {
    end: f64,
    arrival: u64,
    pub(super) work: WorkId,
    pub(super) operations: f64,
    pub(super) start: Time,
}

impl Eq for Active {}

impl Ord for Active {
    fn cmp(&self, other: &Self) -> Ordering {
        self.end.total_cmp(&other.end).then(self.arrival.cmp(&other.arrival))
    }
}

impl PartialOrd for Active {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The available cores, one of which the message handler holds until an instant.
#[derive(Debug)]
pub(super) struct Cores<'a> {
    pub(super) count: u32,
    pub(super) handler_until: Time,
    pub(super) availability: &'a mut Availability,
}

impl Processor {
    /// The share of a core for each computation on `cores` cores.
    fn share(&self, cores: u32) -> f64 {
        (f64::from(cores) / self.active.len() as f64).min(1.0)
    }

    /// Brings virtual time to `now`. Must be called before anything changes: the handler's time, the computations.
    pub(super) fn advance(&mut self, now: Time, cores: &mut Cores<'_>) {
        if !self.active.is_empty() {
            let freed = cores.handler_until.clamp(self.last, now);
            self.virtual_time += cores.availability.between(self.last, freed) * self.share(cores.count - 1)
                + cores.availability.between(freed, now) * self.share(cores.count);
        }
        self.last = now;
    }

    /// Adds a computation of `ticks` of a whole core, after [`advance`](Self::advance).
    pub(super) fn add(&mut self, work: WorkId, ticks: f64, operations: f64) {
        let end = self.virtual_time + ticks;
        self.active.push(Reverse(Active { end, arrival: self.arrivals, work, operations, start: self.last }));
        self.arrivals += 1;
    }

    /// Takes the computation that ends now.
    pub(super) fn finish(&mut self) -> Option<Active> {
        let Reverse(first) = self.active.pop()?;
        // The event's instant was rounded up to a tick, so virtual time falls short of the end by rounding at most.
        self.virtual_time = self.virtual_time.max(first.end);
        Some(first)
    }

    /// Removes all computations and returns their start times.
    pub(super) fn clear(&mut self) -> Vec<Time> {
        let mut active: Vec<Active> = self.active.drain().map(|Reverse(active)| active).collect();
        active.sort_by_key(|active| active.arrival);
        active.into_iter().map(|active| active.start).collect()
    }

    /// When the next computation ends if nothing changes, after [`advance`](Self::advance).
    pub(super) fn next_end(&self, cores: &mut Cores<'_>) -> Option<Time> {
        let Reverse(first) = self.active.peek()?;
        let mut needed = (first.end - self.virtual_time).max(0.0);
        let mut start = self.last;
        if cores.handler_until > start {
            let share = self.share(cores.count - 1);
            let given = cores.availability.between(start, cores.handler_until) * share;
            if given >= needed && share > 0.0 {
                return Some(cores.availability.end_of(start, needed / share));
            }
            needed -= given;
            start = cores.handler_until;
        }
        Some(cores.availability.end_of(start, needed / self.share(cores.count)))
    }
}
