//! Batches: the runs of a scenario on the cores of a machine, and the store that keeps what they gave.
//!
//! A batch does not know what a workload is: a run is a function from (point, replica) to a record.

pub mod run;
pub mod store;
pub mod write;
