//! hetsim: a discrete-event simulator of heterogeneous clusters.

pub mod batch;
pub mod cluster;
pub mod engine;
pub mod record;
pub mod registry;
pub mod report;
pub mod units;
