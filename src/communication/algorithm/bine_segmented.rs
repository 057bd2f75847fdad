//! An all-reduce along a Bine butterfly, whose halves are exchanged and combined segment by segment.
//!
//! D. De Sensi, S. Pasqualoni et al., *Bine trees: enhancing collective operations by optimizing communication locality*,
//! SC '25; as their library does it (libbine in HLC-Lab/pico, `libbine_allreduce.c`).

use super::bine_remap::numbered;
use super::{Collective, Local, Method, Operation, Part, Pattern, Plan, Rounds, Segments, Who};

pub(super) struct BineSegmented;

impl Method for BineSegmented {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllReduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let fold = numbered(call.ranks);
        let part = Segments::blocks(call.size, fold.members).full();
        call.parts(fold, |_| {
            vec![
                Pattern::Local(Local::copy(Who::All, Part::All)),
                Pattern::HandOver { combine: true },
                Pattern::Rounds(Rounds::Halves { segment: call.segment, part }),
                Pattern::Doubling { combine: false },
                Pattern::HandBack,
            ]
        })
    }

    fn cuts(&self) -> bool {
        true
    }
}
