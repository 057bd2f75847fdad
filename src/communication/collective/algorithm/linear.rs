//! Everyone deals with the root alone, or with all others, one after the other.

use super::{Collective, Method, Operation, StepPlan};
use crate::communication::collective::cost::Cost;
use crate::communication::collective::pattern::Pattern;
use crate::units::Time;

pub(super) struct Linear;

impl Method for Linear {
    fn operations(&self) -> &'static [Operation] {
        use Operation::{AllToAll, Barrier, Broadcast, Gather, Reduce, Scatter};
        &[Broadcast, Scatter, Gather, Reduce, AllToAll, Barrier]
    }

    fn plan(&self, collective: &Collective) -> StepPlan {
        use Operation::{AllToAll, Barrier, Gather, Reduce, Scatter};
        match collective.operation {
            Scatter => collective.blocks(vec![Pattern::Outward]),
            Gather => collective.blocks(vec![Pattern::Inward { combine: false }]),
            AllToAll => collective.blocks(vec![Pattern::AllAtOnce]),
            Reduce => collective.whole(vec![Pattern::Inward { combine: true }]),
            Barrier => collective.whole(vec![Pattern::Inward { combine: true }, Pattern::Outward]),
            _ => collective.whole(vec![Pattern::Outward]),
        }
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
}
