//! Populations of a genetic algorithm and their generations.

use rand::{Rng, RngExt};
use thiserror::Error;

use super::genes::Genes;
use super::selection::Selector;
use super::settings::{Genome, Settings};
use crate::{Objective, SettingsError};

/// One generation of individuals, with buffers for the next, so that breeding does not allocate.
///
/// Individuals are numbered from 0. An individual has no error until it is evaluated. In a master–worker program
/// evaluation is a worker's task, and the order of completion does not affect the result.
#[derive(Debug, Clone)]
pub struct Population {
    settings: Settings,
    genes: Genes,
    /// The buffer is one individual longer than the population, for the second child of the last pair.
    next: Genes,
    /// The error of each individual; NaN if it is not evaluated.
    errors: Vec<f64>,
    selector: Selector,
    point: Vec<f64>,
}

/// Individuals that migrate to another population.
#[derive(Debug, Clone)]
pub struct Migrants {
    genes: Genes,
    errors: Vec<f64>,
}

impl Migrants {
    /// The number of migrants.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.errors.len()
    }

    /// Whether there are no migrants.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }
}

/// An error: the migrants' genes do not fit this population.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("individuals with {theirs} words of genes cannot join a population with {ours}")]
pub struct ForeignMigrants {
    /// The number of 64-bit words of a migrant's genes.
    theirs: usize,
    /// The number of 64-bit words per individual in this population.
    ours: usize,
}

impl Population {
    /// Draws a first generation uniformly.
    ///
    /// # Errors
    /// Invalid settings ([`Settings::check`]).
    pub fn first(settings: &Settings, rng: &mut impl Rng) -> Result<Self, SettingsError> {
        settings.check()?;
        let count = settings.population as usize;
        let mut genes = Genes::zeroed(settings, count + 1);
        for individual in 0..count {
            genes.draw(individual, settings, rng);
        }
        Ok(Self {
            settings: settings.clone(),
            next: genes.clone(),
            genes,
            errors: vec![f64::NAN; count],
            selector: Selector::default(),
            point: vec![0.0; settings.genes as usize],
        })
    }

    /// The settings of the population.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The number of individuals, at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub const fn len(&self) -> usize {
        self.errors.len()
    }

    /// Computes, stores and returns an individual's error; nothing else changes.
    ///
    /// # Panics
    /// If there is no such individual.
    pub fn evaluate(&mut self, individual: usize) -> f64 {
        let settings = &self.settings;
        let error = if settings.objective == Objective::OneMax && settings.genome == Genome::Bits {
            self.genes.zeros(individual, settings) as f64
        } else {
            self.genes.decode(individual, settings, &mut self.point);
            settings.objective.evaluate(&self.point)
        };
        self.errors[individual] = error;
        error
    }

    /// Evaluates all individuals.
    pub fn evaluate_all(&mut self) {
        for individual in 0..self.len() {
            self.evaluate(individual);
        }
    }

    /// An individual's error, if it has been evaluated. The elite keeps its errors from the previous generation.
    ///
    /// # Panics
    /// If there is no such individual.
    #[must_use]
    pub fn error(&self, individual: usize) -> Option<f64> {
        Some(self.errors[individual]).filter(|error| !error.is_nan())
    }

    /// The point that an individual represents.
    ///
    /// # Panics
    /// If there is no such individual.
    #[must_use]
    pub fn point(&self, individual: usize) -> Vec<f64> {
        let mut point = self.point.clone();
        self.genes.decode(individual, &self.settings, &mut point);
        point
    }

    /// Replaces the generation by its children: first the unchanged elite, then pairs of children of selected parents,
    /// crossed and mutated. Children are not evaluated. Unevaluated parents count as the worst.
    pub fn next_generation(&mut self, rng: &mut impl Rng) {
        let settings = &self.settings;
        let (count, elite) = (self.errors.len(), settings.elitism as usize);
        self.selector.rank(&self.errors, settings.selection);
        for (slot, &individual) in self.selector.best_first()[..elite].iter().enumerate() {
            self.next.copy(slot, &self.genes, individual as usize);
        }
        for child in (elite..count).step_by(2) {
            for slot in [child, child + 1] {
                let parent = self.selector.parent(settings.selection, settings.tournament, rng);
                self.next.copy(slot, &self.genes, parent);
            }
            if rng.random_bool(settings.crossover) {
                self.next.cross(child, settings, rng);
            }
        }
        self.next.mutate(elite..count, settings, rng);
        std::mem::swap(&mut self.genes, &mut self.next);
        // Keep the elite's errors; `order` still refers to the old positions.
        self.point.clear();
        self.point.extend(self.selector.best_first()[..elite].iter().map(|&i| self.errors[i as usize]));
        self.errors[..elite].copy_from_slice(&self.point);
        self.errors[elite..].fill(f64::NAN);
        self.point.resize(settings.genes as usize, 0.0);
    }

    /// The least error; `None` if no individual is evaluated.
    #[must_use]
    pub fn best(&self) -> Option<f64> {
        self.evaluated().reduce(f64::min)
    }

    /// The mean error of the evaluated individuals; `None` if there are none.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let (count, sum) = self.evaluated().fold((0_u32, 0.0), |(count, sum), error| (count + 1, sum + error));
        (count > 0).then(|| sum / f64::from(count))
    }

    fn evaluated(&self) -> impl Iterator<Item = f64> {
        self.errors.iter().copied().filter(|error| !error.is_nan())
    }

    /// Copies of the `count` best individuals, best first, for another population; all if there are fewer.
    pub fn take_best(&mut self, count: usize) -> Migrants {
        self.selector.rank(&self.errors, self.settings.selection);
        let chosen = &self.selector.best_first()[..count.min(self.errors.len())];
        let mut genes = Genes::zeroed(&self.settings, chosen.len());
        for (slot, &individual) in chosen.iter().enumerate() {
            genes.copy(slot, &self.genes, individual as usize);
        }
        Migrants { genes, errors: chosen.iter().map(|&individual| self.errors[individual as usize]).collect() }
    }

    /// Replaces the worst individuals by migrants with their errors.
    ///
    /// If there are more migrants than places, the last are dropped.
    ///
    /// # Errors
    /// The migrants come from a population with other genes. Nothing changes then.
    pub fn replace_worst(&mut self, migrants: &Migrants) -> Result<(), ForeignMigrants> {
        let (theirs, ours) = (migrants.genes.stride(), self.genes.stride());
        if theirs != ours {
            return Err(ForeignMigrants { theirs, ours });
        }
        self.selector.rank(&self.errors, self.settings.selection);
        for (from, &slot) in self.selector.best_first().iter().rev().enumerate().take(migrants.len()) {
            self.genes.copy(slot as usize, &migrants.genes, from);
            self.errors[slot as usize] = migrants.errors[from];
        }
        Ok(())
    }
}
