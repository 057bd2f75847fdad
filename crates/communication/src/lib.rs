//! Communication among ranks, as plain data: who sends what to whom, in which order, and what that takes.
//!
//! - [`algorithm`]: every algorithm with the operations that it fits. One makes a [`Plan`] of a [`Collective`].
//! - [`tree`]: broadcasts down a tree that arithmetic tells, with their times.
//! - [`steps`]: every other plan, step by step, told by arithmetic too.
//! - [`intercluster`]: a broadcast between clusters that differ, by a schedule.
//!
//! One rule cuts a message into [`Segments`] or blocks; a [`Cost`] says what a message takes. Nothing here knows of
//! events: what a closed form or an evaluation says, a simulation confirms.

pub mod algorithm;
pub mod intercluster;
pub mod steps;
pub mod tree;

mod cost;
mod levels;
mod library;
mod operation;
mod plan;
mod rounds;
mod segments;

pub use algorithm::{Algorithm, Method, PlanError};
pub use cost::Cost;
pub use levels::{Level, Member, on_levels};
pub use library::{Chosen, Library};
pub use operation::{Collective, Operation, Order};
pub use plan::Plan;
pub use segments::Segments;
