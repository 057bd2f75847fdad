//! Duplex: the shorter of the min-min and max-min schedules; min-min on a tie.
//!
//! Braun et al. 2001, doi:10.1006/jpdc.2000.1714.
//!
//! O(n·r·P + e·P) with at most r tasks ready at once, twice the time of either.

use super::{Rule, Schedule, Setup, max_min, min_min};

#[derive(Debug)]
pub(super) struct Duplex;

impl Rule for Duplex {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let (first, second) = (min_min::MinMin.schedule(setup), max_min::MaxMin.schedule(setup));
        if second.makespan() < first.makespan() { second } else { first }
    }
}
