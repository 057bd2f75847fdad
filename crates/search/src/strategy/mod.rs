//! Evolution strategies for a master whose slaves evolve populations of their own.
//!
//! In Garamendi and Bosque's program (§3.2) a slave creates a given number of individuals, evolves them for a fixed
//! number of generations (a round), and sends its best to the master, which decides whether there is another round. An
//! [`Evolution`] is the state of a slave. The caller checks whether the error has reached 5·10⁻⁵ (Table 1).

mod cma_es;
mod distribution;
mod eigen;
mod individuals;
mod mu_lambda;
mod normal;
mod settings;
mod step_rule;
#[cfg(test)]
mod tests;
mod walkers;

use rand::Rng;

use self::cma_es::CmaEs;
use self::mu_lambda::{MuLambda, Survivors};
use self::walkers::Walkers;
use crate::SettingsError;

pub use distribution::Distribution;
#[doc(hidden)]
pub use eigen::diagonalise;
pub use individuals::Individuals;
pub use settings::{Settings, Strategy};

/// A population with the strategy by which it evolves.
#[derive(Debug, Clone)]
pub struct Evolution {
    settings: Settings,
    method: Method,
    /// The best individual that was ever a parent here, which a (μ,λ) strategy may lose.
    best: Option<Best>,
}

/// The point with the least error.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// The difference from the error at the optimum.
    pub error: f64,
    /// The coordinates of the point.
    pub point: Vec<f64>,
}

#[derive(Debug, Clone)]
enum Method {
    Walkers(Walkers),
    MuLambda(MuLambda),
    CmaEs(Box<CmaEs>),
}

impl Evolution {
    /// Draws individuals uniformly over the objective's domain and evaluates them once. CMA-ES only draws the mean of
    /// its distribution and evaluates nothing. A population without individuals is allowed and finds nothing.
    ///
    /// # Errors
    /// Invalid settings ([`Settings::check`]).
    pub fn new(settings: &Settings, individuals: u32, rng: &mut impl Rng) -> Result<Self, SettingsError> {
        settings.check()?;
        let Settings { strategy, objective, mutations, offspring, least_step, .. } = *settings;
        let (dimension, count, step) = (settings.dimension as usize, individuals as usize, settings.step());
        let method = match strategy {
            Strategy::Printed | Strategy::OneFifth => {
                Method::Walkers(Walkers::new(objective, dimension, mutations, settings.rule()))
            }
            Strategy::Plus => {
                Method::MuLambda(MuLambda::new(objective, dimension, Survivors::Plus, offspring, least_step))
            }
            Strategy::Comma => {
                Method::MuLambda(MuLambda::new(objective, dimension, Survivors::Comma, offspring, least_step))
            }
            Strategy::CmaEs => Method::CmaEs(Box::new(CmaEs::new(objective, dimension, step, count, rng))),
        };
        let mut evolution = Self { settings: settings.clone(), method, best: None };
        if strategy != Strategy::CmaEs {
            evolution.join(&Individuals::draw(count, objective, dimension, step, rng))?;
        }
        Ok(evolution)
    }

    /// The settings of the population.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The number of individuals: μ, or λ for CMA-ES.
    #[must_use]
    pub const fn len(&self) -> usize {
        match &self.method {
            Method::Walkers(walkers) => walkers.len(),
            Method::MuLambda(parents) => parents.len(),
            Method::CmaEs(distribution) => distribution.len(),
        }
    }

    /// Whether there are no individuals.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Evolves all individuals for some generations. Returns the number of evaluations: [`Settings::evaluations`] for
    /// each individual and generation.
    ///
    /// A generation of the printed rule and of the 1/5 rule is one pass through steps 2 to 7 of §3.4: k mutations of
    /// each individual, then a change of the steps. (The text mentions a fixed number of generations without saying
    /// whether a generation is a mutation or such a pass.)
    pub fn evolve(&mut self, generations: u32, rng: &mut impl Rng) -> u64 {
        let evaluations = match &mut self.method {
            Method::Walkers(walkers) => walkers.evolve(generations, rng),
            Method::MuLambda(parents) => parents.evolve(generations, rng),
            Method::CmaEs(distribution) => distribution.evolve(generations, rng),
        };
        self.keep_best();
        evaluations
    }

    /// The best point found so far; `None` without individuals, and for CMA-ES before the first generation.
    #[must_use]
    pub const fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    fn keep_best(&mut self) {
        let known = self.best.as_ref().map_or(f64::INFINITY, |best| best.error);
        let found = match &self.method {
            Method::Walkers(walkers) => walkers
                .best()
                .filter(|(_, error)| *error < known)
                .map(|(individual, error)| Best { error, point: walkers.point(individual).collect() }),
            Method::MuLambda(parents) => better(parents.best(), known),
            Method::CmaEs(distribution) => better(distribution.best(), known),
        };
        self.best = found.or(self.best.take());
    }

    /// Adds individuals from elsewhere. CMA-ES, which has no individuals, draws that many more per generation instead.
    ///
    /// # Errors
    /// The individuals have another dimension. None is added then.
    pub fn join(&mut self, newcomers: &Individuals) -> Result<(), SettingsError> {
        let (theirs, ours) = (newcomers.dimension(), self.settings.dimension);
        if theirs != ours as usize {
            let message = format!("individuals of dimension {theirs} cannot join a population of dimension {ours}");
            return Err(SettingsError { key: "dimension", message });
        }
        match &mut self.method {
            Method::Walkers(walkers) => walkers.join(newcomers),
            Method::MuLambda(parents) => parents.join(newcomers),
            Method::CmaEs(distribution) => distribution.resize(distribution.len() + newcomers.len()),
        }
        self.keep_best();
        Ok(())
    }

    /// Removes and returns the last `count` individuals, or all if there are fewer. CMA-ES returns copies of its mean
    /// and draws that many fewer from then on.
    pub fn leave(&mut self, count: u32) -> Individuals {
        let count = count as usize;
        match &mut self.method {
            Method::Walkers(walkers) => walkers.leave(count),
            Method::MuLambda(parents) => parents.leave(count),
            Method::CmaEs(distribution) => {
                let count = count.min(distribution.len());
                distribution.resize(distribution.len() - count);
                let mut leavers = Individuals::new(self.settings.dimension as usize);
                for _ in 0..count {
                    let (mean, step) = distribution.centre();
                    leavers.push(mean.iter().copied(), self.settings.objective.evaluate(mean), step);
                }
                leavers
            }
        }
    }
}

/// A found point if it is better than the known error.
fn better(found: Option<(&[f64], f64)>, known: f64) -> Option<Best> {
    let (point, error) = found.filter(|(_, error)| *error < known)?;
    Some(Best { error, point: point.to_vec() })
}
