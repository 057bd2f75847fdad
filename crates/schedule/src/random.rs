//! Random: takes ready tasks by number and puts each on a uniformly drawn processor. It is an uninformed baseline. A
//! task's draw is keyed by its number, so an additional task does not change the draws of others.
//!
//! O(n·log n + e).

use rand::RngExt;

use super::list::{by_number, in_order};
use super::{Rule, Schedule, Setup};

#[derive(Debug)]
pub(super) struct Random;

impl Rule for Random {
    fn draws(&self) -> bool {
        true
    }

    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let processors = setup.costs.processors();
        in_order(setup, &by_number(setup.graph), |partial, task| {
            let mut stream = setup.streams.stream("random schedule", u64::from(task));
            partial.slot(task, stream.random_range(0..processors))
        })
    }
}
