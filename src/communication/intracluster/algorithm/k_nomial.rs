//! The k-nomial tree with Open MPI's default radix.

use super::{Broadcast, Method};
use crate::communication::Plan;
use crate::communication::Segments;
use crate::communication::intracluster::Tree;

/// What Open MPI takes unless told otherwise.
const RADIX: u32 = 4;

#[derive(Debug)]
pub(super) struct KNomial;

impl Method for KNomial {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::Forward {
            tree: Tree::KNomial { ranks: broadcast.ranks, radix: RADIX },
            segments: Segments::whole(broadcast.message),
        }
    }
}
