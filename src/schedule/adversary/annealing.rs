//! Simulated annealing over instances.

use rand::RngExt;

use super::instance::{ProblemInstance, Space};
use super::mutation::Mutation;
use crate::engine::Stream;
use crate::registry::names;

names! {
    /// With which probability a step to a lower ratio is taken; one to a higher ratio always is. r is the present ratio, r′ that of
    /// the changed instance, T the temperature.
    "acceptance": Acceptance {
        #[default]
        Published "published" = "exp(−(r′/r)/T), also where both are equal, as the authors' programs have it",
        Metropolis "metropolis" = "exp(−(r − r′)/T)",
    }
}

impl Acceptance {
    /// The probability that a step from one ratio to another is taken, in [0, 1].
    #[must_use]
    pub fn probability(self, present: f64, next: f64, temperature: f64) -> f64 {
        match self {
            _ if next > present => 1.0,
            Self::Published => (-(next / present) / temperature).exp(),
            Self::Metropolis => ((next - present) / temperature).exp(),
        }
    }
}

/// How a search cools down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Annealing {
    /// The temperature of the first step: above 0.
    pub first_temperature: f64,
    /// No step is made at this temperature or below: above 0.
    pub last_temperature: f64,
    /// What the temperature is multiplied by after each step: above 0, below 1.
    pub cooling: f64,
    /// The most steps.
    pub most_steps: u32,
    /// When a lower ratio is taken.
    pub acceptance: Acceptance,
}

/// A step of a search, as it is told to whoever watches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Its number, from 1.
    pub number: u32,
    /// The temperature.
    pub temperature: f64,
    /// The ratio after the step, be it taken or not.
    pub ratio: f64,
    /// The highest ratio so far.
    pub best: f64,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The worst instance.
    pub instance: ProblemInstance,
    /// Its ratio.
    pub ratio: f64,
    /// The ratio of the instance that the search started from.
    pub start_ratio: f64,
    /// How many instances were evaluated, the first included.
    pub evaluations: u64,
}

impl Annealing {
    /// The temperatures of the steps, the highest first.
    pub fn temperatures(&self) -> impl Iterator<Item = f64> + use<> {
        let Self { last_temperature, cooling, .. } = *self;
        let falling =
            std::iter::successors(Some(self.first_temperature), move |temperature| Some(temperature * cooling));
        falling.take_while(move |temperature| *temperature > last_temperature).take(self.most_steps as usize)
    }

    /// Searches from an instance of the space for one with a high ratio. `ratio` gives that of an instance, a number above 0;
    /// `watch` hears of every step. A mutation that has nothing to change is a step without an evaluation.
    ///
    /// # Errors
    /// Those of `ratio`.
    pub fn search<E>(
        &self,
        start: ProblemInstance,
        space: &Space,
        stream: &mut Stream,
        mut ratio: impl FnMut(&ProblemInstance) -> Result<f64, E>,
        mut watch: impl FnMut(Step),
    ) -> Result<Found, E> {
        let mutations = Mutation::of(space);
        let start_ratio = ratio(&start)?;
        let mut best = Found { instance: start.clone(), ratio: start_ratio, start_ratio, evaluations: 1 };
        let (mut present, mut present_ratio) = (start, start_ratio);
        for (number, temperature) in (1..).zip(self.temperatures()) {
            let mutation = mutations[stream.random_range(0..mutations.len())];
            let mut next = present.clone();
            if mutation.apply(&mut next, space, stream) {
                let next_ratio = ratio(&next)?;
                best.evaluations += 1;
                let probability = self.acceptance.probability(present_ratio, next_ratio, temperature);
                if stream.random::<f64>() < probability {
                    (present, present_ratio) = (next, next_ratio);
                    if present_ratio > best.ratio {
                        best.instance.clone_from(&present);
                        best.ratio = present_ratio;
                    }
                }
            }
            watch(Step { number, temperature, ratio: present_ratio, best: best.ratio });
        }
        Ok(best)
    }
}
