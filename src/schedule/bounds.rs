//! What no schedule can beat.

use super::Costs;
use crate::graph::TaskGraph;
use crate::units::Time;

/// The longest way through the graph, each task on the processor that is fastest for it, without communication. `costs` must
/// be the graph's.
#[must_use]
pub fn critical_path(graph: &TaskGraph, costs: &Costs) -> Time {
    graph.critical_path(|task| costs.shortest(task), |_| Time::ZERO).length
}

/// All the work shared out without waiting. For any weights a_p ≥ 0 a makespan T has T·Σ_p a_p ≥ Σ_i min_p a_p·w_ip, since
/// processor p is busy for T at most. Two choices of weights are tried, and the greater bound taken: all equal, and each
/// processor by its speed over all tasks, which for related speeds is all work over all capacity. `costs` must be the graph's.
#[must_use]
pub fn total_work(graph: &TaskGraph, costs: &Costs) -> Time {
    let equal: u128 = graph.ids().map(|task| u128::from(costs.shortest(task).0)).sum();
    // A sum of durations is half of the range of time at most.
    let equal = Time(equal.div_ceil(u128::from(costs.processors())) as u64);
    let times: Vec<f64> = (0..costs.processors())
        .map(|processor| graph.ids().map(|task| costs.duration(task, processor).as_f64()).sum())
        .collect();
    if times.iter().any(|&time| time <= 0.0) {
        return equal;
    }
    let least = |task: u32| {
        let weighted = (0u32..).zip(&times).map(|(processor, time)| costs.duration(task, processor).as_f64() / time);
        weighted.fold(f64::INFINITY, f64::min)
    };
    let weighted = graph.ids().map(least).sum::<f64>() / times.iter().map(|time| 1.0 / time).sum::<f64>();
    // Sums of so many floats may be off by their count times half a unit in the last place: the bound gives way by more.
    let slack = (graph.tasks() + times.len()) as f64 * 2.0 * f64::EPSILON;
    equal.max(Time((weighted * (1.0 - slack)).ceil() as u64))
}

/// The greater of the bounds by the [critical path](critical_path) and by the [total work](total_work).
#[must_use]
pub fn lower_bound(graph: &TaskGraph, costs: &Costs) -> Time {
    critical_path(graph, costs).max(total_work(graph, costs))
}
