//! Contiguous parts along a Bine butterfly, whose ranks bear the numbers of their parts.
//!
//! D. De Sensi, S. Pasqualoni et al., *Bine trees: enhancing collective operations by optimizing communication locality*,
//! SC '25; as their library does it (libbine in HLC-Lab/pico, `the `remap` variants of all operations`).
//!
//! All-reduce, broadcast and reduction need no blocks of ranks: they are cut by number. Before an all-gather and behind a
//! reduce-scatter each block goes once to the rank whose number it bears, or comes from there. Where the number of ranks
//! is no power of two, some stand aside (an all-gather and a reduce-scatter need a power of two).

use super::{
    Collective, Fold, Local, Method, Numbering, Operation, Pattern, Plan, Portion, Renumber, Spread, Time, Who, masks,
};

pub(super) struct BineRemap;

/// The butterfly's ranks by number.
pub(super) fn numbered(ranks: u32) -> Fold {
    Fold::in_pairs(ranks).numbered(Numbering::BineDoubling)
}

/// A reduce-scatter of blocks along the butterfly between `before` and `after`: temporary buffers for what comes and
/// for the outcome.
pub(super) fn reduce_scatter(before: Pattern, after: Vec<Pattern>) -> Vec<Pattern> {
    let buffers = [Portion::All, Portion::Half].map(|part| Pattern::Local(Local::allocate(Who::All, part)));
    buffers.into_iter().chain([before, Pattern::Halving]).chain(after).collect()
}

impl Method for BineRemap {
    fn operations(&self) -> &'static [Operation] {
        use Operation::{AllGather, AllReduce, Broadcast, Reduce, ReduceScatter};
        &[Broadcast, Reduce, AllReduce, AllGather, ReduceScatter]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let Collective { operation, ranks, .. } = *call;
        let gathers = Pattern::Doubling { combine: false };
        let copy = |who, part| Pattern::Local(Local::copy(who, part));
        let allocate = |who, part| Pattern::Local(Local::allocate(who, part));
        let over = Pattern::HandOver { combine: true };
        let vector = |stages| call.parts(numbered(ranks), |_| stages);
        match operation {
            Operation::Broadcast => {
                let reach = numbered(ranks).members;
                vector(vec![Pattern::Down { reach }, Pattern::Spread(Spread), Pattern::HandBack])
            }
            Operation::Reduce => vector(vec![
                allocate(Who::All, Portion::Half),
                allocate(Who::Others, Portion::All),
                copy(Who::All, Portion::All),
                over,
                Pattern::Halving,
                Pattern::Up { combine: false },
            ]),
            Operation::AllReduce => vector(vec![
                allocate(Who::All, Portion::Half),
                copy(Who::All, Portion::All),
                over,
                Pattern::Halving,
                gathers,
                Pattern::HandBack,
            ]),
            _ => {
                let stages = if operation == Operation::AllGather {
                    vec![copy(Who::Fixed, Portion::Own), Pattern::Renumber(Renumber { back: false }), gathers]
                } else {
                    let back = Pattern::Renumber(Renumber { back: true });
                    reduce_scatter(copy(Who::All, Portion::All), vec![back, copy(Who::Fixed, Portion::Own)])
                };
                call.steps(call.slots(ranks).by_number(), numbered(ranks), stages)
            }
        }
    }

    /// 2·log₂P·α + (P − 1)/P·(2β + γ)m, where P is a power of two that divides m (without γ for a broadcast of
    /// something); for a reduce-scatter log₂P·α + (P − 1)(β + γ)m, and one more message of m among more than two ranks.
    /// In an all-gather the ranks that bear their own numbers begin earlier, and messages meet at their receivers.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *call;
        let part = size / u64::from(ranks);
        let even = ranks.is_power_of_two() && size.is_multiple_of(u64::from(ranks));
        let combined = |part: u64| {
            let combined = masks(ranks).map(|mask| (call.combine)(part.saturating_mul(u64::from(mask))));
            combined.fold(Time::ZERO, |sum, one| sum + one)
        };
        let renumbered = if ranks > 2 { call.message(size) } else { Time::ZERO };
        match operation {
            Operation::AllGather => (ranks == 2).then(|| call.message(size)),
            Operation::ReduceScatter => Some(call.doubling(size) + combined(size) + renumbered),
            Operation::Broadcast => (even && size > 0).then(|| call.doubling(part) * 2),
            _ => even.then(|| call.doubling(part) * 2 + combined(part)),
        }
    }

    fn in_powers(&self, operation: Operation) -> bool {
        matches!(operation, Operation::AllGather | Operation::ReduceScatter)
    }
}
