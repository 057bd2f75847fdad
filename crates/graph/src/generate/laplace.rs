//! The wavefront of a Laplace solver: m × m tasks, each after its neighbours above and to the left. The graph has m²
//! tasks and 2 m (m − 1) edges.
use schemars::JsonSchema;
use serde::Deserialize;

use super::sketch::Sketch;
use super::{GenerateError, Shape, at_least};
use hetsim_base::engine::Stream;

/// `family = "laplace"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Laplace {
    /// The number of tasks along a side (m).
    #[schemars(range(min = 1))]
    pub size: u32,
}

impl Shape for Laplace {
    fn check(&self) -> Result<(), GenerateError> {
        at_least("size", self.size, 1)
    }

    fn size(&self) -> (f64, f64) {
        let m = f64::from(self.size);
        (m * m, 2.0 * m * (m - 1.0))
    }

    fn sketch(&self, _: &mut Stream) -> Sketch {
        let mut sketch = Sketch::with_room(self.size());
        for row in 0..self.size {
            for column in 0..self.size {
                let task = sketch.task(1.0);
                if row > 0 {
                    sketch.edge(task - self.size, task, 1.0);
                }
                if column > 0 {
                    sketch.edge(task - 1, task, 1.0);
                }
            }
        }
        sketch
    }
}
