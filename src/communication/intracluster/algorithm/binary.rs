//! The binary tree in heap order.

use super::{Broadcast, Method};
use crate::communication::Plan;
use crate::communication::Segments;
use crate::communication::intracluster::{Tree, closed};
use crate::units::Time;

#[derive(Debug)]
pub(super) struct Binary;

impl Method for Binary {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::Forward { tree: Tree::Binary(broadcast.ranks), segments: Segments::whole(broadcast.message) }
    }

    fn completion(&self, broadcast: &Broadcast<'_>) -> Time {
        closed::binary(broadcast.ranks, (broadcast.cost)(broadcast.message))
    }
}
