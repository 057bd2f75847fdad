//! Fits network parameters to measurements: robust statistics, and point-to-point models.
//!
//! [`Measurements`] are plain samples: round trips by size, gaps of saturated trains, overheads from delayed
//! ping-pongs, and experiments of one node with two others. They come from benchmarks on a simulated platform
//! (`hetsim-workload`) or from a file of real measurements ([`read`]). [`Fitted`] holds
//! the parameters of Hockney, LogP, LogGP or pLogP for a pair of nodes, [`Lmo`] those of all nodes and links together,
//! each as an [`Estimate`] with a confidence interval. A [`Poly`] selects the best predictor for each size.
//!
//! [`runtime`] finds formulas for the run time of any operation over any variables by curve fitting and genetic
//! programming. [`kernels`] fits what calls of routines take, by their sizes, on each processor.
//! [`tasks`] finds the speeds of machines and the overheads of a task system in logs.

mod error;
mod estimate;
mod fitted;
mod hockney;
pub mod kernels;
mod line;
mod lmo;
mod loggp;
mod logp;
pub mod partition;
mod plogp;
mod poly;
pub mod read;
pub mod robust;
pub mod runtime;
mod samples;
mod table;
pub mod tasks;
#[cfg(test)]
mod tests;

pub use error::FitError;
pub use estimate::Estimate;
pub use fitted::{Fitted, Model, Parameter};
pub use hockney::Hockney;
pub use line::Line;
pub use lmo::{Lmo, LmoLink, LmoNode};
pub use loggp::Loggp;
pub use logp::Logp;
pub use plogp::Plogp;
pub use poly::Poly;
pub use samples::{Cost, Measurements, PairSamples, Series, TripletSamples};
pub use table::SizeTable;
