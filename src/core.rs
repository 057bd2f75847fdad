//! The floors below scenarios, which the `hetsim` crate re-exports: use that one.
//!
//! All that a simulation is and all that has to be fast is here, compiled on its own, so that it alone is optimised in
//! full; what reads scenarios, runs batches and draws charts stands above it.

pub mod adapt;
pub mod cluster;
pub mod communication;
pub mod design;
pub mod engine;
pub mod fit;
pub mod formula;
pub mod graph;
pub mod input;
pub mod metrics;
pub mod partition;
pub mod policy;
#[doc(hidden)]
pub mod printable;
pub mod record;
pub mod registry;
pub mod schedule;
pub mod search;
pub mod statistics;
pub mod study;
pub mod units;
pub mod workload;
