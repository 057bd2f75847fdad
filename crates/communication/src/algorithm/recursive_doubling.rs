//! All exchange what they have with the partner at distance 1, then 2, 4 and so on.
//!
//! In a reduce-scatter they exchange all blocks but those of their own group, which is as large as the distance (MPICH's
//! `reduce_scatter_intra_recursive_doubling.c`). In a scan a rank sends what it has to the one at that distance after it;
//! the libraries' ranks also send it back, for operations that are not commutative.

use super::{Collective, Fold, Local, Method, Operation, Pattern, Plan, Portion, Rounds, Time, Who, masks, rounds};

pub(super) struct RecursiveDoubling;

/// Whole vectors are combined in a buffer of their own, and copied from there.
pub(super) fn buffered(stages: Vec<Pattern>) -> Vec<Pattern> {
    let copy = Pattern::Local(Local::copy(Who::All, Portion::All));
    let before = vec![Pattern::Local(Local::allocate(Who::All, Portion::All)), copy.clone()];
    [before, stages, vec![copy]].concat()
}

/// log₂P(α + βm + γm), where P is a power of two.
pub(super) fn whole_vectors(call: &Collective<'_>) -> Option<Time> {
    let Collective { ranks, size, .. } = *call;
    ranks.is_power_of_two().then(|| (call.message(size) + (call.combine)(size)) * u64::from(rounds(ranks)))
}

impl Method for RecursiveDoubling {
    fn operations(&self) -> &'static [Operation] {
        use Operation::{AllGather, AllReduce, Barrier, ReduceScatter, Scan};
        &[AllGather, AllReduce, ReduceScatter, Scan, Barrier]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let Collective { operation, ranks, .. } = *call;
        let copy = |part| Pattern::Local(Local::copy(Who::All, part));
        let combine = operation != Operation::AllGather;
        let over = Pattern::HandOver { combine };
        let exchange = |middle| vec![over, middle, Pattern::HandBack];
        let doubling = Pattern::Doubling { combine };
        // Open MPI's barrier sets the last ranks aside (`coll_base_barrier.c`).
        let fold = match operation {
            Operation::AllReduce => Fold::into_odd(ranks),
            Operation::Barrier => Fold::at_end(ranks),
            _ => Fold::in_pairs(ranks),
        };
        let (slots, stages) = match operation {
            // A member brings its own block, and that of the rank that stands aside for it.
            Operation::AllGather => (ranks, [vec![copy(Portion::Own)], exchange(doubling)].concat()),
            Operation::ReduceScatter => {
                let own = Pattern::Local(Local::copy(Who::Members, Portion::Own));
                let middle = vec![Pattern::HandOver { combine }, Pattern::Outside, own, Pattern::HandOwn];
                let buffers = [Portion::All, Portion::All].map(|part| Pattern::Local(Local::allocate(Who::All, part)));
                (ranks, [buffers.into(), vec![copy(Portion::All)], middle].concat())
            }
            Operation::Scan => return call.whole(buffered(vec![Pattern::Rounds(Rounds::Prefix)])),
            Operation::AllReduce => (1, buffered(exchange(doubling))),
            _ => (1, exchange(doubling)),
        };
        call.steps(call.slots(slots), fold, stages)
    }

    /// Where P is a power of two: log₂P(α + βm + γm); for the all-gather log₂P·α + (P − 1)βm; for the reduce-scatter
    /// log₂P·α + (P·log₂P − (P − 1))(β + γ)m.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *call;
        match operation {
            Operation::AllReduce | Operation::Scan => whole_vectors(call),
            _ if !ranks.is_power_of_two() => None,
            Operation::AllGather => Some(call.doubling(size)),
            Operation::ReduceScatter => {
                let lengths = masks(ranks).map(|mask| size.saturating_mul(u64::from(ranks - mask)));
                Some(lengths.fold(Time::ZERO, |sum, bytes| sum + call.message(bytes) + (call.combine)(bytes)))
            }
            _ => Some(call.message(size) * u64::from(rounds(ranks))),
        }
    }
}
