//! Adaptive weighted factoring by batches (AWF-B): the weights are updated whenever a batch begins.
//!
//! R. L. Cariño, I. Banicescu, *Dynamic load balancing with adaptive factoring methods in scientific applications*,
//! Journal of Supercomputing 44, 2008. As AWF, but the measurements k = 1, 2, … of a worker are its chunks instead of
//! rounds, so that weights also adapt within the first round.

use super::batch::Batch;
use super::rates::Rates;
use super::{ChunkReport, Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct AdaptiveWeightedFactoringBatch {
    batch: Batch,
    rates: Rates,
    /// The weights of the current batch.
    weights: Vec<f64>,
}

impl Rule for AdaptiveWeightedFactoringBatch {
    fn new(setup: &Setup<'_>) -> Self {
        let workers = setup.speeds.len();
        Self { batch: Batch::new(workers, setup.chunk), rates: Rates::new(workers), weights: vec![1.0; workers] }
    }

    fn begin(&mut self, _: u32) {
        self.batch.end();
    }

    fn chunk(&mut self, worker: u32, left: u32) -> u32 {
        if self.batch.is_over() {
            for (worker, weight) in self.weights.iter_mut().enumerate() {
                *weight = self.rates.weight(worker);
            }
        }
        self.batch.halving(self.weights[worker as usize], left)
    }

    fn observe(&mut self, worker: u32, report: &ChunkReport) {
        self.rates.add_next(worker, report);
    }
}
