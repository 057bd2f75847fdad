//! All exchange what they have with the partner at distance 1, then 2, 4 and so on.

use super::{Collective, Method, Operation, StepPlan};
use crate::communication::collective::cost::Cost;
use crate::communication::collective::fold::Fold;
use crate::communication::collective::pattern::Pattern;
use crate::communication::rounds::rounds;
use crate::units::Time;

pub(super) struct RecursiveDoubling;

impl Method for RecursiveDoubling {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather, Operation::AllReduce, Operation::Barrier]
    }

    fn plan(&self, collective: &Collective) -> StepPlan {
        // In an all-gather a member brings its own block, and that of the rank that stands aside for it.
        let gathers = collective.operation == Operation::AllGather;
        let (slots, combine) = (collective.slots(if gathers { collective.ranks } else { 1 }), !gathers);
        let stages = vec![Pattern::HandOver { combine }, Pattern::Doubling { combine }, Pattern::HandBack];
        StepPlan::new(collective, slots, Fold::in_pairs(collective.ranks), stages)
    }

    /// log₂P(α + βm + γm); for the all-gather log₂P·α + (P − 1)βm.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *collective;
        ranks.is_power_of_two().then(|| match operation {
            Operation::AllGather => cost.doubling(ranks, size),
            Operation::AllReduce => (cost.message(size) + cost.combine(size)) * u64::from(rounds(ranks)),
            _ => cost.message(size) * u64::from(rounds(ranks)),
        })
    }
}
