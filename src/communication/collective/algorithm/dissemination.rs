//! Everyone tells the rank at distance 1, then 2, 4 and so on around a circle: ⌈log₂P⌉ steps for any number of ranks.
//!
//! D. Hensgen, R. Finkel, U. Manber, *Two algorithms for barrier synchronization*, Int. J. Parallel Program. 17(1),
//! 1988.

use super::{Collective, Method, Operation, StepPlan};
use crate::communication::collective::cost::Cost;
use crate::communication::collective::pattern::Pattern;
use crate::communication::rounds::rounds;
use crate::units::Time;

pub(super) struct Dissemination;

impl Method for Dissemination {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Barrier]
    }

    fn plan(&self, collective: &Collective) -> StepPlan {
        collective.whole(vec![Pattern::Circle { ahead: true, combine: true }])
    }

    /// ⌈log₂P⌉α.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        Some(cost.message(collective.size) * u64::from(rounds(collective.ranks)))
    }
}
