//! The root sends to all other ranks at once, and waits for all (Open MPI's `coll_base_scatter.c`).

use super::{Collective, Local, Method, Operation, Part, Pattern, Plan, Time, Who};

pub(super) struct LinearNonblocking;

impl Method for LinearNonblocking {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Scatter]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.blocks(vec![Pattern::OutwardAtOnce, Pattern::Local(Local::copy(Who::Root, Part::Own))])
    }

    /// (P − 1)(α + βm): the messages still share the root's port.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        Some(call.message(call.size) * u64::from(call.ranks - 1))
    }
}
