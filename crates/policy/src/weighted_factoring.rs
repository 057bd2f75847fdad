//! Weighted factoring: batches of half of the remaining tasks, in which a worker gets w_i·⌈R/(2P)⌉ tasks, rounded up.
//!
//! S. Flynn Hummel, J. Schmidt, R. N. Uma, J. Wein, *Load-sharing in heterogeneous systems via weighted factoring*,
//! SPAA 1996. The weights are the nominal speeds over their mean, so that Σ w_i = P. A worker that asks again before
//! the batch is over gets another chunk of it.

use super::batch::Batch;
use super::{Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct WeightedFactoring {
    batch: Batch,
    weights: Vec<f64>,
}

impl Rule for WeightedFactoring {
    fn new(setup: &Setup<'_>) -> Self {
        let mean = setup.speeds.iter().sum::<f64>() / setup.speeds.len() as f64;
        Self {
            batch: Batch::new(setup.speeds.len(), setup.chunk),
            weights: setup.speeds.iter().map(|speed| speed / mean).collect(),
        }
    }

    fn begin(&mut self, _: u32) {
        self.batch.end();
    }

    fn chunk(&mut self, worker: u32, left: u32) -> u32 {
        self.batch.halving(self.weights[worker as usize], left)
    }
}
