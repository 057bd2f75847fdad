//! Parts of the message are scattered along a binomial tree, then passed around a ring (van de Geijn's broadcast).

use super::{Collective, Fold, Method, Operation, Pattern, Plan, Shifts, Time};

pub(super) struct ScatterRing;

impl Method for ScatterRing {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.parts(Fold::none(call.ranks), |slots| {
            vec![Pattern::Down { reach: slots.filled() }, Pattern::Shifts(Shifts::Ring)]
        })
    }

    /// (log₂P + P − 1)α + 2(P − 1)/P·βm, where P is a power of two that divides m, which is not 0: of nothing, nothing is
    /// scattered.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *call;
        let part = size / u64::from(ranks);
        let even = ranks.is_power_of_two() && size.is_multiple_of(u64::from(ranks));
        (even && size > 0).then(|| call.doubling(part) + call.message(part) * u64::from(ranks - 1))
    }
}
