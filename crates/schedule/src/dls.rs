//! Dynamic level scheduling: picks the ready task and the processor with the highest dynamic level.
//!
//! DL(i, p) = SL(i) − max(data arrival, p idle) + Δ(i, p), where SL(i) is the longest path from i to the end in median
//! durations without communication, and Δ(i, p) is the median of i's durations minus its duration on p. The further
//! terms of the generalised level, which consider a task's descendants and the resources it would take from others, are
//! omitted, as in published comparisons.
//!
//! Sih, Lee: A compile-time scheduling heuristic for interconnection-constrained heterogeneous processor architectures.
//! IEEE TPDS 4(2), 1993, doi:10.1109/71.207593.
//!
//! O(n·r·P + e·P) with at most r tasks ready at once: quadratic for wide graphs.

use super::frontier::{Frontier, first_finish};
use super::{Rule, Schedule, Setup, rank};

#[derive(Debug)]
pub(super) struct Dls;

impl Rule for Dls {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let Setup { graph, costs, .. } = *setup;
        let mut scratch = Vec::new();
        let medians: Vec<f64> = graph.ids().map(|task| rank::median_duration(costs, task, &mut scratch)).collect();
        let levels = graph.bottom_levels(|task| medians[task as usize], |_| 0.0);
        Frontier::new(graph, costs, setup.insertion).run(|frontier| {
            frontier.least(|task, starts| {
                let (end, processor) = first_finish(costs, task, starts);
                // The negated level, since the minimum is taken.
                (end.as_f64() - levels[task as usize] - medians[task as usize], processor)
            })
        })
    }
}
