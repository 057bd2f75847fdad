//! A graph, its costs, and the objective.

use std::cmp::Reverse;

use rand::RngExt;
use thiserror::Error;

use super::objective::{Bounds, Objective};
use crate::Costs;
use hetsim_base::engine::Stream;
use hetsim_base::units::{Tick, Time};
use hetsim_graph::TaskGraph;

/// The reason why the input forms no problem.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The costs belong to another graph.
    #[error("the costs are for {priced} tasks and the graph has {tasks}")]
    Tasks {
        /// The number of tasks with costs.
        priced: usize,
        /// The number of tasks in the graph.
        tasks: usize,
    },
    /// The weight of the imbalance is invalid.
    #[error("`balance` must be 0 or more, and finite, not {value}")]
    BadBalance {
        /// The rejected weight.
        value: f64,
    },
}

/// A mapping problem with its objective.
#[derive(Debug, Clone)]
pub struct Problem<'a> {
    graph: &'a TaskGraph,
    costs: &'a Costs,
    tick: Tick,
    objective: Objective,
    balance: f64,
    priority: Vec<u32>,
}

impl<'a> Problem<'a> {
    /// A problem with an imbalance weight of 1 second ([`Self::with_balance`]). `costs` belong to `graph`, in ticks of
    /// `tick`.
    ///
    /// # Errors
    /// [`ProblemError::Tasks`].
    pub fn new(graph: &'a TaskGraph, costs: &'a Costs, tick: Tick, objective: Objective) -> Result<Self, ProblemError> {
        let (priced, tasks) = (costs.tasks(), graph.tasks());
        if priced != tasks {
            return Err(ProblemError::Tasks { priced, tasks });
        }
        let ranks = graph.bottom_levels(|task| costs.mean_duration(task), |edge| costs.mean_transfer(edge.id));
        // The bits of non-negative floats are in the order of their values. Ties follow the graph's order, so that a
        // task of zero duration precedes its successors.
        let mut priority = graph.order().to_vec();
        priority.sort_by_key(|&task| Reverse((ranks[task as usize] + 0.0).to_bits()));
        Ok(Self { graph, costs, tick, objective, balance: 1.0, priority })
    }

    /// Sets the weight of the imbalance (b), in seconds; it matters for [`Objective::Cut`] only.
    ///
    /// # Errors
    /// [`ProblemError::BadBalance`].
    pub fn with_balance(self, balance: f64) -> Result<Self, ProblemError> {
        if !(balance.is_finite() && balance >= 0.0) {
            return Err(ProblemError::BadBalance { value: balance });
        }
        Ok(Self { balance, ..self })
    }

    /// The task graph.
    #[must_use]
    pub fn graph(&self) -> &'a TaskGraph {
        self.graph
    }

    /// The durations of its tasks and messages.
    #[must_use]
    pub fn costs(&self) -> &'a Costs {
        self.costs
    }

    /// The minimised quantity.
    #[must_use]
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// The tasks by falling upward rank, which is a topological order.
    #[must_use]
    pub fn priority(&self) -> &[u32] {
        &self.priority
    }

    /// Converts a time to seconds.
    #[must_use]
    pub fn seconds(&self, time: Time) -> f64 {
        self.tick.seconds(time)
    }

    /// The cost of a cut with this much communication, where `squares` is the sum of the squares of each processor's
    /// number of tasks. Σ (N_u − n/K)² = Σ N_u² − n²/K is an integer up to a factor K, so equivalent mappings cost
    /// exactly the same.
    pub(super) fn cut_value(&self, cut: Time, squares: u64) -> f64 {
        let (tasks, processors) = (self.graph.tasks() as u128, u128::from(self.costs.processors()));
        let above = (processors * u128::from(squares)).saturating_sub(tasks * tasks) as f64;
        let processors = processors as f64;
        self.seconds(cut) + self.balance * above / (processors * processors)
    }

    /// The paper's bounds of a mapping's parallel time. The mapping must have a processor for each task. O(n + e).
    #[must_use]
    pub fn bounds(&self, mapping: &[u32]) -> Bounds {
        let mut load = vec![Time::ZERO; self.costs.processors() as usize];
        for task in self.graph.ids() {
            load[mapping[task as usize] as usize] += self.costs.duration(task, mapping[task as usize]);
        }
        let mut early = vec![Time::ZERO; mapping.len()];
        // The last message that enters a task's processor for the task or for earlier tasks there.
        let mut inwards = vec![Time::ZERO; mapping.len()];
        let mut bounds = Bounds { optimistic: Time::ZERO, pessimistic: Time::ZERO };
        for &task in self.graph.order() {
            let own = mapping[task as usize];
            let (mut start, mut last) = (Time::ZERO, Time::ZERO);
            for edge in self.graph.predecessors(task) {
                let from = mapping[edge.from as usize];
                if from == own {
                    last = last.max(inwards[edge.from as usize]);
                    continue;
                }
                let transfer = self.costs.transfer(edge.id, from, own);
                start = start.max(early[edge.from as usize] + transfer);
                last = last.max(inwards[edge.from as usize] + load[from as usize] + transfer);
            }
            early[task as usize] = start + self.costs.duration(task, own);
            inwards[task as usize] = last;
            bounds.optimistic = bounds.optimistic.max(early[task as usize]);
            bounds.pessimistic = bounds.pessimistic.max(last + load[own as usize]);
        }
        bounds
    }

    /// Draws a uniform mapping.
    #[must_use]
    pub fn draw(&self, stream: &mut Stream) -> Vec<u32> {
        self.graph.ids().map(|_| stream.random_range(0..self.costs.processors())).collect()
    }
}
