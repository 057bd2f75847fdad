//! A graph under construction whose costs are still numbers to be scaled.

use super::super::{Builder, GraphError, TaskGraph, whole_bytes};

/// Tasks with their work and edges with their data, both relative until the generator adds the costs.
#[derive(Debug, Clone, Default)]
pub(super) struct Sketch {
    pub(super) weights: Vec<f64>,
    pub(super) edges: Vec<(u32, u32, f64)>,
    /// What program each task runs; empty where the family does not tell.
    types: Vec<&'static str>,
}

/// How much of a ratio the rounding to whole bytes may change.
const ROUNDED_AWAY: f64 = 0.01;

impl Sketch {
    /// An empty sketch with room for this many tasks and edges.
    pub(super) fn with_room((tasks, edges): (f64, f64)) -> Self {
        let weights = Vec::with_capacity(tasks as usize);
        Self { weights, edges: Vec::with_capacity(edges as usize), types: Vec::new() }
    }

    /// Adds a task and returns its number.
    pub(super) fn task(&mut self, weight: f64) -> u32 {
        self.weights.push(weight);
        self.weights.len() as u32 - 1
    }

    /// Adds a task of a type. Either all tasks of a family have one or none.
    pub(super) fn typed_task(&mut self, name: &'static str, weight: f64) -> u32 {
        self.types.push(name);
        self.task(weight)
    }

    /// Adds an edge.
    pub(super) fn edge(&mut self, from: u32, to: u32, data: f64) {
        self.edges.push((from, to, data));
    }

    /// Scales the data so that the mean edge is `ratio` times the mean task, in whole bytes too.
    pub(super) fn scale_to(&mut self, ratio: f64) -> Result<(), String> {
        if self.edges.is_empty() {
            return Ok(());
        }
        let work = self.weights.iter().sum::<f64>() / self.weights.len() as f64;
        let data = self.edges.iter().map(|edge| edge.2).sum::<f64>() / self.edges.len() as f64;
        let factor = ratio * work / data;
        if !factor.is_finite() {
            return Err("cannot be met: the edges carry no data to scale".to_owned());
        }
        self.edges.iter_mut().for_each(|edge| edge.2 *= factor);
        let (asked, whole) = (ratio * work, self.edges.iter().map(|edge| edge.2.round()).sum::<f64>());
        if (whole / self.edges.len() as f64 - asked).abs() > ROUNDED_AWAY * asked {
            return Err(format!(
                "cannot be met in whole bytes: the mean edge would carry {asked:.3} bytes; tasks of more `operations` give \
                 their edges more"
            ));
        }
        Ok(())
    }

    /// Builds the graph and rounds the data to whole bytes.
    pub(super) fn build(self) -> Result<TaskGraph, GraphError> {
        let mut builder = Builder::with_capacity(self.weights.len(), self.edges.len());
        for weight in self.weights {
            builder.task(weight)?;
        }
        for (task, name) in (0..).zip(self.types) {
            builder.task_type(task, name)?;
        }
        for (from, to, data) in self.edges {
            builder.edge(from, to, whole_bytes(data).ok_or(GraphError::BadBytes { value: data })?)?;
        }
        builder.build()
    }
}
