//! A reduction to a rank and a broadcast from it, both along the binomial tree.

use super::binomial::{down, up};
use super::{Collective, Method, Operation, Plan};
use crate::communication::collective::blocks::Blocks;
use crate::communication::collective::cost::{Cost, rounds};
use crate::units::Time;

pub(super) struct ReduceBroadcast;

impl Method for ReduceBroadcast {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllReduce]
    }

    fn plan(&self, collective: &Collective) -> Plan {
        let mut plan = collective.whole();
        let rank = |place| collective.after_root(place);
        up(&mut plan, (collective.ranks, true), rank, |_, _| Blocks::WHOLE);
        down(&mut plan, collective.ranks, rank, |_, _| Blocks::WHOLE);
        plan.finish()
    }

    /// log₂P(2α + 2βm + γm) for powers of two.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *collective;
        let round = cost.message(size) * 2 + cost.combine(size);
        ranks.is_power_of_two().then(|| round * u64::from(rounds(ranks)))
    }
}
