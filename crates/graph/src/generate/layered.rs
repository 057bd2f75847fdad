//! Layers of tasks with edges from each layer to the next, as in scheduler benchmarks.
//!
//! The last layer may be narrower. A task has the given number of distinct successors, or all tasks of the next layer
//! if that has fewer. Tasks that no task drew as a successor become additional entries.
use schemars::JsonSchema;
use serde::Deserialize;

use super::pick::distinct;
use super::sketch::Sketch;
use super::{GenerateError, Shape, at_least};
use hetsim_base::engine::Stream;

/// `family = "layered"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layered {
    /// The number of tasks.
    #[schemars(range(min = 1))]
    pub tasks: u32,
    /// The number of tasks in a layer.
    #[schemars(range(min = 1))]
    pub width: u32,
    /// The number of successors of each task outside the last layer.
    #[schemars(range(min = 1))]
    pub successors: u32,
}

impl Shape for Layered {
    fn check(&self) -> Result<(), GenerateError> {
        at_least("tasks", self.tasks, 1)?;
        at_least("width", self.width, 1)?;
        at_least("successors", self.successors, 1)
    }

    fn size(&self) -> (f64, f64) {
        let (tasks, width) = (self.tasks, self.width);
        // The number of tasks before the last layer, and the width of that layer.
        let before = (tasks - 1) / width * width;
        let last = tasks - before;
        let onto_last = before.min(width);
        let full = f64::from(before - onto_last) * f64::from(self.successors.min(width));
        (f64::from(tasks), full + f64::from(onto_last) * f64::from(self.successors.min(last)))
    }

    fn sketch(&self, stream: &mut Stream) -> Sketch {
        let mut sketch = Sketch::with_room(self.size());
        let (tasks, width) = (u64::from(self.tasks), u64::from(self.width));
        for task in 0..tasks {
            sketch.task(1.0);
            let next = (task / width + 1) * width;
            for to in distinct(next..(next + width).min(tasks), u64::from(self.successors), stream) {
                sketch.edge(task as u32, to as u32, 1.0);
            }
        }
        sketch
    }
}
