//! Each rank sends to one and receives from one at a time: P − 1 steps.
//!
//! Each sends to the one so many ranks ahead and receives from the one as many behind, as Open MPI does; what comes in
//! takes the place of what has just left. (MPICH pairs ranks by exclusive or where their number is a power of two,
//! which takes as long.)

use super::{Collective, Method, Operation, Pattern, Plan, Time};

pub(super) struct Pairwise;

impl Method for Pairwise {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllToAll]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.blocks(vec![Pattern::Pairwise])
    }

    /// (P − 1)(α + βm).
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        Some(call.message(call.size) * u64::from(call.ranks - 1))
    }
}
