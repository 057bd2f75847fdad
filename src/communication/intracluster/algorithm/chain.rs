//! The chain without segments.

use super::{Broadcast, Method};
use crate::communication::Plan;
use crate::communication::Segments;
use crate::communication::intracluster::{Tree, closed};
use crate::units::Time;

#[derive(Debug)]
pub(super) struct Chain;

impl Method for Chain {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::Forward { tree: Tree::Chain(broadcast.ranks), segments: Segments::whole(broadcast.message) }
    }

    fn completion(&self, broadcast: &Broadcast<'_>) -> Time {
        closed::chain(broadcast.ranks, (broadcast.cost)(broadcast.message))
    }
}
