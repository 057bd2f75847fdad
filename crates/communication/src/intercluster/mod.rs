//! Broadcast between clusters that differ: which coordinator sends to which, and when.
//!
//! Each cluster (or single machine) is one node of a [`Grid`]. An informed node i that sends to j starts when its port
//! is ready, is ready again gᵢⱼ later, and j is informed, and ready, Lᵢⱼ after that. A [`Heuristic`] decides on the
//! sends; the [`Schedule`] it gives can be evaluated and carried out.

mod frontier;
mod grid;
mod heuristic;
mod lookahead;
mod matrix;
mod schedule;

pub use grid::{Grid, GridError, IntraclusterStart};
pub use heuristic::{Heuristic, Optimum, STEPS, exact};
pub use matrix::Matrix;
pub use schedule::{Schedule, Timing};
