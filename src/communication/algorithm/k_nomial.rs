//! The k-nomial tree; its usual radix is Open MPI's.

use super::{Collective, Method, Operation, Plan, Tree};

pub(super) struct KNomial;

impl Method for KNomial {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.forward(Tree::KNomial { ranks: call.ranks, radix: call.radix })
    }
}
