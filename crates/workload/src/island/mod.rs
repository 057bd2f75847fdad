//! A genetic algorithm of islands: every node has a population of its own, and now and then copies of the best migrate.
//!
//! The second parallel genetic algorithm, for comparison with the one population of [`genetic`](super::genetic). All
//! nodes are islands, and there is no server. An island evaluates its individuals one after the other, however many
//! cores its node has (as a worker of a [farm] does), and breeds its next generation itself. Every `period` generations
//! it sends copies of its best to its neighbours, where they replace the worst before these breed. The work in the
//! metrics is evaluating and breeding together, as the nodes compute both.
//!
//! An individual's number, over all islands, names its cost; an island with its generation names the draws. A
//! synchronous run therefore evolves alike on any machine, and a single island evolves as the one population does.

mod program;
mod topology;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::farm::{self, Cost};
use super::share::{self, Share};
use super::{Files, KeyError, Prepared, Run, RunFailure, Workload};
use hetsim_base::engine::Streams;
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::defaults::{count, yes};
use hetsim_base::units::{Bytes, Operations};
use hetsim_cluster::{NodeId, Platform};
use hetsim_policy::apportion;
use hetsim_search::genetic::Settings;

pub use program::{Islands, Message};
pub use topology::Topology;

use program::Evaluated;

/// `kind = "island"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IslandParameters {
    /// The number of individuals in a generation, on all islands together.
    #[schemars(range(min = 1))]
    pub population: u32,
    /// The number of generations that each island evaluates, including the first.
    #[schemars(range(min = 1))]
    pub generations: u32,
    /// The cost of evaluating an individual.
    pub task: Cost,
    /// An island's work to breed the next generation.
    #[serde(default)]
    pub breeding: Operations,
    /// What evolves, and how. Without it only time passes: the costs of a run do not depend on what evolves.
    pub search: Option<Settings>,
    /// How the individuals are split among the islands.
    #[serde(default)]
    pub split: Split,
    /// Who sends migrants to whom.
    #[serde(default)]
    pub topology: Topology,
    /// The number of generations from one migration to the next; none follows the last generation.
    #[serde(default = "count::<5>")]
    #[schemars(range(min = 1))]
    pub period: u32,
    /// The number of individuals that migrate to each neighbour: copies of the best.
    #[serde(default = "count::<1>")]
    #[schemars(range(min = 1))]
    pub count: u32,
    /// Whether an island waits for the migrants that its neighbours send after the same generation. Otherwise it takes,
    /// after every generation, those that have arrived.
    #[serde(default = "yes")]
    pub synchronous: bool,
    /// The error at which the search ends. The island that reaches it tells the others by messages; each of them ends
    /// after its current evaluation or breeding, or after the next one.
    pub target: Option<f64>,
    /// The length of a message besides migrants.
    #[serde(default)]
    pub signal_size: Bytes,
    /// The bytes that a migrant adds to a message; with `search`, by default those of its genes and 8 bytes for its
    /// error.
    pub migrant_size: Option<Bytes>,
    /// The memory of an individual on a node, which holds all of its island. It counts on nodes with a `cache`.
    #[serde(default)]
    pub individual_memory: Bytes,
}

/// How the individuals are split among the islands. What remains of a division goes to single islands, one each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// As many to each.
    #[default]
    Equal,
    /// In proportion to the nodes' nominal speeds.
    Nominal,
}

hetsim_base::metrics! {
    /// The metrics of an island model.
    pub struct IslandMetrics {
        completion_s: f64 = "when the last island ended, simulated" [less],
        best_error: Option<f64> = "the error of the best individual at the end; blank where nothing evolves" [less],
        mean_error: Option<f64> = "the mean error of all individuals at the end; blank where nothing evolves" [less],
        target_s: Option<f64> = "when an island first reached `target`; blank where none did" [less],
        rounds: u32 = "generations, the most that an island evaluated whole" [neither],
        tasks: u64 = "individuals that were evaluated" [neither],
        migrations: u64 = "migrants that were sent, one to each neighbour counted apart" [neither],
    }
}

/// A row a generation of an island, in the order of time.
const SERIES: TableShape = TableShape {
    name: "series",
    about: "the best and the mean error when each generation of an island was evaluated, and the least of all so far",
    columns: &[
        Metric::number("time_s", "when the generation was evaluated"),
        Metric::number("island", "the island's number"),
        Metric::number("generation", "the generation's number on its island, from 1"),
        Metric::number("best_error", "the least error in it"),
        Metric::number("mean_error", "the mean of its errors"),
        Metric::number("least_error", "the least error on any island so far"),
    ],
};

/// Islands, ready to run any number of times.
#[derive(Debug)]
pub struct PreparedIsland {
    parameters: IslandParameters,
}

impl Workload for IslandParameters {
    const NAME: &'static str = "island";
    const ABOUT: &'static str = "A genetic algorithm on every node, with migrants between them.";
    const TABLES: &'static [TableShape] = &[share::NODES, SERIES];
    type Prepared = PreparedIsland;

    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        self.task.read_file(files)
    }

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        KeyError::at_least_one(&[
            ("population", self.population),
            ("generations", self.generations),
            ("period", self.period),
            ("count", self.count),
        ])?;
        KeyError::unless(self.target.is_none_or(f64::is_finite), "target", || "`target` must be a finite number")?;
        KeyError::unless(
            self.target.is_none() || self.search.is_some(),
            "target",
            || "without `search` nothing evolves that could reach a target",
        )?;
        KeyError::unless(
            self.topology != Topology::Star || platform.nodes() >= 2,
            "topology",
            || "a star has a centre and at least one other island, but the platform has one node",
        )?;
        farm::check_tasks("population", self.population, self.generations)?;
        farm::check_population("population", self.population)?;
        self.task.check()?;
        let sizes = self.sizes(platform)?;
        let mut parameters = self.clone();
        if let Some(search) = &mut parameters.search {
            search.population = sizes.iter().copied().min().unwrap_or(0);
            search.check().map_err(|error| KeyError::from(error).under("search"))?;
            parameters.migrant_size.get_or_insert(Bytes::new(search.genome_bytes() + 8));
        }
        Ok(PreparedIsland { parameters })
    }
}

impl IslandParameters {
    /// The individuals of each island. Speeds may be drawn anew for each run.
    fn sizes(&self, platform: &Platform) -> Result<Vec<u32>, KeyError> {
        let (nodes, population) = (platform.nodes(), self.population);
        KeyError::unless(population >= nodes, "population", || {
            format!("{population} individuals are too few for {nodes} islands, of which each needs at least one")
        })?;
        let weight = |node| match self.split {
            Split::Equal => 1.0,
            Split::Nominal => platform.speed_per_second(NodeId(node)),
        };
        let sizes = apportion(population, &(0..nodes).map(weight).collect::<Vec<f64>>());
        if let Some(empty) = sizes.iter().position(|&size| size == 0) {
            let message = format!("in proportion to its speed, node {empty} gets none of the {population} individuals");
            return Err(KeyError::new("split", message));
        }
        let least = sizes.iter().copied().min().unwrap_or(0);
        let whole = self.topology != Topology::None && nodes > 1 && self.count >= least;
        KeyError::unless(!whole, "count", || {
            format!("{} migrants would replace a whole island: the smallest one has {least} individuals", self.count)
        })?;
        Ok(sizes)
    }
}

impl Prepared for PreparedIsland {
    type Metrics = IslandMetrics;

    fn run(&self, run: &mut Run<'_>) -> Result<IslandMetrics, RunFailure> {
        let platform = run.platform;
        let mut islands = self.program(platform, run.streams)?;
        let end = run.simulate(&mut islands)?;
        islands.check_end()?;
        let completion = end.completion.ok_or("no island ended")?;
        let share = |node: u32| Share {
            // Breeding is no task.
            tasks: islands.evaluations_of(node as usize),
            ..Share::of(NodeId(node), &end.usage, platform)
        };
        let shares: Vec<Share> = (0..platform.nodes()).map(share).collect();
        run.set_shares(&shares, self.serial_s(&shares, platform), completion);
        run.table(&share::NODES, || share::rows(&shares, platform));
        run.table(&SERIES, || rows(&islands.series, platform));
        let (best_error, mean_error) = islands.errors();
        Ok(IslandMetrics {
            completion_s: run.seconds(completion),
            best_error,
            mean_error,
            target_s: islands.target_at.map(|time| run.seconds(time)),
            rounds: islands.generations(),
            tasks: islands.evaluations,
            migrations: islands.migrations,
        })
    }

    fn task(&self) -> Option<(f64, f64)> {
        Some(self.parameters.task.moments())
    }

    /// One for each individual; migrants are few beside them.
    fn expected_events(&self, _: &Platform) -> Option<f64> {
        Some(f64::from(self.parameters.population) * f64::from(self.parameters.generations))
    }
}

impl PreparedIsland {
    /// The program, for the machine of `platform`.
    ///
    /// # Errors
    /// A sentence, where the speeds that were drawn leave an island too few individuals, or where there is no such
    /// population or no such cost.
    pub fn program(&self, platform: &Platform, streams: Streams) -> Result<Islands<'_>, RunFailure> {
        let sizes = self.parameters.sizes(platform).map_err(|error| error.message)?;
        Islands::new(&self.parameters, &sizes, streams)
    }

    /// The least time in which one of the nodes could have done everything alone, all individuals in its memory.
    fn serial_s(&self, shares: &[Share], platform: &Platform) -> f64 {
        let memory = self.parameters.individual_memory.count().saturating_mul(u64::from(self.parameters.population));
        let fastest = shares.iter().map(|share| platform.speed_with(share.node, memory)).fold(0.0, f64::max);
        shares.iter().map(|share| share.operations).sum::<f64>() / fastest
    }
}

/// The rows of `series`, in the order of time.
fn rows(series: &[Evaluated], platform: &Platform) -> Vec<Vec<Value>> {
    let row = |generation: &Evaluated| {
        vec![
            platform.tick().seconds(generation.at).into(),
            u64::from(generation.island).into(),
            u64::from(generation.generation).into(),
            generation.best.into(),
            generation.mean.into(),
            generation.least.into(),
        ]
    };
    series.iter().map(row).collect()
}
