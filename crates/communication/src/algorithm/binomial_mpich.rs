//! The binomial tree whose ranks send to the farthest rank first, whatever the order that is asked for.

use super::binomial::Binomial;
use super::{Collective, Method, Operation, Order, Plan, Time};

pub(super) struct BinomialMpich;

impl Method for BinomialMpich {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        Binomial.plan(&Collective { order: Order::FarthestFirst, ..*call })
    }

    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        Binomial.completion(&Collective { order: Order::FarthestFirst, ..*call })
    }
}
