//! Each half of the message goes down one side of a binary tree, cut into segments; then the sides swap halves.

use super::{Collective, Method, Operation, Plan};
use crate::tree;

pub(super) struct SplitBinary;

impl Method for SplitBinary {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        Plan::SplitBinary(tree::SplitBinary::new(call.ranks, call.size, call.segment))
    }

    fn cuts(&self) -> bool {
        true
    }
}
