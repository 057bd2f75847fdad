//! Families of task graphs, drawn or computed.
//!
//! A [`Family`] says the shape: how many tasks of which relative work, and how much data passes between them. A
//! [`Generator`] puts costs on it: a draw for each task times its relative work, a draw for each edge times its relative
//! data, and, where a ratio of communication to computation is asked for, all data scaled to it. The shape is drawn first, then the work by
//! rising task, then the data by rising edge as the family lists them, all from the one stream that is handed in.

mod draw;
mod pick;
mod sketch;
mod tiles;

pub use draw::{BytesDraw, Constant, DistributionError, Exponential, OperationsDraw, Spread, Uniform};
pub use rgpos::{KnownOptimum, Placement};

use schemars::JsonSchema;
use serde::Deserialize;
use thiserror::Error;

use super::{GraphError, TaskGraph};
use crate::engine::Stream;
use crate::units::{Bytes, Operations, Quantity};
use sketch::Sketch;

/// The most tasks, and the most edges, that are generated: a slip in a parameter should be an error, not a full memory.
const MOST: f64 = 1e8;

/// Why nothing can be generated.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A parameter has a value that the family has no graph for.
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
        /// Tasks, at most.
        tasks: f64,
        /// Edges, at most.
        edges: f64,
    },
    /// The drawn costs make no graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
}

/// A fault of one parameter.
fn fault<T>(key: &'static str, message: impl Into<String>) -> Result<T, GenerateError> {
    Err(GenerateError::Parameter { key, message: message.into() })
}

/// What each family's file says.
trait Shape {
    /// Says what is wrong with the parameters.
    fn check(&self) -> Result<(), GenerateError>;

    /// How many tasks and edges there are: exactly where nothing is drawn, otherwise no fewer than ever come. In floats, since
    /// cubes of parameters outgrow whole numbers.
    fn size(&self) -> (f64, f64);

    /// The graph with relative measures, for parameters that were checked.
    fn sketch(&self, stream: &mut Stream) -> Sketch;
}

/// Makes the registry and the way to each family's shape from the same lines.
macro_rules! families {
    ($($file:ident :: $Entry:ident = $name:literal: $summary:literal,)+) => {
        $(pub mod $file;)+

        crate::registry! {
            /// The shape of a generated graph. A new one is a file with its [parameters and shape](self) and a line here.
            pub enum Family by "family" {
                $($name => $Entry($file::$Entry): $summary,)+
            }
        }

        impl Family {
            fn shape(&self) -> &dyn Shape {
                match self { $(Self::$Entry(family) => family),+ }
            }
        }
    };
}

families! {
    random::Random = "random": "Aguilar's random graphs: each task has 1 to d successors among later ones.",
    layered::Layered = "layered": "Layers of equal width; each task has the same number of successors in the next layer.",
    fork_join::ForkJoin = "fork_join": "A task forks into branches that join again, stage by stage.",
    fft::Fft = "fft": "The fast Fourier transform: recursive calls, then butterflies (Topcuoglu et al. 2002).",
    gaussian_elimination::GaussianElimination = "gaussian_elimination":
        "Gaussian elimination by columns (Topcuoglu et al. 2002).",
    lu::Lu = "lu": "LU factorisation of a tiled matrix, without pivoting.",
    cholesky::Cholesky = "cholesky": "Cholesky factorisation of a tiled matrix.",
    laplace::Laplace = "laplace": "A Laplace solver's wavefront: a square grid of tasks, each after its two neighbours.",
    in_tree::InTree = "in_tree": "A complete tree whose leaves come first and whose root comes last.",
    out_tree::OutTree = "out_tree": "A complete tree whose root comes first.",
    series_parallel::SeriesParallel = "series_parallel": "A random series-parallel graph between one entry and one exit.",
    chain::Chain = "chain": "One task after the other.",
    stencil::Stencil = "stencil": "Steps over a line of cells; each task needs its neighbours of the step before.",
    rgpos::Rgpos = "rgpos": "Random graphs of known optimum: full timelines cut into tasks.",
}

/// A family with its costs.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Generator {
    /// The shape of the graph.
    pub shape: Family,
    /// The work of a task, drawn for each; some families multiply it by the task's share of the whole algorithm. One
    /// operation if not given.
    #[serde(default = "one_operation")]
    pub operations: OperationsDraw,
    /// The data on an edge, drawn for each; some families multiply it by the number of values that pass. One byte if not
    /// given.
    #[serde(default = "one_byte")]
    pub bytes: BytesDraw,
    /// The ratio of communication to computation: the bytes of the mean edge over the operations of the mean task, that is
    /// of their times on processors of one operation a second and links of one byte a second. All data are scaled to it.
    #[serde(default)]
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
    /// A family whose tasks of share one take one operation, and whose edges of share one carry one byte.
    #[must_use]
    pub fn of(shape: Family) -> Self {
        Self { shape, operations: one_operation(), bytes: one_byte(), communication_to_computation: None }
    }

    /// Says what is wrong with the parameters.
    ///
    /// # Errors
    /// A parameter that no graph exists for, or a graph beyond 10⁸ tasks or edges.
    pub fn check(&self) -> Result<(), GenerateError> {
        self.shape.shape().check()?;
        let (tasks, edges) = self.shape.shape().size();
        if tasks > MOST || edges > MOST {
            return Err(GenerateError::TooLarge { tasks, edges });
        }
        for (key, result) in [("operations", self.operations.law().check()), ("bytes", self.bytes.law().check())] {
            if let Err(error) = result {
                return fault(key, error.to_string());
            }
        }
        match self.communication_to_computation {
            Some(ratio) if !(ratio.is_finite() && ratio >= 0.0) => {
                return fault("communication_to_computation", "must be 0 or more, and finite");
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

    /// A graph. The same parameters and the same stream give the same graph.
    ///
    /// # Errors
    /// As [`Self::check`], and where drawn data outgrow 2⁶⁴ bytes.
    pub fn generate(&self, stream: &mut Stream) -> Result<TaskGraph, GenerateError> {
        self.check()?;
        let mut sketch = self.shape.shape().sketch(stream);
        let (operations, bytes) = (self.operations.law(), self.bytes.law());
        let mut draw = |law: &draw::Shape, share: &mut f64| *share *= law.draw(stream);
        sketch.weights.iter_mut().for_each(|share| draw(&operations, share));
        sketch.edges.iter_mut().for_each(|(_, _, share)| draw(&bytes, share));
        if let Some(ratio) = self.communication_to_computation {
            sketch.scale_to(ratio).or_else(|message| fault("communication_to_computation", message))?;
        }
        Ok(sketch.build()?)
    }
}

#[cfg(test)]
mod tests;
