//! Max–min fair sharing of links among flows, kept up to date as flows start and end.
//!
//! See [`Solver`] for the solver that a simulator drives, and [`fill`] for the rates from scratch.
//!
//! How exact it is: rates are floats, the sums of rates on a link whole units of 2⁻⁶⁰ of its capacity, so that they don't
//! drift. A level is taken as unchanged, or as one seen before, within 10⁻¹⁴ of it or 2⁻⁴⁹ of the capacity; a visitor
//! counts as above a link's level by more than 10⁻¹² of it, and a link as overfull by more than 2⁻⁴³ of its capacity.

#[cfg(test)]
mod audit;
mod demand;
mod ends;
pub mod fill;
mod finish;
mod levels;
mod link;
mod members;
mod rebuild;
mod routes;
mod settle;
mod solver;

pub use demand::{BadFlow, BadLink, Demand, LinkKind};
pub use routes::PathLink;
pub use solver::{Solver, Statistics};
