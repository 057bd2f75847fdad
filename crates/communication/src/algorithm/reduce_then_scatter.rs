//! A reduction of all blocks to the root along the binomial tree, then a scatter from it (Open MPI's non-overlapping
//! reduce-scatter, whose two halves are what the library would choose).

use super::{Collective, Local, Method, Operation, Pattern, Plan, Portion, Time, Who, rounds};

pub(super) struct ReduceThenScatter;

impl Method for ReduceThenScatter {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::ReduceScatter]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let buffer = Pattern::Local(Local::allocate(Who::Parents(1), Portion::All));
        let copy = Pattern::Local(Local::copy(Who::Root, Portion::Own));
        call.blocks(vec![buffer, Pattern::Up { combine: true }, Pattern::Outward(call.others()), copy])
    }

    /// log₂P(α + (β + γ)Pm) + (P − 1)(α + βm), where P is a power of two.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { ranks, size, .. } = *call;
        let all = size.saturating_mul(ranks.into());
        let up = (call.message(all) + (call.combine)(all)) * u64::from(rounds(ranks));
        ranks.is_power_of_two().then(|| up + call.message(size) * u64::from(ranks - 1))
    }
}
