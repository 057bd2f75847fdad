//! A Bine butterfly in which every block is a message of its own, all of a step at once: for any even number of ranks.
//!
//! D. De Sensi, S. Pasqualoni et al., *Bine trees: enhancing collective operations by optimizing communication locality*,
//! SC '25; as their library does it (libbine in HLC-Lab/pico, `the `block_by_block_any_even` variants`).

use std::sync::Arc;

use super::{Collective, Distances, Fold, Local, Method, Operation, Part, Pattern, Plan, Rounds, Who};

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
            Operation::AllGather => call.blocks(vec![copy(Part::Own), rounds(false)]),
            Operation::AllReduce => {
                let stages = vec![allocate(Part::Half), copy(Part::All), rounds(true), rounds(false)];
                call.parts(Fold::none(call.ranks), |_| stages)
            }
            _ => call.blocks(vec![allocate(Part::All), allocate(Part::Half), copy(Part::All), rounds(true)]),
        }
    }

    fn in_pairs(&self) -> bool {
        true
    }
}
