//! Contiguous parts along a Bine butterfly; ranks put their blocks in its order, or back, by copying them.
//!
//! D. De Sensi, S. Pasqualoni et al., *Bine trees: enhancing collective operations by optimizing communication locality*,
//! SC '25; as their library does it (libbine in HLC-Lab/pico, `the `permute` variants, libbine_alltoall.c`).
//!
//! The all-to-all sends half of all blocks in each step, those that lie on the partner's side, and gathers them before.

use super::bine_remap::{numbered, reduce_scatter};
use super::{Collective, Local, Method, Operation, Pattern, Plan, Portion, Time, Who, masks};

pub(super) struct BinePermute;

impl Method for BinePermute {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather, Operation::ReduceScatter, Operation::AllToAll]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let copy = |part| Pattern::Local(Local::copy(Who::All, part));
        let stages = match call.operation {
            Operation::AllGather => vec![copy(Portion::Own), Pattern::Doubling { combine: false }, copy(Portion::All)],
            Operation::ReduceScatter => reduce_scatter(copy(Portion::All), vec![copy(Portion::Own)]),
            _ => {
                let buffer = Pattern::Local(Local::allocate(Who::All, Portion::All));
                vec![buffer, copy(Portion::All), Pattern::Exchange, copy(Portion::All)]
            }
        };
        call.steps(call.slots(call.ranks), numbered(call.ranks), stages)
    }

    /// log₂P·α + (P − 1)βm for the all-gather, with (P − 1)γm for the reduce-scatter; log₂P(α + (P/2)βm) for the
    /// all-to-all.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *call;
        let combined = masks(ranks).map(|mask| (call.combine)(size.saturating_mul(u64::from(mask))));
        Some(match operation {
            Operation::AllGather => call.doubling(size),
            Operation::ReduceScatter => call.doubling(size) + combined.fold(Time::ZERO, |sum, one| sum + one),
            _ => call.message(size.saturating_mul(u64::from(ranks / 2))) * u64::from(ranks.trailing_zeros()),
        })
    }

    fn in_powers(&self, _: Operation) -> bool {
        true
    }
}
