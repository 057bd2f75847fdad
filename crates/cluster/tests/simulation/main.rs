//! Programs on the simulated machine: what they take, blocking calls, and nodes that go down.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod costs;
mod outages;
mod rendezvous;
mod script;
