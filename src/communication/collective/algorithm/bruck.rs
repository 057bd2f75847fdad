//! What one has is sent on at doubling distances around a circle, for any number of ranks in ⌈log₂P⌉ steps.
//!
//! J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, *Efficient algorithms for all-to-all communications in multiport
//! message-passing systems*, IEEE Trans. Parallel Distrib. Syst. 8(11), 1997. Moving blocks about within a rank is free here.

use super::{Collective, Method, Operation, Plan};
use crate::communication::collective::blocks::{Blocks, with_digit};
use crate::communication::collective::cost::{Cost, masks};
use crate::units::Time;

pub(super) struct Bruck;

impl Method for Bruck {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather, Operation::AllToAll]
    }

    fn plan(&self, collective: &Collective) -> Plan {
        let ranks = collective.ranks;
        let mut plan = collective.blocks(ranks);
        for mask in masks(ranks) {
            for rank in 0..ranks {
                let (ahead, behind) = ((rank + mask) % ranks, (rank + ranks - mask) % ranks);
                if collective.operation == Operation::AllGather {
                    // A rank has the blocks of the `mask` ranks from itself on.
                    let count = mask.min(ranks - mask);
                    plan.send(rank, behind, Blocks::Range { first: rank, count });
                    plan.receive(rank, ahead, Blocks::Range { first: ahead, count });
                } else {
                    // Slot j is on its way j ranks further: by the binary digits of j.
                    let blocks = Blocks::Digit(mask.trailing_zeros());
                    plan.send(rank, ahead, blocks);
                    plan.receive(rank, behind, blocks);
                }
            }
        }
        plan.finish()
    }

    /// ⌈log₂P⌉α + (P − 1)βm, and for the all-to-all ⌈log₂P⌉α + (P/2)⌈log₂P⌉βm where P is a power of two.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *collective;
        let blocks = |mask: u32| match operation {
            Operation::AllGather => mask.min(ranks - mask),
            _ => with_digit(mask.trailing_zeros(), ranks),
        };
        Some(
            masks(ranks)
                .map(|mask| cost.message(size.saturating_mul(u64::from(blocks(mask)))))
                .fold(Time::ZERO, |sum, one| sum + one),
        )
    }
}
