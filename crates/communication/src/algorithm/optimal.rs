//! The greedy tree, which follows from the cost of a message.

use super::{Collective, Method, Operation, Plan, Time};
use crate::tree::{greedy, optimal_time};

pub(super) struct Optimal;

impl Method for Optimal {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.forward(greedy(call.ranks, (call.cost)(call.size)))
    }

    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        Some(optimal_time(call.ranks, (call.cost)(call.size)))
    }
}
