//! Families of task graphs, random or computed.
//!
//! A [`Family`] gives the shape: the tasks with their relative work and the edges with their relative data. A
//! [`Generator`] adds costs: one draw per task times its relative work, one draw per edge times its relative data. If a
//! ratio of communication to computation is given, all data are scaled to it. One stream supplies the shape first, then
//! the work by rising task number, then the data in the family's edge order.

mod draw;
mod pick;
mod sketch;
mod tiles;

pub mod chain;
pub mod cholesky;
pub mod fft;
pub mod fork_join;
pub mod gaussian_elimination;
pub mod in_tree;
pub mod laplace;
pub mod layered;
pub mod lu;
pub mod out_tree;
pub mod random;
pub mod rgpos;
pub mod series_parallel;
pub mod stencil;

pub use draw::{BytesDraw, Constant, DistributionError, Exponential, IntervalDraw, OperationsDraw, Spread, Uniform};
pub use rgpos::{KnownOptimum, Placement};

use schemars::JsonSchema;
use serde::Deserialize;
use thiserror::Error;

use super::{GraphError, TaskGraph};
use hetsim_base::engine::Stream;
use hetsim_base::units::{Bytes, Operations, Quantity};
use sketch::Sketch;

/// The most tasks, and the most edges, of a generated graph. It turns a mistyped parameter into an error instead of a
/// full memory.
const MOST: f64 = 1e8;

/// The reason why no graph can be generated.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A parameter value for which the family has no graph.
    #[error("`{key}` {message}")]
    Parameter {
        /// The key.
        key: &'static str,
        /// What is wrong with its value.
        message: String,
    },
    /// The graph would be too large.
    #[error("that would be up to {tasks:.0} tasks and {edges:.0} edges; the most is {MOST:.0} of each")]
    TooLarge {
        /// An upper bound of the number of tasks.
        tasks: f64,
        /// An upper bound of the number of edges.
        edges: f64,
    },
    /// The drawn costs do not form a valid graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// The key of the ratio.
const RATIO: &str = "communication_to_computation";

impl GenerateError {
    /// The key of the generator at fault, where it is one: a shape's own keys lie in `shape`.
    #[must_use]
    pub fn key(&self) -> Option<String> {
        match self {
            Self::Parameter { key: key @ ("shape" | "operations" | "bytes" | RATIO), .. } => Some((*key).to_owned()),
            Self::Parameter { key, .. } => Some(format!("shape.{key}")),
            Self::TooLarge { .. } | Self::Graph(_) => None,
        }
    }
}

/// An error about one parameter.
fn fault<T>(key: &'static str, message: impl Into<String>) -> Result<T, GenerateError> {
    Err(GenerateError::Parameter { key, message: message.into() })
}

/// Checks that a parameter is at least this number.
fn at_least(key: &'static str, value: u32, least: u32) -> Result<(), GenerateError> {
    if value >= least { Ok(()) } else { fault(key, format!("must be at least {least}")) }
}

/// What each family implements.
trait Shape {
    /// Checks the parameters.
    fn check(&self) -> Result<(), GenerateError>;

    /// The number of tasks and edges: exact for a deterministic family, otherwise an upper bound. The numbers are
    /// floats because cubes of parameters overflow integers.
    fn size(&self) -> (f64, f64);

    /// Builds the graph with relative costs. [Check](Self::check) the parameters first.
    fn sketch(&self, stream: &mut Stream) -> Sketch;
}

hetsim_base::registry! {
    /// The shape of a generated graph. To add one, write a file with its [parameters and shape](self) and add a
    /// line here.
    pub enum Family by "family" of Shape {
        "random" => Random(random::Random):
            "Aguilar's random graphs: each task has 1 to d successors among later ones.",
        "layered" => Layered(layered::Layered):
            "Layers of equal width; each task has the same number of successors in the next layer.",
        "fork_join" => ForkJoin(fork_join::ForkJoin): "A task forks into branches that join again, stage by stage.",
        "fft" => Fft(fft::Fft):
            "The fast Fourier transform: recursive calls, then butterflies (Topcuoglu et al. 2002).",
        "gaussian_elimination" => GaussianElimination(gaussian_elimination::GaussianElimination):
            "Gaussian elimination by columns (Topcuoglu et al. 2002).",
        "lu" => Lu(lu::Lu): "LU factorisation of a tiled matrix, without pivoting.",
        "cholesky" => Cholesky(cholesky::Cholesky): "Cholesky factorisation of a tiled matrix.",
        "laplace" => Laplace(laplace::Laplace):
            "A Laplace solver's wavefront: a square grid of tasks, each after its two neighbours.",
        "in_tree" => InTree(in_tree::InTree): "A complete tree whose leaves come first and whose root comes last.",
        "out_tree" => OutTree(out_tree::OutTree): "A complete tree whose root comes first.",
        "series_parallel" => SeriesParallel(series_parallel::SeriesParallel):
            "A random series-parallel graph between one entry and one exit.",
        "chain" => Chain(chain::Chain): "One task after the other.",
        "stencil" => Stencil(stencil::Stencil):
            "Steps over a line of cells; each task needs its neighbours of the step before.",
        "rgpos" => Rgpos(rgpos::Rgpos): "Random graphs of known optimum: full timelines cut into tasks.",
    }
}

/// A family with its costs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Generator {
    /// The shape of the graph.
    pub shape: Family,
    /// The work of a task, drawn for each task; some families multiply it by the task's share of the whole algorithm.
    /// One operation by default.
    #[serde(default = "one_operation")]
    pub operations: OperationsDraw,
    /// The data of an edge, drawn for each edge; some families multiply it by the number of values passed. One byte by
    /// default.
    #[serde(default = "one_byte")]
    pub bytes: BytesDraw,
    /// The ratio of communication to computation: the bytes of the mean edge over the operations of the mean task,
    /// which is the ratio of their times on processors of one operation per second and links of one byte per second.
    /// All data are scaled to it.
    #[schemars(range(min = 0.0))]
    pub communication_to_computation: Option<f64>,
}

fn one_operation() -> OperationsDraw {
    // One is a valid quantity.
    OperationsDraw::Constant(Constant { value: Operations::from_base(1.0).unwrap_or_default() })
}

fn one_byte() -> BytesDraw {
    BytesDraw::Constant(Constant { value: Bytes::new(1) })
}

impl Generator {
    /// A family in which a task with share 1 takes one operation and an edge with share 1 carries one byte.
    #[must_use]
    pub fn of(shape: Family) -> Self {
        Self { shape, operations: one_operation(), bytes: one_byte(), communication_to_computation: None }
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// A parameter for which no graph exists, or a graph of more than 10⁸ tasks or edges.
    pub fn check(&self) -> Result<(), GenerateError> {
        self.shape.entry().check()?;
        let (tasks, edges) = self.size();
        if tasks > MOST || edges > MOST {
            return Err(GenerateError::TooLarge { tasks, edges });
        }
        for (key, result) in
            [("operations", self.operations.distribution().check()), ("bytes", self.bytes.distribution().check())]
        {
            if let Err(error) = result {
                return fault(key, error.to_string());
            }
        }
        match self.communication_to_computation {
            Some(ratio) if !(ratio.is_finite() && ratio >= 0.0) => {
                return fault(RATIO, "must be 0 or more, and finite");
            }
            Some(ratio) if ratio > 0.0 && self.bytes.distribution().is_zero() => {
                return fault(RATIO, "cannot be met: the edges carry no data to scale");
            }
            _ => {}
        }
        let plain = *self == Self::of(self.shape.clone());
        if matches!(self.shape, Family::Rgpos(_)) && !plain {
            return fault(
                "shape",
                "of known optimum draws its own work and data: leave out `operations`, `bytes` and \
                 `communication_to_computation`",
            );
        }
        Ok(())
    }

    /// The number of tasks and of edges: an upper bound where they are drawn.
    #[must_use]
    pub fn size(&self) -> (f64, f64) {
        self.shape.entry().size()
    }

    /// Generates a graph. The same parameters and stream give the same graph.
    ///
    /// # Errors
    /// As [`Self::check`]; also drawn data of 2⁶⁴ bytes or more.
    pub fn generate(&self, stream: &mut Stream) -> Result<TaskGraph, GenerateError> {
        self.check()?;
        let mut sketch = self.shape.entry().sketch(stream);
        let (operations, bytes) = (self.operations.distribution(), self.bytes.distribution());
        let mut draw = |distribution: &draw::Distribution, share: &mut f64| *share *= distribution.draw(stream);
        sketch.weights.iter_mut().for_each(|share| draw(&operations, share));
        sketch.edges.iter_mut().for_each(|(_, _, share)| draw(&bytes, share));
        if let Some(ratio) = self.communication_to_computation {
            sketch.scale_to(ratio).or_else(|message| fault(RATIO, message))?;
        }
        Ok(sketch.build()?)
    }
}

#[cfg(test)]
mod tests;
