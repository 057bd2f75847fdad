//! A Bine butterfly at doubling distances: what a rank has is contiguous in a circle, so one or two messages carry it.
//!
//! D. De Sensi, S. Pasqualoni et al., *Bine trees: enhancing collective operations by optimizing communication locality*,
//! SC '25; as their library does it (libbine in HLC-Lab/pico, `libbine_allgather.c`).

use super::{Collective, Local, Method, Operation, Pattern, Plan, Portion, Rounds, Who};

pub(super) struct BineTwoBlocks;

impl Method for BineTwoBlocks {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let rounds = Pattern::Rounds(Rounds::Runs { split: true });
        call.blocks(vec![Pattern::Local(Local::copy(Who::All, Portion::Own)), rounds])
    }

    fn in_powers(&self, _: Operation) -> bool {
        true
    }
}
