//! Duplex: the shorter of the schedules of min-min and of max-min; min-min's where they are equal.
//!
//! Braun et al. 2001, doi:10.1006/jpdc.2000.1714.
//!
//! Twice what either takes: O(n·r·P + e·P) with at most r tasks ready at once.

use super::{Rule, Schedule, Setup, max_min, min_min};

#[derive(Debug)]
pub(super) struct Duplex;

impl Rule for Duplex {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let (first, second) = (min_min::MinMin.schedule(setup), max_min::MaxMin.schedule(setup));
        if second.makespan() < first.makespan() { second } else { first }
    }
}
