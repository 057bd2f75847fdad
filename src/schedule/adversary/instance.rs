//! What is searched: a small task graph together with the machine that it runs on.

use std::ops::RangeInclusive;

use rand::RngExt;

use crate::engine::Stream;
use crate::graph::{Builder, GraphError, TaskGraph};

/// A weight in whole millionths, above 0 and at most [`Weight::ONE`]. So a task's operations and an edge's bytes are whole, and a
/// file holds an instance to the last digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weight(u32);

impl Weight {
    /// The greatest weight, 1.
    pub const ONE: Self = Self(1_000_000);
    /// The least weight there can be: 10⁻⁶. Zero would make a task that takes no time or a link that never delivers.
    pub const LEAST: Self = Self(1);

    /// The nearest weight to a number; numbers outside of [10⁻⁶, 1] give the nearer end, and what is no number the least.
    #[must_use]
    pub fn nearest(value: f64) -> Self {
        // A cast saturates, and makes 0 of what is no number.
        Self(((value * 1e6).round() as u32).clamp(Self::LEAST.0, Self::ONE.0))
    }

    /// In millionths.
    #[must_use]
    pub const fn millionths(self) -> u32 {
        self.0
    }

    /// A weight drawn uniformly between `least` and 1.
    pub(super) fn draw(least: Self, stream: &mut Stream) -> Self {
        Self(stream.random_range(least.0..=Self::ONE.0))
    }

    /// This weight moved by a draw from ±`step`, and no further than to `least` and 1.
    pub(super) fn moved(self, step: Self, least: Self, stream: &mut Stream) -> Self {
        let by = i64::from(stream.random_range(0..=2 * step.0)) - i64::from(step.0);
        let moved = (i64::from(self.0) + by).clamp(i64::from(least.0), i64::from(Self::ONE.0));
        // Between two weights, so it fits.
        Self(moved as u32)
    }
}

/// A task waits for another's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dependency {
    /// The task whose data are sent.
    pub from: u32,
    /// The task that waits.
    pub to: u32,
    /// How much data.
    pub data: Weight,
}

/// A task graph, and nodes each joined to each, all by weights. The time of a task on a node is its weight over the node's,
/// that of data over a link its weight over the link's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemInstance {
    /// The work of each task.
    pub(super) tasks: Vec<Weight>,
    /// Without a cycle, and each pair once.
    pub(super) dependencies: Vec<Dependency>,
    /// The speed of each node.
    pub(super) speeds: Vec<Weight>,
    /// The strength of the link of each pair of nodes, both ways: node 0 with 1, 2, …, then node 1 with 2, 3, …
    pub(super) links: Vec<Weight>,
}

impl ProblemInstance {
    /// The work of each task.
    #[must_use]
    pub fn tasks(&self) -> &[Weight] {
        &self.tasks
    }

    /// The edges of the graph.
    #[must_use]
    pub fn dependencies(&self) -> &[Dependency] {
        &self.dependencies
    }

    /// The speed of each node.
    #[must_use]
    pub fn speeds(&self) -> &[Weight] {
        &self.speeds
    }

    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.speeds.len() as u32
    }

    /// The links: two nodes, the lower first, and the strength between them, both ways.
    pub fn links(&self) -> impl Iterator<Item = (u32, u32, Weight)> + '_ {
        let pairs = (0..self.nodes()).flat_map(|a| (a + 1..self.nodes()).map(move |b| (a, b)));
        pairs.zip(&self.links).map(|((a, b), &strength)| (a, b, strength))
    }

    /// The strength of the link between two different nodes of the instance.
    #[must_use]
    pub fn link(&self, a: u32, b: u32) -> Weight {
        let (low, high) = (a.min(b) as usize, a.max(b) as usize);
        // The pairs of lower nodes come first: each of those has one fewer than the one before it.
        self.links[low * self.speeds.len() - low * (low + 1) / 2 + high - low - 1]
    }

    /// The task graph: a task of weight 1 is 10⁶ operations, data of weight 1 are 10⁶ bytes.
    ///
    /// # Errors
    /// None that an instance made here can cause; they are the builder's.
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

    /// For each task, whether `task` waits for it, directly or not; true for itself too.
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

/// Which instances there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    /// How many tasks an instance has: at least 1.
    pub tasks: RangeInclusive<u32>,
    /// How many nodes: at least 1.
    pub nodes: RangeInclusive<u32>,
    /// The least weight of anything; the greatest is 1.
    pub least: Weight,
    /// How far a mutation moves a weight at most.
    pub step: Weight,
    /// Whether all nodes keep the speed 1.
    pub equal_speeds: bool,
    /// Whether all links keep the strength 1.
    pub equal_links: bool,
}

impl Space {
    /// A random instance: a chain of tasks on nodes that are all joined, numbers of both and all weights uniform.
    ///
    /// # Panics
    /// Where `tasks` or `nodes` is an empty range.
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
