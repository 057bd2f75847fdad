//! Along a binomial tree over the ranks counted from the root.
//!
//! A broadcast has the [order](super::Order) that is asked for. In all else rank v's parent is v without its lowest set
//! bit, and the farthest rank comes first on the way down.

use super::{Collective, Method, Operation, Order, Pattern, Plan, Time, Tree, closed, rounds};

pub(super) struct Binomial;

impl Method for Binomial {
    fn operations(&self) -> &'static [Operation] {
        use Operation::{Barrier, Broadcast, Gather, Reduce, Scatter};
        &[Broadcast, Scatter, Gather, Reduce, Barrier]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let (up, down) = (|combine| Pattern::Up { combine }, Pattern::Down { reach: call.ranks });
        match call.operation {
            Operation::Scatter => call.blocks(vec![down]),
            Operation::Gather => call.blocks(vec![up(false)]),
            Operation::Reduce => call.whole(vec![up(true)]),
            Operation::Barrier => call.whole(vec![up(true), down]),
            _ => call.forward(match call.order {
                Order::NearestFirst => Tree::Binomial(call.ranks),
                Order::FarthestFirst => Tree::BinomialFarthestFirst(call.ranks),
            }),
        }
    }

    /// For powers of two log₂P(α + βm + γm) for the reduction, log₂P·α + (P − 1)βm for a scatter or a gather; that of
    /// the tree for a broadcast.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *call;
        let (rounds, message) = (u64::from(rounds(ranks)), call.message(size));
        match operation {
            Operation::Broadcast => Some(match call.order {
                Order::NearestFirst => closed::binomial(ranks, (call.cost)(size)),
                Order::FarthestFirst => closed::binomial_farthest_first(ranks, (call.cost)(size)),
            }),
            _ if !ranks.is_power_of_two() => None,
            Operation::Reduce => Some((message + (call.combine)(size)) * rounds),
            Operation::Barrier => Some(message * (2 * rounds)),
            _ => Some(call.doubling(size)),
        }
    }
}
