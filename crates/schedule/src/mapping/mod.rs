//! Searches for a mapping of tasks to processors: the methods of Aguilar, "Heuristics to Optimize the Speed-Up of
//! Parallel Programs", and the exact optimum that the paper compares them with.
//!
//! A mapping (the paper's partition Π) assigns a processor to each task. A [`Problem`] gives its cost: the paper's
//! parallel time, the cut and the imbalance, or the makespan (see [`Objective`]). A [`Method`] searches for the least
//! cost. Each method draws only from the given stream and stops on counts, never on a clock, so the same parameters and
//! stream give the same [`Outcome`].
//!
//! The paper prints neither all of its parameters nor how some of them work; each module states its choices.

mod annealing;
mod dispatch;
mod evaluate;
mod exact;
mod genetic;
mod neural;
mod objective;
mod problem;
mod rename;
mod start;

pub use annealing::{Acceptance, Annealing};
pub use evaluate::Evaluator;
pub use exact::Exact;
pub use genetic::Genetic;
pub use neural::{Excitations, Network, Neural, NotConverged};
pub use objective::{Bounds, Objective};
pub use problem::{Problem, ProblemError};
pub use start::Start;

use thiserror::Error;

use super::{Schedule, Scheduler};
use hetsim_base::engine::Stream;
use hetsim_base::registry::names;

names! {
    /// A method of searching for a mapping. To add one, write a file with its parameters and search, and add a line
    /// here and in [`Method`].
    "search for a mapping": Search {
        #[default]
        Annealing "annealing" = "simulated annealing: single tasks move, uphill less and less often",
        Genetic "genetic" = "a genetic algorithm with a constant population",
        Neural "neural" = "Gelenbe's random neural network, completed by a decoder that clamps one task at a time",
        NeuralPrinted "neural_printed" = "the network as Aguilar prints it, whose only fixed point is zero",
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
    /// [`Search::NeuralPrinted`], which has no parameters.
    NeuralPrinted,
    /// [`Search::Exact`].
    Exact(Exact),
}

/// The reason why a method cannot search.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MappingError {
    /// A parameter has an invalid value.
    #[error("`{key}` {message}")]
    Parameter {
        /// The key.
        key: &'static str,
        /// What is wrong with its value.
        message: &'static str,
    },
    /// The search is to start from a schedule, and none is given.
    #[error("there is no schedule to start from")]
    NoStart,
    /// The given start belongs to another problem.
    #[error("a mapping to start from needs one of {processors} processors for each of {tasks} tasks")]
    BadStart {
        /// The number of tasks in the problem.
        tasks: usize,
        /// The number of processors in the problem.
        processors: u32,
    },
    /// The neural network did not converge.
    #[error(transparent)]
    NotConverged(#[from] NotConverged),
}

/// An error about one parameter.
fn fault<T>(key: &'static str, message: &'static str) -> Result<T, MappingError> {
    Err(MappingError::Parameter { key, message })
}

/// A point in the history of a search: a temperature level, a generation, or a node at which the exact search found an
/// improvement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The step number; 0 is the start.
    pub number: u64,
    /// The number of evaluations so far (nodes for the exact search).
    pub evaluations: u64,
    /// The temperature of the level, if there is one.
    pub temperature: Option<f64>,
    /// The value at the end of the step: the cost of the current mapping for annealing, the population mean for a
    /// genetic algorithm.
    pub current: f64,
    /// The least value so far.
    pub best: f64,
}

/// The result of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The processor of each task.
    pub mapping: Vec<u32>,
    /// The cost of the mapping in seconds (see [`Objective`]).
    pub value: f64,
    /// A schedule of the mapping. If the value is a time, the schedule ends at it; otherwise it is that of
    /// [`Problem::schedule`].
    pub schedule: Schedule,
    /// The number of evaluated mappings, or of explored nodes for the exact search.
    pub evaluations: u64,
    /// A lower bound of the cost of any mapping, from the exact search only. It equals the value if that is proved
    /// optimal.
    pub bound: Option<f64>,
    /// The history of the search.
    pub history: Vec<Step>,
}

impl Outcome {
    /// Whether no mapping costs less.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        self.bound.is_some_and(|bound| bound >= self.value)
    }

    /// The relative gap between the value and the bound: 0 if the value is proved optimal, `None` without a bound.
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        let bound = self.bound?;
        Some(if self.value > bound { (self.value - bound) / self.value } else { 0.0 })
    }
}

impl Method {
    /// The kind of search.
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

    /// Whether the result depends on random draws.
    #[must_use]
    pub const fn draws(&self) -> bool {
        matches!(self, Self::Annealing(_) | Self::Genetic(_))
    }

    /// The scheduler whose mapping is the start; pass that mapping to [`Self::solve`].
    #[must_use]
    pub const fn scheduler(&self) -> Option<Scheduler> {
        match self {
            Self::Annealing(Annealing { start: Start::Schedule(scheduler), .. })
            | Self::Genetic(Genetic { start: Start::Schedule(scheduler), .. }) => Some(*scheduler),
            _ => None,
        }
    }

    /// Checks the parameters.
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

    /// Searches for a mapping. `given` is the mapping of a schedule to start from: annealing and the genetic algorithm
    /// use it if their `start` is [`Start::Schedule`], the exact search always uses it.
    ///
    /// # Errors
    /// Invalid parameters, a start that is missing or belongs to another problem, or a network that does not converge.
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
