//! hetsim as a library: what is refused, and what other crates bring.

mod extensions;
mod refusals;
