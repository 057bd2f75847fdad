//! Best imaginary level: looks ahead by the shortest path to the end from each processor, as if all others were idle.
//!
//! BIL(i, p) = w_ip + max over successors j of min(BIL(j, p), min over q ≠ p of (BIL(j, q) + c̄_ij)). Each step
//! compares the imaginary makespans BIM(i, p) = earliest start + BIL(i, p) of the ready tasks. With k tasks ready on P
//! processors, the task with the greatest min(k, P)-th smallest value comes first. It goes to the processor with the
//! least BIM(i, p) + w_ip·max(k/P − 1, 0). Ties follow the graph's order; the paper compares further makespans of the
//! tied tasks.
//!
//! Oh, Ha: A static scheduling heuristic for heterogeneous processors. Euro-Par 1996, LNCS 1124,
//! doi:10.1007/BFb0024750.
//!
//! O(n·r·P + e·P) with at most r tasks ready at once: quadratic for wide graphs.

use std::cmp::Reverse;

use super::frontier::Frontier;
use super::{Rule, Schedule, Setup, peft};

#[derive(Debug)]
pub(super) struct Bil;

impl Rule for Bil {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let Setup { graph, costs, .. } = *setup;
        let width = costs.processors() as usize;
        // An imaginary level is a task's own time plus PEFT's optimistic cost of what follows; the recursion is the
        // same.
        let mut levels = peft::optimistic_costs(graph, costs);
        for task in graph.ids() {
            for (processor, level) in (0u32..).zip(&mut levels[task as usize * width..][..width]) {
                *level += costs.duration(task, processor).as_f64();
            }
        }
        let mut makespans = vec![0.0; width];
        Frontier::new(graph, costs, setup.insertion).run(|frontier| {
            let ready = frontier.len();
            let crowd = (ready as f64 / width as f64 - 1.0).max(0.0);
            frontier.least(|task, starts| {
                let (row, times) = (&levels[task as usize * width..][..width], costs.row(task));
                for ((value, start), level) in makespans.iter_mut().zip(starts).zip(row) {
                    *value = start.as_f64() + level;
                }
                let durations = costs.kinds().iter().map(|&kind| times[kind as usize].as_f64());
                let revised = makespans.iter().zip(durations).map(|(makespan, duration)| makespan + duration * crowd);
                let least = |best: (f64, u32), next: (f64, u32)| if next.0 < best.0 { next } else { best };
                let best = revised.zip(0u32..).reduce(least).unwrap_or_default();
                let (_, level, _) = makespans.select_nth_unstable_by(ready.clamp(1, width) - 1, f64::total_cmp);
                (Reverse(*level), best.1)
            })
        })
    }
}
