//! Parts of the message are scattered along a binomial tree, then gathered by all by recursive doubling.
//!
//! Of P ranks the first 2^k take part, the greatest power of two; each rank from 2^k on is sent the whole message at
//! the end, by the one 2^k below it.

use super::binomial::down;
use super::recursive_doubling::gather_all;
use super::{Collective, Method, Operation, Plan};
use crate::communication::collective::blocks::Blocks;
use crate::communication::collective::cost::Cost;
use crate::communication::collective::fold::Fold;
use crate::units::Time;

pub(super) struct ScatterRecursiveDoubling;

impl Method for ScatterRecursiveDoubling {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, collective: &Collective) -> Plan {
        let Fold { members, aside } = Fold::new(collective.ranks);
        let mut plan = collective.parts(members);
        let rank = |member| collective.after_root(member);
        let parts = |first, count| Blocks::Range { first, count };
        down(&mut plan, members, rank, parts);
        gather_all(&mut plan, members, rank, parts);
        for member in 0..aside {
            plan.pass(rank(member), rank(member + members), parts(0, members));
        }
        plan.finish()
    }

    /// 2·log₂P·α + 2(P − 1)/P·βm, where P is a power of two that divides m.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *collective;
        let part = size / u64::from(ranks);
        let even = ranks.is_power_of_two() && size.is_multiple_of(u64::from(ranks));
        even.then(|| cost.doubling(ranks, part) * 2)
    }
}
