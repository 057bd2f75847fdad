//! What an evolution strategy is told.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::walkers::Rule;
use super::{one_fifth, printed};
use crate::registry::names;
use crate::search::{Objective, SettingsError};

names! {
    /// How individuals evolve.
    "strategy": Strategy {
        #[default]
        Printed "printed" = "Garamendi and Bosque's rule as printed: each individual is replaced by a better mutant, its step divided by c above the threshold of success and multiplied below it",
        OneFifth "one_fifth" = "the same with Rechenberg's 1/5 success rule: threshold 0.2, c 0.85",
        Plus "plus" = "(mu+lambda): the best of parents and children survive, steps evolve with them",
        Comma "comma" = "(mu,lambda): the best children survive, steps evolve with them",
        CmaEs "cma_es" = "(mu/mu_w,lambda)-CMA-ES: points drawn from a normal distribution whose covariance adapts",
    }
}

impl Strategy {
    /// Whether individuals evolve without looking at each other, so that it makes no difference who is beside whom.
    #[must_use]
    pub const fn walks_alone(self) -> bool {
        matches!(self, Self::Printed | Self::OneFifth)
    }
}

/// An evolution strategy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// How individuals evolve.
    #[serde(default)]
    pub strategy: Strategy,
    /// What is minimised.
    pub objective: Objective,
    /// The dimension of the objective; the paper has ten variables.
    #[serde(default = "ten_variables")]
    pub dimension: u32,
    /// k: how often each individual is mutated in a generation, that is, between two changes of its step (`printed` and
    /// `one_fifth`). The paper does not print it; with the printed rule far fewer than 100 find next to nothing.
    #[serde(default = "a_hundred")]
    pub mutations: u32,
    /// The steps at the start, sigma, as a share of the width of the objective's domain. The paper does not print it.
    #[serde(default = "a_tenth")]
    pub first_step: f64,
    /// No step shrinks below this, in the objective's own units (all but `cma_es`). The paper prints no such limit.
    #[serde(default)]
    pub least_step: f64,
    /// c: what a step is multiplied by to shrink and divided by to grow (`printed` 0.2, Table 1; `one_fifth` 0.85).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
    /// The share of successful mutations below which a step shrinks, and above which it grows (`printed` 0.9, Table 1;
    /// `one_fifth` 0.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// Children a parent in a generation, lambda/mu (`plus` and `comma`).
    #[serde(default = "seven")]
    pub offspring: u32,
}

const fn ten_variables() -> u32 {
    10
}

const fn a_hundred() -> u32 {
    100
}

const fn a_tenth() -> f64 {
    0.1
}

const fn seven() -> u32 {
    7
}

impl Settings {
    /// The defaults.
    #[must_use]
    pub const fn new(strategy: Strategy, objective: Objective) -> Self {
        Self {
            strategy,
            objective,
            dimension: ten_variables(),
            mutations: a_hundred(),
            first_step: a_tenth(),
            least_step: 0.0,
            change: None,
            threshold: None,
            offspring: seven(),
        }
    }

    /// How many evaluations a generation takes for each individual.
    #[must_use]
    pub const fn evaluations(&self) -> u32 {
        match self.strategy {
            Strategy::Printed | Strategy::OneFifth => self.mutations,
            Strategy::Plus | Strategy::Comma => self.offspring,
            Strategy::CmaEs => 1,
        }
    }

    /// The bytes of an individual where it travels or is held in memory: its coordinates, its error and its step.
    #[must_use]
    pub const fn individual_bytes(&self) -> u64 {
        (self.dimension as u64 + 2) * 8
    }

    /// The bytes that a population of so many individuals takes, on machines that adapt a matrix each or none.
    #[must_use]
    pub fn population_bytes(&self, individuals: u32, machines: u32) -> u128 {
        // Parents and children; the matrix, its axes and what they are computed in.
        let vectors = u128::from(individuals) * u128::from(self.individual_bytes()) * 2;
        let matrices = u128::from(machines) * 3 * 8 * u128::from(self.dimension).pow(2);
        vectors + if self.strategy == Strategy::CmaEs { matrices } else { 0 }
    }

    /// The steps at the start, in the objective's units.
    pub(super) fn step(&self) -> f64 {
        let (least, greatest) = self.objective.domain().into_inner();
        self.first_step * (greatest - least)
    }

    /// How steps change.
    pub(super) fn rule(&self) -> Rule {
        let rule = match self.strategy {
            Strategy::OneFifth => one_fifth::rule(self.least_step),
            _ => printed::rule(self.least_step),
        };
        Rule { threshold: self.threshold.unwrap_or(rule.threshold), change: self.change.unwrap_or(rule.change), ..rule }
    }

    /// Checks every key.
    ///
    /// # Errors
    /// Names the first key whose value is impossible.
    pub fn check(&self) -> Result<(), SettingsError> {
        let fault = |key, message: String| Err(SettingsError { key, message });
        for (key, count) in
            [("dimension", self.dimension), ("mutations", self.mutations), ("offspring", self.offspring)]
        {
            if count == 0 {
                return fault(key, format!("{key} is at least 1"));
            }
        }
        if !(self.first_step > 0.0 && self.first_step.is_finite()) {
            return fault("first_step", format!("the first step is a positive number, and not {}", self.first_step));
        }
        if !(self.least_step >= 0.0 && self.least_step.is_finite()) {
            return fault("least_step", format!("the least step is 0 or more and finite, and not {}", self.least_step));
        }
        let Rule { change, threshold, .. } = self.rule();
        if !(change > 0.0 && change <= 1.0) {
            return fault(
                "change",
                format!("a step changes by a factor above 0 and no greater than 1, and not {change}"),
            );
        }
        if !(0.0..=1.0).contains(&threshold) {
            return fault("threshold", format!("the threshold is a share, from 0 to 1, and not {threshold}"));
        }
        Ok(())
    }
}
