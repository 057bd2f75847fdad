//! The random graphs of Aguilar, "Heuristics to Optimize the Speed-Up of Parallel Programs", section 4.
//!
//! The paper specifies that n is the mean number of tasks, that each task's number of successors is uniform in [1, d],
//! and that tasks are numbered so that edges rise (section 2). It leaves the following open; the choices here are:
//!
//! - The number of tasks is uniform among the integers in n ± ⌊n · spread⌋, whose mean is n.
//! - Successors are distinct and uniform among all later tasks. A task near the end has fewer if fewer come later; the
//!   last has none.
//! - The paper also calls d the mean number of successors. The mean of the uniform distribution in [1, d] is (d + 1) /
//!   2, which is 1.5 for the paper's d = 2.
//! - The paper does not print the work Ω and the communication c; they come from the generator's distributions.
use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;

use super::pick::distinct;
use super::sketch::Sketch;
use super::{GenerateError, Shape, at_least, fault};
use hetsim_base::engine::Stream;
use hetsim_base::units::defaults::fraction;

/// `family = "random"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Random {
    /// The mean number of tasks (n).
    #[schemars(range(min = 1))]
    pub tasks: u32,
    /// The maximum number of successors of a task (d).
    #[schemars(range(min = 1))]
    pub successors: u32,
    /// The relative deviation of the number of tasks from its mean, from 0 to below 1.
    #[serde(default = "fraction::<1, 5>")]
    #[schemars(range(min = 0.0, max = 0.99))]
    pub spread: f64,
}

impl Shape for Random {
    fn check(&self) -> Result<(), GenerateError> {
        at_least("tasks", self.tasks, 1)?;
        at_least("successors", self.successors, 1)?;
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
    /// The largest difference between the number of tasks and its mean.
    fn reach(&self) -> u32 {
        (f64::from(self.tasks) * self.spread) as u32
    }
}
