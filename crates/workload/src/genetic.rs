//! A genetic algorithm with global parallelisation: a server breeds, workers evaluate.
//!
//! The system of Bazterra et al. (JPDC 2005, §5): one population, whose individuals a [farm] hands out each generation.
//! The population really evolves, so the quality of its best individual over simulated time is a result, too.

use schemars::JsonSchema;
use serde::Deserialize;

use super::demand::check_outages;
use super::farm::{self, Cost, FarmMetrics, TaskSource, Tasks};
use super::share;
use super::{Demand, Files, KeyError, Prepared, Run, RunFailure, Workload};
use hetsim_base::engine::Streams;
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::{Operations, Quantity, Time};
use hetsim_cluster::{NodeId, Platform};
use hetsim_search::genetic::{Population, Settings};

/// `kind = "genetic"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeneticParameters {
    /// The number of individuals in a generation.
    #[schemars(range(min = 1))]
    pub population: u32,
    /// The number of generations that are evaluated, including the first.
    #[schemars(range(min = 1))]
    pub generations: u32,
    /// The cost of evaluating an individual.
    pub task: Cost,
    /// The server's work to breed the next generation.
    #[serde(default)]
    pub breeding: Operations,
    /// What evolves, and how. Without it only time passes: the costs of a run do not depend on what evolves.
    #[serde(default)]
    pub search: Option<Settings>,
    /// How the individuals are handed out. Unless they say otherwise, `task_size` is that of the genes, and
    /// `result_size` 8 bytes.
    #[serde(default)]
    pub farm: farm::FarmParameters,
}

hetsim_base::metrics! {
    /// The metrics of a genetic algorithm, besides those of its farm.
    pub struct GeneticMetrics {
        completion_s: f64 = "when the server had the last result of the last generation, simulated" [less],
        best_error: Option<f64> = "the error of the best individual at the end; blank where nothing evolves" [less],
        mean_error: Option<f64> = "the mean error of the last generation; blank where nothing evolves" [less],
    }
}

/// A row a generation.
const SERIES: TableShape = TableShape {
    name: "series",
    about: "the best and the mean error when each generation was evaluated",
    columns: &[
        Metric::number("generation", "the generation's number, from 1"),
        Metric::number("time_s", "when the server had its last result"),
        Metric::number("best_error", "the least error in it"),
        Metric::number("mean_error", "the mean of its errors"),
    ],
};

/// A genetic algorithm, ready to run any number of times.
#[derive(Debug)]
pub struct PreparedGenetic {
    parameters: GeneticParameters,
}

impl Workload for GeneticParameters {
    const NAME: &'static str = "genetic";
    const ABOUT: &'static str = "A genetic algorithm: a server breeds, unequal workers evaluate.";
    const TABLES: &'static [TableShape] = &[share::NODES, SERIES];
    type Prepared = PreparedGenetic;

    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        self.task.read_file(files)
    }

    fn unused(&self) -> Vec<&'static str> {
        self.farm.unused()
    }

    fn server(&self) -> Option<NodeId> {
        Some(NodeId(self.farm.server))
    }

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        KeyError::at_least_one(&[("population", self.population), ("generations", self.generations)])?;
        let mut parameters = self.clone();
        if let Some(search) = &mut parameters.search {
            search.population = self.population;
            search.check().map_err(|error| KeyError::from(error).under("search"))?;
            parameters.farm.assume_sizes(search.genome_bytes(), 8);
        }
        farm::check_tasks("population", self.population, self.generations)?;
        farm::check_population("population", self.population)?;
        self.task.check()?;
        self.farm.check(&self.task, platform)?;
        let tasks = f64::from(self.population) * f64::from(self.generations);
        check_outages("population", platform, || self.farm.demand(tasks, &self.task, platform).ideal_s())?;
        Ok(PreparedGenetic { parameters })
    }
}

impl Prepared for PreparedGenetic {
    type Metrics = (GeneticMetrics, FarmMetrics);

    fn run(&self, run: &mut Run<'_>) -> Result<Self::Metrics, RunFailure> {
        let (parameters, streams) = (&self.parameters, run.streams);
        let first = |search| Population::first(search, &mut streams.stream("generation", 0));
        let evolution = Evolution {
            parameters,
            population: parameters.search.as_ref().map(first).transpose().map_err(|error| error.to_string())?,
            costs: Tasks::new(&parameters.task, streams)?,
            streams,
            series: Vec::new(),
        };
        let (outcome, evolution) = parameters.farm.run(evolution, &parameters.task, run)?;
        let farm = outcome.metrics(run);
        let platform = run.platform;
        run.table(&SERIES, || evolution.rows(platform));
        let last = evolution.series.last();
        let metrics = GeneticMetrics {
            completion_s: run.seconds(outcome.completion),
            best_error: last.and_then(|generation| generation.best),
            mean_error: last.and_then(|generation| generation.mean),
        };
        Ok((metrics, farm))
    }

    /// Of the evaluations, which the workers share.
    fn demand(&self, platform: &Platform, _: Streams) -> Result<Option<Demand>, RunFailure> {
        let GeneticParameters { population, generations, task, farm, .. } = &self.parameters;
        Ok(Some(farm.demand(f64::from(*population) * f64::from(*generations), task, platform)))
    }

    fn warning(&self, platform: &Platform) -> Option<String> {
        let GeneticParameters { population, task, farm, .. } = &self.parameters;
        farm.warning(*population, task, platform)
    }

    fn task(&self) -> Option<(f64, f64)> {
        Some(self.parameters.task.moments())
    }

    fn expected_events(&self, platform: &Platform) -> Option<f64> {
        let GeneticParameters { population, generations, task, farm, .. } = &self.parameters;
        Some(farm.expected_events(*population, *generations, task, platform))
    }
}

/// A population on its way through the generations.
#[derive(Debug)]
struct Evolution<'a> {
    parameters: &'a GeneticParameters,
    /// Nothing where only time passes.
    population: Option<Population>,
    costs: Tasks<'a>,
    streams: Streams,
    series: Vec<Generation>,
}

/// What is known of a generation that was evaluated.
#[derive(Debug, Clone, Copy)]
struct Generation {
    at: Time,
    best: Option<f64>,
    mean: Option<f64>,
}

impl TaskSource for Evolution<'_> {
    fn tasks(&self) -> u32 {
        self.parameters.population
    }

    #[inline]
    fn operations(&self, task: u32) -> f64 {
        self.costs.operations(task)
    }

    fn total(&self, tasks: u32) -> f64 {
        self.costs.total(tasks)
    }

    /// The error does not depend on where and when it is computed, so it may be computed here, once.
    #[inline]
    fn result(&mut self, task: u32) {
        if let Some(population) = &mut self.population {
            population.evaluate((task % self.parameters.population) as usize);
        }
    }

    fn end_round(&mut self, now: Time) -> bool {
        let population = self.population.as_ref();
        let best = population.and_then(Population::best);
        let mean = population.and_then(Population::mean);
        self.series.push(Generation { at: now, best, mean });
        let generation = self.series.len() as u64;
        if generation == u64::from(self.parameters.generations) {
            return false;
        }
        if let Some(population) = &mut self.population {
            population.next_generation(&mut self.streams.stream("generation", generation));
        }
        true
    }

    fn between(&self) -> f64 {
        self.parameters.breeding.base()
    }
}

impl Evolution<'_> {
    fn rows(&self, platform: &Platform) -> Vec<Vec<Value>> {
        let row = |(number, generation): (u64, &Generation)| {
            vec![
                number.into(),
                platform.tick().seconds(generation.at).into(),
                generation.best.into(),
                generation.mean.into(),
            ]
        };
        (1..).zip(&self.series).map(row).collect()
    }
}
