//! The settings of a genetic algorithm.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::selection::Selection;
use crate::{Objective, SettingsError};
use hetsim_base::registry::names;
use hetsim_base::units::defaults::{count, fraction};
use hetsim_base::units::memory;

names! {
    /// The genome of an individual.
    "genome": Genome {
        #[default]
        Bits "bits" = "bits; each number is a group of bits, read as a fixed-point fraction of the objective's domain",
        Real "real" = "real numbers",
    }
}

names! {
    /// The crossover of two parents into two children.
    "crossover": Crossover {
        #[default]
        OnePoint "one_point" = "exchanges the parts behind one random cut",
        TwoPoint "two_point" = "exchanges the part between two random cuts",
        Uniform "uniform" = "exchanges every gene (every bit of a bit genome) with probability 1/2",
        Blend "blend" = "real genes only: uniform on the parents' interval extended by half its length on either side (BLX-0.5, Eshelman and Schaffer 1993)",
    }
}

/// A generational genetic algorithm.
///
/// The defaults are those of Bazterra et al. (JPDC 2005, §6.1), 0.9 for crossover and 0.001 for mutation. The paper
/// leaves selection, elitism and genome to GAlib; the defaults here are common choices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The number of individuals in a generation. A workload that contains these settings has its own key for it.
    #[serde(skip)]
    pub population: u32,
    /// The function to minimise.
    pub objective: Objective,
    /// The dimension of the objective, which is the number of genes per individual. For `one_max` on a bit genome a
    /// gene is one bit.
    pub genes: u32,
    /// The genome of an individual.
    #[serde(default)]
    pub genome: Genome,
    /// The number of bits per gene of a bit genome, from 1 to 52.
    #[serde(default = "count::<16>")]
    pub bits_per_gene: u32,
    /// The probability that a pair of parents is crossed rather than copied.
    #[serde(default = "fraction::<9, 10>")]
    pub crossover: f64,
    /// The crossover of a pair.
    #[serde(default)]
    pub crossing: Crossover,
    /// The probability that a bit is flipped, or that a normal deviate is added to a real gene.
    #[serde(default = "fraction::<1, 1000>")]
    pub mutation: f64,
    /// The standard deviation of the deviate added to a real gene, as a fraction of the domain's width.
    #[serde(default = "fraction::<1, 10>")]
    pub mutation_step: f64,
    /// The number of best individuals that pass unchanged into the next generation.
    #[serde(default)]
    pub elitism: u32,
    /// The selection of parents.
    #[serde(default)]
    pub selection: Selection,
    /// The number of individuals drawn for a tournament, whose best becomes a parent; at most 1000.
    #[serde(default = "count::<2>")]
    pub tournament: u32,
}

/// The most individuals of a tournament, each of which is a draw for every parent. Tournaments in use have a few; one
/// of a thousand takes the best of a hundred individuals as good as always.
const MOST_ENTRANTS: u32 = 1000;

impl Settings {
    /// The paper's settings, for an objective in `genes` dimensions.
    #[must_use]
    pub const fn new(population: u32, objective: Objective, genes: u32, genome: Genome) -> Self {
        Self {
            population,
            objective,
            genes,
            genome,
            bits_per_gene: 16,
            crossover: 0.9,
            crossing: Crossover::OnePoint,
            mutation: 0.001,
            mutation_step: 0.1,
            elitism: 0,
            selection: Selection::Tournament,
            tournament: 2,
        }
    }

    /// The number of bits per gene: one for `one_max`, which counts them.
    pub(super) const fn gene_bits(&self) -> u32 {
        if matches!(self.objective, Objective::OneMax) { 1 } else { self.bits_per_gene }
    }

    /// The size of an individual's genes in bytes: packed bits, or 8 bytes per real number. Messages have this length.
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
    /// The first key with an invalid value.
    pub fn check(&self) -> Result<(), SettingsError> {
        let fault = |key, message: String| Err(SettingsError { key, message });
        for (key, share) in [("crossover", self.crossover), ("mutation", self.mutation)] {
            if !(0.0..=1.0).contains(&share) {
                return fault(key, format!("{key} must be a probability from 0 to 1, not {share}"));
            }
        }
        if self.population == 0 {
            return fault("population", "a population must have at least one individual".to_owned());
        }
        if self.genes == 0 {
            return fault("genes", "an individual must have at least one gene".to_owned());
        }
        if !(1..=52).contains(&self.bits_per_gene) {
            return fault("bits_per_gene", format!("a gene must have 1 to 52 bits, not {}", self.bits_per_gene));
        }
        if u64::from(self.genes) * u64::from(self.gene_bits()) > u64::from(u32::MAX) {
            return fault("genes", format!("{} genes of {} bits are too many", self.genes, self.bits_per_gene));
        }
        if !(self.mutation_step >= 0.0 && self.mutation_step.is_finite()) {
            return fault(
                "mutation_step",
                format!("the step must be 0 or more, and finite, not {}", self.mutation_step),
            );
        }
        // Children are stored beside their parents, each individual with a buffer of its own.
        let (population, bytes) = (u128::from(self.population), u128::from(self.genome_bytes()) + 64);
        if let Err(much) = memory::check(population * bytes * 2) {
            return fault("genes", format!("{population} individuals of {} genes would take {much}", self.genes));
        }
        if self.elitism > self.population {
            let (elite, all) = (self.elitism, self.population);
            return fault("elitism", format!("an elite of {elite} exceeds the population of {all}"));
        }
        if self.tournament == 0 {
            return fault("tournament", "a tournament must have at least one participant".to_owned());
        }
        if self.tournament > MOST_ENTRANTS {
            let message =
                format!("a tournament of {} is drawn for every parent; at most {MOST_ENTRANTS}", self.tournament);
            return fault("tournament", message);
        }
        if self.genome == Genome::Bits && self.crossing == Crossover::Blend {
            return fault(
                "crossing",
                "only real genes can be blended; use one_point, two_point or uniform for bits".to_owned(),
            );
        }
        Ok(())
    }
}
