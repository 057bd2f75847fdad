//! Members exchange halves of what they have with the partner at the greatest distance, then half of it, and so on, and
//! combine what they receive, until each has its own block.
//!
//! Of a number of ranks that is no power of two, some hand over all that they have first, and are handed their block at
//! the end, as in MPICH and Open MPI (`coll_base_reduce_scatter.c`).

use super::{Collective, Fold, Local, Method, Operation, Pattern, Plan, Portion, Time, Who, masks};

pub(super) struct RecursiveHalving;

impl Method for RecursiveHalving {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::ReduceScatter]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let [result, arriving] =
            [Portion::All, Portion::Half].map(|part| Pattern::Local(Local::allocate(Who::All, part)));
        let [all, own] = [(Who::All, Portion::All), (Who::Members, Portion::Own)]
            .map(|(who, part)| Pattern::Local(Local::copy(who, part)));
        let combine = Pattern::HandOver { combine: true };
        let stages = vec![result, arriving, all, combine, Pattern::Halving, own, Pattern::HandOwn];
        call.steps(call.slots(call.ranks), Fold::into_odd(call.ranks), stages)
    }

    /// log₂P·α + (P − 1)(β + γ)m, where P is a power of two.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *call;
        let combined = masks(ranks).map(|mask| (call.combine)(size.saturating_mul(u64::from(mask))));
        ranks.is_power_of_two().then(|| call.doubling(size) + combined.fold(Time::ZERO, |sum, one| sum + one))
    }
}
