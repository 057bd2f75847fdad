//! What measurements say about a network: robust statistics, and the parameters of point-to-point models.
//!
//! [`Measurements`] are plain samples: round trips by size, gaps of saturated trains, overheads from delayed ping-pongs,
//! experiments with one node and two others. They come from benchmarks on a simulated machine
//! ([`workload::measure`](crate::workload::measure)) or from a file of real ones ([`read`]). From them [`Fitted`] has the
//! parameters of Hockney, LogP, LogGP and pLogP for a pair of nodes, and [`Lmo`] those of all nodes and links together, each an
//! [`Estimate`] with its confidence interval. A [`Poly`] takes for each size the one that predicts best.
//!
//! [`runtime`] finds formulas for the run time of any operation, over any variables, by curve fitting and genetic programming.

mod error;
mod estimate;
mod fitted;
mod hockney;
mod line;
mod lmo;
mod loggp;
mod logp;
mod plogp;
mod poly;
pub mod read;
pub mod robust;
pub mod runtime;
mod samples;
mod table;
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
