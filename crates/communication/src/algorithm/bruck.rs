//! What one has is sent on at doubling distances around a circle, for any number of ranks in ⌈log₂P⌉ steps.
//!
//! J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, *Efficient algorithms for all-to-all communications in
//! multiport message-passing systems*, IEEE Trans. Parallel Distrib. Syst. 8(11), 1997. Ranks copy their blocks about
//! as Open MPI's `coll_base_allgather.c` and `coll_base_alltoall.c` have it: an all-to-all packs, unpacks and puts back
//! the half of them that it sends in each step.

use super::{Collective, Local, Method, Operation, Pattern, Plan, Portion, Shifts, Time, Who, masks, with_digit};

pub(super) struct Bruck;

/// An all-gather that begins with each rank's own block in front, and is turned around in the end.
pub(super) fn shuffled(messages: Pattern) -> Vec<Pattern> {
    let copy = |part| Pattern::Local(Local::copy(Who::Others, part));
    vec![
        Pattern::Local(Local::copy(Who::All, Portion::Own)),
        messages,
        Pattern::Local(Local::allocate(Who::Others, Portion::FromOwn)),
        copy(Portion::FromOwn),
        copy(Portion::BeforeOwn),
        copy(Portion::FromOwn),
    ]
}

impl Method for Bruck {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather, Operation::AllToAll]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        if call.operation == Operation::AllGather {
            return call.blocks(shuffled(Pattern::Shifts(Shifts::Circle { ahead: false, combine: false })));
        }
        // Slot j is on its way j ranks further: by the binary digits of j.
        let copy = Pattern::Local(Local::copy(Who::All, Portion::All));
        let buffer = Pattern::Local(Local::allocate(Who::All, Portion::All));
        call.blocks(vec![buffer, copy.clone(), Pattern::Shuffle, copy])
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
