//! Max–min fair sharing of links among flows, updated as flows start and end.
//!
//! [`Solver`] is the solver, which a simulator drives by [`Bundles`]; [`fill`] computes rates from scratch.
//!
//! Accuracy: rates are floats; the sums of rates on a link are whole units of 2⁻⁶⁰ of its capacity, so they do not
//! drift. Sums of weights are added up again where the heavier part leaves, so a fair share is rounded like a sum of the
//! flows that share it. Two fair shares are equal within 10⁻¹⁴, relative, or 2⁻⁴⁹ of the capacity. A crossing flow exceeds a link's
//! fair share by more than 10⁻¹² of it, and a link is overfull by more than 2⁻⁴³ of its capacity.

mod added;
#[cfg(test)]
mod audit;
mod bundles;
mod demand;
mod ends;
mod fair_share;
pub mod fill;
mod finish;
mod link;
mod lone;
mod members;
mod queue;
mod rebuild;
mod reweigh;
mod routes;
mod solver;
mod update;
mod ways;

pub use bundles::Bundles;
pub use demand::{BadFlow, BadLink, Demand, LinkKind, PathLink};
pub use solver::{Solver, Statistics};
