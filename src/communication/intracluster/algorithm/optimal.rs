//! The greedy tree, which follows from the cost of a message.

use super::{Broadcast, Method};
use crate::communication::Plan;
use crate::communication::Segments;
use crate::communication::intracluster::{greedy, optimal_time};
use crate::units::Time;

#[derive(Debug)]
pub(super) struct Optimal;

impl Method for Optimal {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::Forward {
            tree: greedy(broadcast.ranks, (broadcast.cost)(broadcast.message)),
            segments: Segments::whole(broadcast.message),
        }
    }

    fn completion(&self, broadcast: &Broadcast<'_>) -> Time {
        optimal_time(broadcast.ranks, (broadcast.cost)(broadcast.message))
    }
}
