//! Task farms.

mod ahead;
mod kernels;
mod protocol;
mod startup;
mod timeouts;
