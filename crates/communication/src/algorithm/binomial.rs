//! Along a binomial tree over the ranks counted from the root.
//!
//! A broadcast has the [order](super::Order) that is asked for. In all else rank v's parent is v without its lowest set
//! bit, and the farthest rank comes first on the way down.

use super::{Collective, Local, Method, Operation, Order, Pattern, Plan, Portion, Time, Tree, Who, closed, rounds};

pub(super) struct Binomial;

impl Method for Binomial {
    fn operations(&self) -> &'static [Operation] {
        use Operation::{Barrier, Broadcast, Gather, Reduce, Scatter};
        &[Broadcast, Scatter, Gather, Reduce, Barrier]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let (up, down) = (|combine| Pattern::Up { combine }, Pattern::Down { reach: call.ranks });
        let copy = |who, part| Pattern::Local(Local::copy(who, part));
        let allocate = |who, part| Pattern::Local(Local::allocate(who, part));
        match call.operation {
            // Leaves send and receive their own buffers, the root the caller's.
            Operation::Scatter => {
                let buffer = allocate(Who::Inner, Portion::Subtree);
                call.blocks(vec![buffer, Pattern::Down { reach: call.ranks }, copy(Who::Parents(1), Portion::Own)])
            }
            Operation::Gather => {
                let buffer = allocate(Who::Inner, Portion::Subtree);
                call.blocks(vec![buffer, copy(Who::Parents(1), Portion::Own), up(false)])
            }
            // One to combine in, and up to two for what comes (Open MPI's generic reduction).
            Operation::Reduce => {
                let mut stages: Vec<Pattern> =
                    [Who::Inner, Who::Parents(2), Who::Parents(3)].map(|who| allocate(who, Portion::All)).into();
                stages.push(up(true));
                call.whole(stages)
            }
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
