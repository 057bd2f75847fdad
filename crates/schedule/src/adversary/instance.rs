//! The search space: small task graphs together with the platforms that they run on.

use std::ops::RangeInclusive;

use rand::RngExt;

use hetsim_base::engine::Stream;
use hetsim_graph::{Builder, GraphError, TaskGraph};

/// A weight in whole millionths, above 0 and at most [`Weight::ONE`]. The operations of a task and the bytes of an edge
/// are therefore integers, and a file stores an instance exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight(u32);

impl Weight {
    /// The largest weight, 1.
    pub const ONE: Self = Self(1_000_000);
    /// The smallest weight, 10⁻⁶. Zero would make a task without duration or a link that never delivers.
    pub const LEAST: Self = Self(1);

    /// The weight nearest to a number, clamped to [10⁻⁶, 1]; NaN gives the smallest weight.
    #[must_use]
    pub fn nearest(value: f64) -> Self {
        // A cast saturates and turns NaN into 0.
        Self(((value * 1e6).round() as u32).clamp(Self::LEAST.0, Self::ONE.0))
    }

    /// The weight in millionths.
    #[must_use]
    pub const fn millionths(self) -> u32 {
        self.0
    }

    /// Draws a weight uniformly between `least` and 1.
    pub(super) fn draw(least: Self, stream: &mut Stream) -> Self {
        Self(stream.random_range(least.0..=Self::ONE.0))
    }

    /// Moves the weight by a uniform draw from ±`step`, clamped to [`least`, 1].
    pub(super) fn moved(self, step: Self, least: Self, stream: &mut Stream) -> Self {
        let by = i64::from(stream.random_range(0..=2 * step.0)) - i64::from(step.0);
        let moved = (i64::from(self.0) + by).clamp(i64::from(least.0), i64::from(Self::ONE.0));
        // The value lies between two weights, so it fits.
        Self(moved as u32)
    }
}

/// A dependency: one task waits for the data of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dependency {
    /// The predecessor, which sends the data.
    pub from: u32,
    /// The successor, which waits for the data.
    pub to: u32,
    /// The amount of data.
    pub data: Weight,
}

/// A task graph and fully connected nodes, all described by weights. The time of a task on a node is the task's weight
/// over the node's; the time of data on a link is the data's weight over the link's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemInstance {
    /// The work of each task.
    pub(super) tasks: Vec<Weight>,
    /// The dependencies, acyclic and without duplicates.
    pub(super) dependencies: Vec<Dependency>,
    /// The speed of each node.
    pub(super) speeds: Vec<Weight>,
    /// The bandwidth of the link of each pair of nodes, in both directions: node 0 with 1, 2, …, then node 1 with 2, 3,
    /// …
    pub(super) links: Vec<Weight>,
}

impl ProblemInstance {
    /// The work of each task.
    #[must_use]
    pub fn tasks(&self) -> &[Weight] {
        &self.tasks
    }

    /// The dependencies between the tasks.
    #[must_use]
    pub fn dependencies(&self) -> &[Dependency] {
        &self.dependencies
    }

    /// The speed of each node.
    #[must_use]
    pub fn speeds(&self) -> &[Weight] {
        &self.speeds
    }

    /// The number of nodes.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.speeds.len() as u32
    }

    /// The links: two nodes, the lower number first, and the bandwidth between them in both directions.
    pub fn links(&self) -> impl Iterator<Item = (u32, u32, Weight)> + '_ {
        let pairs = (0..self.nodes()).flat_map(|a| (a + 1..self.nodes()).map(move |b| (a, b)));
        pairs.zip(&self.links).map(|((a, b), &strength)| (a, b, strength))
    }

    /// The bandwidth of the link between two different nodes of the instance.
    #[must_use]
    pub fn link(&self, a: u32, b: u32) -> Weight {
        let (low, high) = (a.min(b) as usize, a.max(b) as usize);
        // The pairs of lower nodes come first; each lower node has one pair fewer than the one before it.
        self.links[low * self.speeds.len() - low * (low + 1) / 2 + high - low - 1]
    }

    /// The task graph: a task of weight 1 takes 10⁶ operations, data of weight 1 take 10⁶ bytes.
    ///
    /// # Errors
    /// The errors of the builder; no instance made here causes one.
    pub fn graph(&self) -> Result<TaskGraph, GraphError> {
        let mut builder = Builder::with_capacity(self.tasks.len(), self.dependencies.len());
        for task in &self.tasks {
            builder.task(f64::from(task.millionths()))?;
        }
        for edge in &self.dependencies {
            builder.edge(edge.from, edge.to, u64::from(edge.data.millionths()))?;
        }
        builder.build()
    }

    /// For each task, whether `task` depends on it directly or indirectly; true for `task` itself.
    pub(super) fn ancestors(&self, task: u32) -> Vec<bool> {
        let mut found = vec![false; self.tasks.len()];
        found[task as usize] = true;
        let mut waiting = vec![task];
        while let Some(next) = waiting.pop() {
            for edge in self.dependencies.iter().filter(|edge| edge.to == next) {
                if !found[edge.from as usize] {
                    found[edge.from as usize] = true;
                    waiting.push(edge.from);
                }
            }
        }
        found
    }
}

/// The space of instances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    /// The allowed numbers of tasks, at least 1.
    pub tasks: RangeInclusive<u32>,
    /// The allowed numbers of nodes, at least 1.
    pub nodes: RangeInclusive<u32>,
    /// The smallest weight of anything; the largest is 1.
    pub least: Weight,
    /// The largest change of a weight by one mutation.
    pub step: Weight,
    /// Whether all nodes keep the speed 1.
    pub equal_speeds: bool,
    /// Whether all links keep the bandwidth 1.
    pub equal_links: bool,
}

impl Space {
    /// Draws a random instance: a chain of tasks on fully connected nodes, with uniform numbers of both and uniform
    /// weights.
    ///
    /// # Panics
    /// If `tasks` or `nodes` is an empty range.
    #[must_use]
    pub fn draw(&self, stream: &mut Stream) -> ProblemInstance {
        let nodes = stream.random_range(self.nodes.clone()) as usize;
        let tasks = stream.random_range(self.tasks.clone());
        let mut weights = |count: usize, all_one: bool| -> Vec<Weight> {
            (0..count).map(|_| if all_one { Weight::ONE } else { Weight::draw(self.least, stream) }).collect()
        };
        let speeds = weights(nodes, self.equal_speeds);
        let links = weights(nodes * nodes.saturating_sub(1) / 2, self.equal_links);
        let work = weights(tasks as usize, false);
        let data = weights(tasks.saturating_sub(1) as usize, false);
        let dependencies = (0..).zip(data).map(|(from, data)| Dependency { from, to: from + 1, data }).collect();
        ProblemInstance { tasks: work, dependencies, speeds, links }
    }

    /// Whether an instance lies in the space.
    #[must_use]
    pub fn contains(&self, instance: &ProblemInstance) -> bool {
        let within = |weight: &Weight| *weight >= self.least && *weight <= Weight::ONE;
        let mut data = instance.dependencies.iter().map(|edge| &edge.data);
        self.tasks.contains(&(instance.tasks.len() as u32))
            && self.nodes.contains(&instance.nodes())
            && data.all(within)
            && instance.tasks.iter().chain(&instance.speeds).chain(&instance.links).all(within)
            && (!self.equal_speeds || instance.speeds.iter().all(|speed| *speed == Weight::ONE))
            && (!self.equal_links || instance.links.iter().all(|strength| *strength == Weight::ONE))
    }
}
