//! Everyone deals with the root alone, or with all others, one after the other by their numbers, as Open MPI's linear
//! algorithms do. A broadcast goes down the flat tree. A reduction begins with the last number, so that an operation need
//! not be commutative; the root of a barrier receives from all at once (`coll_base_bcast.c`, `coll_base_scatter.c`,
//! `coll_base_gather.c`, `coll_base_reduce.c`, `coll_base_barrier.c`).

use super::{Collective, Local, Method, Operation, Others, Pattern, Plan, Portion, Shifts, Time, Tree, Who, closed};
use crate::tree::ExplicitTree;

pub(super) struct Linear;

/// The flat tree, by numbers.
fn flat(call: &Collective<'_>) -> Tree {
    if call.root == 0 {
        return Tree::Linear(call.ranks);
    }
    let sends: Vec<(u32, u32)> = (0..call.ranks - 1).map(|place| (0, call.others().nth(place, call.ranks))).collect();
    ExplicitTree::new(call.ranks, 0, &sends).map_or(Tree::Linear(call.ranks), Tree::Explicit)
}

impl Method for Linear {
    fn operations(&self) -> &'static [Operation] {
        use Operation::{AllToAll, Barrier, Broadcast, Gather, Reduce, Scan, Scatter};
        &[Broadcast, Scatter, Gather, Reduce, Scan, AllToAll, Barrier]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        use Operation::{AllToAll, Barrier, Gather, Reduce, Scan, Scatter};
        let copy = |who, part| Pattern::Local(Local::copy(who, part));
        let allocate = |who, part| Pattern::Local(Local::allocate(who, part));
        let others = call.others();
        let inward = |combine, others| Pattern::Inward { combine, others, at_once: false };
        match call.operation {
            Scatter => call.blocks(vec![copy(Who::Root, Portion::Own), Pattern::Outward(others)]),
            Gather => call.blocks(vec![copy(Who::Root, Portion::Own), inward(false, others)]),
            AllToAll => call.blocks(vec![copy(Who::All, Portion::Own), Pattern::Shifts(Shifts::AllAtOnce)]),
            Reduce => {
                let last_first = Others { falling: true, ..others };
                call.whole(vec![allocate(Who::Root, Portion::All), inward(true, last_first)])
            }
            Scan => {
                call.whole(vec![copy(Who::All, Portion::All), allocate(Who::Others, Portion::All), Pattern::ToNext])
            }
            Barrier => {
                let inward = Pattern::Inward { combine: true, others, at_once: true };
                call.whole(vec![inward, Pattern::Outward(others)])
            }
            _ => call.forward(flat(call)),
        }
    }

    /// (P − 1)(α + βm), for the barrier twice; (P − 1)(α + βm + γm) for the reduction and the scan.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let (others, message) = (u64::from(call.ranks - 1), call.message(call.size));
        Some(match call.operation {
            Operation::Broadcast => closed::linear(call.ranks, (call.cost)(call.size)),
            // The root begins with the last rank, whose message comes in last.
            Operation::Reduce | Operation::Scan => (message + (call.combine)(call.size)) * others,
            Operation::Barrier => message * (2 * others),
            _ => message * others,
        })
    }
}
