//! All exchange what they have with the partner at distance 1, then 2, 4 and so on.

use super::{Collective, Method, Operation, Plan};
use crate::communication::collective::blocks::Blocks;
use crate::communication::collective::builder::Builder;
use crate::communication::collective::cost::{Cost, masks, rounds};
use crate::communication::collective::fold::Fold;
use crate::units::Time;

pub(super) struct RecursiveDoubling;

impl Method for RecursiveDoubling {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather, Operation::AllReduce, Operation::Barrier]
    }

    fn plan(&self, collective: &Collective) -> Plan {
        let (ranks, fold) = (collective.ranks, Fold::new(collective.ranks));
        if collective.operation == Operation::AllGather {
            let mut plan = collective.blocks(ranks);
            for (aside, partner) in fold.pairs() {
                plan.pass(aside, partner, Blocks::Range { first: aside, count: 1 });
            }
            // A member brings its own block, and that of the rank that stands aside for it.
            let held = |first: u32, count: u32| {
                let from = fold.rank(first);
                Blocks::Range { first: from, count: fold.rank(first + count) - from }
            };
            gather_all(&mut plan, fold.members, |member| fold.rank(member), held);
            for (aside, partner) in fold.pairs() {
                // All but its own.
                plan.pass(partner, aside, Blocks::Range { first: (aside + 1) % ranks, count: ranks - 1 });
            }
            return plan.finish();
        }
        let mut plan = collective.whole();
        for (aside, partner) in fold.pairs() {
            plan.pass_combined(aside, partner, Blocks::WHOLE);
        }
        for mask in masks(fold.members) {
            exchange(&mut plan, fold.members, mask, |member| fold.rank(member), |_| Blocks::WHOLE, true);
        }
        for (aside, partner) in fold.pairs() {
            plan.pass(partner, aside, Blocks::WHOLE);
        }
        plan.finish()
    }

    /// log₂P(α + βm + γm); for the all-gather log₂P·α + (P − 1)βm.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *collective;
        ranks.is_power_of_two().then(|| match operation {
            Operation::AllGather => cost.doubling(ranks, size),
            Operation::AllReduce => (cost.message(size) + cost.combine(size)) * u64::from(rounds(ranks)),
            _ => cost.message(size) * u64::from(rounds(ranks)),
        })
    }
}

/// Members (a power of two) that hold one part each gather all of them: `held` gives the slots of some members' parts.
pub(super) fn gather_all(
    plan: &mut Builder,
    members: u32,
    rank: impl Fn(u32) -> u32 + Copy,
    held: impl Fn(u32, u32) -> Blocks,
) {
    for mask in masks(members) {
        exchange(plan, members, mask, rank, |member| held(member & !(mask - 1), mask), false);
    }
}

/// Every member and the one whose number differs in `mask` send each other what `blocks` says of the sender.
pub(super) fn exchange(
    plan: &mut Builder,
    members: u32,
    mask: u32,
    rank: impl Fn(u32) -> u32,
    blocks: impl Fn(u32) -> Blocks,
    combine: bool,
) {
    for member in 0..members {
        let (own, partner) = (rank(member), rank(member ^ mask));
        plan.send(own, partner, blocks(member));
        if combine {
            plan.combine(own, partner, blocks(member ^ mask));
        } else {
            plan.receive(own, partner, blocks(member ^ mask));
        }
    }
}
