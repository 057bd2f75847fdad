//! Independently evolving individuals: each is mutated and replaced by a better mutant; its step changes with its
//! success.
//!
//! This is the loop of Garamendi and Bosque's evolution strategy (§3.4), with two [rules](StepRule) for the steps. It
//! equals one (1+1) strategy per individual.

use std::array::from_fn;

use rand::{Rng, RngExt};

use super::individuals::Individuals;
use super::normal::{LANES, Normals};
use super::step_rule::StepRule;
use crate::Objective;

/// The individuals in blocks of lanes. Unused lanes of the last block evolve with the others and are ignored.
#[derive(Debug, Clone)]
pub(super) struct Walkers {
    objective: Objective,
    rule: StepRule,
    /// k: the number of mutations between two changes of the steps.
    mutations: u32,
    dimension: usize,
    count: usize,
    /// Coordinate i of block b is at b·dimension + i.
    genes: Vec<[f64; LANES]>,
    errors: Vec<[f64; LANES]>,
    steps: Vec<[f64; LANES]>,
    trial: Vec<[f64; LANES]>,
}

impl Walkers {
    pub(super) fn new(objective: Objective, dimension: usize, mutations: u32, rule: StepRule) -> Self {
        Self {
            objective,
            rule,
            mutations,
            dimension,
            count: 0,
            genes: Vec::new(),
            errors: Vec::new(),
            steps: Vec::new(),
            trial: vec![[0.0; LANES]; dimension],
        }
    }

    /// Evolves for `generations` generations, each of `mutations` mutations of every individual and one change of the
    /// steps. Returns the number of evaluations.
    pub(super) fn evolve(&mut self, generations: u32, rng: &mut impl Rng) -> u64 {
        let seed = rng.random();
        for block in 0..self.errors.len() {
            // A block is evolved to the end before the next one, so that it stays in the L1 cache.
            let mut normals = Normals::new(seed, (block * LANES) as u64);
            for _ in 0..generations {
                let mut successes = [0.0; LANES];
                for _ in 0..self.mutations {
                    self.mutate(block, &mut normals, &mut successes);
                }
                let steps = &mut self.steps[block];
                *steps = from_fn(|lane| self.rule.step(steps[lane], successes[lane] / f64::from(self.mutations)));
            }
        }
        self.count as u64 * u64::from(self.mutations) * u64::from(generations)
    }

    /// Mutates every individual of a block once: steps 2 to 4 of §3.4.
    #[inline]
    fn mutate(&mut self, block: usize, normals: &mut Normals<LANES>, successes: &mut [f64; LANES]) {
        let genes = &mut self.genes[block * self.dimension..][..self.dimension];
        let steps = &self.steps[block];
        for (rows, trials) in genes.chunks(2).zip(self.trial.chunks_mut(2)) {
            for ((row, trial), deviates) in rows.iter().zip(trials).zip(&normals.pair()) {
                for lane in 0..LANES {
                    trial[lane] = row[lane] + steps[lane] * f64::from(deviates[lane]);
                }
            }
        }
        let found = self.objective.evaluate_lanes(&self.trial);
        let errors = &mut self.errors[block];
        for (row, trial) in genes.iter_mut().zip(&self.trial) {
            for lane in 0..LANES {
                row[lane] = if found[lane] < errors[lane] { trial[lane] } else { row[lane] };
            }
        }
        for lane in 0..LANES {
            let better = found[lane] < errors[lane];
            successes[lane] += if better { 1.0 } else { 0.0 };
            errors[lane] = if better { found[lane] } else { errors[lane] };
        }
    }

    /// The number of the individual with the least error, and that error.
    pub(super) fn best(&self) -> Option<(usize, f64)> {
        let errors = self.errors.as_flattened()[..self.count].iter().copied();
        errors.enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// The point of an individual.
    pub(super) fn point(&self, individual: usize) -> impl Iterator<Item = f64> {
        let (block, lane) = (individual / LANES, individual % LANES);
        self.genes[block * self.dimension..][..self.dimension].iter().map(move |row| row[lane])
    }

    /// Appends individuals.
    pub(super) fn join(&mut self, newcomers: &Individuals) {
        for (point, error, step) in newcomers.iter() {
            let (block, lane) = (self.count / LANES, self.count % LANES);
            if lane == 0 {
                self.genes.resize((block + 1) * self.dimension, [0.0; LANES]);
                self.errors.push([0.0; LANES]);
                self.steps.push([0.0; LANES]);
            }
            for (row, &gene) in self.genes[block * self.dimension..].iter_mut().zip(point) {
                row[lane] = gene;
            }
            self.errors[block][lane] = error;
            self.steps[block][lane] = step;
            self.count += 1;
        }
    }

    /// Removes and returns the last `count` individuals, or all if there are fewer.
    pub(super) fn leave(&mut self, count: usize) -> Individuals {
        let stay = self.count.saturating_sub(count);
        let mut leavers = Individuals::new(self.dimension);
        for individual in stay..self.count {
            let (block, lane) = (individual / LANES, individual % LANES);
            leavers.push(self.point(individual), self.errors[block][lane], self.steps[block][lane]);
        }
        self.count = stay;
        let blocks = stay.div_ceil(LANES);
        self.genes.truncate(blocks * self.dimension);
        self.errors.truncate(blocks);
        self.steps.truncate(blocks);
        leavers
    }

    pub(super) const fn len(&self) -> usize {
        self.count
    }
}
