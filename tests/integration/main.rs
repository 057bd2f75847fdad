//! Tests through the public face, a file a behaviour.

mod bad_input;
mod batch;
mod broadcast;
mod cli;
mod cluster;
mod scenario;
