//! A reduction of all blocks to the root along the binomial tree, then a scatter from it (Open MPI's non-overlapping
//! reduce-scatter, whose two halves are what the library would choose).

use super::{Collective, Local, Method, Operation, Part, Pattern, Plan, Who};

pub(super) struct ReduceThenScatter;

impl Method for ReduceThenScatter {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::ReduceScatter]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let buffer = Pattern::Local(Local::allocate(Who::Parents(1), Part::All));
        let copy = Pattern::Local(Local::copy(Who::Root, Part::Own));
        call.blocks(vec![buffer, Pattern::Up { combine: true }, Pattern::Outward, copy])
    }
}
