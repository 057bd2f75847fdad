//! A Bine butterfly at doubling distances in one message a step, which the library packs where it is not contiguous.
//!
//! D. De Sensi, S. Pasqualoni et al., *Bine trees: enhancing collective operations by optimizing communication locality*,
//! SC '25; as their library does it (libbine in HLC-Lab/pico, `libbine_allgather.c`).

use super::{Collective, Local, Method, Operation, Pattern, Plan, Portion, Rounds, Time, Who};

pub(super) struct BinePacked;

impl Method for BinePacked {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let rounds = Pattern::Rounds(Rounds::Runs { split: false });
        call.blocks(vec![Pattern::Local(Local::copy(Who::All, Portion::Own)), rounds])
    }

    /// log₂P·α + (P − 1)βm.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        Some(call.doubling(call.size))
    }

    fn in_powers(&self, _: Operation) -> bool {
        true
    }
}
