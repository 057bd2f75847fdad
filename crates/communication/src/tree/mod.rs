//! Broadcasts down a tree: how one message gets from rank 0 to all others, which are alike.
//!
//! Times follow from two lengths a message, its [`Cost`](super::Cost). [`closed`] holds the formulas,
//! [`Plan::arrivals`](super::Plan::arrivals) the exact evaluation that covers every plan; nothing here knows of events,
//! so a simulation that agrees confirms both.

pub mod closed;

mod children;
mod evaluate;
mod explicit;
mod greedy;
mod shape;
mod split;

pub use children::Children;
pub use evaluate::{arrivals, completion};
pub use explicit::{ExplicitTree, TreeError};
pub use greedy::{greedy, optimal_time, reach};
pub use shape::Tree;
pub use split::{Half, SplitBinary};
