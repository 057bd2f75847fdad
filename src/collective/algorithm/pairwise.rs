//! Each rank sends to one and receives from one at a time: P − 1 steps.
//!
//! Each sends to the one so many ranks ahead and receives from the one as many behind, as Open MPI does; what comes in takes
//! the place of what has just left. (MPICH pairs ranks by exclusive or where their number is a power of two, which takes as long.)

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
                // The slot's number says how far its block goes.
                let slot = Blocks::Range { first: step, count: 1 };
                plan.send(rank, (rank + step) % ranks, slot);
                plan.receive(rank, (rank + ranks - step) % ranks, slot);
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
