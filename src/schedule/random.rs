//! Random: the tasks by number as they get ready, each on a processor drawn uniformly. A baseline that knows nothing. A task's draw is
//! named by its number, so another task more changes no other's.
//!
//! O(n·log n + e).

use rand::RngExt;

use super::list::{by_number, in_order};
use super::{Rule, Schedule, Setup};

#[derive(Debug)]
pub(super) struct Random;

impl Rule for Random {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let processors = setup.costs.processors();
        in_order(setup, &by_number(setup.graph), |partial, task| {
            let mut stream = setup.streams.stream("random schedule", u64::from(task));
            partial.slot(task, stream.random_range(0..processors))
        })
    }
}
