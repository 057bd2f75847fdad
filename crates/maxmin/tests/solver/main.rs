//! The solver of fair sharing, alone.

mod bundles;
mod ends;
mod fairness;
mod links;
mod pairs;
mod support;
