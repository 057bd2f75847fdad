//! All exchange what they have with the partner at distance 1, then 2, 4 and so on.

use super::{Collective, Fold, Method, Operation, Pattern, Plan, Time, rounds};

pub(super) struct RecursiveDoubling;

impl Method for RecursiveDoubling {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather, Operation::AllReduce, Operation::Barrier]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        // In an all-gather a member brings its own block, and that of the rank that stands aside for it.
        let gathers = call.operation == Operation::AllGather;
        let (slots, combine) = (call.slots(if gathers { call.ranks } else { 1 }), !gathers);
        let stages = vec![Pattern::HandOver { combine }, Pattern::Doubling { combine }, Pattern::HandBack];
        call.steps(slots, Fold::in_pairs(call.ranks), stages)
    }

    /// log₂P(α + βm + γm); for the all-gather log₂P·α + (P − 1)βm.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *call;
        ranks.is_power_of_two().then(|| match operation {
            Operation::AllGather => call.doubling(size),
            Operation::AllReduce => (call.message(size) + (call.combine)(size)) * u64::from(rounds(ranks)),
            _ => call.message(size) * u64::from(rounds(ranks)),
        })
    }
}
