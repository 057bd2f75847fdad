//! A reduction to a rank and a broadcast from it, both along the binomial tree.

use super::{Collective, Method, Operation, Pattern, Plan, Time, rounds};

pub(super) struct ReduceBroadcast;

impl Method for ReduceBroadcast {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllReduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.whole(vec![Pattern::Up { combine: true }, Pattern::Down { reach: call.ranks }])
    }

    /// log₂P(2α + 2βm + γm) for powers of two.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *call;
        let round = call.message(size) * 2 + (call.combine)(size);
        ranks.is_power_of_two().then(|| round * u64::from(rounds(ranks)))
    }
}
