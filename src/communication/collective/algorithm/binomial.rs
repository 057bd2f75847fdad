//! Along a binomial tree over the ranks counted from the root: rank v's parent is v without its lowest set bit.

use super::{Collective, Method, Operation, StepPlan};
use crate::communication::collective::cost::Cost;
use crate::communication::collective::pattern::Pattern;
use crate::communication::rounds::rounds;
use crate::units::Time;

pub(super) struct Binomial;

impl Method for Binomial {
    fn operations(&self) -> &'static [Operation] {
        use Operation::{Barrier, Broadcast, Gather, Reduce, Scatter};
        &[Broadcast, Scatter, Gather, Reduce, Barrier]
    }

    fn plan(&self, collective: &Collective) -> StepPlan {
        let (up, down) = (|combine| Pattern::Up { combine }, Pattern::Down { reach: collective.ranks });
        match collective.operation {
            Operation::Broadcast => collective.whole(vec![down]),
            Operation::Scatter => collective.blocks(vec![down]),
            Operation::Gather => collective.blocks(vec![up(false)]),
            Operation::Reduce => collective.whole(vec![up(true)]),
            _ => collective.whole(vec![up(true), down]),
        }
    }

    /// ⌈log₂P⌉(α + βm) for the broadcast; for powers of two log₂P(α + βm + γm) for the reduction, log₂P·α + (P − 1)βm
    /// for the others.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *collective;
        let (rounds, message) = (u64::from(rounds(ranks)), cost.message(size));
        if operation == Operation::Broadcast {
            return Some(message * rounds);
        }
        ranks.is_power_of_two().then(|| match operation {
            Operation::Reduce => (message + cost.combine(size)) * rounds,
            Operation::Barrier => message * (2 * rounds),
            _ => cost.doubling(ranks, size),
        })
    }
}
