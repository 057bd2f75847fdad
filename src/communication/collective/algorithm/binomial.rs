//! Along a binomial tree over the ranks counted from the root: rank v's parent is v without its lowest set bit.

use super::{Collective, Method, Operation, Plan};
use crate::communication::collective::blocks::{Blocks, Slots};
use crate::communication::collective::builder::Builder;
use crate::communication::collective::cost::{Cost, masks, rounds};
use crate::units::Time;

pub(super) struct Binomial;

impl Method for Binomial {
    fn operations(&self) -> &'static [Operation] {
        use Operation::{Barrier, Broadcast, Gather, Reduce, Scatter};
        &[Broadcast, Scatter, Gather, Reduce, Barrier]
    }

    fn plan(&self, collective: &Collective) -> Plan {
        let ranks = collective.ranks;
        let rank = |virtual_rank| collective.after_root(virtual_rank);
        // The subtree below a rank holds the ranks that follow it.
        let subtree = |virtual_rank, count| Blocks::Range { first: rank(virtual_rank), count };
        let whole = |_, _| Blocks::WHOLE;
        let mut plan = match collective.operation {
            Operation::Scatter | Operation::Gather => collective.blocks(ranks),
            _ => collective.whole(),
        };
        match collective.operation {
            Operation::Broadcast => down(&mut plan, ranks, rank, whole),
            Operation::Scatter => down(&mut plan, ranks, rank, subtree),
            Operation::Gather => up(&mut plan, (ranks, false), rank, subtree),
            Operation::Reduce => up(&mut plan, (ranks, true), rank, whole),
            _ => {
                up(&mut plan, (ranks, true), rank, whole);
                down(&mut plan, ranks, rank, whole);
            }
        }
        plan.finish()
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

/// From the root down, largest subtrees first: `blocks` says what the subtree of a virtual rank, of so many ranks, is
/// sent; parts of a vector that are all empty are left out.
pub(super) fn down(plan: &mut Builder, ranks: u32, rank: impl Fn(u32) -> u32, blocks: impl Fn(u32, u32) -> Blocks) {
    let slots = plan.slots();
    let is_sent = |blocks| !matches!(slots, Slots::Parts { .. }) || slots.bytes(blocks) > 0;
    for mask in masks(ranks).rev() {
        for parent in (0..ranks).step_by(2 * mask as usize) {
            let child = parent + mask;
            if child < ranks {
                let blocks = blocks(child, mask.min(ranks - child));
                if is_sent(blocks) {
                    plan.pass(rank(parent), rank(child), blocks);
                }
            }
        }
    }
}

/// From the leaves up, smallest subtrees first; combined on the way or not.
pub(super) fn up(
    plan: &mut Builder,
    (ranks, combine): (u32, bool),
    rank: impl Fn(u32) -> u32,
    blocks: impl Fn(u32, u32) -> Blocks,
) {
    for mask in masks(ranks) {
        for parent in (0..ranks).step_by(2 * mask as usize) {
            let child = parent + mask;
            if child < ranks {
                let blocks = blocks(child, mask.min(ranks - child));
                if combine {
                    plan.pass_combined(rank(child), rank(parent), blocks);
                } else {
                    plan.pass(rank(child), rank(parent), blocks);
                }
            }
        }
    }
}
