//! Batches: the runs of a scenario on the cores of a machine or on many machines, the store that keeps what they gave, and
//! how files get to the disk whole.
//!
//! A batch does not know what a workload is: a run is a function from (point, replica) to a
//! [`Record`](crate::record::Record).

pub mod mark;
mod queue;
pub mod replication;
pub mod run;
pub mod shard;
pub mod store;
pub mod submit;
pub mod write;
