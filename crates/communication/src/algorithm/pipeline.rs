//! The chain, segment by segment.

use super::{Collective, Combining, Method, Operation, Plan, Segments, Time, Tree, closed};

pub(super) struct Pipeline;

impl Method for Pipeline {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast, Operation::Reduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        if call.operation == Operation::Reduce {
            return Plan::Steps(
                call.combined(Combining::Tree(Tree::Chains { ranks: call.ranks, fanout: call.fanout })),
            );
        }
        if call.fanout > 1 {
            return call.segmented(Tree::Chains { ranks: call.ranks, fanout: call.fanout });
        }
        call.segmented(Tree::Chain(call.ranks))
    }

    /// Where the last segment, which may be shorter, is held up by the one before it and never overtakes.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        if call.operation != Operation::Broadcast || call.fanout > 1 {
            return None;
        }
        let segments = Segments::new(call.size, call.segment);
        let (full, last) = ((call.cost)(segments.full()), (call.cost)(segments.last()));
        let in_order = last.hop <= full.hop && last.gap <= full.gap && full.hop <= full.gap + last.hop;
        in_order.then(|| closed::pipeline(call.ranks, segments, call.cost))
    }

    fn cuts(&self) -> bool {
        true
    }
}
