//! Tests through the public face, a file a behaviour.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod adapt;
mod adversarial;
mod advise;
mod bad_input;
mod batch;
mod broadcast;
mod ci;
mod cli;
mod cluster;
mod collective;
mod convert;
mod design;
mod energy;
mod evolution;
mod farm;
mod faults;
mod files;
mod fit;
mod fitted;
mod island;
mod levels;
mod link_faults;
mod mapping;
mod maxmin;
mod measure;
mod profiles;
mod results_folders;
mod scenario;
mod schema;
mod shards;
mod shared_links;
mod simgrid;
mod sweeps;
mod taskgraph;
mod timings;
mod traffic;
mod under_fair;
mod until;
