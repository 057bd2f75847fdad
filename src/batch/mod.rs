//! Batches: runs a scenario on the cores of one machine or on many machines, stores the records, and writes files
//! atomically.
//!
//! A batch knows nothing about workloads: a run is a function from (point, replica) to a
//! [`Record`](crate::record::Record).

pub mod identity;
pub mod mark;
mod queue;
pub mod replication;
pub mod run;
pub mod shard;
pub mod store;
pub mod subfolder;
pub mod submit;
pub mod threads;
pub mod write;
