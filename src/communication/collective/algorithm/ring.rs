//! Blocks are passed around a ring (bucket algorithm).
//!
//! For the all-reduce a part is combined at each stop on its first way around, and handed out on its second.

use super::{Collective, Method, Operation};
use crate::communication::collective::blocks::Blocks;
use crate::communication::collective::builder::Builder;
use crate::communication::collective::cost::Cost;
use crate::communication::collective::regular::Pattern;
use crate::units::Time;

pub(super) struct Ring;

impl Method for Ring {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather, Operation::AllReduce]
    }

    fn regular(&self, operation: Operation) -> Option<Pattern> {
        Some(if operation == Operation::AllGather { Pattern::Ring } else { Pattern::TwoRings })
    }

    /// (P − 1)(α + βm); for the all-reduce 2(P − 1)α + (P − 1)/P·(2β + γ)m where P divides m.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *collective;
        let steps = u64::from(ranks - 1);
        if operation == Operation::AllGather {
            return Some(cost.message(size) * steps);
        }
        let part = size / u64::from(ranks);
        let even = size.is_multiple_of(u64::from(ranks));
        even.then(|| (cost.message(part) * 2 + cost.combine(part)) * steps)
    }
}

/// Once around, with ranks at places: in each step the one at place p sends what it got in the last, which is slot p at
/// first.
pub(super) fn around(plan: &mut Builder, rank: impl Fn(u32) -> u32) {
    let ranks = plan.ranks();
    for step in 0..ranks - 1 {
        for place in 0..ranks {
            let slot = |place: u32| Blocks::Range { first: (place + ranks - step) % ranks, count: 1 };
            let (next, last) = ((place + 1) % ranks, (place + ranks - 1) % ranks);
            plan.send(rank(place), rank(next), slot(place));
            plan.receive(rank(place), rank(last), slot(last));
        }
    }
}
