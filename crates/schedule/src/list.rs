//! The loops of list schedulers: tasks in a fixed order, or by priority among the ready tasks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::partial::{Partial, TaskSlot};
use super::{Schedule, Setup};
use hetsim_graph::TaskGraph;

/// The topological order that always continues with the ready task of the lowest number. Schedulers whose papers leave
/// the order open use it.
pub(super) fn by_number(graph: &TaskGraph) -> Vec<u32> {
    let mut waiting: Vec<u32> = graph.ids().map(|task| graph.in_degree(task)).collect();
    let mut ready: BinaryHeap<_> = graph.entries().map(Reverse).collect();
    let mut order = Vec::with_capacity(graph.tasks());
    while let Some(Reverse(task)) = ready.pop() {
        order.push(task);
        for edge in graph.successors(task) {
            let left = &mut waiting[edge.to as usize];
            *left -= 1;
            if *left == 0 {
                ready.push(Reverse(edge.to));
            }
        }
    }
    order
}

/// Places tasks in a topological order; `choose` picks the slot.
#[inline]
pub(super) fn in_order(
    setup: &Setup<'_>,
    order: &[u32],
    mut choose: impl FnMut(&mut Partial<'_>, u32) -> TaskSlot,
) -> Schedule {
    let mut partial = Partial::new(setup.graph, setup.costs, setup.insertion);
    for &task in order {
        let slot = choose(&mut partial, task);
        partial.place(task, slot);
    }
    partial.into_schedule()
}

/// Repeatedly places the ready task with the highest priority; ties go to the first in the graph's order. Priorities
/// must not be negative.
pub(super) fn by_priority(
    setup: &Setup<'_>,
    priorities: &[f64],
    mut choose: impl FnMut(&mut Partial<'_>, u32) -> TaskSlot,
) -> Schedule {
    let graph = setup.graph;
    let mut partial = Partial::new(graph, setup.costs, setup.insertion);
    let mut place = vec![0u32; graph.tasks()];
    for (number, &task) in (0u32..).zip(graph.order()) {
        place[task as usize] = number;
    }
    // The bits of non-negative floats are in the order of their values.
    let entry = |task: u32| ((priorities[task as usize] + 0.0).to_bits(), Reverse(place[task as usize]), task);
    let mut ready: BinaryHeap<_> = graph.entries().map(entry).collect();
    let mut waiting: Vec<u32> = graph.ids().map(|task| graph.in_degree(task)).collect();
    while let Some((_, _, task)) = ready.pop() {
        let slot = choose(&mut partial, task);
        partial.place(task, slot);
        for edge in graph.successors(task) {
            let left = &mut waiting[edge.to as usize];
            *left -= 1;
            if *left == 0 {
                ready.push(entry(edge.to));
            }
        }
    }
    partial.into_schedule()
}
