//! Each rank sends to one and receives from one at a time: P − 1 steps.
//!
//! Each sends to the one so many ranks ahead and receives from the one as many behind, as Open MPI does; what comes in
//! takes the place of what has just left. (MPICH pairs ranks by exclusive or where their number is a power of two,
//! which takes as long.)

use super::{Collective, Local, Method, Operation, Pattern, Plan, Portion, Shifts, Time, Who};

pub(super) struct Pairwise;

impl Method for Pairwise {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllToAll, Operation::ReduceScatter]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let copy = |part| Pattern::Local(Local::copy(Who::All, part));
        if call.operation == Operation::ReduceScatter {
            let buffer = Pattern::Local(Local::allocate(Who::All, Portion::Own));
            return call.blocks(vec![copy(Portion::Own), buffer, Pattern::Shifts(Shifts::PairwiseCombine)]);
        }
        call.blocks(vec![Pattern::Shifts(Shifts::Pairwise), copy(Portion::Own)])
    }

    /// (P − 1)(α + βm), with γm for the reduce-scatter.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let reduces = call.operation == Operation::ReduceScatter;
        let combine = if reduces { (call.combine)(call.size) } else { Time::ZERO };
        Some((call.message(call.size) + combine) * u64::from(call.ranks - 1))
    }
}
