//! Task farms.

mod kernels;
mod protocol;
mod startup;
mod timeouts;
