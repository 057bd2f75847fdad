//! Everyone deals with the root alone, or with all others, one after the other.

use super::{Collective, Method, Operation, Plan};
use crate::communication::collective::blocks::Blocks;
use crate::communication::collective::cost::Cost;
use crate::communication::collective::regular::Pattern;
use crate::units::Time;

pub(super) struct Linear;

impl Method for Linear {
    fn operations(&self) -> &'static [Operation] {
        use Operation::{AllToAll, Barrier, Broadcast, Gather, Reduce, Scatter};
        &[Broadcast, Scatter, Gather, Reduce, AllToAll, Barrier]
    }

    fn regular(&self, operation: Operation) -> Option<Pattern> {
        (operation == Operation::AllToAll).then_some(Pattern::AllAtOnce)
    }

    fn plan(&self, collective: &Collective) -> Plan {
        use Operation::{Broadcast, Gather, Reduce, Scatter};
        let (ranks, root) = (collective.ranks, collective.root);
        let mut plan = match collective.operation {
            Scatter | Gather => collective.blocks(ranks),
            _ => collective.whole(),
        };
        let others = || (1..ranks).map(|distance| collective.after_root(distance));
        let own = |rank| Blocks::Range { first: rank, count: 1 };
        match collective.operation {
            Broadcast => others().for_each(|rank| plan.pass(root, rank, Blocks::WHOLE)),
            Scatter => others().for_each(|rank| plan.pass(root, rank, own(rank))),
            Gather => others().for_each(|rank| plan.pass(rank, root, own(rank))),
            Reduce => others().for_each(|rank| plan.pass_combined(rank, root, Blocks::WHOLE)),
            _ => {
                others().for_each(|rank| plan.pass_combined(rank, root, Blocks::WHOLE));
                others().for_each(|rank| plan.pass(root, rank, Blocks::WHOLE));
            }
        }
        plan.finish()
    }

    /// (P − 1)(α + βm), for the barrier twice.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        use Operation::{Barrier, Reduce};
        let (others, message) = (u64::from(collective.ranks - 1), cost.message(collective.size));
        Some(match collective.operation {
            // What comes in while the root combines waits for it; or it waits for what comes in.
            Reduce => {
                let combine = cost.combine(collective.size);
                message + message.max(combine) * (others - 1) + combine
            }
            Barrier => message * (2 * others),
            _ => message * others,
        })
    }

    fn messages(&self, _: Operation, ranks: u64) -> u64 {
        2 * ranks
    }
}
