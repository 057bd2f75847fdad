//! Which processor each task runs on, searched for: the methods of Aguilar, "Heuristics to Optimize the Speed-Up of Parallel
//! Programs", and the exact optimum that it compares them with.
//!
//! A mapping (the paper's partition Π) is a processor for each task. A [`Problem`] says what it costs: by the paper's parallel
//! time, by the cut and the imbalance, or by the makespan (see [`Objective`]). A [`Method`] looks for the least. Each draws from
//! the stream that it is handed and from nothing else, and stops on counts, never on a clock, so the same parameters and
//! the same stream give the same [`Outcome`].
//!
//! The paper prints neither all of its parameters nor how some of them work; what is chosen here says so where it is.

mod annealing;
mod dispatch;
mod evaluate;
mod exact;
mod genetic;
mod neural;
mod objective;
mod problem;
mod start;

pub use annealing::{Acceptance, Annealing};
pub use evaluate::Evaluator;
pub use exact::Exact;
pub use genetic::Genetic;
pub use neural::{Excitement, Network, Neural, NotSettled};
pub use objective::{Bounds, Objective};
pub use problem::{Problem, ProblemError};
pub use start::Start;

use thiserror::Error;

use super::{Schedule, Scheduler};
use crate::engine::Stream;
use crate::registry::names;

names! {
    /// A way to look for a mapping. A new one is a file with its parameters and search, and a line here and in [`Method`].
    "search for a mapping": Search {
        #[default]
        Annealing "annealing" = "simulated annealing: single tasks move, uphill less and less often",
        Genetic "genetic" = "a genetic algorithm with a constant population",
        Neural "neural" = "Gelenbe's random neural network, completed by a decoder that clamps one task after the other",
        NeuralPrinted "neural_printed" = "the network as Aguilar prints it, whose only fixed point tells nothing",
        Exact "exact" = "branch and bound: proves the optimum, or says how far off it may be",
    }
}

/// A search with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// [`Search::Annealing`].
    Annealing(Annealing),
    /// [`Search::Genetic`].
    Genetic(Genetic),
    /// [`Search::Neural`].
    Neural(Neural),
    /// [`Search::NeuralPrinted`], which has none.
    NeuralPrinted,
    /// [`Search::Exact`].
    Exact(Exact),
}

/// Why a method finds nothing.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MappingError {
    /// A parameter that the method can't work with.
    #[error("`{key}` {message}")]
    Parameter {
        /// The key.
        key: &'static str,
        /// What is wrong with its value.
        message: &'static str,
    },
    /// A search that is to start from a schedule without one.
    #[error("there is no schedule to start from")]
    NoStart,
    /// A start for another problem.
    #[error("a mapping to start from needs one of {processors} processors for each of {tasks} tasks")]
    BadStart {
        /// Tasks of the problem.
        tasks: usize,
        /// Its processors.
        processors: u32,
    },
    /// A network that did not settle.
    #[error(transparent)]
    NotSettled(#[from] NotSettled),
}

/// A fault of one parameter.
fn fault<T>(key: &'static str, message: &'static str) -> Result<T, MappingError> {
    Err(MappingError::Parameter { key, message })
}

/// A point of a search's history: a temperature level, a generation, or a node at which the exact search found better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Its number; 0 is the start.
    pub number: u64,
    /// Evaluations by then (nodes of the exact search).
    pub evaluations: u64,
    /// The temperature of the level, where there is one.
    pub temperature: Option<f64>,
    /// The value at its end: of annealing the current mapping's, of a genetic algorithm the population's mean.
    pub current: f64,
    /// The least value so far.
    pub best: f64,
}

/// What a method found.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The processor of each task.
    pub mapping: Vec<u32>,
    /// What the mapping costs, in seconds (see [`Objective`]).
    pub value: f64,
    /// A schedule of the mapping: the one whose end is the value, where the value is a time, else that of [`Problem::schedule`].
    pub schedule: Schedule,
    /// How many mappings were evaluated; of the exact search how many nodes were looked at.
    pub evaluations: u64,
    /// No mapping costs less than this; the exact search only. Equal to the value where that is proved optimal.
    pub bound: Option<f64>,
    /// How the value came about.
    pub history: Vec<Step>,
}

impl Outcome {
    /// Whether no mapping costs less.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.bound.is_some_and(|bound| bound >= self.value)
    }

    /// How far the optimum may be below the value, as a part of the value: 0 where it is proved. None without a bound.
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        let bound = self.bound?;
        Some(if self.value > bound { (self.value - bound) / self.value } else { 0.0 })
    }
}

impl Method {
    /// Which search it is.
    #[must_use]
    pub const fn search(&self) -> Search {
        match self {
            Self::Annealing(_) => Search::Annealing,
            Self::Genetic(_) => Search::Genetic,
            Self::Neural(_) => Search::Neural,
            Self::NeuralPrinted => Search::NeuralPrinted,
            Self::Exact(_) => Search::Exact,
        }
    }

    /// The name of the search.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.search().name()
    }

    /// Whether what it finds depends on what it draws.
    #[must_use]
    pub const fn draws(&self) -> bool {
        matches!(self, Self::Annealing(_) | Self::Genetic(_))
    }

    /// The scheduler from whose schedule it starts; its mapping is to be given to [`Self::solve`].
    #[must_use]
    pub const fn scheduler(&self) -> Option<Scheduler> {
        match self {
            Self::Annealing(Annealing { start: Start::Schedule(scheduler), .. })
            | Self::Genetic(Genetic { start: Start::Schedule(scheduler), .. }) => Some(*scheduler),
            _ => None,
        }
    }

    /// Says what is wrong with the parameters.
    ///
    /// # Errors
    /// [`MappingError::Parameter`].
    pub fn check(&self) -> Result<(), MappingError> {
        match self {
            Self::Annealing(method) => method.check(),
            Self::Genetic(method) => method.check(),
            Self::Neural(method) => method.check(),
            Self::NeuralPrinted | Self::Exact(_) => Ok(()),
        }
    }

    /// Looks for a mapping. `given` is the mapping of a schedule to start from: annealing and the genetic algorithm take it
    /// where their `start` is [`Start::Schedule`], the exact search wherever it is there.
    ///
    /// # Errors
    /// Impossible parameters, a start that is missing or of another problem, or a network that does not settle.
    pub fn solve(
        &self,
        problem: &Problem<'_>,
        given: Option<&[u32]>,
        stream: &mut Stream,
    ) -> Result<Outcome, MappingError> {
        self.check()?;
        let (tasks, processors) = (problem.graph().tasks(), problem.costs().processors());
        if given.is_some_and(|given| given.len() != tasks || given.iter().any(|&processor| processor >= processors)) {
            return Err(MappingError::BadStart { tasks, processors });
        }
        match self {
            Self::Annealing(method) => method.solve(problem, given, stream),
            Self::Genetic(method) => method.solve(problem, given, stream),
            Self::NeuralPrinted => neural::solve_printed(problem),
            Self::Neural(method) => method.solve(problem),
            Self::Exact(method) => Ok(method.solve(problem, given)),
        }
    }
}

#[cfg(test)]
mod tests;
