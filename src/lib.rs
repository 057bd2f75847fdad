//! hetsim: a discrete-event simulator of heterogeneous clusters.

pub mod record;
pub mod tree;
pub mod units;
