//! Distributed guided self-scheduling: a worker of power a, its nominal speed over that of the slowest, gets what a
//! guided chunks in a row make for A workers, the sum of all powers: R·(1 − (1 − 1/A)^a), rounded up.
//!
//! The scheme of A. T. Chronopoulos, R. Andonie, M. Benche, D. Grosu, *A class of loop self-scheduling for heterogeneous
//! clusters*, CLUSTER 2001, for guided self-scheduling. On equal workers it is that.

use super::batch::rounded_up;
use super::powers::{powers, total};
use super::{Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct DistributedGuided {
    /// By worker, which part of the remaining tasks it gets.
    parts: Vec<f64>,
    least: u32,
}

impl Rule for DistributedGuided {
    fn new(setup: &Setup<'_>) -> Self {
        let powers = powers(setup.speeds);
        let left = 1.0 - 1.0 / total(&powers);
        Self { parts: powers.iter().map(|&power| 1.0 - left.powf(power)).collect(), least: setup.chunk.max(1) }
    }

    fn chunk(&mut self, worker: u32, left: u32) -> u32 {
        rounded_up(self.parts[worker as usize] * f64::from(left)).max(self.least).min(left)
    }
}
