//! Simulated annealing (section 3.2 of the paper).
//!
//! Each move sends a random task to another random processor. A cheaper mapping is accepted; one that costs Δ more is
//! accepted with probability factor · exp(−Δ/T) or factor · (1 − Δ/T). The temperature is multiplied by 0.93 per level
//! and, once it is low, by 0.965.
//!
//! The paper leaves the following open; the choices are: Fac_accep is read as the factor, since smaller values "arrive
//! more quickly to the equilibrium"; the paper prints "1 − ΔT" but says that it takes one division; a level is in
//! equilibrium after a number of tried or accepted moves; "low" is a tenth of the first temperature; the search ends
//! after a number of levels, or when none of the last ones accepted a move. The result is the best mapping encountered.

use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Evaluator, MappingError, Outcome, Problem, Start, Step, fault};
use hetsim_base::engine::Stream;

/// The probability of accepting an uphill move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Acceptance {
    /// exp(−Δ/T).
    #[default]
    Exponential,
    /// 1 − Δ/T, or 0 if that is negative.
    Linear,
}

/// `[workload.annealing]`: simulated annealing. The defaults are the printed values of the paper, if it gives any.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Annealing {
    /// The initial mapping.
    pub start: Start,
    /// The initial temperature (T₀) in seconds of the objective; the paper's 90 suits costs of a few hundred.
    pub temperature: f64,
    /// Whether temperatures are in percent of the initial cost instead of seconds.
    pub relative: bool,
    /// The factor applied to the temperature after a level.
    pub cooling: f64,
    /// The factor applied to the temperature after a level once the temperature is low.
    pub slow_cooling: f64,
    /// The temperature is low below this fraction of the initial one.
    pub slow_below: f64,
    /// The formula for the probability of accepting an uphill move.
    pub acceptance: Acceptance,
    /// The factor applied to that probability (Fac_accep).
    pub acceptance_factor: f64,
    /// The maximum number of temperature levels.
    pub levels: u32,
    /// The number of moves tried per level and task.
    pub tries: u32,
    /// The total number of moves tried, split among all levels as equally as can be. It replaces `tries` and gives a comparable
    /// budget.
    pub evaluations: Option<u64>,
    /// The number of accepted moves per task that ends a level early.
    pub accepted: u32,
    /// The number of consecutive levels without an accepted move that ends the search.
    pub stall: u32,
}

impl Default for Annealing {
    fn default() -> Self {
        Self {
            start: Start::Random,
            temperature: 90.0,
            relative: false,
            cooling: 0.93,
            slow_cooling: 0.965,
            slow_below: 0.1,
            acceptance: Acceptance::Exponential,
            acceptance_factor: 0.9,
            levels: 200,
            tries: 20,
            evaluations: None,
            accepted: 10,
            stall: 5,
        }
    }
}

impl Annealing {
    pub(super) fn check(&self) -> Result<(), MappingError> {
        if !(self.temperature.is_finite() && self.temperature > 0.0) {
            return fault("temperature", "must be above 0, and finite");
        }
        for (key, factor) in [("cooling", self.cooling), ("slow_cooling", self.slow_cooling)] {
            if !(factor > 0.0 && factor <= 1.0) {
                return fault(key, "must be above 0, and at most 1");
            }
        }
        for (key, share) in [("slow_below", self.slow_below), ("acceptance_factor", self.acceptance_factor)] {
            if !(0.0..=1.0).contains(&share) {
                return fault(key, "must be from 0 to 1");
            }
        }
        for (key, count) in [("tries", self.tries), ("accepted", self.accepted), ("stall", self.stall)] {
            if count == 0 {
                return fault(key, "must be at least 1");
            }
        }
        if self.evaluations.is_some_and(|all| all < u64::from(self.levels)) {
            return fault("evaluations", "must be at least as many as `levels`");
        }
        Ok(())
    }

    /// The probability of accepting a move that costs `more`, at a temperature.
    #[must_use]
    pub fn probability(&self, more: f64, temperature: f64) -> f64 {
        if more <= 0.0 {
            return 1.0;
        }
        let likely = match self.acceptance {
            Acceptance::Exponential => (-more / temperature).exp(),
            Acceptance::Linear => (1.0 - more / temperature).max(0.0),
        };
        self.acceptance_factor * likely
    }

    /// The temperature of the level after one of `temperature`, if the first is `first`.
    #[must_use]
    pub fn cooled(&self, temperature: f64, first: f64) -> f64 {
        temperature * if temperature < self.slow_below * first { self.slow_cooling } else { self.cooling }
    }

    pub(super) fn solve(
        &self,
        problem: &Problem<'_>,
        given: Option<&[u32]>,
        stream: &mut Stream,
    ) -> Result<Outcome, MappingError> {
        let mut walk = Walk::new(problem, &self.start.mapping(problem, given, stream)?);
        let first = if self.relative { self.temperature * walk.value / 100.0 } else { self.temperature };
        let mut temperature = first;
        let mut history = vec![walk.step(0, temperature)];
        let mut idle = 0;
        // Without another processor or a task to move, the start is the result.
        let movable = problem.graph().tasks() > 0 && problem.costs().processors() > 1 && first > 0.0;
        for level in (1..=u64::from(self.levels)).take_while(|_| movable) {
            let accepted = self.level(level, &mut walk, temperature, stream);
            history.push(walk.step(level, temperature));
            idle = if accepted == 0 { idle + 1 } else { 0 };
            if idle == self.stall {
                break;
            }
            temperature = self.cooled(temperature, first);
        }
        let evaluations = walk.evaluator.evaluations();
        Ok(problem.outcome(walk.best, walk.best_value, evaluations, history))
    }

    /// The number of moves tried on a level, counted from 1. The first levels have one more each where the budget is no
    /// multiple of the levels.
    fn tries(&self, level: u64, tasks: u64) -> u64 {
        let Some(all) = self.evaluations else { return tasks * u64::from(self.tries) };
        let levels = u64::from(self.levels.max(1));
        all / levels + u64::from(level <= all % levels)
    }

    /// Moves until the level is in equilibrium and returns the number of accepted moves.
    fn level(&self, level: u64, walk: &mut Walk<'_>, temperature: f64, stream: &mut Stream) -> u64 {
        let tasks = walk.best.len() as u64;
        let enough = tasks * u64::from(self.accepted);
        let tries = self.tries(level, tasks);
        let mut accepted = 0;
        for _ in 0..tries {
            let task = stream.random_range(0..tasks as u32);
            // One of the others, uniformly.
            let shift = stream.random_range(1..walk.processors);
            let to = (walk.evaluator.mapping()[task as usize] + shift) % walk.processors;
            let value = walk.evaluator.try_move(task, to);
            let probability = self.probability(value - walk.value, temperature);
            if probability >= 1.0 || stream.random::<f64>() < probability {
                walk.take(value);
                accepted += 1;
                if accepted == enough {
                    break;
                }
            }
        }
        accepted
    }
}

/// The state of the search and the best mapping so far.
struct Walk<'a> {
    evaluator: Evaluator<'a>,
    processors: u32,
    value: f64,
    best: Vec<u32>,
    best_value: f64,
}

impl<'a> Walk<'a> {
    fn new(problem: &'a Problem<'a>, start: &[u32]) -> Self {
        let mut evaluator = Evaluator::new(problem);
        let value = evaluator.set(start);
        let processors = problem.costs().processors();
        Self { evaluator, processors, value, best: start.to_vec(), best_value: value }
    }

    /// Makes the tried move.
    fn take(&mut self, value: f64) {
        self.evaluator.accept();
        self.value = value;
        if value < self.best_value {
            self.best_value = value;
            self.best.copy_from_slice(self.evaluator.mapping());
        }
    }

    fn step(&self, number: u64, temperature: f64) -> Step {
        let (current, best, evaluations) = (self.value, self.best_value, self.evaluator.evaluations());
        Step { number, evaluations, temperature: Some(temperature), current, best }
    }
}
