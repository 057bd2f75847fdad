//! Bruck's all-gather in base k: in step i a rank sends what it has to the k − 1 ranks at distances k^i, 2k^i, … before
//! it, all at once (Open MPI's `coll_base_allgather.c`). Base 2 is [`bruck`](super::bruck).

use super::bruck::shuffled;
use super::{Collective, Method, Operation, Pattern, Plan, Rounds, Time};

pub(super) struct KBruck;

impl Method for KBruck {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        call.blocks(shuffled(Pattern::Rounds(Rounds::Bruck { radix: call.radix.max(2) })))
    }

    /// (k − 1)⌈log_k P⌉α + (P − 1)βm, where P is a power of k.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { ranks, size, radix, .. } = *call;
        let (all, radix) = (u64::from(ranks), u64::from(radix.max(2)));
        let distances = std::iter::successors(Some(1), |distance| Some(distance * radix)).take_while(|&one| one < all);
        let lengths = distances.flat_map(|distance| {
            let away = (1..radix).map(move |number| distance * number).take_while(move |&away| away < all);
            away.map(move |away| distance.min(all - away))
        });
        Some(lengths.fold(Time::ZERO, |sum, blocks| sum + call.message(size.saturating_mul(blocks))))
    }
}
