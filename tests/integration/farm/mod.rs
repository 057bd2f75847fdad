//! Task farms.

mod protocol;
mod timeouts;
