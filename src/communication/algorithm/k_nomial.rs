//! The k-nomial tree with Open MPI's default radix.

use super::{Collective, Method, Operation, Plan, Tree};

pub(super) struct KNomial;

impl Method for KNomial {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.forward(Tree::KNomial { ranks: call.ranks, radix: 4 })
    }
}
