//! Task farms.

mod ahead;
mod caches;
mod kernels;
mod protocol;
mod startup;
mod timeouts;
mod waits;
