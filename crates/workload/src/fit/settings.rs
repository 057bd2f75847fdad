//! The keys of the two genetic programmings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::KeyError;
use hetsim_fit::runtime::paper::{Fitness, LinearFits};
use hetsim_fit::runtime::{genetic, paper};

/// `[workload.genetic]`: what `gp` and `smooth` do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Genetic {
    /// Generations at most.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub generations: u32,
    /// Formulas on an island.
    #[schemars(range(min = 2, max = 100_000))]
    pub population: u32,
    /// Islands that evolve side by side. What is found depends on it, unlike on the number of threads.
    #[schemars(range(min = 1, max = 1000))]
    pub islands: u32,
    /// The search ends after so many generations without a better front.
    #[schemars(range(min = 1))]
    pub patience: u32,
    /// Nodes of a formula at most; piecewise fits may be larger. By default 60 for formulas that evolve; the linear fits
    /// from which the search starts are larger where many columns need it.
    #[schemars(range(min = 1, max = 10_000))]
    pub most_nodes: Option<u32>,
    /// Parts of the points that are left out in turn to find out how large the formula may be; below 2 none.
    #[schemars(range(max = 100))]
    pub folds: u32,
}

impl Default for Genetic {
    fn default() -> Self {
        let options = genetic::Options::default();
        Self {
            generations: options.generations as u32,
            population: options.population as u32,
            islands: options.islands as u32,
            patience: options.patience as u32,
            most_nodes: None,
            folds: 4,
        }
    }
}

impl Genetic {
    pub(super) fn check(&self) -> Result<(), KeyError> {
        KeyError::at_least_one(&[
            ("generations", self.generations),
            ("islands", self.islands),
            ("patience", self.patience),
            ("most_nodes", self.most_nodes.unwrap_or(1)),
        ])?;
        KeyError::unless(self.population >= 2, "population", || "`population` must be at least 2")
    }

    pub(super) fn options(&self, seed: u64) -> genetic::Options {
        genetic::Options {
            seed,
            generations: self.generations as usize,
            population: self.population as usize,
            islands: self.islands as usize,
            patience: self.patience as usize,
            most_nodes: self.most_nodes.map(|most| most as usize),
            ..genetic::Options::default()
        }
    }
}

/// `[workload.paper]`: what `paper` does. The defaults are those of section 4 of Heinrich-Litan et al.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Paper {
    /// Generations.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub generations: u32,
    /// Formulas in a generation.
    #[schemars(range(min = 2, max = 100_000))]
    pub population: u32,
    /// The greatest depth of a syntax tree.
    #[schemars(range(min = 1, max = 100))]
    pub depth: u32,
    /// Nodes of a formula at most, which the paper does not bound.
    #[schemars(range(min = 1, max = 100_000))]
    pub most_nodes: u32,
    /// The share of linear fits in the first population; the authors found a part of them better than none.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub linear: f64,
    /// What these linear fits are fitted to.
    pub linear_fits: LinearFits,
    /// What is made small.
    pub fitness: Fitness,
    /// How often it is started anew; the best of all counts.
    #[schemars(range(min = 1, max = 10_000))]
    pub runs: u32,
}

impl Default for Paper {
    fn default() -> Self {
        let options = paper::Options::default();
        Self {
            generations: options.generations as u32,
            population: options.population as u32,
            depth: options.depth as u32,
            most_nodes: options.most_nodes as u32,
            linear: options.linear,
            linear_fits: options.linear_fits,
            fitness: options.fitness,
            runs: options.runs as u32,
        }
    }
}

impl Paper {
    pub(super) fn check(&self) -> Result<(), KeyError> {
        KeyError::at_least_one(&[
            ("generations", self.generations),
            ("depth", self.depth),
            ("most_nodes", self.most_nodes),
            ("runs", self.runs),
        ])?;
        KeyError::unless(self.population >= 2, "population", || "`population` must be at least 2")?;
        KeyError::unless(self.depth <= 100, "depth", || "`depth` must be at most 100")?;
        KeyError::unless((0.0..=1.0).contains(&self.linear), "linear", || {
            format!("`linear` is a share in [0, 1], not {}", self.linear)
        })
    }

    pub(super) fn options(&self, seed: u64) -> paper::Options {
        paper::Options {
            seed,
            population: self.population as usize,
            generations: self.generations as usize,
            depth: self.depth as usize,
            most_nodes: self.most_nodes as usize,
            linear: self.linear,
            linear_fits: self.linear_fits,
            fitness: self.fitness,
            runs: self.runs as usize,
        }
    }
}
