//! The binary tree in heap order, with segments.

use super::{Broadcast, Method};
use crate::communication::Plan;
use crate::communication::Segments;
use crate::communication::intracluster::Tree;

#[derive(Debug)]
pub(super) struct SegmentedBinary;

impl Method for SegmentedBinary {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::Forward {
            tree: Tree::Binary(broadcast.ranks),
            segments: Segments::new(broadcast.message, broadcast.segment),
        }
    }
}
