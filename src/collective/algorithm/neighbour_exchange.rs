//! Pairs of blocks are exchanged with the one neighbour, then with the other, in P/2 steps.
//!
//! J. Chen, L. Zhang, Y. Zhang, W. Yuan, *Performance evaluation of allgather algorithms on terascale Linux cluster with
//! fast Ethernet*, HPC Asia 2005. For an even number of ranks.

use super::{Collective, Method, Operation, Plan};
use crate::collective::blocks::Blocks;
use crate::collective::cost::Cost;
use crate::units::Time;

pub(super) struct NeighbourExchange;

impl Method for NeighbourExchange {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather]
    }

    fn plan(&self, collective: &Collective) -> Plan {
        let ranks = collective.ranks;
        let mut plan = collective.blocks(ranks);
        for rank in 0..ranks {
            plan.send(rank, rank ^ 1, Blocks::Range { first: rank, count: 1 });
            plan.receive(rank, rank ^ 1, Blocks::Range { first: rank ^ 1, count: 1 });
        }
        for step in 1..ranks / 2 {
            for rank in 0..ranks {
                // Even ranks turn to the one before them in odd steps, odd ranks to the one after them.
                let partner = match (rank % 2 == 0, step % 2 == 1) {
                    (_, false) => rank ^ 1,
                    (true, true) => (rank + ranks - 1) % ranks,
                    (false, true) => (rank + 1) % ranks,
                };
                let pair = |rank| Blocks::Range { first: 2 * latest(rank, step - 1, ranks / 2), count: 2 };
                plan.send(rank, partner, pair(rank));
                plan.receive(rank, partner, pair(partner));
            }
        }
        plan.finish()
    }

    /// (P/2)α + (P − 1)βm.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *collective;
        Some(cost.message(size) + cost.message(size.saturating_mul(2)) * u64::from(ranks / 2 - 1))
    }

    fn messages(&self, _: Operation, ranks: u64) -> u64 {
        ranks * ranks / 2
    }

    fn in_pairs(&self) -> bool {
        true
    }
}

/// The pair of blocks (of `pairs`) that a rank got in a step: pairs come from both sides in turn, from further away each time.
const fn latest(rank: u32, step: u32, pairs: u32) -> u32 {
    let (own, distance) = (rank / 2, step.div_ceil(2));
    // An even rank has pairs from before it in odd steps, an odd rank from after it.
    let before = rank.is_multiple_of(2) != step.is_multiple_of(2);
    if before { (own + pairs - distance) % pairs } else { (own + distance) % pairs }
}
