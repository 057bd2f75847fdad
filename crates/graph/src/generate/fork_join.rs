//! Fork and join: stages · (branches + 1) + 1 tasks and 2 · stages · branches edges. Each join is the fork of the next
//! stage.
use schemars::JsonSchema;
use serde::Deserialize;

use super::sketch::Sketch;
use super::{GenerateError, Shape, at_least};
use hetsim_base::engine::Stream;
use hetsim_base::units::defaults::count;

/// `family = "fork_join"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForkJoin {
    /// The number of tasks between a fork and its join.
    #[schemars(range(min = 1))]
    pub branches: u32,
    /// The number of stages.
    #[serde(default = "count::<1>")]
    #[schemars(range(min = 1))]
    pub stages: u32,
}

impl Shape for ForkJoin {
    fn check(&self) -> Result<(), GenerateError> {
        at_least("branches", self.branches, 1)?;
        at_least("stages", self.stages, 1)
    }

    fn size(&self) -> (f64, f64) {
        let (branches, stages) = (f64::from(self.branches), f64::from(self.stages));
        (stages * (branches + 1.0) + 1.0, 2.0 * stages * branches)
    }

    fn sketch(&self, _: &mut Stream) -> Sketch {
        let mut sketch = Sketch::with_room(self.size());
        let mut fork = sketch.task(1.0);
        for _ in 0..self.stages {
            let branches: Vec<u32> = (0..self.branches).map(|_| sketch.task(1.0)).collect();
            let join = sketch.task(1.0);
            for branch in branches {
                sketch.edge(fork, branch, 1.0);
                sketch.edge(branch, join, 1.0);
            }
            fork = join;
        }
        sketch
    }
}
