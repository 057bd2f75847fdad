//! Parts of the message are scattered along a binomial tree, then passed around a ring (van de Geijn's broadcast).

use super::{Collective, Method, Operation, StepPlan};
use crate::communication::collective::cost::Cost;
use crate::communication::collective::fold::Fold;
use crate::communication::collective::pattern::Pattern;
use crate::units::Time;

pub(super) struct ScatterRing;

impl Method for ScatterRing {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, collective: &Collective) -> StepPlan {
        collective
            .parts(Fold::none(collective.ranks), |slots| vec![Pattern::Down { reach: slots.filled() }, Pattern::Ring])
    }

    /// (log₂P + P − 1)α + 2(P − 1)/P·βm, where P is a power of two that divides m.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *collective;
        let part = size / u64::from(ranks);
        let even = ranks.is_power_of_two() && size.is_multiple_of(u64::from(ranks));
        even.then(|| cost.doubling(ranks, part) + cost.message(part) * u64::from(ranks - 1))
    }
}
