//! The binary tree in heap order.

use super::{Collective, Method, Operation, Plan, Time, Tree, closed};

pub(super) struct Binary;

impl Method for Binary {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.forward(Tree::Binary(call.ranks))
    }

    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        Some(closed::binary(call.ranks, (call.cost)(call.size)))
    }
}
