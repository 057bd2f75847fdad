//! Simulated annealing over instances.

use rand::RngExt;

use super::instance::{ProblemInstance, Space};
use super::mutation::Mutation;
use hetsim_base::engine::Stream;
use hetsim_base::registry::names;

names! {
    /// The probability of accepting a step to a lower ratio; a step to a higher ratio is always accepted. r is the
    /// present ratio, r′ that of the changed instance, T the temperature.
    "acceptance": Acceptance {
        #[default]
        Published "published" = "exp(−(r′/r)/T), also for equal ratios, as in the authors' programs",
        Metropolis "metropolis" = "exp(−(r − r′)/T)",
    }
}

impl Acceptance {
    /// The probability of accepting a step from one ratio to another, in [0, 1].
    #[must_use]
    pub fn probability(self, present: f64, next: f64, temperature: f64) -> f64 {
        match self {
            _ if next > present => 1.0,
            Self::Published => (-(next / present) / temperature).exp(),
            Self::Metropolis => ((next - present) / temperature).exp(),
        }
    }
}

/// The cooling schedule of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Annealing {
    /// The temperature of the first step, above 0.
    pub first_temperature: f64,
    /// The search stops at this temperature, above 0.
    pub last_temperature: f64,
    /// The factor applied to the temperature after each step, between 0 and 1 exclusive.
    pub cooling: f64,
    /// The maximum number of steps.
    pub most_steps: u32,
    /// The rule for accepting a lower ratio.
    pub acceptance: Acceptance,
}

/// A step of a search, for the `watch` callback.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnnealingStep {
    /// The step number, from 1.
    pub number: u32,
    /// The temperature of the step.
    pub temperature: f64,
    /// The ratio of the tried instance, whether accepted or not.
    pub ratio: f64,
    /// The highest ratio so far.
    pub best: f64,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// The worst instance.
    pub instance: ProblemInstance,
    /// Its ratio.
    pub ratio: f64,
    /// The ratio of the initial instance.
    pub start_ratio: f64,
    /// The number of evaluated instances, including the initial one.
    pub evaluations: u64,
}

impl Annealing {
    /// The temperatures of the steps, in falling order.
    pub fn temperatures(&self) -> impl Iterator<Item = f64> + use<> {
        let Self { last_temperature, cooling, .. } = *self;
        let falling =
            std::iter::successors(Some(self.first_temperature), move |temperature| Some(temperature * cooling));
        falling.take_while(move |temperature| *temperature > last_temperature).take(self.most_steps as usize)
    }

    /// Searches from an instance of the space for one with a high ratio. `ratio` evaluates an instance and returns a
    /// number above 0; `watch` receives every step. A mutation that cannot change anything is a step without an
    /// evaluation.
    ///
    /// # Errors
    /// Any error of `ratio`.
    pub fn search<E>(
        &self,
        start: ProblemInstance,
        space: &Space,
        stream: &mut Stream,
        mut ratio: impl FnMut(&ProblemInstance) -> Result<f64, E>,
        mut watch: impl FnMut(AnnealingStep),
    ) -> Result<SearchResult, E> {
        let mutations = Mutation::of(space);
        let start_ratio = ratio(&start)?;
        let mut best = SearchResult { instance: start.clone(), ratio: start_ratio, start_ratio, evaluations: 1 };
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
            watch(AnnealingStep { number, temperature, ratio: present_ratio, best: best.ratio });
        }
        Ok(best)
    }
}
