//! The binary tree in heap order; for a reduction, that of Open MPI, to which the rule is written.

use super::{Collective, Combining, Method, Operation, Plan, Time, Tree, closed};

pub(super) struct Binary;

impl Method for Binary {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast, Operation::Reduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        if call.operation == Operation::Reduce {
            return Plan::Steps(
                Collective { segment: 0, ..*call }.combined(Combining::Tree(Tree::BinaryInterleaved(call.ranks))),
            );
        }
        call.forward(Tree::Binary(call.ranks))
    }

    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        (call.operation == Operation::Broadcast).then(|| closed::binary(call.ranks, (call.cost)(call.size)))
    }
}
