//! The functions that the page's worker calls, and those that it gives.

use std::sync::atomic::{AtomicUsize, Ordering};

use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer;

#[wasm_bindgen]
extern "C" {
    /// So many runs of so many have ended.
    #[wasm_bindgen(js_name = hetsimProgress)]
    fn progress(ended: usize, all: usize);

    /// hetsim has a bug; the module cannot be used any more.
    #[wasm_bindgen(js_name = hetsimPanicked)]
    fn panicked(message: &str);
}

/// Tells the worker of panics, which end the module.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| panicked(&panic.to_string())));
}

/// Keeps a file that scenarios may name.
#[wasm_bindgen]
pub fn carry(path: &str, content: &[u8]) {
    hetsim::input::carry(path, content);
}

/// The schema of scenarios, as [`answer::schema`].
#[wasm_bindgen]
#[must_use]
pub fn schema() -> String {
    answer::schema().to_string()
}

/// What is wrong with a scenario, as [`answer::check`].
#[wasm_bindgen]
#[must_use]
pub fn check(name: &str, text: &str) -> String {
    answer::check(name, text).to_string()
}

/// Runs a scenario, as [`answer::run`].
#[wasm_bindgen]
#[must_use]
pub fn run(name: &str, text: &str) -> String {
    let ended = AtomicUsize::new(0);
    let done = |more: usize, all: usize| progress(more + ended.fetch_add(more, Ordering::Relaxed), all);
    answer::run(name, text, done).to_string()
}
