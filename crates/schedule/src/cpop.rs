//! Critical path on a processor: all tasks of the critical path go to the processor that runs them fastest; the other
//! tasks go where they end first. Ready tasks are taken by falling rank_u + rank_d.
//!
//! Of several critical paths, the one with the lowest task numbers counts.
//!
//! Topcuoglu, Hariri, Wu 2002, section 4.2, doi:10.1109/71.993206.
//!
//! O((n + e)·P + n·log n), plus O(log n) for each search of a slot among gaps.

use super::list::by_priority;
use super::{Rule, Schedule, Setup, rank};

#[derive(Debug)]
pub(super) struct Cpop;

impl Rule for Cpop {
    fn inserts(&self) -> bool {
        true
    }

    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let Setup { graph, costs, .. } = *setup;
        let (priorities, means) = (rank::both(graph, costs), costs.means());
        let path = graph.critical_path(|task| means.task::<u128>(task), |edge| means.edge(edge.id)).tasks;
        let length = |processor| path.iter().map(|&task| u128::from(costs.duration(task, processor).0)).sum::<u128>();
        let fastest = (0..costs.processors()).min_by_key(|&processor| length(processor)).unwrap_or(0);
        let mut critical = vec![false; graph.tasks()];
        for &task in &path {
            critical[task as usize] = true;
        }
        by_priority(setup, &priorities, |partial, task| {
            if critical[task as usize] { partial.slot(task, fastest) } else { partial.first_finish(task) }
        })
    }
}
