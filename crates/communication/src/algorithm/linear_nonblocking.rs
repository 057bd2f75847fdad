//! All messages at once, between the root and all others or among all: Open MPI's scatter (`coll_base_scatter.c`), and what
//! SMPI does where it is not told otherwise (SimGrid 3.32, `smpi_nbc_impl.cpp` and `smpi_default_selector.cpp`).
//!
//! An all-reduce is a reduction to rank 0, then a binomial broadcast from it; a reduce-scatter one, then a scatter.

use super::{Collective, Local, Method, Operation, Pattern, Plan, Portion, Shifts, Time, Who};

pub(super) struct LinearNonblocking;

impl Method for LinearNonblocking {
    fn operations(&self) -> &'static [Operation] {
        use Operation::{AllGather, AllReduce, Gather, Reduce, ReduceScatter, Scan, Scatter};
        &[Scatter, Gather, Reduce, AllGather, AllReduce, ReduceScatter, Scan]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        use Operation::{AllGather, AllReduce, Gather, Reduce, ReduceScatter, Scan};
        let copy = |who, part| Pattern::Local(Local::copy(who, part));
        let others = call.others();
        let inward = |combine| Pattern::Inward { combine, others, at_once: true };
        let outward = Pattern::OutwardAtOnce(others);
        let own = copy(Who::Root, Portion::Own);
        match call.operation {
            Gather => call.blocks(vec![own, inward(false)]),
            Reduce => call.whole(vec![copy(Who::Root, Portion::All), inward(true)]),
            AllReduce => {
                let down = Pattern::Down { reach: call.ranks };
                call.whole(vec![copy(Who::Root, Portion::All), inward(true), down])
            }
            ReduceScatter => call.blocks(vec![copy(Who::Root, Portion::All), inward(true), outward, own]),
            AllGather => call.blocks(vec![copy(Who::All, Portion::Own), Pattern::Shifts(Shifts::OwnToAll)]),
            Scan => call.whole(vec![copy(Who::All, Portion::All), Pattern::ToAllAfter]),
            _ => call.blocks(vec![outward, own]),
        }
    }

    /// (P − 1)(α + βm) for a scatter, a gather and an all-gather: the messages still share a port.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let (others, message) = (u64::from(call.ranks - 1), call.message(call.size));
        match call.operation {
            Operation::Scatter | Operation::Gather | Operation::AllGather => Some(message * others),
            _ => None,
        }
    }
}
