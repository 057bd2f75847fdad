//! A broadcast along the Bine tree with halving distances: the farthest rank first, to all children at once.
//!
//! D. De Sensi, S. Pasqualoni et al., *Bine trees: enhancing collective operations by optimizing communication locality*,
//! SC '25; as their library does it (libbine in HLC-Lab/pico, `libbine_bcast.c`).

use super::bine_tree::{along, by_rounds};
use super::{Collective, Method, Numbering, Operation, Pattern, Plan, Time};

pub(super) struct BineTreeHalving;

impl Method for BineTreeHalving {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        along(call, Numbering::BineHalving, vec![Pattern::DownAtOnce, Pattern::HandBack])
    }

    /// log₂P(α + βm), where P is a power of two.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        by_rounds(call)
    }
}
