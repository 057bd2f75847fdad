//! How well simulations agree with measurements: the prediction of measured collectives, its validation, and the
//! calibration of platforms.

pub mod calibrate;
mod identity;
pub mod predict;
pub mod selection;
pub mod validate;

pub use predict::{MOST_MESSAGES, Machine, USUAL_ERROR, check_point, predict};
pub use selection::{Selection, SelectionError, selected};
