//! Fast critical path: takes the ready task with the longest way to the end, and compares two processors only: the one
//! from which its last message comes, and the one that is idle first. The task goes where it starts earlier; ties go to
//! the second.
//!
//! Only as many ready tasks are sorted as there are processors; others wait in the order in which they became ready. Ways
//! are upward ranks, with means over processors and links.
//!
//! Radulescu, van Gemund: On the complexity of list scheduling algorithms for distributed-memory systems. ICS 1999,
//! doi:10.1145/305138.305162.
//!
//! O(n·log P + e) where all links are equal.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::first_idle::FirstIdle;
use super::partial::Partial;
use super::{Rule, Schedule, Setup, rank};

#[derive(Debug)]
pub(super) struct Fcp;

impl Rule for Fcp {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let Setup { graph, costs, .. } = *setup;
        let places = rank::places(&rank::falling(graph, &rank::upward(graph, costs)));
        let mut partial = Partial::new(graph, costs, setup.insertion);
        let mut idle = FirstIdle::new(costs.processors());
        let (mut sorted, mut others) = (BinaryHeap::new(), VecDeque::new());
        let mut waiting: Vec<u32> = graph.ids().map(|task| graph.in_degree(task)).collect();
        let add = |task: u32, sorted: &mut BinaryHeap<_>, others: &mut VecDeque<u32>| {
            if sorted.len() < costs.processors() as usize {
                sorted.push(Reverse((places[task as usize], task)));
            } else {
                others.push_back(task);
            }
        };
        for task in graph.entries() {
            add(task, &mut sorted, &mut others);
        }
        while let Some(Reverse((_, task))) = sorted.pop() {
            if let Some(next) = others.pop_front() {
                add(next, &mut sorted, &mut others);
            }
            let first = partial.slot(task, idle.get(&partial));
            let enabling = partial.enabling(task).map(|(processor, _)| partial.slot(task, processor));
            partial.place(task, enabling.filter(|slot| slot.start < first.start).unwrap_or(first));
            for edge in graph.successors(task) {
                let left = &mut waiting[edge.to as usize];
                *left -= 1;
                if *left == 0 {
                    add(edge.to, &mut sorted, &mut others);
                }
            }
        }
        partial.into_schedule()
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{graph, unrelated};
    use crate::{Options, Schedule, Scheduler};

    /// The schedule of tasks of these lengths on two processors, and edges with the time that their data take.
    fn schedule<const N: usize>(lengths: [f64; N], edges: &[(u32, u32, u64)]) -> Schedule {
        let graph = graph(&lengths, edges);
        let costs = unrelated(&graph, &lengths.map(|length| [length; 2]));
        Scheduler::Fcp.schedule(&graph, &costs, &Options::default()).unwrap()
    }

    /// The fourth task is longest, but only two ready tasks are sorted: it waits behind the first two.
    #[test]
    fn only_as_many_tasks_are_sorted_as_there_are_processors() {
        let schedule = schedule([1.0, 2.0, 3.0, 9.0], &[]);
        // 1 (of 0 and 1), then 2 joins and goes first (of 0 and 2), then 3.
        assert_eq!([0, 1, 2, 3].map(|task| schedule.start(task).0), [3, 0, 0, 2]);
    }

    /// A message of 4 keeps the second task on its processor until the other is idle early enough.
    #[test]
    fn a_task_stays_where_its_last_message_comes_from() {
        for (bytes, processor) in [(4, 0), (0, 1)] {
            // Task 1 is the longest way; task 2 could start on the idle processor once its data are there.
            let schedule = schedule([2.0, 3.0, 2.0], &[(0, 1, 4), (0, 2, bytes)]);
            assert_eq!((schedule.processor(1), schedule.processor(2)), (0, processor), "{bytes}");
        }
    }
}
