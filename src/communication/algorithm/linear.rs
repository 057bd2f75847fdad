//! Everyone deals with the root alone, or with all others, one after the other. A broadcast goes down the flat tree.

use super::{Collective, Local, Method, Operation, Part, Pattern, Plan, Time, Tree, Who, closed};

pub(super) struct Linear;

impl Method for Linear {
    fn operations(&self) -> &'static [Operation] {
        use Operation::{AllToAll, Barrier, Broadcast, Gather, Reduce, Scan, Scatter};
        &[Broadcast, Scatter, Gather, Reduce, Scan, AllToAll, Barrier]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        use Operation::{AllToAll, Barrier, Gather, Reduce, Scan, Scatter};
        let copy = |who, part| Pattern::Local(Local::copy(who, part));
        let allocate = |who, part| Pattern::Local(Local::allocate(who, part));
        match call.operation {
            Scatter => call.blocks(vec![copy(Who::Root, Part::Own), Pattern::Outward]),
            Gather => call.blocks(vec![copy(Who::Root, Part::Own), Pattern::Inward { combine: false }]),
            AllToAll => call.blocks(vec![copy(Who::All, Part::Own), Pattern::AllAtOnce]),
            Reduce => call.whole(vec![allocate(Who::Root, Part::All), Pattern::Inward { combine: true }]),
            Scan => call.whole(vec![copy(Who::All, Part::All), allocate(Who::Others, Part::All), Pattern::ToNext]),
            Barrier => call.whole(vec![Pattern::Inward { combine: true }, Pattern::Outward]),
            _ => call.forward(Tree::Linear(call.ranks)),
        }
    }

    /// (P − 1)(α + βm), for the barrier twice; (P − 1)(α + βm + γm) for the scan.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let (others, message) = (u64::from(call.ranks - 1), call.message(call.size));
        Some(match call.operation {
            Operation::Broadcast => closed::linear(call.ranks, (call.cost)(call.size)),
            // What comes in while the root combines waits for it; or it waits for what comes in.
            Operation::Reduce => {
                let combine = (call.combine)(call.size);
                message + message.max(combine) * (others - 1) + combine
            }
            Operation::Scan => (message + (call.combine)(call.size)) * others,
            Operation::Barrier => message * (2 * others),
            _ => message * others,
        })
    }
}
