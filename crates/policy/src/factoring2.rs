//! Factoring by halves: each batch is half of the remaining tasks, in P equal chunks of ⌈R/(2P)⌉.
//!
//! The rule that Flynn Hummel, Schonberg and Flynn (CACM 35(8), 1992) advise for unknown σ and µ: x_j = 2.

use super::batch::Batch;
use super::{Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct Factoring2 {
    batch: Batch,
}

impl Rule for Factoring2 {
    fn new(setup: &Setup<'_>) -> Self {
        Self { batch: Batch::new(setup.speeds.len(), setup.chunk) }
    }

    fn begin(&mut self, _: u32) {
        self.batch.end();
    }

    fn chunk(&mut self, _: u32, left: u32) -> u32 {
        self.batch.halving(1.0, left)
    }
}
