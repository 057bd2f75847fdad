//! The k-nomial tree; its usual radix is Open MPI's.

use super::{Collective, Combining, Method, Nomial, Operation, Pattern, Plan, Tree};

pub(super) struct KNomial;

impl Method for KNomial {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast, Operation::Scatter, Operation::Gather, Operation::Reduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let (ranks, radix) = (call.ranks, call.radix);
        let tree = Tree::KNomial { ranks, radix };
        match call.operation {
            Operation::Scatter => call.blocks(vec![Pattern::Nomial(Nomial { radix, up: false })]),
            Operation::Gather => call.blocks(vec![Pattern::Nomial(Nomial { radix, up: true })]),
            Operation::Reduce => Plan::Steps(Collective { segment: 0, ..*call }.combined(Combining::Tree(tree))),
            _ => call.forward(tree),
        }
    }
}
