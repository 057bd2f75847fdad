//! Adaptive poly-models of communication: the best predicting model, and the broadcast with the earliest predicted end.
//!
//! Nasri, Steffenel and Trystram (IJGUC 2008) adapt twice. *Poly-adapt-1* takes, for each cluster, message size and
//! algorithm, the [`Model`] whose prediction is nearest to a measured [`Sample`]; the cost of acquiring the model's
//! parameters counts, too. *Poly-adapt-2* takes, by these predictions, the fastest algorithm in each cluster, and the
//! intercluster heuristic that ends earliest ([`Composed`]).
//!
//! All input is plain data: [`Observations`] of single messages and [`Sample`]s of whole broadcasts may come from any
//! measurement. Times are in seconds, since they are predictions from measurements and not simulated time.

mod cache;
mod cost_curve;
mod intercluster;
mod model;
mod observations;
mod predict;
mod select;

pub use cache::{Cache, Candidate};
pub use cost_curve::{CostCurve, Curve};
pub use intercluster::{Composed, compose};
pub use model::{Capabilities, Model, Needs, Predictor, Refusal};
pub use observations::{Observation, Observations, ObservationsError};
pub use predict::Shapes;
pub use select::{BroadcastChoice, Cluster, Sample, Selection};
