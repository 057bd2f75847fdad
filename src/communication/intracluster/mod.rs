//! A broadcast inside a cluster: how one message gets from one rank to all others, which are alike.
//!
//! Ranks are virtual: rank 0 is the root, and a program that broadcasts from elsewhere rotates them. An [`Algorithm`]
//! turns a [`Broadcast`] into a [`Plan`](super::Plan) of who sends what to whom.
//!
//! Times follow from two lengths a message, its [`Cost`](super::Cost). [`closed`] holds the formulas,
//! [`Plan::arrivals`](super::Plan::arrivals) the exact evaluation that covers every plan; nothing here knows of events,
//! so a simulation that agrees confirms both.

pub mod closed;

mod algorithm;
mod children;
mod evaluate;
mod explicit;
mod greedy;
mod shape;
mod split;

pub use algorithm::{Algorithm, Broadcast};
pub use children::Children;
pub use evaluate::{arrivals, completion};
pub use explicit::{ExplicitTree, TreeError};
pub use greedy::{greedy, optimal_time, reach};
pub use shape::Tree;
pub use split::{Half, SplitBinary};
