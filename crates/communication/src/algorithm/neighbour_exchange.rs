//! Pairs of blocks are exchanged with the one neighbour, then with the other, in P/2 steps.
//!
//! J. Chen, L. Zhang, Y. Zhang, W. Yuan, *Performance evaluation of allgather algorithms on terascale Linux cluster
//! with fast Ethernet*, HPC Asia 2005. For an even number of ranks.

use super::{Collective, Local, Method, Operation, Pattern, Plan, Portion, Shifts, Time, Who};

pub(super) struct NeighbourExchange;

impl Method for NeighbourExchange {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.blocks(vec![Pattern::Local(Local::copy(Who::All, Portion::Own)), Pattern::Shifts(Shifts::Neighbours)])
    }

    /// (P/2)α + (P − 1)βm.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *call;
        Some(call.message(size) + call.message(size.saturating_mul(2)) * u64::from(ranks / 2 - 1))
    }

    fn in_pairs(&self) -> bool {
        true
    }
}
