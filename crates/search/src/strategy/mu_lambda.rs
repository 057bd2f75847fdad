//! (μ+λ) and (μ,λ) evolution strategies with self-adapting steps (Schwefel 1981; Beyer and Schwefel 2002).
//!
//! Each of λ children has a randomly drawn parent. The child multiplies the parent's step by exp(N(0, 1)/√n) and moves
//! by the new step, so good steps survive with the individuals that they produce. The μ best become parents: of
//! children and parents together (plus), or of the children only (comma). With comma even the best parent is dropped,
//! so no step outlives its usefulness. There is no recombination, which keeps a slave's population comparable with the
//! paper's loop.

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use super::individuals::Individuals;
use crate::Objective;

/// The candidates for the next parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Survivors {
    /// Parents and children.
    Plus,
    /// Children only.
    Comma,
}

/// The parents, with a buffer for their children.
#[derive(Debug, Clone)]
pub(super) struct MuLambda {
    objective: Objective,
    survivors: Survivors,
    /// The average number of children per parent.
    offspring: u32,
    least_step: f64,
    parents: Individuals,
    /// The candidates of the current generation: parents and children (plus), or children (comma).
    pool: Individuals,
    order: Vec<u32>,
}

impl MuLambda {
    pub(super) fn new(
        objective: Objective,
        dimension: usize,
        survivors: Survivors,
        offspring: u32,
        least_step: f64,
    ) -> Self {
        let (parents, pool) = (Individuals::new(dimension), Individuals::new(dimension));
        Self { objective, survivors, offspring, least_step, parents, pool, order: Vec::new() }
    }

    /// Evolves for some generations. Returns the number of evaluations.
    pub(super) fn evolve(&mut self, generations: u32, rng: &mut impl Rng) -> u64 {
        let (count, offspring) = (self.parents.len(), self.offspring as usize);
        if count == 0 {
            return 0;
        }
        for _ in 0..generations {
            self.pool.clear();
            if self.survivors == Survivors::Plus {
                self.pool.append(&self.parents);
            }
            for _ in 0..count * offspring {
                self.bear(rng);
            }
            self.select(count);
        }
        (count * offspring) as u64 * u64::from(generations)
    }

    /// Adds one child to the pool.
    fn bear(&mut self, rng: &mut impl Rng) {
        let (parent, _, step) = self.parents.get(rng.random_range(0..self.parents.len()));
        let learning_rate = 1.0 / (parent.len() as f64).sqrt();
        let step = (step * (learning_rate * rng.sample::<f64, _>(StandardNormal)).exp()).max(self.least_step);
        let point = parent.iter().map(|gene| gene + step * rng.sample::<f64, _>(StandardNormal));
        let objective = self.objective;
        self.pool.push(point, f64::NAN, step);
        self.pool.evaluate_last(objective);
    }

    /// Makes the best of the pool parents; ties go to the earlier one.
    fn select(&mut self, count: usize) {
        let errors = self.pool.errors();
        self.order.clear();
        self.order.extend(0..errors.len() as u32);
        self.order.sort_unstable_by(|&a, &b| errors[a as usize].total_cmp(&errors[b as usize]).then(a.cmp(&b)));
        self.parents.clear();
        for &chosen in &self.order[..count] {
            let (point, error, step) = self.pool.get(chosen as usize);
            self.parents.push(point.iter().copied(), error, step);
        }
    }

    /// The best parent.
    pub(super) fn best(&self) -> Option<(&[f64], f64)> {
        self.parents.iter().map(|(point, error, _)| (point, error)).min_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    pub(super) fn join(&mut self, newcomers: &Individuals) {
        self.parents.append(newcomers);
    }

    pub(super) fn leave(&mut self, count: usize) -> Individuals {
        self.parents.split_off(self.parents.len().saturating_sub(count))
    }

    pub(super) const fn len(&self) -> usize {
        self.parents.len()
    }
}
