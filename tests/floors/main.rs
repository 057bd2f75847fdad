//! The rules that hold the house: crates use only those before them in `crates/README.md`, modules of a crate those
//! below (docs/architecture.md), files import each other in no circle, and names, files and functions stay small enough
//! to read. These tests read every source.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod circles;
mod modules;
mod publishing;
mod sizes;
#[path = "../integration/sources.rs"]
mod sources;
