//! Minimum execution time: takes ready tasks by number and puts each on the processor that runs it fastest, even if it
//! is busy.
//!
//! Braun et al. 2001, doi:10.1006/jpdc.2000.1714.
//!
//! O((n + e)·P + n·log n).

use super::list::{by_number, in_order};
use super::{Rule, Schedule, Setup};

#[derive(Debug)]
pub(super) struct Met;

impl Rule for Met {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let costs = setup.costs;
        in_order(setup, &by_number(setup.graph), |partial, task| {
            let fastest = (0..costs.processors()).min_by_key(|&processor| costs.duration(task, processor));
            partial.slot(task, fastest.unwrap_or(0))
        })
    }
}
