//! The genetic algorithm (the paper's section 3.3).
//!
//! An individual is the processor of each task. The individuals of least cost are chosen, crossed at one point and mutated
//! with probability PM; the best of the offspring take the places of the worst, so the population stays as large as it is.
//! The search ends after NUMGEN generations, or where a number of them found nothing better.
//!
//! What the paper leaves open, and is chosen here: the size of the population, how many offspring there are (half of it) and that
//! parents are drawn uniformly from the better half; offspring take a place only where they are better than who leaves; a
//! mutation gives one random task another random processor; inversion, which the paper names without using it, turns a
//! random segment around, with a probability of its own; and one individual may be a given mapping or the random neural
//! network's, the combination that the paper's outlook names.

use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Evaluator, MappingError, Outcome, Problem, Start, Step, fault};
use crate::engine::Stream;
use crate::units::memory;

/// `[workload.genetic]`: the genetic algorithm over mappings.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Genetic {
    /// What one individual of the first population is; all others are random.
    pub start: Start,
    /// Individuals.
    pub population: u32,
    /// The most generations (NUMGEN).
    pub generations: u32,
    /// The search ends after so many generations that found nothing better.
    pub stall: u32,
    /// Offspring of a generation, as a part of the population.
    pub offspring: f64,
    /// The probability that a child is mutated after crossover (PM).
    pub mutation: f64,
    /// The probability that a random segment of a child is turned around.
    pub inversion: f64,
}

impl Default for Genetic {
    fn default() -> Self {
        Self {
            start: Start::Random,
            population: 60,
            generations: 1000,
            stall: 150,
            offspring: 0.5,
            mutation: 0.9,
            inversion: 0.1,
        }
    }
}

/// The most individuals.
const MOST_INDIVIDUALS: u32 = 1_000_000;

/// An individual: its cost and genes.
type Individual = (f64, Vec<u32>);

impl Genetic {
    pub(super) fn check(&self) -> Result<(), MappingError> {
        if self.population < 2 {
            return fault("population", "must be at least 2");
        }
        if self.population > MOST_INDIVIDUALS {
            return fault("population", "must be at most 1000000");
        }
        if self.stall == 0 {
            return fault("stall", "must be at least 1");
        }
        if !(self.offspring > 0.0 && self.offspring <= 1.0) {
            return fault("offspring", "must be above 0, and at most 1");
        }
        for (key, probability) in [("mutation", self.mutation), ("inversion", self.inversion)] {
            if !(0.0..=1.0).contains(&probability) {
                return fault(key, "must be from 0 to 1");
            }
        }
        Ok(())
    }

    pub(super) fn solve(
        &self,
        problem: &Problem<'_>,
        given: Option<&[u32]>,
        stream: &mut Stream,
    ) -> Result<Outcome, MappingError> {
        // Four bytes a gene.
        if memory::check(u128::from(self.population) * problem.graph().tasks() as u128 * 4).is_err() {
            return fault("population", "of so many tasks would take more memory than a run may (HETSIM_PLAN_MEMORY)");
        }
        let mut evaluator = Evaluator::new(problem);
        let mut population = self.first(problem, given, &mut evaluator, stream)?;
        let children = (f64::from(self.population) * self.offspring).ceil() as usize;
        // Room for the offspring behind the population.
        population.resize(population.len() + children, (0.0, vec![0; problem.graph().tasks()]));
        let mut history = vec![self.step(0, &population, &evaluator)];
        let mut idle = 0;
        for generation in 1..=u64::from(self.generations) {
            let best = population[0].0;
            self.breed(&mut population, &mut evaluator, stream);
            history.push(self.step(generation, &population, &evaluator));
            idle = if population[0].0 < best { 0 } else { idle + 1 };
            if idle == self.stall {
                break;
            }
        }
        let (value, mapping) = population.swap_remove(0);
        Ok(problem.outcome(mapping, value, evaluator.evaluations(), history))
    }

    /// The first population, the best first.
    fn first(
        &self,
        problem: &Problem<'_>,
        given: Option<&[u32]>,
        evaluator: &mut Evaluator<'_>,
        stream: &mut Stream,
    ) -> Result<Vec<Individual>, MappingError> {
        let mut population = Vec::with_capacity(2 * self.population as usize + 1);
        let mut mapping = self.start.mapping(problem, given, stream)?;
        for _ in 0..self.population {
            population.push((evaluator.set(&mapping), mapping));
            mapping = problem.draw(stream);
        }
        population.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(population)
    }

    /// Makes offspring behind the population, and puts the best of all in front. Parents before children of the same cost.
    fn breed(&self, population: &mut [Individual], evaluator: &mut Evaluator<'_>, stream: &mut Stream) {
        let size = self.population as usize;
        let (parents, children) = population.split_at_mut(size);
        let better = size.div_ceil(2);
        for (value, child) in children {
            let [mother, father] = [(); 2].map(|()| &parents[stream.random_range(0..better)].1);
            self.child(child, mother, father, evaluator.processors(), stream);
            *value = evaluator.set(child);
        }
        population.sort_by(|a, b| a.0.total_cmp(&b.0));
    }

    fn child(&self, child: &mut [u32], mother: &[u32], father: &[u32], processors: u32, stream: &mut Stream) {
        let tasks = child.len();
        if tasks == 0 {
            return;
        }
        let cut = stream.random_range(0..tasks);
        child[..cut].copy_from_slice(&mother[..cut]);
        child[cut..].copy_from_slice(&father[cut..]);
        if processors > 1 && stream.random_bool(self.mutation) {
            let task = stream.random_range(0..tasks);
            child[task] = (child[task] + stream.random_range(1..processors)) % processors;
        }
        if stream.random_bool(self.inversion) {
            let ends = [(); 2].map(|()| stream.random_range(0..tasks));
            child[ends[0].min(ends[1])..=ends[0].max(ends[1])].reverse();
        }
    }

    fn step(&self, number: u64, population: &[Individual], evaluator: &Evaluator<'_>) -> Step {
        let values = population.iter().take(self.population as usize).map(|individual| individual.0);
        let current = values.sum::<f64>() / f64::from(self.population);
        Step { number, evaluations: evaluator.evaluations(), temperature: None, current, best: population[0].0 }
    }
}
