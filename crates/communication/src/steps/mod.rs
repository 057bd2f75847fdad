//! Plans of steps among equal ranks, as plain data: what each rank sends, awaits and combines.
//!
//! A [`StepPlan`] is an ordered list of [`Step`]s for each rank. A rank goes through its list: a send is handed over
//! and the rank goes on, a receive waits for its message. Nothing here knows of events.
//!
//! What a rank holds lies in numbered *slots*. A message carries the content of some of the sender's slots to the same
//! slots of the receiver, where it takes the place of what was there or is combined with it. So a plan can be followed
//! on symbols: the tests of this module do, and hold every algorithm to what its operation promises.
//!
//! Reductions are taken to be associative and commutative.

mod backward;
mod bine;
mod evaluate;
mod exchanges;
mod fold;
mod forward;
mod grid;
mod local;
mod moves;
mod nomial;
mod pattern;
mod plan;
mod rooted;
mod shifts;
mod slots;
mod unequal;

#[cfg(test)]
mod tests;

pub use backward::Combining;
pub use bine::Distances;
pub(super) use bine::Numbering;
pub use exchanges::Rounds;
pub use fold::Fold;
pub use grid::{Grid, GridError};
pub use local::{Local, Portion, Who};
pub use moves::{After, LocalWork};
pub use nomial::Nomial;
pub use pattern::Pattern;
pub(super) use plan::Layer;
pub use plan::{Step, StepPlan};
pub use rooted::{Others, Renumber, Spread, Subtrees, Synchronised};
pub use shifts::Shifts;
pub(super) use slots::with_digit;
pub use slots::{Blocks, Slots};
