//! What one has is sent on at doubling distances around a circle, for any number of ranks in ⌈log₂P⌉ steps.
//!
//! J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, *Efficient algorithms for all-to-all communications in
//! multiport message-passing systems*, IEEE Trans. Parallel Distrib. Syst. 8(11), 1997. Moving blocks about within a
//! rank is free here.

use super::{Collective, Method, Operation, Pattern, Plan, Time, masks, with_digit};

pub(super) struct Bruck;

impl Method for Bruck {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather, Operation::AllToAll]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        // Of the all-to-all, slot j is on its way j ranks further: by the binary digits of j.
        let ahead = call.operation == Operation::AllToAll;
        call.blocks(vec![Pattern::Circle { ahead, combine: false }])
    }

    /// ⌈log₂P⌉α + (P − 1)βm, and for the all-to-all ⌈log₂P⌉α + (P/2)⌈log₂P⌉βm where P is a power of two.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *call;
        let blocks = |mask: u32| match operation {
            Operation::AllGather => mask.min(ranks - mask),
            _ => with_digit(mask.trailing_zeros(), ranks),
        };
        let messages = masks(ranks).map(|mask| call.message(size.saturating_mul(u64::from(blocks(mask)))));
        Some(messages.fold(Time::ZERO, |sum, one| sum + one))
    }
}
