//! Lower bounds of the makespan of any schedule.

use super::Costs;
use hetsim_base::units::Time;
use hetsim_graph::TaskGraph;

/// The longest path through the graph with each task on its fastest processor and without communication. `costs` must
/// belong to the graph.
#[must_use]
pub fn critical_path(graph: &TaskGraph, costs: &Costs) -> Time {
    graph.critical_path(|task| costs.shortest(task), |_| Time::ZERO).length
}

/// All the work shared out without idle time. For any weights a_p ≥ 0 a makespan T satisfies T·Σ_p a_p ≥ Σ_i min_p
/// a_p·w_ip, since processor p is busy for at most T. The result is the greater bound of two choices: equal weights,
/// and weights proportional to each processor's speed over all tasks, which for related speeds gives total work over
/// total capacity. `costs` must belong to the graph.
#[must_use]
pub fn total_work(graph: &TaskGraph, costs: &Costs) -> Time {
    let equal: u128 = graph.ids().map(|task| u128::from(costs.shortest(task).0)).sum();
    // A sum of durations is at most half the range of time.
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
    // A sum of floats may be off by the number of terms times half a unit in the last place; the slack is larger.
    let slack = (graph.tasks() + times.len()) as f64 * 2.0 * f64::EPSILON;
    equal.max(Time((weighted * (1.0 - slack)).ceil() as u64))
}

/// The greater of the [critical-path](critical_path) and [total-work](total_work) bounds.
#[must_use]
pub fn lower_bound(graph: &TaskGraph, costs: &Costs) -> Time {
    critical_path(graph, costs).max(total_work(graph, costs))
}
