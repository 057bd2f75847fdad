//! Communication among ranks, as plain data: who sends what to whom, in which order, and what that takes.
//!
//! - [`intracluster`]: a broadcast among ranks that are alike, down a tree that arithmetic tells.
//! - [`intercluster`]: a broadcast between clusters that differ, by a schedule.
//! - [`collective`]: every other operation, step by step.
//!
//! A [`Plan`] says who sends what to whom, in a few numbers for any number of ranks.
//!
//! One rule cuts a message into [`Blocks`], one into [`Segments`]; a [`Cost`] says what a message takes. Nothing here
//! knows of events: what a closed form or an evaluation says, a simulation confirms.

pub mod collective;
pub mod intercluster;
pub mod intracluster;

mod blocks;
mod cost;
mod plan;
mod rounds;
mod segments;

pub use blocks::Blocks;
pub use cost::Cost;
pub use plan::Plan;
pub use segments::Segments;
