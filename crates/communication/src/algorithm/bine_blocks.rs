//! A Bine butterfly in which every block is a message of its own, all of a step at once: for any even number of ranks.
//!
//! D. De Sensi, S. Pasqualoni et al., *Bine trees: enhancing collective operations by optimizing communication locality*,
//! SC '25; as their library does it (libbine in HLC-Lab/pico, `the `block_by_block_any_even` variants`).

use std::sync::Arc;

use super::{Collective, Distances, Fold, Local, Method, Operation, Pattern, Plan, Portion, Rounds, Time, Who, masks};

pub(super) struct BineBlocks;

impl Method for BineBlocks {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather, Operation::AllReduce, Operation::ReduceScatter]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let distances = Arc::new(Distances::new(call.ranks));
        let rounds = |combine| Pattern::Rounds(Rounds::Blocks { distances: Arc::clone(&distances), combine });
        let copy = |part| Pattern::Local(Local::copy(Who::All, part));
        let allocate = |part| Pattern::Local(Local::allocate(Who::All, part));
        match call.operation {
            Operation::AllGather => call.blocks(vec![copy(Portion::Own), rounds(false)]),
            Operation::AllReduce => {
                let stages = vec![allocate(Portion::Half), copy(Portion::All), rounds(true), rounds(false)];
                call.parts(Fold::none(call.ranks), |_| stages)
            }
            _ => call.blocks(vec![allocate(Portion::All), allocate(Portion::Half), copy(Portion::All), rounds(true)]),
        }
    }

    /// Messages of a block each, of which a rank sends P/2, P/4, …, 1 at once where P is a power of two (that divides m,
    /// for the all-reduce); what comes in while it combines waits for it, or it waits for what comes in.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *call;
        let part = size / u64::from(ranks);
        let reduces = operation == Operation::AllReduce;
        let block = if reduces { part } else { size };
        let (message, combine) = (call.message(block), (call.combine)(block));
        let gathered = message * u64::from(ranks - 1);
        let combined = masks(ranks).map(|mask| message + message.max(combine) * u64::from(mask - 1) + combine);
        let combined = combined.fold(Time::ZERO, |sum, one| sum + one);
        let even = ranks.is_power_of_two() && (!reduces || size.is_multiple_of(u64::from(ranks)));
        even.then_some(match operation {
            Operation::AllGather => gathered,
            Operation::AllReduce => combined + gathered,
            _ => combined,
        })
    }

    fn in_pairs(&self) -> bool {
        true
    }
}
