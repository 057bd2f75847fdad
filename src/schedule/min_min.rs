//! Min-min: of all ready tasks' earliest ends the least, again and again.
//!
//! Ibarra, Kim: Heuristic algorithms for scheduling independent tasks on nonidentical processors. Journal of the ACM 24(2), 1977,
//! doi:10.1145/322003.322011; the name and the comparison: Braun et al., JPDC 61(6), 2001, doi:10.1006/jpdc.2000.1714. The
//! set of tasks is here that of those ready.
//!
//! O(n·r·P + e·P) with at most r tasks ready at once: quadratic where graphs are wide.

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
