//! The binary tree of `binary`, segment by segment.

use super::{Collective, Combining, Method, Operation, Plan, Tree};

pub(super) struct SegmentedBinary;

impl Method for SegmentedBinary {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast, Operation::Reduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        if call.operation == Operation::Reduce {
            return Plan::Steps(call.combined(Combining::Tree(Tree::BinaryInterleaved(call.ranks))));
        }
        call.segmented(Tree::Binary(call.ranks))
    }

    fn cuts(&self) -> bool {
        true
    }
}
