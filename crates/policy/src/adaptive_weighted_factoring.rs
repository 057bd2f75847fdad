//! Adaptive weighted factoring by rounds (AWF): the weights of a round come from the measurements of all earlier
//! rounds.
//!
//! I. Banicescu, V. Velusamy, J. Devaprasad, *On the scalability of dynamic scheduling scientific applications with
//! adaptive weighted factoring*, Cluster Computing 6, 2003, for programs that repeat a loop in time steps. With the
//! time t_ik that worker i spent on n_ik tasks in round k, its performance is π_i = Σ k·t_ik / Σ k·n_ik, so that recent
//! rounds count more, and its weight w_i = P·(1/π_i) / Σ (1/π_j). In the first round all weights are 1.

use super::batch::Batch;
use super::rates::Rates;
use super::{ChunkReport, Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct AdaptiveWeightedFactoring {
    batch: Batch,
    rates: Rates,
    weights: Vec<f64>,
    round: u32,
}

impl Rule for AdaptiveWeightedFactoring {
    fn new(setup: &Setup<'_>) -> Self {
        let workers = setup.speeds.len();
        Self {
            batch: Batch::new(workers, setup.chunk),
            rates: Rates::new(workers),
            weights: vec![1.0; workers],
            round: 0,
        }
    }

    fn begin(&mut self, _: u32) {
        self.batch.end();
        self.round += 1;
        for (worker, weight) in self.weights.iter_mut().enumerate() {
            *weight = self.rates.weight(worker);
        }
    }

    fn chunk(&mut self, worker: u32, left: u32) -> u32 {
        self.batch.halving(self.weights[worker as usize], left)
    }

    fn observe(&mut self, worker: u32, report: &ChunkReport) {
        self.rates.add(worker, report, f64::from(self.round));
    }
}
