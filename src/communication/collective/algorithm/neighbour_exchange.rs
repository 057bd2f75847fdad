//! Pairs of blocks are exchanged with the one neighbour, then with the other, in P/2 steps.
//!
//! J. Chen, L. Zhang, Y. Zhang, W. Yuan, *Performance evaluation of allgather algorithms on terascale Linux cluster
//! with fast Ethernet*, HPC Asia 2005. For an even number of ranks.

use super::{Collective, Method, Operation, StepPlan};
use crate::communication::collective::cost::Cost;
use crate::communication::collective::pattern::Pattern;
use crate::units::Time;

pub(super) struct NeighbourExchange;

impl Method for NeighbourExchange {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather]
    }

    fn plan(&self, collective: &Collective) -> StepPlan {
        collective.blocks(vec![Pattern::Neighbours])
    }

    /// (P/2)α + (P − 1)βm.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *collective;
        Some(cost.message(size) + cost.message(size.saturating_mul(2)) * u64::from(ranks / 2 - 1))
    }

    fn in_pairs(&self) -> bool {
        true
    }
}
