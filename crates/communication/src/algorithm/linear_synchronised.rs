//! A gather in which the root asks one rank after the other for the first bytes of its block, and an all-to-all with a
//! window of messages under way at once (Open MPI's `coll_base_gather.c`, `coll_base_alltoall.c`).
//!
//! Open MPI replaces each message of the window when any of it is done; here all of a window are waited for.

use super::{Collective, Local, Method, Operation, Pattern, Plan, Portion, Shifts, Synchronised, Time, Who};

pub(super) struct LinearSynchronised;

impl Method for LinearSynchronised {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Gather, Operation::AllToAll]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        if call.operation == Operation::Gather {
            let first = if call.segment == 0 { u64::MAX } else { call.segment };
            let copy = Pattern::Local(Local::copy(Who::Root, Portion::Own));
            let asked = Pattern::Synchronised(Synchronised { first, others: call.others() });
            return call.blocks(vec![asked, copy]);
        }
        let copy = Pattern::Local(Local::copy(Who::All, Portion::Own));
        let others = call.ranks - 1;
        let messages = match call.window {
            0 => Pattern::Shifts(Shifts::AllAtOnce),
            window if window >= others => Pattern::Shifts(Shifts::AllAtOnce),
            window => Pattern::Shifts(Shifts::Window(window)),
        };
        call.blocks(vec![copy, messages])
    }

    /// (P − 1)(α + βm) for an all-to-all without a window.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let is_one = call.operation == Operation::AllToAll && call.window == 0;
        is_one.then(|| call.message(call.size) * u64::from(call.ranks - 1))
    }
}
