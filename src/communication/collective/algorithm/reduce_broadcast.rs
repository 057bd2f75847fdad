//! A reduction to a rank and a broadcast from it, both along the binomial tree.

use super::{Collective, Method, Operation, StepPlan};
use crate::communication::collective::cost::Cost;
use crate::communication::collective::pattern::Pattern;
use crate::communication::rounds::rounds;
use crate::units::Time;

pub(super) struct ReduceBroadcast;

impl Method for ReduceBroadcast {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllReduce]
    }

    fn plan(&self, collective: &Collective) -> StepPlan {
        collective.whole(vec![Pattern::Up { combine: true }, Pattern::Down { reach: collective.ranks }])
    }

    /// log₂P(2α + 2βm + γm) for powers of two.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *collective;
        let round = cost.message(size) * 2 + cost.combine(size);
        ranks.is_power_of_two().then(|| round * u64::from(rounds(ranks)))
    }
}
