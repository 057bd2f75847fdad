//! Parts of the message are scattered along a binomial tree, then passed around a ring (van de Geijn's broadcast).

use super::binomial::down;
use super::ring::around;
use super::{Collective, Method, Operation, Plan};
use crate::communication::collective::blocks::Blocks;
use crate::communication::collective::cost::Cost;
use crate::units::Time;

pub(super) struct ScatterRing;

impl Method for ScatterRing {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, collective: &Collective) -> Plan {
        let mut plan = collective.parts(collective.ranks);
        let rank = |place| collective.after_root(place);
        down(&mut plan, collective.ranks, rank, |first, count| Blocks::Range { first, count });
        around(&mut plan, rank);
        plan.finish()
    }

    /// (log₂P + P − 1)α + 2(P − 1)/P·βm, where P is a power of two that divides m.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *collective;
        let part = size / u64::from(ranks);
        let even = ranks.is_power_of_two() && size.is_multiple_of(u64::from(ranks));
        even.then(|| cost.doubling(ranks, part) + cost.message(part) * u64::from(ranks - 1))
    }

    fn messages(&self, _: Operation, ranks: u64) -> u64 {
        ranks * ranks
    }
}
