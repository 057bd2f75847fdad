//! The binomial tree, smallest subtrees first, with segments.

use super::{Broadcast, Method};
use crate::communication::Plan;
use crate::communication::Segments;
use crate::communication::intracluster::Tree;

#[derive(Debug)]
pub(super) struct SegmentedBinomial;

impl Method for SegmentedBinomial {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::Forward {
            tree: Tree::Binomial(broadcast.ranks),
            segments: Segments::new(broadcast.message, broadcast.segment),
        }
    }
}
