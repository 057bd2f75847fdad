//! Broadcast: how one message gets from one rank to all, as plain data.
//!
//! Ranks are virtual: rank 0 is the root, and a program that broadcasts from elsewhere rotates them. IntraclusterStart a group of
//! ranks that are alike, an [`Algorithm`] turns a [`Broadcast`] into a [`Plan`] of who sends what to whom; between
//! clusters that differ, a [`between::Heuristic`] turns a [`between::Grid`] into a [`between::Schedule`].
//!
//! Times follow from two lengths a message, its [`Cost`]. [`closed`] holds the formulas, [`Plan::arrivals`] the exact
//! evaluation that covers every plan; nothing here knows of events, so a simulation that agrees confirms both.

pub mod between;
pub mod closed;

mod algorithm;
mod blocks;
mod children;
mod cost;
mod evaluate;
mod explicit;
mod greedy;
mod plan;
mod scatter;
mod segments;
mod shape;
mod split;

pub use algorithm::{Algorithm, Broadcast};
pub use blocks::Blocks;
pub use children::Children;
pub use cost::Cost;
pub use evaluate::{arrivals, completion};
pub use explicit::{ExplicitTree, TreeError};
pub use greedy::{greedy, optimal_time, reach};
pub use plan::Plan;
pub use scatter::{Allgather, Exchange, ScatterAllgather, Transfer};
pub use segments::Segments;
pub use shape::Tree;
pub use split::{Half, SplitBinary};
