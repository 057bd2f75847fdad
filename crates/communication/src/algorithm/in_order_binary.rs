//! A reduction up a binary tree whose subtrees are neighbouring ranges of numbers, to the rank with the last number, which
//! sends the outcome to the root unless it is the root: for operations that are not commutative (Open MPI's `coll_base_reduce.c`).

use super::{Collective, Combining, Method, Operation, Plan};

pub(super) struct InOrderBinary;

impl Method for InOrderBinary {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Reduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        Plan::Steps(call.combined(Combining::InOrder { ranks: call.ranks, root: call.root }))
    }

    fn cuts(&self) -> bool {
        true
    }
}
