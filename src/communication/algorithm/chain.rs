//! Every rank passes the whole message on to the next.

use super::{Collective, Method, Operation, Plan, Time, Tree, closed};

pub(super) struct Chain;

impl Method for Chain {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.forward(Tree::Chain(call.ranks))
    }

    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        Some(closed::chain(call.ranks, (call.cost)(call.size)))
    }
}
