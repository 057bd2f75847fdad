//! Random two-terminal series-parallel graphs.
//!
//! The graph grows from one edge between the entry and the exit. Each step picks a uniformly random edge and puts a
//! task either on it (in series) or on a second path beside it (in parallel). Both keep the graph series-parallel, and
//! every such graph without double edges can result. A task in series adds one edge, a task in parallel two.
use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;

use super::sketch::Sketch;
use super::{GenerateError, Shape, at_least, fault};
use hetsim_base::engine::Stream;
use hetsim_base::units::defaults::fraction;

/// `family = "series_parallel"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeriesParallel {
    /// The number of tasks, including the entry and the exit.
    #[schemars(range(min = 2))]
    pub tasks: u32,
    /// The probability that a task is put beside an edge instead of on it.
    #[serde(default = "fraction::<1, 2>")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub parallel: f64,
}

impl Shape for SeriesParallel {
    fn check(&self) -> Result<(), GenerateError> {
        at_least("tasks", self.tasks, 2)?;
        if !(0.0..=1.0).contains(&self.parallel) {
            return fault("parallel", "must lie between 0 and 1");
        }
        Ok(())
    }

    fn size(&self) -> (f64, f64) {
        let tasks = f64::from(self.tasks);
        (tasks, 2.0 * tasks - 3.0)
    }

    fn sketch(&self, stream: &mut Stream) -> Sketch {
        let mut sketch = Sketch::default();
        let (entry, exit) = (sketch.task(1.0), sketch.task(1.0));
        sketch.edge(entry, exit, 1.0);
        for _ in 2..self.tasks {
            let chosen = stream.random_range(0..sketch.edges.len());
            let beside = stream.random::<f64>() < self.parallel;
            let (from, to, _) = sketch.edges[chosen];
            let task = sketch.task(1.0);
            if beside {
                sketch.edge(from, task, 1.0);
            } else {
                sketch.edges[chosen] = (from, task, 1.0);
            }
            sketch.edge(task, to, 1.0);
        }
        sketch
    }
}
