//! Parts of the message are scattered along a binomial tree, then gathered by all by recursive doubling.
//!
//! Of P ranks the first 2^k take part, the greatest power of two; each rank from 2^k on is sent the whole message at
//! the end, by the one 2^k below it.

use super::{Collective, Fold, Method, Operation, Pattern, Plan, Time};

pub(super) struct ScatterRecursiveDoubling;

impl Method for ScatterRecursiveDoubling {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.parts(Fold::at_end(call.ranks), |slots| {
            let down = Pattern::Down { reach: slots.filled() };
            vec![down, Pattern::Doubling { combine: false }, Pattern::HandBack]
        })
    }

    /// 2·log₂P·α + 2(P − 1)/P·βm, where P is a power of two that divides m, which is not 0: of nothing, nothing is
    /// scattered.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *call;
        let part = size / u64::from(ranks);
        let even = ranks.is_power_of_two() && size.is_multiple_of(u64::from(ranks));
        (even && size > 0).then(|| call.doubling(part) * 2)
    }
}
