//! Tests through the public face: a folder a subject, a file a behaviour.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_input;
mod batch;
mod charts;
mod command;
mod communication;
mod critical_path;
mod evolution;
mod farm;
mod house;
mod library;
mod platform;
mod results;
mod scenario;
mod simgrid;
mod sources;
mod support;
mod taskgraph;
