//! A reduction up a binary tree whose subtrees are neighbouring ranges of ranks, to the last rank, which sends the outcome
//! to the root: for operations that are not commutative (Open MPI's `coll_base_reduce.c`).

use super::{Collective, Combining, Method, Operation, Plan};

pub(super) struct InOrderBinary;

impl Method for InOrderBinary {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Reduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        Plan::Steps(call.combined(Combining::InOrder(call.ranks)))
    }

    fn cuts(&self) -> bool {
        true
    }
}
