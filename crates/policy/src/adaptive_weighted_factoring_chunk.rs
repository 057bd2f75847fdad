//! Adaptive weighted factoring by chunks (AWF-C): every chunk is w_i·⌈R/(2P)⌉ tasks, rounded up, with the current
//! weights and remaining tasks.
//!
//! R. L. Cariño, I. Banicescu, *Dynamic load balancing with adaptive factoring methods in scientific applications*,
//! Journal of Supercomputing 44, 2008. There are no batches: faster workers return for more of the remaining half.

use super::batch::rounded_up;
use super::rates::Rates;
use super::{ChunkReport, Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct AdaptiveWeightedFactoringChunk {
    least: u32,
    rates: Rates,
}

impl Rule for AdaptiveWeightedFactoringChunk {
    fn new(setup: &Setup<'_>) -> Self {
        Self { least: setup.chunk.max(1), rates: Rates::new(setup.speeds.len()) }
    }

    fn chunk(&mut self, worker: u32, left: u32) -> u32 {
        let half = u64::from(left).div_ceil(2 * self.rates.workers() as u64);
        rounded_up(self.rates.weight(worker as usize) * half as f64).max(self.least).min(left)
    }

    fn observe(&mut self, worker: u32, report: &ChunkReport) {
        self.rates.add_next(worker, report);
    }
}
