//! Each member combines a part of the vector, by recursive halving; then the parts are gathered, by one or by all.
//!
//! R. Rabenseifner, *Optimization of collective reduction operations*, ICCS 2004. Ranks beyond a power of two hand over
//! their whole vector first, as in MPICH. Who takes part, and with whom, follows from the ranks' numbers wherever the
//! root is; a root that stands aside takes the place of rank 0 when the parts are gathered
//! (`reduce_intra_reduce_scatter_gather.c`, `coll_base_reduce.c`).

use super::{Collective, Fold, Local, Method, Operation, Pattern, Plan, Portion, Time, Who, masks};

pub(super) struct Rabenseifner;

impl Method for Rabenseifner {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Reduce, Operation::AllReduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let fold = match call.operation {
            Operation::Reduce => Fold::in_pairs(call.ranks).by_number(call.root),
            _ => Fold::into_odd(call.ranks),
        };
        call.parts(fold, |_| {
            // For the outcome, where it is not the caller's, and for the half that comes first.
            let outcome = (call.operation == Operation::Reduce).then_some((Who::Others, Portion::All));
            let buffers = outcome.into_iter().chain([(Who::All, Portion::Half)]);
            let mut stages: Vec<Pattern> =
                buffers.map(|(who, part)| Pattern::Local(Local::allocate(who, part))).collect();
            stages.push(Pattern::Local(Local::copy(Who::All, Portion::All)));
            stages.extend([Pattern::HandOver { combine: true }, Pattern::Halving]);
            if call.operation == Operation::Reduce {
                stages.extend([Pattern::ToAside, Pattern::Up { combine: false }]);
            } else {
                stages.extend([Pattern::Doubling { combine: false }, Pattern::HandBack]);
            }
            stages
        })
    }

    /// 2·log₂P·α + (P − 1)/P·(2β + γ)m, where P is a power of two that divides m.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *call;
        let part = size / u64::from(ranks);
        let even = ranks.is_power_of_two() && size.is_multiple_of(u64::from(ranks));
        let combined = masks(ranks).map(|mask| (call.combine)(part * u64::from(mask)));
        even.then(|| call.doubling(part) * 2 + combined.fold(Time::ZERO, |sum, one| sum + one))
    }
}
