//! Sufferage: takes the ready task that would lose most without its best processor, which is the one with the greatest
//! difference between its second earliest end and its earliest.
//!
//! Maheswaran, Ali, Siegel, Hensgen, Freund: Dynamic mapping of a class of independent tasks onto heterogeneous
//! computing systems. JPDC 59(2), 1999, doi:10.1006/jpdc.1999.1581. Here one ready task is placed at a time; the
//! paper's rounds place one per processor.
//!
//! O(n·r·P + e·P) with at most r tasks ready at once: quadratic for wide graphs.

use std::cmp::Reverse;

use super::frontier::{Frontier, finishes};
use super::{Rule, Schedule, Setup};
use hetsim_base::units::Time;

#[derive(Debug)]
pub(super) struct Sufferage;

impl Rule for Sufferage {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let costs = setup.costs;
        Frontier::new(setup.graph, costs, setup.insertion).run(|frontier| {
            frontier.least(|task, starts| {
                let (mut first, mut second, mut best) = (Time::NEVER, Time::NEVER, 0);
                for (finish, processor) in finishes(costs, task, starts) {
                    if finish < first {
                        (second, first, best) = (first, finish, processor);
                    } else {
                        second = second.min(finish);
                    }
                }
                (Reverse(second - first), best)
            })
        })
    }
}
