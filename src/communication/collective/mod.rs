//! Collective operations among equal ranks, as plain data: what each rank sends, awaits and combines, step by step.
//!
//! An [`Algorithm`] turns a [`Collective`] into a [`StepPlan`]: an ordered list of [`Step`]s for each rank. A rank goes
//! through its list: a send is handed over and the rank goes on, a receive waits for its message. Nothing here knows of
//! events or time, but for [`Algorithm::completion`], which says what a plan takes under Hockney's model.
//!
//! What a rank holds lies in numbered *slots*. A message carries the content of some of the sender's slots to the same
//! slots of the receiver, where it takes the place of what was there or is combined with it. So a plan can be followed
//! on symbols: the tests of this module do, and hold every algorithm to what its operation promises.
//!
//! Reductions are taken to be associative and commutative. The algorithms are those of R. Thakur, R. Rabenseifner,
//! W. Gropp, *Optimization of collective communication operations in MPICH*, Int. J. High Perform. Comput. Appl. 19(1),
//! 2005, unless a file says otherwise.

mod algorithm;
mod blocks;
mod cost;
mod evaluate;
mod fold;
mod grid;
mod pattern;
mod plan;

#[cfg(test)]
mod follow;

pub use algorithm::{Algorithm, Collective, Operation, PlanError};
pub use blocks::{Blocks, Slots};
pub use cost::Cost;
pub use grid::{Grid, GridError};
pub use plan::{Step, StepPlan};
