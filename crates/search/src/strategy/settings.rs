//! The settings of an evolution strategy.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::step_rule::StepRule;
use crate::{Objective, SettingsError};
use hetsim_base::registry::names;
use hetsim_base::units::defaults::{count, fraction};

names! {
    /// The rule by which individuals evolve.
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
    /// Whether individuals evolve independently, so that their grouping makes no difference.
    #[must_use]
    pub const fn walks_alone(self) -> bool {
        matches!(self, Self::Printed | Self::OneFifth)
    }
}

/// An evolution strategy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The rule by which individuals evolve.
    #[serde(default)]
    pub strategy: Strategy,
    /// The function to minimise.
    pub objective: Objective,
    /// The dimension of the objective; the paper uses ten variables.
    #[serde(default = "count::<10>")]
    pub dimension: u32,
    /// k: the number of mutations of each individual per generation, between two changes of its step (`printed` and
    /// `one_fifth`). The paper does not print it; the printed rule needs at least about 100.
    #[serde(default = "count::<100>")]
    pub mutations: u32,
    /// The initial step sigma as a fraction of the width of the objective's domain. The paper does not print it.
    #[serde(default = "fraction::<1, 10>")]
    pub first_step: f64,
    /// The least step in the objective's own units (all but `cma_es`). The paper prints no such limit.
    #[serde(default)]
    pub least_step: f64,
    /// c: the factor by which a step shrinks, and the divisor by which it grows (by default `printed` 0.2, Table 1; `one_fifth`
    /// 0.85).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
    /// The share of successful mutations below which a step shrinks and above which it grows (by default `printed` 0.9, Table 1;
    /// `one_fifth` 0.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// The number of children per parent and generation, lambda/mu (`plus` and `comma`).
    #[serde(default = "count::<7>")]
    pub offspring: u32,
}

impl Settings {
    /// The defaults.
    #[must_use]
    pub const fn new(strategy: Strategy, objective: Objective) -> Self {
        Self {
            strategy,
            objective,
            dimension: 10,
            mutations: 100,
            first_step: 0.1,
            least_step: 0.0,
            change: None,
            threshold: None,
            offspring: 7,
        }
    }

    /// The number of evaluations per individual and generation.
    #[must_use]
    pub const fn evaluations(&self) -> u32 {
        match self.strategy {
            Strategy::Printed | Strategy::OneFifth => self.mutations,
            Strategy::Plus | Strategy::Comma => self.offspring,
            Strategy::CmaEs => 1,
        }
    }

    /// The size of an individual in bytes, in messages and in memory: its coordinates, its error and its step.
    #[must_use]
    pub const fn individual_bytes(&self) -> u64 {
        (self.dimension as u64 + 2) * 8
    }

    /// The memory in bytes of a population of this size on this many machines, including the matrix of each machine for
    /// CMA-ES.
    #[must_use]
    pub fn population_bytes(&self, individuals: u32, machines: u32) -> u128 {
        // Parents and children, of which all of a generation live at once; the matrix, its axes and its buffers.
        let children = match self.strategy {
            Strategy::Plus | Strategy::Comma => self.offspring,
            Strategy::Printed | Strategy::OneFifth | Strategy::CmaEs => 1,
        };
        let vectors = u128::from(individuals) * u128::from(self.individual_bytes()) * (1 + u128::from(children));
        let matrices = u128::from(machines) * 3 * 8 * u128::from(self.dimension).pow(2);
        vectors + if self.strategy == Strategy::CmaEs { matrices } else { 0 }
    }

    /// The initial step in the objective's units.
    pub(super) fn step(&self) -> f64 {
        let (least, greatest) = self.objective.domain().into_inner();
        self.first_step * (greatest - least)
    }

    /// The rule by which steps change.
    pub(super) fn rule(&self) -> StepRule {
        let rule = match self.strategy {
            Strategy::OneFifth => StepRule::one_fifth(self.least_step),
            Strategy::Printed | Strategy::Plus | Strategy::Comma | Strategy::CmaEs => {
                StepRule::printed(self.least_step)
            }
        };
        StepRule {
            threshold: self.threshold.unwrap_or(rule.threshold),
            change: self.change.unwrap_or(rule.change),
            ..rule
        }
    }

    /// Checks every key.
    ///
    /// # Errors
    /// The first key with an invalid value.
    pub fn check(&self) -> Result<(), SettingsError> {
        let fault = |key, message: String| Err(SettingsError { key, message });
        for (key, count) in
            [("dimension", self.dimension), ("mutations", self.mutations), ("offspring", self.offspring)]
        {
            if count == 0 {
                return fault(key, format!("{key} must be at least 1"));
            }
        }
        if !(self.first_step > 0.0 && self.step().is_finite()) {
            let message = format!("the first step must be positive, and finite in the domain, not {}", self.first_step);
            return fault("first_step", message);
        }
        if !(self.least_step >= 0.0 && self.least_step.is_finite()) {
            return fault(
                "least_step",
                format!("the least step must be 0 or more, and finite, not {}", self.least_step),
            );
        }
        let StepRule { change, threshold, .. } = self.rule();
        if !(change > 0.0 && change <= 1.0) {
            return fault("change", format!("a step must change by a factor above 0 and at most 1, not {change}"));
        }
        if !(0.0..=1.0).contains(&threshold) {
            return fault("threshold", format!("the threshold must be a share from 0 to 1, not {threshold}"));
        }
        Ok(())
    }
}
