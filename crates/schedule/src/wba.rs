//! Workflow-based approach: at each step draws one of the pairs of a ready task and a processor that make the schedule
//! little longer: by at most the least of all, and half of what lies between that and the greatest.
//!
//! The publication keeps the best of many such schedules; this is one of them, and `replicas` make many.
//!
//! Blythe et al.: Task scheduling strategies for workflow-based applications in grids. CCGrid 2005,
//! doi:10.1109/CCGRID.2005.1558639.
//!
//! O(n·r·P + e·P) with at most r tasks ready at once.

use rand::seq::IteratorRandom;

use super::frontier::{Frontier, finishes};
use super::{Rule, Schedule, Setup};
use hetsim_base::units::Time;

/// Which part of what lies between the least and the greatest increase may be drawn.
const GREED: f64 = 0.5;

#[derive(Debug)]
pub(super) struct Wba;

impl Rule for Wba {
    fn draws(&self) -> bool {
        true
    }

    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let mut stream = setup.streams.stream("wba", 0);
        let mut makespan = Time::ZERO;
        Frontier::new(setup.graph, setup.costs, setup.insertion).run(|frontier| {
            let pairs = || {
                frontier.rows().enumerate().flat_map(|(index, (task, starts))| {
                    finishes(setup.costs, task, starts).map(move |(finish, processor)| (finish, index, processor))
                })
            };
            let increase = |finish: Time| finish.since(makespan).as_f64();
            let (least, greatest) = pairs().fold((f64::INFINITY, 0.0f64), |(least, greatest), (finish, _, _)| {
                (least.min(increase(finish)), greatest.max(increase(finish)))
            });
            let limit = least + GREED * (greatest - least);
            let (finish, index, processor) = pairs().filter(|pair| increase(pair.0) <= limit).choose(&mut stream)?;
            makespan = makespan.max(finish);
            Some((index, processor))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{graph, unrelated};
    use crate::{Options, Scheduler};
    use hetsim_base::engine::Streams;

    /// A processor that would make the schedule much longer is never drawn, others are alike.
    #[test]
    fn only_pairs_are_drawn_that_cost_little() {
        let graph = graph(&[1.0], &[]);
        let costs = unrelated(&graph, &[[10.0, 14.0, 16.0, 20.0]]);
        let mut drawn = [0; 4];
        for seed in 0..300 {
            let options = Options { streams: Streams::new(seed, 0), ..Options::default() };
            drawn[Scheduler::Wba.schedule(&graph, &costs, &options).unwrap().processor(0) as usize] += 1;
        }
        // 10 and 14 are within 10 + 0.5 · 10.
        assert!(drawn[2] == 0 && drawn[3] == 0 && drawn[0] > 100 && drawn[1] > 100, "{drawn:?}");
    }
}
