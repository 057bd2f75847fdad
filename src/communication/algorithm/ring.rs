//! Blocks are passed around a ring (bucket algorithm).
//!
//! For the all-reduce a part is combined at each stop on its first way around, and handed out on its second.

use super::{Collective, Fold, Method, Operation, Pattern, Plan, Time};

pub(super) struct Ring;

impl Method for Ring {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather, Operation::AllReduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        match call.operation {
            Operation::AllGather => call.blocks(vec![Pattern::Ring]),
            _ => call.parts(Fold::none(call.ranks), |_| vec![Pattern::TwoRings]),
        }
    }

    /// (P − 1)(α + βm); for the all-reduce 2(P − 1)α + (P − 1)/P·(2β + γ)m where P divides m.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *call;
        let steps = u64::from(ranks - 1);
        if operation == Operation::AllGather {
            return Some(call.message(size) * steps);
        }
        let part = size / u64::from(ranks);
        let even = size.is_multiple_of(u64::from(ranks));
        even.then(|| (call.message(part) * 2 + (call.combine)(part)) * steps)
    }
}
