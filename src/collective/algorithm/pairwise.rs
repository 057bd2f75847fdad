//! Each rank sends to one and receives from one at a time: P − 1 steps.
//!
//! The partner differs in some bits where the number of ranks is a power of two; otherwise each sends to the one so many
//! ranks ahead and receives from the one as many behind.

use super::{Collective, Method, Operation, Plan};
use crate::collective::blocks::Blocks;
use crate::collective::cost::Cost;
use crate::units::Time;

pub(super) struct Pairwise;

impl Method for Pairwise {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllToAll]
    }

    fn plan(&self, collective: &Collective) -> Plan {
        let ranks = collective.ranks;
        let mut plan = collective.blocks(ranks);
        for step in 1..ranks {
            for rank in 0..ranks {
                let (to, from) = if ranks.is_power_of_two() {
                    (rank ^ step, rank ^ step)
                } else {
                    ((rank + step) % ranks, (rank + ranks - step) % ranks)
                };
                // The slot's number says how far its block goes.
                let slot = |from: u32, to: u32| Blocks::Range { first: (to + ranks - from) % ranks, count: 1 };
                plan.send(rank, to, slot(rank, to));
                plan.receive(rank, from, slot(from, rank));
            }
        }
        plan.finish()
    }

    /// (P − 1)(α + βm).
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        Some(cost.message(collective.size) * u64::from(collective.ranks - 1))
    }

    fn messages(&self, _: Operation, ranks: u64) -> u64 {
        ranks * ranks
    }
}
