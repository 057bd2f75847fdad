//! The evolution strategy with covariance matrix adaptation, (μ/μ_w, λ)-CMA-ES.
//!
//! Each generation draws λ points from a [`Distribution`], which adapts to their errors.
//!
//! λ is the number of individuals. Hansen's default is 4 + ⌊3 ln n⌋; functions with many optima need more. With one or
//! two individuals there is a single parent; the strategy runs but adapts little.
//!
//! If the distribution becomes too narrow, too elongated or too flat to find an improvement, the strategy restarts at a
//! random point. The best point of all restarts is kept.

use rand::{Rng, RngExt};

use super::distribution::Distribution;
use super::individuals::error_at;
use crate::Objective;

/// The distribution and the best point found.
#[derive(Debug, Clone)]
pub(super) struct CmaEs {
    objective: Objective,
    distribution: Distribution,
    errors: Vec<f64>,
    best: Option<(Vec<f64>, f64)>,
}

impl CmaEs {
    /// Starts at a random point of the domain.
    pub(super) fn new(
        objective: Objective,
        dimension: usize,
        first_step: f64,
        count: usize,
        rng: &mut impl Rng,
    ) -> Self {
        let mean: Vec<f64> = (0..dimension).map(|_| rng.random_range(objective.domain())).collect();
        Self { objective, distribution: Distribution::new(&mean, first_step, count), errors: Vec::new(), best: None }
    }

    /// Changes λ.
    pub(super) fn resize(&mut self, count: usize) {
        self.distribution.resize(count);
    }

    /// Evolves for some generations. Returns the number of evaluations.
    pub(super) fn evolve(&mut self, generations: u32, rng: &mut impl Rng) -> u64 {
        if self.len() == 0 {
            return 0;
        }
        for _ in 0..generations {
            self.errors.clear();
            for point in self.distribution.draw(rng) {
                let error = error_at(self.objective, point);
                if self.best.as_ref().is_none_or(|(_, best)| error < *best) {
                    self.best = Some((point.to_vec(), error));
                }
                self.errors.push(error);
            }
            self.distribution.learn(&self.errors);
            if self.distribution.is_exhausted() {
                self.distribution.restart(|_| rng.random_range(self.objective.domain()));
            }
        }
        self.len() as u64 * u64::from(generations)
    }

    /// The best point of all restarts.
    pub(super) fn best(&self) -> Option<(&[f64], f64)> {
        self.best.as_ref().map(|(point, error)| (point.as_slice(), *error))
    }

    /// The mean and the step of the distribution.
    pub(super) fn centre(&self) -> (&[f64], f64) {
        (self.distribution.mean(), self.distribution.step())
    }

    pub(super) const fn len(&self) -> usize {
        self.distribution.len()
    }
}
