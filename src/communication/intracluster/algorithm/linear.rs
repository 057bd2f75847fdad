//! The flat tree: no rank but the root sends.

use super::{Broadcast, Method};
use crate::communication::Plan;
use crate::communication::Segments;
use crate::communication::intracluster::{Tree, closed};
use crate::units::Time;

#[derive(Debug)]
pub(super) struct Linear;

impl Method for Linear {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::Forward { tree: Tree::Linear(broadcast.ranks), segments: Segments::whole(broadcast.message) }
    }

    fn completion(&self, broadcast: &Broadcast<'_>) -> Time {
        closed::linear(broadcast.ranks, (broadcast.cost)(broadcast.message))
    }
}
