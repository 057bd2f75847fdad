//! Bruck's all-gather in base k: in step i a rank sends what it has to the k − 1 ranks at distances k^i, 2k^i, … before
//! it, all at once (Open MPI's `coll_base_allgather.c`). Base 2 is [`bruck`](super::bruck).

use super::bruck::shuffled;
use super::{Collective, Method, Operation, Pattern, Plan, Rounds};

pub(super) struct KBruck;

impl Method for KBruck {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.blocks(shuffled(Pattern::Rounds(Rounds::Bruck { radix: call.radix.max(2) })))
    }
}
