//! Models fitted to measured times.

pub mod runtime;
