//! The binomial tree whose ranks send to their smallest subtrees first.

use super::{Broadcast, Method};
use crate::communication::Plan;
use crate::communication::Segments;
use crate::communication::intracluster::{Tree, closed};
use crate::units::Time;

#[derive(Debug)]
pub(super) struct Binomial;

impl Method for Binomial {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::Forward { tree: Tree::Binomial(broadcast.ranks), segments: Segments::whole(broadcast.message) }
    }

    fn completion(&self, broadcast: &Broadcast<'_>) -> Time {
        closed::binomial(broadcast.ranks, (broadcast.cost)(broadcast.message))
    }
}
