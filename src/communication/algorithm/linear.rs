//! Everyone deals with the root alone, or with all others, one after the other. A broadcast goes down the flat tree.

use super::{Collective, Method, Operation, Pattern, Plan, Time, Tree, closed};

pub(super) struct Linear;

impl Method for Linear {
    fn operations(&self) -> &'static [Operation] {
        use Operation::{AllToAll, Barrier, Broadcast, Gather, Reduce, Scatter};
        &[Broadcast, Scatter, Gather, Reduce, AllToAll, Barrier]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        use Operation::{AllToAll, Barrier, Gather, Reduce, Scatter};
        match call.operation {
            Scatter => call.blocks(vec![Pattern::Outward]),
            Gather => call.blocks(vec![Pattern::Inward { combine: false }]),
            AllToAll => call.blocks(vec![Pattern::AllAtOnce]),
            Reduce => call.whole(vec![Pattern::Inward { combine: true }]),
            Barrier => call.whole(vec![Pattern::Inward { combine: true }, Pattern::Outward]),
            _ => call.forward(Tree::Linear(call.ranks)),
        }
    }

    /// (P − 1)(α + βm), for the barrier twice.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let (others, message) = (u64::from(call.ranks - 1), call.message(call.size));
        Some(match call.operation {
            Operation::Broadcast => closed::linear(call.ranks, (call.cost)(call.size)),
            // What comes in while the root combines waits for it; or it waits for what comes in.
            Operation::Reduce => {
                let combine = (call.combine)(call.size);
                message + message.max(combine) * (others - 1) + combine
            }
            Operation::Barrier => message * (2 * others),
            _ => message * others,
        })
    }
}
