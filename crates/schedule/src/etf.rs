//! Earliest task first: picks the ready task and the processor with the earliest start. Ties go to the task with the
//! highest static level (mean durations, no communication), then to the processor with the lowest number.
//!
//! Hwang, Chow, Anger, Lee: Scheduling precedence graphs in systems with interprocessor communication times. SIAM
//! Journal on Computing 18(2), 1989, doi:10.1137/0218016.
//!
//! O(n·r·P + e·P) with at most r tasks ready at once: quadratic for wide graphs.

use std::cmp::Reverse;

use super::frontier::Frontier;
use super::{Rule, Schedule, Setup, rank};
use hetsim_base::units::Time;

#[derive(Debug)]
pub(super) struct Etf;

impl Rule for Etf {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let Setup { graph, costs, .. } = *setup;
        let levels = rank::static_levels(graph, costs);
        Frontier::new(graph, costs, setup.insertion).run(|frontier| {
            frontier.least(|task, starts| {
                let (start, processor) =
                    starts.iter().zip(0u32..).min_by_key(|pair| pair.0).unwrap_or((&Time::ZERO, 0));
                ((*start, Reverse(levels[task as usize])), processor)
            })
        })
    }
}
