//! Blocks are passed around a ring (bucket algorithm).
//!
//! For the all-reduce a part is combined at each stop on its first way around, and handed out on its second.

use super::{Collective, Method, Operation, StepPlan};
use crate::communication::collective::cost::Cost;
use crate::communication::collective::fold::Fold;
use crate::communication::collective::pattern::Pattern;
use crate::units::Time;

pub(super) struct Ring;

impl Method for Ring {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather, Operation::AllReduce]
    }

    fn plan(&self, collective: &Collective) -> StepPlan {
        match collective.operation {
            Operation::AllGather => collective.blocks(vec![Pattern::Ring]),
            _ => collective.parts(Fold::none(collective.ranks), |_| vec![Pattern::TwoRings]),
        }
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
