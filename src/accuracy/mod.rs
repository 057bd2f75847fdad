//! How well simulations agree with measurements: the prediction of measured collectives and its validation.

pub mod predict;
pub mod selection;
pub mod validate;

pub use predict::{Machine, predict};
pub use selection::{Selection, SelectionError, selected};
