//! The binomial tree, nearest rank first, segment by segment.

use super::{Collective, Method, Operation, Plan, Tree};

pub(super) struct SegmentedBinomial;

impl Method for SegmentedBinomial {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.segmented(Tree::Binomial(call.ranks))
    }

    fn cuts(&self) -> bool {
        true
    }
}
