//! The genetic algorithm (section 3.3 of the paper).
//!
//! An individual assigns a processor to each task. The fittest individuals are selected, crossed at one point and
//! mutated with probability PM. The best offspring replace the worst individuals, so the population keeps its size. The
//! search ends after NUMGEN generations, or after a number of generations without an improvement.
//!
//! The paper leaves the following open; the choices are: the size of the population; the number of offspring (half the
//! population), with parents drawn uniformly from the better half; offspring replace only worse individuals; a mutation
//! moves one random task to another random processor; inversion, which the paper names without using it, reverses a
//! random segment with a probability of its own; one individual may be a given mapping or that of the random neural
//! network, a combination from the paper's outlook; crossover may know that equal processors can be renamed, which the
//! paper's does not.

use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;

use super::rename::Renaming;
use super::{Evaluator, MappingError, Outcome, Problem, Start, Step, fault};
use hetsim_base::engine::Stream;
use hetsim_base::units::memory;

/// `[workload.genetic]`: the genetic algorithm over mappings.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Genetic {
    /// The first individual of the initial population; all others are random.
    pub start: Start,
    /// The number of individuals.
    pub population: u32,
    /// The maximum number of generations (NUMGEN).
    pub generations: u32,
    /// The number of consecutive generations without an improvement that ends the search.
    pub stall: u32,
    /// The number of offspring per generation as a fraction of the population.
    pub offspring: f64,
    /// The probability that a child is mutated after crossover (PM).
    pub mutation: f64,
    /// The probability that a random segment of a child is reversed.
    pub inversion: f64,
    /// Whether crossover first renames equal processors of one parent after those of the other that have most tasks in
    /// common. Mappings that differ by such names only cost the same, but crossing them makes another mapping.
    pub rename: bool,
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
            rename: false,
        }
    }
}

/// The maximum number of individuals.
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
        // Leave room for the offspring behind the population.
        population.resize(population.len() + children, (0.0, vec![0; problem.graph().tasks()]));
        let mut renaming = self.rename.then(|| Renaming::new(problem));
        let mut history = vec![self.step(0, &population, &evaluator)];
        let mut idle = 0;
        for generation in 1..=u64::from(self.generations) {
            let best = population[0].0;
            self.breed(&mut population, &mut evaluator, renaming.as_mut(), stream);
            history.push(self.step(generation, &population, &evaluator));
            idle = if population[0].0 < best { 0 } else { idle + 1 };
            if idle == self.stall {
                break;
            }
        }
        let (value, mapping) = population.swap_remove(0);
        Ok(problem.outcome(mapping, value, evaluator.evaluations(), history))
    }

    /// The first population, best first.
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

    /// Makes offspring behind the population and sorts the best to the front. Parents precede children of the same
    /// cost.
    fn breed(
        &self,
        population: &mut [Individual],
        evaluator: &mut Evaluator<'_>,
        mut renaming: Option<&mut Renaming>,
        stream: &mut Stream,
    ) {
        let size = self.population as usize;
        let (parents, children) = population.split_at_mut(size);
        let better = size.div_ceil(2);
        for (value, child) in children {
            let [mother, father] = [(); 2].map(|()| &parents[stream.random_range(0..better)].1);
            let father = renaming.as_mut().map_or(&father[..], |renaming| renaming.after(mother, father));
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
