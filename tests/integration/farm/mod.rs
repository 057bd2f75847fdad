//! Task farms.

mod ahead;
mod caches;
mod heartbeats;
mod kernels;
mod protocol;
mod startup;
mod timeouts;
