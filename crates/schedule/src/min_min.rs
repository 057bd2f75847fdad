//! Min-min: repeatedly takes the ready task with the earliest end of all.
//!
//! Ibarra, Kim: Heuristic algorithms for scheduling independent tasks on nonidentical processors. Journal of the ACM
//! 24(2), 1977, doi:10.1145/322003.322011. The name and the comparison come from Braun et al., JPDC 61(6), 2001,
//! doi:10.1006/jpdc.2000.1714. Here the set of tasks is that of the ready ones.
//!
//! O(n·r·P + e·P) with at most r tasks ready at once: quadratic for wide graphs.

use super::frontier::{Frontier, first_finish};
use super::{Rule, Schedule, Setup};

#[derive(Debug)]
pub(super) struct MinMin;

impl Rule for MinMin {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        Frontier::new(setup.graph, setup.costs, setup.insertion)
            .run(|frontier| frontier.least(|task, starts| first_finish(setup.costs, task, starts)))
    }
}
