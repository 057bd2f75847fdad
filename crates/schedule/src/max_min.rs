//! Max-min: repeatedly takes the ready task whose earliest end is latest and puts it where it ends first.
//!
//! Ibarra, Kim 1977, doi:10.1145/322003.322011; Braun et al. 2001, doi:10.1006/jpdc.2000.1714.
//!
//! O(n·r·P + e·P) with at most r tasks ready at once: quadratic for wide graphs.

use std::cmp::Reverse;

use super::frontier::{Frontier, first_finish};
use super::{Rule, Schedule, Setup};

#[derive(Debug)]
pub(super) struct MaxMin;

impl Rule for MaxMin {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        Frontier::new(setup.graph, setup.costs, setup.insertion).run(|frontier| {
            frontier.least(|task, starts| {
                let (finish, processor) = first_finish(setup.costs, task, starts);
                (Reverse(finish), processor)
            })
        })
    }
}
