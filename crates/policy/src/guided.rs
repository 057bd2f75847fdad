//! Guided self-scheduling: each chunk is ⌈R/P⌉, a P-th of the remaining tasks.
//!
//! C. D. Polychronopoulos, D. J. Kuck, *Guided self-scheduling*, IEEE Transactions on Computers C-36(12), 1987. With a
//! smallest chunk k it is their GSS(k).

use super::{Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct Guided {
    workers: u32,
    least: u32,
}

impl Rule for Guided {
    fn new(setup: &Setup<'_>) -> Self {
        Self { workers: (setup.speeds.len() as u32).max(1), least: setup.chunk.max(1) }
    }

    fn chunk(&mut self, _: u32, left: u32) -> u32 {
        left.div_ceil(self.workers).max(self.least).min(left)
    }
}
