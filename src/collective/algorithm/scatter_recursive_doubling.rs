//! Parts of the message are scattered along a binomial tree, then gathered by all by recursive doubling.
//!
//! Ranks beyond a power of two are sent the whole message at the end.

use super::binomial::down;
use super::recursive_doubling::gather_all;
use super::{Collective, Method, Operation, Plan};
use crate::collective::blocks::Blocks;
use crate::collective::cost::Cost;
use crate::collective::fold::Fold;
use crate::units::Time;

pub(super) struct ScatterRecursiveDoubling;

impl Method for ScatterRecursiveDoubling {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast]
    }

    fn plan(&self, collective: &Collective) -> Plan {
        let fold = Fold::new(collective.ranks);
        let mut plan = collective.parts(fold.members);
        let rank = |member| collective.after_root(fold.rank(member));
        let parts = |first, count| Blocks::Range { first, count };
        down(&mut plan, fold.members, rank, parts);
        gather_all(&mut plan, fold.members, rank, parts);
        for (aside, partner) in fold.pairs() {
            let whole = Blocks::Range { first: 0, count: fold.members };
            plan.pass(collective.after_root(partner), collective.after_root(aside), whole);
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
