//! The segmented chain.

use super::{Broadcast, Method};
use crate::communication::Plan;
use crate::communication::Segments;
use crate::communication::intracluster::Tree;
use crate::communication::intracluster::closed;
use crate::units::Time;

#[derive(Debug)]
pub(super) struct Pipeline;

impl Method for Pipeline {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::Forward { tree: Tree::Chain(broadcast.ranks), segments: segments(broadcast) }
    }

    fn completion(&self, broadcast: &Broadcast<'_>) -> Time {
        let (ranks, segments, cost) = (broadcast.ranks, segments(broadcast), broadcast.cost);
        let (full, last) = (cost(segments.full()), cost(segments.last()));
        // Where the last segment, which may be shorter, is held up by the one before it and never overtakes.
        let in_order = last.hop <= full.hop && last.gap <= full.gap && full.hop <= full.gap + last.hop;
        if in_order { closed::pipeline(ranks, segments, cost) } else { self.plan(broadcast).completion(cost) }
    }
}

fn segments(broadcast: &Broadcast<'_>) -> Segments {
    Segments::new(broadcast.message, broadcast.segment)
}
