//! Puts all tasks on the processor that runs all of them in the least time. This serial program is the baseline of
//! speedups.
//!
//! O(n·P + e + n·log n).

use super::list::{by_number, in_order};
use super::{Rule, Schedule, Setup};

#[derive(Debug)]
pub(super) struct FastestNode;

impl Rule for FastestNode {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let Setup { graph, costs, .. } = *setup;
        let time = |processor| graph.ids().map(|task| u128::from(costs.duration(task, processor).0)).sum::<u128>();
        let fastest = (0..costs.processors()).min_by_key(|&processor| time(processor)).unwrap_or(0);
        in_order(setup, &by_number(graph), |partial, task| partial.slot(task, fastest))
    }
}
