//! Round robin: takes ready tasks by number and puts them on the processors in turn. It is an uninformed baseline.
//!
//! O(n·log n + e).

use super::list::{by_number, in_order};
use super::{Rule, Schedule, Setup};

#[derive(Debug)]
pub(super) struct RoundRobin;

impl Rule for RoundRobin {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let mut turn = (0..setup.costs.processors()).cycle();
        in_order(setup, &by_number(setup.graph), |partial, task| partial.slot(task, turn.next().unwrap_or(0)))
    }
}
