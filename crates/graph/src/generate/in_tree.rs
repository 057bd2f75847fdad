//! A complete tree from its leaves to its root: a reversed [out-tree](super::out_tree) whose leaves are numbered first.
use schemars::JsonSchema;
use serde::Deserialize;

use super::out_tree::tree_tasks;
use super::sketch::Sketch;
use super::{GenerateError, Shape, at_least};
use hetsim_base::engine::Stream;

/// `family = "in_tree"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InTree {
    /// The number of children of each inner task.
    #[schemars(range(min = 1))]
    pub children: u32,
    /// The number of tasks from the root to a leaf, both included.
    #[schemars(range(min = 1))]
    pub levels: u32,
}

impl Shape for InTree {
    fn check(&self) -> Result<(), GenerateError> {
        at_least("children", self.children, 1)?;
        at_least("levels", self.levels, 1)
    }

    fn size(&self) -> (f64, f64) {
        let tasks = tree_tasks(self.children, self.levels);
        (tasks, tasks - 1.0)
    }

    fn sketch(&self, _: &mut Stream) -> Sketch {
        let (tasks, _) = self.size();
        let mut sketch = Sketch::with_room(self.size());
        let root = sketch.task(1.0) + tasks as u32 - 1;
        for task in 1..tasks as u32 {
            sketch.task(1.0);
            sketch.edge(root - task, root - (task - 1) / self.children, 1.0);
        }
        sketch
    }
}
