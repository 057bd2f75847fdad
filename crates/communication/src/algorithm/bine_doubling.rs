//! Whole vectors are exchanged along a Bine butterfly, at doubling distances.
//!
//! D. De Sensi, S. Pasqualoni et al., *Bine trees: enhancing collective operations by optimizing communication locality*,
//! SC '25; as their library does it (libbine in HLC-Lab/pico, `libbine_allreduce.c`).

use super::recursive_doubling::{buffered, whole_vectors};
use super::{Collective, Fold, Method, Numbering, Operation, Pattern, Plan, Time};

pub(super) struct BineDoubling;

impl Method for BineDoubling {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllReduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let fold = Fold::in_pairs(call.ranks).numbered(Numbering::BineHalving);
        let (over, doubling) = (Pattern::HandOver { combine: true }, Pattern::Doubling { combine: true });
        call.steps(call.slots(1), fold, buffered(vec![over, doubling, Pattern::HandBack]))
    }

    /// log₂P(α + βm + γm), where P is a power of two.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        whole_vectors(call)
    }
}
