//! A chain: n tasks, n − 1 edges, no parallelism.
use schemars::JsonSchema;
use serde::Deserialize;

use super::sketch::Sketch;
use super::{GenerateError, Shape, at_least};
use hetsim_base::engine::Stream;

/// `family = "chain"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// The number of tasks.
    #[schemars(range(min = 1))]
    pub tasks: u32,
}

impl Shape for Chain {
    fn check(&self) -> Result<(), GenerateError> {
        at_least("tasks", self.tasks, 1)
    }

    fn size(&self) -> (f64, f64) {
        (f64::from(self.tasks), f64::from(self.tasks) - 1.0)
    }

    fn sketch(&self, _: &mut Stream) -> Sketch {
        let mut sketch = Sketch::with_room(self.size());
        sketch.task(1.0);
        for task in 1..self.tasks {
            sketch.task(1.0);
            sketch.edge(task - 1, task, 1.0);
        }
        sketch
    }
}
