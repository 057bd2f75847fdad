//! hetsim for a page in a browser: texts in, JSON out. See `docs/playground.md`.

pub mod answer;
#[cfg(target_family = "wasm")]
pub mod exports;
#[cfg(not(target_family = "wasm"))]
pub mod menu;
