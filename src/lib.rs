//! hetsim: a discrete-event simulator of heterogeneous clusters.

pub mod engine;
pub mod record;
pub mod units;
