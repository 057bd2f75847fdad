//! Priorities of tasks by the longest ways through the graph, with mean costs (Topcuoglu et al. 2002, section 4).

use std::cmp::Reverse;

use super::Costs;
use crate::graph::{Edge, Length, TaskGraph};
use crate::units::Time;

/// HEFT's upward rank, in ticks: rank_u(i) = w̄_i + max over successors j of (c̄_ij + rank_u(j)), with means over processors and
/// links (Eq. 8). `costs` must be the graph's.
///
/// All ranks here are summed up in whole numbers and divided at the end, so that equal ones are equal.
#[must_use]
pub fn upward(graph: &TaskGraph, costs: &Costs) -> Vec<f64> {
    levels(graph, costs, Way::Up)
}

/// The downward rank, in ticks: rank_d(j) = max over predecessors i of (rank_d(i) + w̄_i + c̄_ij) (Eq. 10). `costs` must be
/// the graph's.
#[must_use]
pub fn downward(graph: &TaskGraph, costs: &Costs) -> Vec<f64> {
    levels(graph, costs, Way::Down)
}

/// The static level, in ticks: as the upward rank, without communication. `costs` must be the graph's.
#[must_use]
pub fn static_levels(graph: &TaskGraph, costs: &Costs) -> Vec<f64> {
    levels(graph, costs, Way::UpWithoutEdges)
}

/// The sum of both ranks, in ticks: how long the longest way through each task is, by which CPOP goes.
pub(super) fn both(graph: &TaskGraph, costs: &Costs) -> Vec<f64> {
    levels(graph, costs, Way::Both)
}

#[derive(Clone, Copy)]
enum Way {
    Up,
    UpWithoutEdges,
    Down,
    Both,
}

fn levels(graph: &TaskGraph, costs: &Costs, way: Way) -> Vec<f64> {
    // Twice, since two ranks may be added.
    if costs.means().most.checked_mul(2).is_some_and(|most| u64::try_from(most).is_ok()) {
        whole(graph, costs, way, |sum| sum as u64, |level| level as f64)
    } else {
        whole(graph, costs, way, |sum| sum, |level| level as f64)
    }
}

fn whole<T: Length>(
    graph: &TaskGraph,
    costs: &Costs,
    way: Way,
    level: impl Fn(u128) -> T,
    float: impl Fn(T) -> f64,
) -> Vec<f64> {
    let means = costs.means();
    let task = |task| level(means.task(task));
    let edge = |edge: Edge| level(means.edge(edge.id));
    let levels = match way {
        Way::Up => graph.bottom_levels(task, edge),
        Way::UpWithoutEdges => graph.bottom_levels(task, |_| T::default()),
        Way::Down => graph.top_levels(task, edge),
        Way::Both => {
            let (up, down) = (graph.bottom_levels(task, edge), graph.top_levels(task, edge));
            up.into_iter().zip(down).map(|(up, down)| up + down).collect()
        }
    };
    levels.into_iter().map(|level| float(level) / means.divisor).collect()
}

/// A task's median duration over the processors, the mean of the two in the middle where their number is even, in ticks.
pub(super) fn median_duration(costs: &Costs, task: u32, scratch: &mut Vec<Time>) -> f64 {
    scratch.clear();
    scratch.extend((0..costs.processors()).map(|processor| costs.duration(task, processor)));
    scratch.sort_unstable();
    let middle = scratch.len() / 2;
    let upper = scratch[middle].as_f64();
    if scratch.len() % 2 == 1 { upper } else { f64::midpoint(scratch[middle - 1].as_f64(), upper) }
}

/// The tasks by falling level, those of one level in the graph's order. Where levels never rise along an edge, as all of
/// this module's do, a task comes after all that it waits for. Levels must not be negative.
#[must_use]
pub fn falling(graph: &TaskGraph, levels: &[f64]) -> Vec<u32> {
    // The bits of floats that are not negative are in the order of their values.
    let key = |task: u32| Reverse((levels[task as usize] + 0.0).to_bits());
    let mut keys: Vec<(Reverse<u64>, u32)> =
        (0u32..).zip(graph.order()).map(|(place, &task)| (key(task), place)).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, place)| graph.order()[place as usize]).collect()
}
