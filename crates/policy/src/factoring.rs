//! Factoring: batches of P equal chunks, as large as the spread of task costs allows.
//!
//! S. Flynn Hummel, E. Schonberg, L. E. Flynn, *Factoring: a method for scheduling parallel loops*, CACM 35(8), 1992.
//! With mean µ and deviation σ of a task's cost, batch j hands out P chunks of ⌈R_j/(x_j·P)⌉, where b_j = P/(2√R_j) ·
//! σ/µ, x_0 = 1 + b_0² + b_0·√(b_0² + 2), and x_j = 2 + b_j² + b_j·√(b_j² + 4) for j > 0. Tasks of equal cost (σ = 0)
//! are handed out at once, N/P each.

use super::batch::Batch;
use super::{Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct Factoring {
    batch: Batch,
    variation: f64,
    /// Whether the next batch is the first of the round.
    first: bool,
}

impl Rule for Factoring {
    fn new(setup: &Setup<'_>) -> Self {
        Self { batch: Batch::new(setup.speeds.len(), setup.chunk), variation: setup.variation, first: true }
    }

    fn begin(&mut self, _: u32) {
        self.batch.end();
        self.first = true;
    }

    fn chunk(&mut self, _: u32, left: u32) -> u32 {
        if self.batch.is_over() {
            let b = f64::from(self.batch.workers()) / (2.0 * f64::from(left).sqrt()) * self.variation;
            let (base, inner) = if self.first { (1.0, 2.0) } else { (2.0, 4.0) };
            self.first = false;
            self.batch.open(left, base + b * b + b * (b * b + inner).sqrt());
        }
        self.batch.chunk(1.0, left)
    }
}
