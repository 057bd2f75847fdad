//! Everyone tells the rank at distance 1, then 2, 4 and so on around a circle: ⌈log₂P⌉ steps for any number of ranks.
//!
//! D. Hensgen, R. Finkel, U. Manber, *Two algorithms for barrier synchronization*, Int. J. Parallel Program. 17(1),
//! 1988.

use super::{Collective, Method, Operation, Pattern, Plan, Shifts, Time, rounds};

pub(super) struct Dissemination;

impl Method for Dissemination {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Barrier]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.whole(vec![Pattern::Shifts(Shifts::Circle { ahead: true, combine: true })])
    }

    /// ⌈log₂P⌉α.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        Some(call.message(call.size) * u64::from(rounds(call.ranks)))
    }
}
