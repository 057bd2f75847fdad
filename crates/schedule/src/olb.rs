//! Opportunistic load balancing: takes ready tasks by number and puts each on the processor that is idle first,
//! whatever its duration there.
//!
//! Braun et al. 2001, doi:10.1006/jpdc.2000.1714.
//!
//! O(n·(log n + log P) + e).

use super::first_idle::FirstIdle;
use super::list::{by_number, in_order};
use super::{Rule, Schedule, Setup};

#[derive(Debug)]
pub(super) struct Olb;

impl Rule for Olb {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let mut idle = FirstIdle::new(setup.costs.processors());
        in_order(setup, &by_number(setup.graph), |partial, task| partial.slot(task, idle.get(partial)))
    }
}
