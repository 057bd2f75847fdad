//! Heterogeneous earliest finish time: takes tasks by falling upward rank and puts each where it ends first, if
//! possible into a gap.
//!
//! rank_u(i) = w̄_i + max over successors j of (c̄_ij + rank_u(j)); then the processor with the least EFT(i, p) =
//! max(idle from, max over predecessors k of (AFT(k) + c_ki)) + w_ip (Eqs. 5, 6 and 8).
//!
//! Topcuoglu, Hariri, Wu: Performance-effective and low-complexity task scheduling for heterogeneous computing. IEEE
//! TPDS 13(3), 2002, doi:10.1109/71.993206.
//!
//! O((n + e)·P + n·log n) for n tasks, e edges and P processors, plus O(log n) for each search of a slot among gaps.

use super::list::in_order;
use super::{Rule, Schedule, Setup, rank};

#[derive(Debug)]
pub(super) struct Heft;

impl Rule for Heft {
    fn inserts(&self) -> bool {
        true
    }

    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let order = rank::falling(setup.graph, &rank::upward(setup.graph, setup.costs));
        #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone has one lifetime, and not any")]
        in_order(setup, &order, |partial, task| partial.first_finish(task))
    }
}
