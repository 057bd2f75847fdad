//! Every rank passes the whole message on to the next; with a fan-out, along several chains from the root.

use super::{Collective, Combining, Method, Operation, Plan, Time, Tree, closed};

pub(super) struct Chain;

impl Method for Chain {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast, Operation::Reduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        if call.operation == Operation::Reduce {
            return Plan::Steps(
                Collective { segment: 0, ..*call }
                    .combined(Combining::Tree(Tree::Chains { ranks: call.ranks, fanout: call.fanout })),
            );
        }
        if call.fanout > 1 {
            return call.forward(Tree::Chains { ranks: call.ranks, fanout: call.fanout });
        }
        call.forward(Tree::Chain(call.ranks))
    }

    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let combine = (call.combine)(call.size);
        (call.fanout < 2).then(|| match call.operation {
            Operation::Broadcast => closed::chain(call.ranks, (call.cost)(call.size)),
            _ => (call.message(call.size) + combine) * u64::from(call.ranks - 1),
        })
    }
}
