//! The solver of fair sharing, alone.

mod ends;
mod fairness;
mod links;
mod pairs;
mod support;
