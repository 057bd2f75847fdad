//! Many runs: what they leave on disk while they are computed, and how files get there whole.
//!
//! Nothing here knows what a workload is, or how a run is made: a run is a key and a
//! [`Record`](crate::record::Record).

pub mod store;
pub mod write;
