//! Priorities of tasks by the longest paths through the graph, with mean costs (Topcuoglu et al. 2002, section 4).

use std::cmp::Ordering;

use super::Costs;
use super::costs::Integer;
use hetsim_base::units::Time;
use hetsim_graph::{Edge, Length, TaskGraph};

/// HEFT's upward rank in ticks: rank_u(i) = w̄_i + max over successors j of (c̄_ij + rank_u(j)), with means over
/// processors and links (Eq. 8). `costs` must belong to the graph.
///
/// All ranks here are summed as integers and divided at the end, so that equal ranks compare equal.
#[must_use]
pub fn upward(graph: &TaskGraph, costs: &Costs) -> Vec<f64> {
    levels(graph, costs, Direction::Up)
}

/// The downward rank in ticks: rank_d(j) = max over predecessors i of (rank_d(i) + w̄_i + c̄_ij) (Eq. 10). `costs` must
/// belong to the graph.
#[must_use]
pub fn downward(graph: &TaskGraph, costs: &Costs) -> Vec<f64> {
    levels(graph, costs, Direction::Down)
}

/// The static level in ticks: the upward rank without communication. `costs` must belong to the graph.
#[must_use]
pub fn static_levels(graph: &TaskGraph, costs: &Costs) -> Vec<f64> {
    levels(graph, costs, Direction::UpWithoutEdges)
}

/// The sum of both ranks in ticks: the length of the longest path through each task, used by CPOP.
pub(super) fn both(graph: &TaskGraph, costs: &Costs) -> Vec<f64> {
    levels(graph, costs, Direction::Both)
}

#[derive(Clone, Copy)]
enum Direction {
    Up,
    UpWithoutEdges,
    Down,
    Both,
}

fn levels(graph: &TaskGraph, costs: &Costs, way: Direction) -> Vec<f64> {
    // Twice, since two ranks may be added.
    if costs.means().most.checked_mul(2).is_some_and(|most| u64::try_from(most).is_ok()) {
        whole(graph, costs, way, |level: u64| level as f64)
    } else {
        whole(graph, costs, way, |level: u128| level as f64)
    }
}

fn whole<T: Integer>(graph: &TaskGraph, costs: &Costs, way: Direction, float: impl Fn(T) -> f64) -> Vec<f64> {
    let means = costs.means();
    let task = |task| means.task::<T>(task);
    let edge = |edge: Edge| means.edge::<T>(edge.id);
    let levels = match way {
        Direction::Up => graph.bottom_levels(task, edge),
        Direction::UpWithoutEdges => graph.bottom_levels(task, |_| T::default()),
        Direction::Down => graph.top_levels(task, edge),
        Direction::Both => {
            let (up, down) = (graph.bottom_levels(task, edge), graph.top_levels(task, edge));
            up.into_iter().zip(down).map(|(up, down)| up + down).collect()
        }
    };
    levels.into_iter().map(|level| float(level) / means.divisor).collect()
}

/// A task's median duration over the processors in ticks; for an even number of processors, the mean of the two middle
/// values.
pub(super) fn median_duration(costs: &Costs, task: u32, scratch: &mut Vec<Time>) -> f64 {
    scratch.clear();
    scratch.extend((0..costs.processors()).map(|processor| costs.duration(task, processor)));
    scratch.sort_unstable();
    let middle = scratch.len() / 2;
    let upper = scratch[middle].as_f64();
    if scratch.len() % 2 == 1 { upper } else { f64::midpoint(scratch[middle - 1].as_f64(), upper) }
}

/// The tasks by falling level; ties stay in the graph's order. If levels never rise along an edge, as in this module,
/// the result is a topological order. Levels must not be negative. O(n) for evenly spread levels, O(n log n) at worst.
#[must_use]
pub fn falling(graph: &TaskGraph, levels: &[f64]) -> Vec<u32> {
    falling_by(graph, levels, |level| level)
}

/// The place of each task in an order of all.
pub(super) fn places(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (&task, place) in order.iter().zip(0..) {
        places[task as usize] = place;
    }
    places
}

/// The same as [`falling`] for levels of any type. `rough` maps a level to a float and must never map a lower level to a greater
/// float; ties are allowed.
///
/// Tasks are distributed to as many buckets by their rough level, and each bucket is sorted.
#[must_use]
pub fn falling_by<T: Length>(graph: &TaskGraph, levels: &[T], rough: impl Fn(T) -> f64) -> Vec<u32> {
    let count = graph.tasks();
    let level = |task: u32| levels[task as usize];
    let highest = graph.ids().map(|task| rough(level(task))).fold(0.0, f64::max);
    let scale = count as f64 / highest;
    // Rounding never puts a lower level into an earlier bucket; NaN goes into the first.
    let bucket = |task: u32| (((highest - rough(level(task))) * scale) as usize).min(count - 1);
    let mut ends = vec![0u32; count];
    for task in graph.ids() {
        ends[bucket(task)] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        // The start of the bucket, which advances as the bucket is filled.
        sum += std::mem::replace(end, sum);
    }
    let mut tasks = vec![0u32; count];
    for &task in graph.order() {
        let place = &mut ends[bucket(task)];
        tasks[*place as usize] = task;
        *place += 1;
    }
    let mut start = 0;
    for end in ends {
        // Stable, so ties stay in the graph's order.
        tasks[start..end as usize].sort_by(|&a, &b| level(b).partial_cmp(&level(a)).unwrap_or(Ordering::Equal));
        start = end as usize;
    }
    tasks
}
