//! The random graphs of Aguilar, "Heuristics to Optimize the Speed-Up of Parallel Programs", section 4.
//!
//! What the paper says: n is the mean number of tasks, and each task's number of successors is uniform in [1, d]; tasks are
//! numbered so that edges rise (section 2). What it leaves open, and is chosen here:
//!
//! - the number of tasks is uniform among the whole numbers of n ± ⌊n · spread⌋, whose mean is n;
//! - successors are different tasks, drawn alike from all that come later; a task near the end has fewer where fewer
//!   come later, and the last has none;
//! - the paper calls d also the mean number of successors; uniform in [1, d] it is (d + 1) / 2, 1.5 for the paper's d = 2;
//! - the work Ω and the communication c are not printed: they come from the generator's distributions.
use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;

use super::pick::distinct;
use super::sketch::Sketch;
use super::{GenerateError, Shape, fault};
use crate::engine::Stream;

/// `family = "random"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// The mean number of tasks (n).
    #[schemars(range(min = 1))]
    pub tasks: u32,
    /// The most successors of a task (d).
    #[schemars(range(min = 1))]
    pub successors: u32,
    /// How far the number of tasks may lie from its mean, as a part of it: below 1.
    #[serde(default = "default_spread")]
    #[schemars(range(min = 0.0, max = 0.99))]
    pub spread: f64,
}

impl Shape for Random {
    fn check(&self) -> Result<(), GenerateError> {
        if self.tasks < 1 {
            return fault("tasks", "must be at least 1");
        }
        if self.successors < 1 {
            return fault("successors", "must be at least 1");
        }
        if !(0.0..1.0).contains(&self.spread) {
            return fault("spread", "must be 0 or more and below 1");
        }
        Ok(())
    }

    fn size(&self) -> (f64, f64) {
        let tasks = f64::from(self.tasks) + f64::from(self.reach());
        (tasks, tasks * f64::from(self.successors).min(tasks))
    }

    fn sketch(&self, stream: &mut Stream) -> Sketch {
        let tasks = stream.random_range(self.tasks - self.reach()..=self.tasks.saturating_add(self.reach()));
        let mut sketch = Sketch::default();
        for _ in 0..tasks {
            sketch.task(1.0);
        }
        for task in 0..tasks.saturating_sub(1) {
            let count = stream.random_range(1..=self.successors);
            for to in distinct(u64::from(task) + 1..u64::from(tasks), u64::from(count), stream) {
                sketch.edge(task, to as u32, 1.0);
            }
        }
        sketch
    }
}

impl Random {
    /// How many tasks more or fewer than the mean there may be.
    fn reach(&self) -> u32 {
        (f64::from(self.tasks) * self.spread) as u32
    }
}

fn default_spread() -> f64 {
    0.2
}
