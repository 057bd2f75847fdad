//! What checks hetsim is itself in order.

mod checks;
mod registries;
