//! The binary tree in heap order, segment by segment.

use super::{Collective, Method, Operation, Plan, Tree};

pub(super) struct SegmentedBinary;

impl Method for SegmentedBinary {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.segmented(Tree::Binary(call.ranks))
    }

    fn cuts(&self) -> bool {
        true
    }
}
