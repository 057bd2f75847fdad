//! Modified critical path: takes tasks by rising latest start and puts each where it can start first.
//!
//! The latest start is the length of the critical path minus the longest path from the task to the end, here in mean
//! costs. Ties go to the task with the least latest start among its successors; the paper compares those of all
//! descendants.
//!
//! Wu, Gajski: Hypertool: a programming aid for message-passing systems. IEEE TPDS 1(3), 1990, doi:10.1109/71.80160.
//!
//! O((n + e)·P + n·log n), plus O(log n) for each search of a slot among gaps.

use std::cmp::Reverse;

use super::list::in_order;
use super::{Rule, Schedule, Setup, rank};

#[derive(Debug)]
pub(super) struct Mcp;

impl Rule for Mcp {
    fn inserts(&self) -> bool {
        true
    }

    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let Setup { graph, costs, .. } = *setup;
        // The longest path to the end falls as the latest start rises. The bits of such floats are in their order.
        let levels: Vec<u64> = rank::upward(graph, costs).into_iter().map(f64::to_bits).collect();
        let below = |task| graph.successors(task).map(|edge| levels[edge.to as usize]).max().unwrap_or(0);
        let mut order: Vec<u32> = graph.order().to_vec();
        // Stable: remaining ties stay in the graph's order.
        order.sort_by_cached_key(|&task| Reverse((levels[task as usize], below(task))));
        in_order(setup, &order, |partial, task| {
            let first = partial.slots(task).min_by_key(|slot| slot.start);
            first.unwrap_or_else(|| partial.slot(task, 0))
        })
    }
}
