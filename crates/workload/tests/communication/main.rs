//! Plans of communication as programs: receives that are posted, the draws that they meet, and what LogGOPSim printed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common_draws;
mod loggopsim;
mod posted_in_phases;
mod posted_receives;
