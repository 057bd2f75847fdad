//! Split-binary, with both halves cut into segments.

use super::{Broadcast, Method};
use crate::communication::Plan;
use crate::communication::intracluster;

#[derive(Debug)]
pub(super) struct SplitBinary;

impl Method for SplitBinary {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::SplitBinary(intracluster::SplitBinary::new(broadcast.ranks, broadcast.message, broadcast.segment))
    }
}
