//! hetsim for a page in a browser: texts in, JSON out. See `docs/playground.md`.

#[cfg(feature = "simulator")]
pub mod answer;
#[cfg(all(feature = "simulator", target_family = "wasm"))]
pub mod exports;
#[cfg(not(target_family = "wasm"))]
pub mod menu;
