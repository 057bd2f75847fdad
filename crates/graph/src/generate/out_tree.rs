//! A complete tree from its root to its leaves. With c children and l levels it has (cˡ − 1) / (c − 1) tasks (l for c =
//! 1) and one edge fewer.
use schemars::JsonSchema;
use serde::Deserialize;

use super::sketch::Sketch;
use super::{GenerateError, Shape, at_least};
use hetsim_base::engine::Stream;

/// `family = "out_tree"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct OutTree {
    /// The number of children of each inner task.
    #[schemars(range(min = 1))]
    pub children: u32,
    /// The number of tasks from the root to a leaf, both included.
    #[schemars(range(min = 1))]
    pub levels: u32,
}

impl Shape for OutTree {
    fn check(&self) -> Result<(), GenerateError> {
        at_least("children", self.children, 1)?;
        at_least("levels", self.levels, 1)
    }

    fn size(&self) -> (f64, f64) {
        let (children, levels) = (f64::from(self.children), f64::from(self.levels));
        let tasks = if children == 1.0 { levels } else { (children.powf(levels) - 1.0) / (children - 1.0) };
        (tasks, tasks - 1.0)
    }

    fn sketch(&self, _: &mut Stream) -> Sketch {
        let (tasks, _) = self.size();
        let mut sketch = Sketch::with_room(self.size());
        sketch.task(1.0);
        // Heap order: the children of k start at k · c + 1.
        for task in 1..tasks as u32 {
            sketch.task(1.0);
            sketch.edge((task - 1) / self.children, task, 1.0);
        }
        sketch
    }
}
