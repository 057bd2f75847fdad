//! Task farms.

mod kernels;
mod protocol;
mod timeouts;
