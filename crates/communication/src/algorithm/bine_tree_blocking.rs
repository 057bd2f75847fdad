//! A broadcast along the Bine tree with halving distances, to one child after the other.
//!
//! D. De Sensi, S. Pasqualoni et al., *Bine trees: enhancing collective operations by optimizing communication locality*,
//! SC '25; as their library does it (libbine in HLC-Lab/pico, `libbine_bcast.c`).

use super::bine_tree::{along, by_rounds};
use super::{Collective, Fold, Method, Numbering, Operation, Pattern, Plan, Time};

pub(super) struct BineTreeBlocking;

impl Method for BineTreeBlocking {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let reach = Fold::in_pairs(call.ranks).members;
        along(call, Numbering::BineHalving, vec![Pattern::Down { reach }, Pattern::HandBack])
    }

    /// log₂P(α + βm), where P is a power of two.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        by_rounds(call)
    }
}
