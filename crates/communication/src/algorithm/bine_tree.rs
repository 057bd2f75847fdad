//! Along a Bine tree: a broadcast at doubling distances, from the root on; all else at halving ones.
//!
//! D. De Sensi, S. Pasqualoni et al., *Bine trees: enhancing collective operations by optimizing communication locality*,
//! SC '25; as their library does it (libbine in HLC-Lab/pico, `libbine_bcast.c, libbine_gather.c, libbine_scatter.c, libbine_reduce.c`).
//!
//! A broadcast or a reduction among a number of ranks that is no power of two has some ranks stand aside; the library
//! refuses those.

use super::recursive_doubling::whole_vectors;
use super::{
    Collective, Fold, Local, Method, Numbering, Operation, Pattern, Plan, Portion, Subtrees, Time, Who, rounds,
};

pub(super) struct BineTree;

/// log₂P(α + βm), where P is a power of two.
pub(super) fn by_rounds(call: &Collective<'_>) -> Option<Time> {
    call.ranks.is_power_of_two().then(|| call.message(call.size) * u64::from(rounds(call.ranks)))
}

/// A broadcast or a reduction along a tree of so numbered ranks.
pub(super) fn along(call: &Collective<'_>, numbering: Numbering, stages: Vec<Pattern>) -> Plan {
    call.steps(call.slots(1), Fold::in_pairs(call.ranks).numbered(numbering), stages)
}

impl Method for BineTree {
    fn operations(&self) -> &'static [Operation] {
        use Operation::{Broadcast, Gather, Reduce, Scatter};
        &[Broadcast, Scatter, Gather, Reduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let local = Pattern::Local;
        let stages = match call.operation {
            Operation::Broadcast => {
                return along(call, Numbering::BineDoubling, vec![Pattern::DownAtOnce, Pattern::HandBack]);
            }
            Operation::Reduce => {
                let buffers = [Who::All, Who::Others].map(|who| local(Local::allocate(who, Portion::All)));
                let up = [Pattern::HandOver { combine: true }, Pattern::Up { combine: true }];
                let copy = local(Local::copy(Who::All, Portion::All));
                return along(call, Numbering::BineHalving, buffers.into_iter().chain([copy]).chain(up).collect());
            }
            Operation::Scatter => vec![
                local(Local::allocate(Who::Inner, Portion::Subtree)),
                Pattern::Subtrees(Subtrees { up: false }),
                local(Local::copy(Who::Parents(1), Portion::Own)),
            ],
            _ => vec![
                local(Local::allocate(Who::Others, Portion::Subtree)),
                local(Local::copy(Who::All, Portion::Own)),
                Pattern::Subtrees(Subtrees { up: true }),
            ],
        };
        call.steps(call.slots(call.ranks), Fold::none(call.ranks).numbered(Numbering::BineHalving), stages)
    }

    /// log₂P(α + βm) for a broadcast, with γm for a reduction, where P is a power of two.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        match call.operation {
            Operation::Broadcast => by_rounds(call),
            Operation::Reduce => whole_vectors(call),
            _ => None,
        }
    }

    fn in_powers(&self, operation: Operation) -> bool {
        matches!(operation, Operation::Scatter | Operation::Gather)
    }
}
