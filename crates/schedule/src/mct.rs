//! Minimum completion time: takes ready tasks by number and puts each where it ends first.
//!
//! Braun et al. 2001, doi:10.1006/jpdc.2000.1714, where tasks arrive in arbitrary order.
//!
//! O((n + e)·P + n·log n).

use super::list::{by_number, in_order};
use super::{Rule, Schedule, Setup};

#[derive(Debug)]
pub(super) struct Mct;

impl Rule for Mct {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone has one lifetime, and not any")]
        in_order(setup, &by_number(setup.graph), |partial, task| partial.first_finish(task))
    }
}
