//! Adaptive poly-models of communication: the model that predicts best, and the broadcast that ends earliest by it.
//!
//! Nasri, Steffenel and Trystram (IJGUC 2008) adapt twice. *Poly-adapt-1* takes, for each cluster, message size and
//! algorithm, the [`Model`] whose prediction lies nearest to a measured [`Sample`]; what it costs to acquire the model's
//! parameters counts, too. *Poly-adapt-2* takes the fastest algorithm by these predictions in each cluster, and the
//! heuristic between clusters that ends earliest ([`Composed`]).
//!
//! All on plain data: [`Observations`] of single messages and [`Sample`]s of whole broadcasts come from wherever they were
//! measured. Times are in seconds, since they are predictions from measurements and not simulated time.

mod between;
mod cache;
mod cost_curve;
mod model;
mod observations;
mod predict;
mod select;

pub use between::{Composed, compose};
pub use cache::{Cache, Candidate};
pub use cost_curve::{CostCurve, Curve};
pub use model::{Capabilities, Model, Needs, Predictor, Refusal};
pub use observations::{Observation, Observations, ObservationsError};
pub use predict::Shapes;
pub use select::{Choice, Cluster, Sample, Selection};
