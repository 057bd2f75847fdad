//! The `hetsim` command.

fn main() {}
