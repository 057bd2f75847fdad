//! Each member combines a part of the vector, by recursive halving; then the parts are gathered, by one or by all.
//!
//! R. Rabenseifner, *Optimization of collective reduction operations*, ICCS 2004. Ranks beyond a power of two hand over
//! their whole vector first, as in MPICH.

use super::binomial::up;
use super::recursive_doubling::{exchange, gather_all};
use super::{Collective, Method, Operation, Plan};
use crate::communication::collective::blocks::Blocks;
use crate::communication::collective::cost::{Cost, masks};
use crate::communication::collective::fold::Fold;
use crate::units::Time;

pub(super) struct Rabenseifner;

impl Method for Rabenseifner {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Reduce, Operation::AllReduce]
    }

    fn plan(&self, collective: &Collective) -> Plan {
        let fold = Fold::new(collective.ranks);
        // Counted from the root, which therefore never stands aside.
        let rank = |member| collective.after_root(fold.rank(member));
        let mut plan = collective.parts(fold.members);
        let whole = Blocks::Range { first: 0, count: fold.members };
        for (aside, partner) in fold.pairs() {
            plan.pass_combined(collective.after_root(aside), collective.after_root(partner), whole);
        }
        for mask in masks(fold.members).rev() {
            // A member keeps the half in which its own part lies.
            let other_half = |member: u32| Blocks::Range { first: (member ^ mask) & !(mask - 1), count: mask };
            exchange(&mut plan, fold.members, mask, rank, other_half, true);
        }
        let parts = |first, count| Blocks::Range { first, count };
        if collective.operation == Operation::Reduce {
            up(&mut plan, (fold.members, false), rank, parts);
        } else {
            gather_all(&mut plan, fold.members, rank, parts);
            for (aside, partner) in fold.pairs() {
                plan.pass(collective.after_root(partner), collective.after_root(aside), whole);
            }
        }
        plan.finish()
    }

    /// 2·log₂P·α + (P − 1)/P·(2β + γ)m, where P is a power of two that divides m.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *collective;
        let part = size / u64::from(ranks);
        let even = ranks.is_power_of_two() && size.is_multiple_of(u64::from(ranks));
        let combined = masks(ranks).map(|mask| cost.combine(part * u64::from(mask)));
        even.then(|| cost.doubling(ranks, part) * 2 + combined.fold(Time::ZERO, |sum, one| sum + one))
    }
}
