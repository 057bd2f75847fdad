//! The binomial tree whose ranks send to their largest subtrees first.

use super::{Broadcast, Method};
use crate::communication::Plan;
use crate::communication::Segments;
use crate::communication::intracluster::{Tree, closed};
use crate::units::Time;

#[derive(Debug)]
pub(super) struct BinomialMpich;

impl Method for BinomialMpich {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::Forward {
            tree: Tree::BinomialLargestFirst(broadcast.ranks),
            segments: Segments::whole(broadcast.message),
        }
    }

    fn completion(&self, broadcast: &Broadcast<'_>) -> Time {
        closed::binomial_largest_first(broadcast.ranks, (broadcast.cost)(broadcast.message))
    }
}
