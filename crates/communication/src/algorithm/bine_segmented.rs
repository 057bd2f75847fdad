//! An all-reduce along a Bine butterfly, whose halves are exchanged and combined segment by segment.
//!
//! D. De Sensi, S. Pasqualoni et al., *Bine trees: enhancing collective operations by optimizing communication locality*,
//! SC '25; as their library does it (libbine in HLC-Lab/pico, `libbine_allreduce.c`).

use super::bine_remap::numbered;
use super::{Collective, Local, Method, Operation, Pattern, Plan, Portion, Rounds, Segments, Time, Who, masks};

pub(super) struct BineSegmented;

impl Method for BineSegmented {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::AllReduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        let fold = numbered(call.ranks);
        let part = Segments::blocks(call.size, fold.members).full();
        call.parts(fold, |_| {
            vec![
                Pattern::Local(Local::copy(Who::All, Portion::All)),
                Pattern::HandOver { combine: true },
                Pattern::Rounds(Rounds::Halves { segment: call.segment, part }),
                Pattern::Doubling { combine: false },
                Pattern::HandBack,
            ]
        })
    }

    /// 2·log₂P·α + (P − 1)/P·(2β + γ)m, where P is a power of two that divides m, with an α for each segment more.
    fn completion(&self, call: &Collective<'_>) -> Option<Time> {
        let Collective { ranks, size, segment, .. } = *call;
        let part = size / u64::from(ranks);
        let even = ranks.is_power_of_two() && size.is_multiple_of(u64::from(ranks));
        let each = |bytes: u64| call.message(bytes) + (call.combine)(bytes);
        let halves = masks(ranks).map(|mask| {
            let half = Segments::new(part.saturating_mul(u64::from(mask)), segment);
            each(half.full()) * (half.count() - 1) + each(half.last())
        });
        even.then(|| call.doubling(part) + halves.fold(Time::ZERO, |sum, one| sum + one))
    }

    fn cuts(&self) -> bool {
        true
    }
}
