//! Blocks go one by one to the rank at the greatest power of two, then at half of it, and so on.
//!
//! W. L. Jesus, M. A. da Silva et al., *Sparbit: a new logarithmic-cost and data locality-aware MPI Allgather algorithm*,
//! CCGrid 2021; Open MPI's `coll_base_allgather.c`.

use super::{Collective, Local, Method, Operation, Pattern, Plan, Portion, Rounds, Time, Who};

pub(super) struct Sparbit;

impl Method for Sparbit {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.blocks(vec![Pattern::Local(Local::copy(Who::All, Portion::Own)), Pattern::Rounds(Rounds::Sparbit)])
    }

    /// (P − 1)(α + βm).
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        Some(call.message(call.size) * u64::from(call.ranks - 1))
    }
}
