//! What a genetic algorithm is told.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::selection::Selection;
use crate::registry::names;
use crate::search::{Objective, SettingsError};
use crate::units::memory;

names! {
    /// What an individual is made of.
    "genome": Genome {
        #[default]
        Bits "bits" = "bits; a number is some of them, read as a fixed-point fraction of the objective's domain",
        Real "real" = "real numbers",
    }
}

names! {
    /// How two parents' genes come together in two children.
    "crossover": Crossover {
        #[default]
        OnePoint "one_point" = "the parts behind one random cut change places",
        TwoPoint "two_point" = "the part between two random cuts changes places",
        Uniform "uniform" = "every gene (of a bit genome: every bit) changes places with probability 1/2",
        Blend "blend" = "real genes only: uniform on the parents' interval and half of its length to either side (BLX-0.5, Eshelman and Schaffer 1993)",
    }
}

/// A generational genetic algorithm.
///
/// Defaults are those of Bazterra et al. (JPDC 2005, §6.1), 0.9 for crossover and 0.001 for mutation; selection,
/// elitism and genome, which the paper leaves to GAlib, are common choices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Individuals in a generation. Who hands the settings on has a key of its own for it.
    #[serde(skip)]
    pub population: u32,
    /// What is minimised.
    pub objective: Objective,
    /// The dimension of the objective: genes of an individual. Of `one_max` on a bit genome a gene is one bit.
    pub genes: u32,
    /// What an individual is made of.
    #[serde(default)]
    pub genome: Genome,
    /// The bits of a gene on a bit genome, 1 to 52.
    #[serde(default = "sixteen")]
    pub bits_per_gene: u32,
    /// The probability that a pair of parents is crossed, rather than copied.
    #[serde(default = "nine_tenths")]
    pub crossover: f64,
    /// How a pair is crossed.
    #[serde(default)]
    pub crossing: Crossover,
    /// The probability that a bit is flipped, or that a real gene gets a normal deviate added.
    #[serde(default = "one_in_a_thousand")]
    pub mutation: f64,
    /// The standard deviation of what is added to a real gene, as a share of the domain's width.
    #[serde(default = "a_tenth")]
    pub mutation_step: f64,
    /// How many of the best go over into the next generation unchanged.
    #[serde(default)]
    pub elitism: u32,
    /// How parents are chosen.
    #[serde(default)]
    pub selection: Selection,
    /// How many are drawn for a tournament; the best of them is chosen.
    #[serde(default = "two")]
    pub tournament: u32,
}

const fn sixteen() -> u32 {
    16
}

const fn nine_tenths() -> f64 {
    0.9
}

const fn one_in_a_thousand() -> f64 {
    0.001
}

const fn a_tenth() -> f64 {
    0.1
}

const fn two() -> u32 {
    2
}

impl Settings {
    /// Those of the paper, for an objective in some dimension.
    #[must_use]
    pub const fn new(population: u32, objective: Objective, genes: u32, genome: Genome) -> Self {
        Self {
            population,
            objective,
            genes,
            genome,
            bits_per_gene: sixteen(),
            crossover: nine_tenths(),
            crossing: Crossover::OnePoint,
            mutation: one_in_a_thousand(),
            mutation_step: a_tenth(),
            elitism: 0,
            selection: Selection::Tournament,
            tournament: two(),
        }
    }

    /// Bits of a gene: one for `one_max`, which counts them.
    pub(super) const fn gene_bits(&self) -> u32 {
        if matches!(self.objective, Objective::OneMax) { 1 } else { self.bits_per_gene }
    }

    /// The bytes of an individual's genes: bits packed, real numbers 8 each. For the length of a message.
    #[must_use]
    pub const fn genome_bytes(&self) -> u64 {
        match self.genome {
            Genome::Bits => (self.genes as u64 * self.gene_bits() as u64).div_ceil(8),
            Genome::Real => self.genes as u64 * 8,
        }
    }

    /// Checks every key.
    ///
    /// # Errors
    /// Names the first key whose value is impossible.
    pub fn check(&self) -> Result<(), SettingsError> {
        let fault = |key, message: String| Err(SettingsError { key, message });
        for (key, share) in [("crossover", self.crossover), ("mutation", self.mutation)] {
            if !(0.0..=1.0).contains(&share) {
                return fault(key, format!("{key} is a probability, from 0 to 1, and not {share}"));
            }
        }
        if self.population == 0 {
            return fault("population", "a population has at least one individual".to_owned());
        }
        if self.genes == 0 {
            return fault("genes", "an individual has at least one gene".to_owned());
        }
        if !(1..=52).contains(&self.bits_per_gene) {
            return fault("bits_per_gene", format!("a gene has 1 to 52 bits, and not {}", self.bits_per_gene));
        }
        if u64::from(self.genes) * u64::from(self.gene_bits()) > u64::from(u32::MAX) {
            return fault("genes", format!("{} genes of {} bits are too many", self.genes, self.bits_per_gene));
        }
        if !(self.mutation_step >= 0.0 && self.mutation_step.is_finite()) {
            return fault("mutation_step", format!("a step is 0 or more and finite, and not {}", self.mutation_step));
        }
        // Children stand beside their parents, each individual with a list of its own.
        let (population, bytes) = (u128::from(self.population), u128::from(self.genome_bytes()) + 64);
        if let Err(much) = memory::check(population * bytes * 2) {
            return fault("genes", format!("{population} individuals of {} genes would take {much}", self.genes));
        }
        if self.elitism > self.population {
            let (elite, all) = (self.elitism, self.population);
            return fault("elitism", format!("an elite of {elite} is more than the {all} individuals there are"));
        }
        if self.tournament == 0 {
            return fault("tournament", "a tournament has at least one participant".to_owned());
        }
        if self.genome == Genome::Bits && self.crossing == Crossover::Blend {
            return fault(
                "crossing",
                "only real genes can be blended; bits take one_point, two_point or uniform".to_owned(),
            );
        }
        Ok(())
    }
}
