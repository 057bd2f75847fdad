//! Individuals outside a population, for example on their way between nodes.

use rand::{Rng, RngExt};

use crate::Objective;

/// The error at a point. One that a huge step has made NaN is infinitely bad: NaN itself would never be replaced by a
/// better error, and its sign would decide its rank.
pub(super) fn error_at(objective: Objective, point: &[f64]) -> f64 {
    let error = objective.evaluate(point);
    if error.is_nan() { f64::INFINITY } else { error }
}

/// Individuals outside a population, with their points, errors and steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Individuals {
    dimension: usize,
    /// All coordinates of the first individual, then of the second, and so on.
    genes: Vec<f64>,
    errors: Vec<f64>,
    steps: Vec<f64>,
}

impl Individuals {
    /// No individuals yet.
    pub(super) const fn new(dimension: usize) -> Self {
        Self { dimension, genes: Vec::new(), errors: Vec::new(), steps: Vec::new() }
    }

    /// Draws individuals uniformly over an objective's domain, all with the same step.
    pub(super) fn draw(count: usize, objective: Objective, dimension: usize, step: f64, rng: &mut impl Rng) -> Self {
        let mut drawn = Self::new(dimension);
        drawn.genes.extend((0..count * dimension).map(|_| rng.random_range(objective.domain())));
        drawn.errors.extend((0..count).map(|i| objective.evaluate(&drawn.genes[i * dimension..][..dimension])));
        drawn.steps.resize(count, step);
        drawn
    }

    pub(super) fn push(&mut self, point: impl Iterator<Item = f64>, error: f64, step: f64) {
        self.genes.extend(point);
        self.errors.push(error);
        self.steps.push(step);
    }

    /// Computes the error of the last individual.
    pub(super) fn evaluate_last(&mut self, objective: Objective) {
        let last = self.genes.len().saturating_sub(self.dimension);
        if let Some(error) = self.errors.last_mut() {
            *error = error_at(objective, &self.genes[last..]);
        }
    }

    pub(super) fn clear(&mut self) {
        self.genes.clear();
        self.errors.clear();
        self.steps.clear();
    }

    pub(super) fn append(&mut self, others: &Self) {
        self.genes.extend_from_slice(&others.genes);
        self.errors.extend_from_slice(&others.errors);
        self.steps.extend_from_slice(&others.steps);
    }

    /// Keeps the first `count` and returns the others.
    pub(super) fn split_off(&mut self, count: usize) -> Self {
        Self {
            dimension: self.dimension,
            genes: self.genes.split_off(count * self.dimension),
            errors: self.errors.split_off(count),
            steps: self.steps.split_off(count),
        }
    }

    pub(super) fn errors(&self) -> &[f64] {
        &self.errors
    }

    /// An individual's point, error and step.
    pub(super) fn get(&self, individual: usize) -> (&[f64], f64, f64) {
        let point = &self.genes[individual * self.dimension..][..self.dimension];
        (point, self.errors[individual], self.steps[individual])
    }

    /// The number of individuals.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.errors.len()
    }

    /// Whether there are no individuals.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// The number of coordinates per individual.
    #[must_use]
    pub const fn dimension(&self) -> usize {
        self.dimension
    }

    /// The point, error and step of each individual.
    pub fn iter(&self) -> impl Iterator<Item = (&[f64], f64, f64)> {
        // Individuals have at least one coordinate (`Settings::check`).
        let points = self.genes.chunks_exact(self.dimension);
        points.zip(&self.errors).zip(&self.steps).map(|((point, &error), &step)| (point, error, step))
    }
}
