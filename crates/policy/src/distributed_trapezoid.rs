//! Distributed trapezoid self-scheduling (DTSS): a worker of power a, its nominal speed over that of the slowest, gets what
//! a trapezoid chunks in a row make for A workers, the sum of all powers: a·(f − δ·(S + (a − 1)/2)), rounded up, where S
//! is the power of all chunks before it. f, l and δ are those of [trapezoid self-scheduling](super::trapezoid) with A for P.
//!
//! A. T. Chronopoulos, R. Andonie, M. Benche, D. Grosu, *A class of loop self-scheduling for heterogeneous clusters*,
//! CLUSTER 2001. On equal workers it is trapezoid self-scheduling.

use super::batch::rounded_up;
use super::powers::{powers, total};
use super::trapezoid::Slope;
use super::{Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct DistributedTrapezoid {
    powers: Vec<f64>,
    total: f64,
    last: u32,
    slope: Slope,
    /// The power of all chunks of the round.
    given: f64,
}

impl Rule for DistributedTrapezoid {
    fn new(setup: &Setup<'_>) -> Self {
        let (powers, last) = (powers(setup.speeds), setup.chunk.max(1));
        Self { total: total(&powers), powers, last, slope: Slope { first: last, step: 0 }, given: 0.0 }
    }

    fn begin(&mut self, tasks: u32) {
        self.slope = Slope::new(tasks, self.total, self.last);
        self.given = 0.0;
    }

    fn chunk(&mut self, worker: u32, left: u32) -> u32 {
        let power = self.powers[worker as usize];
        let middle = self.given + (power - 1.0) / 2.0;
        let each = (f64::from(self.slope.first) - f64::from(self.slope.step) * middle).max(f64::from(self.last));
        self.given += power;
        rounded_up(power * each).clamp(1, left)
    }
}
