//! Blocks are passed around a ring (bucket algorithm).
//!
//! For the all-reduce a part is combined at each stop on its first way around, and handed out on its second. The
//! reduce-scatter is the first way alone.

use super::{Collective, Fold, Local, Method, Operation, Pattern, Plan, Portion, Shifts, Time, Who};

pub(super) struct Ring;

impl Method for Ring {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllGather, Operation::AllReduce, Operation::ReduceScatter]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let copy = |part| Pattern::Local(Local::copy(Who::All, part));
        let allocate = |part| Pattern::Local(Local::allocate(Who::All, part));
        match call.operation {
            Operation::AllGather => call.blocks(vec![copy(Portion::Own), Pattern::Shifts(Shifts::Ring)]),
            Operation::ReduceScatter => {
                let stages =
                    vec![allocate(Portion::All), allocate(Portion::Own), allocate(Portion::Own), copy(Portion::All)];
                call.blocks([stages, vec![Pattern::Shifts(Shifts::RingCombine), copy(Portion::Own)]].concat())
            }
            _ => call.parts(Fold::none(call.ranks), |_| {
                vec![
                    allocate(Portion::Own),
                    allocate(Portion::Own),
                    copy(Portion::All),
                    Pattern::Shifts(Shifts::TwoRings),
                ]
            }),
        }
    }

    /// (P − 1)(α + βm), with γm for the reduce-scatter; for the all-reduce 2(P − 1)α + (P − 1)/P·(2β + γ)m where P divides m.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { operation, ranks, size, .. } = *call;
        let steps = u64::from(ranks - 1);
        if operation == Operation::AllGather {
            return Some(call.message(size) * steps);
        }
        if operation == Operation::ReduceScatter {
            return Some((call.message(size) + (call.combine)(size)) * steps);
        }
        let part = size / u64::from(ranks);
        let even = size.is_multiple_of(u64::from(ranks));
        even.then(|| (call.message(part) * 2 + (call.combine)(part)) * steps)
    }
}
