//! An evolution strategy run by a master and slaves that differ in speed and load.
//!
//! The system of J. F. Garamendi and J. L. Bosque, *Parallel implementation of evolutionary strategies on heterogeneous
//! clusters with load balancing* (IPDPS 2006), with the older systems of its §2 and the planned ones of its §5. Slaves
//! run the strategy itself for a span of time and send their powers P_i = 1/t_i; the master gives each S_i = S·P_i/P_T
//! individuals to create (Eq. 1). Slaves evolve them for some generations and send their best; the master evaluates
//! these and decides whether there is another round. The population really evolves, so the run determines the number of
//! rounds.
//!
//! The results of the benchmark's individuals are not used. They are therefore not evolved here: only their time
//! counts.
//!
//! The paper leaves open μ, k, σ₀, the domain, the generations of a round, the span and the individuals of the
//! benchmark, and whether the master is one of the 14 nodes: each is a key with a default.

mod balance;
mod central;
mod clock;
mod colony;
mod outcome;
mod program;
mod settings;
mod site;

use schemars::JsonSchema;
use serde::Deserialize;

use super::farm::Cost;
use super::{Files, KeyError, Prepared, Run, RunFailure, Workload};
use hetsim_base::record::TableShape;
use hetsim_base::units::defaults::{bytes, count, fraction};
use hetsim_base::units::{Bytes, Operations, Quantity};
use hetsim_cluster::{NodeId, Platform};
use hetsim_search::strategy::Settings;

pub use outcome::EvolutionMetrics;
pub use settings::{Balancer, Benchmark, Distribution, Measure, Rebalance};

use central::Central;
use outcome::{EvolutionOutcome, Share};
use program::MasterSlaves;
use site::Site;

/// `kind = "evolution"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvolutionParameters {
    /// S: individuals of all slaves together (mu of the whole strategy).
    #[schemars(range(min = 1))]
    pub population: u32,
    /// Generations that slaves evolve before they send their best: a round. One generation of the printed rule is k
    /// mutations of each individual and a change of its step. The paper says "a fixed number" without printing it.
    #[serde(default = "count::<1>")]
    #[schemars(range(min = 1))]
    pub generations: u32,
    /// The maximum number of rounds; without `search` the exact number. The paper has no bound, but the printed rule
    /// needs one.
    #[serde(default = "count::<100>")]
    #[schemars(range(min = 1))]
    pub rounds: u32,
    /// The error at which the master stops (Table 1).
    #[serde(default = "fraction::<5, 100_000>")]
    #[schemars(range(min = 0.0))]
    pub target: f64,
    /// The cost of mutating and evaluating an individual once. A drawn cost belongs to its individual for the whole
    /// run; the benchmark takes the mean.
    pub task: Cost,
    /// What evolves, and how. Without it only time passes.
    pub search: Option<Settings>,
    /// k: evaluations of an individual in a generation, where nothing evolves; 100 by default. With `search` the
    /// strategy determines them.
    #[schemars(range(min = 1))]
    pub evaluations: Option<u32>,
    /// How the individuals are distributed among the slaves.
    #[serde(default)]
    pub distribution: Distribution,
    /// How slaves measure their power.
    #[serde(default)]
    pub benchmark: Benchmark,
    /// When and how individuals are moved during the run. Without it they stay.
    pub rebalance: Option<Rebalance>,
    /// The node on which the master runs.
    #[serde(default)]
    pub master: u32,
    /// Whether a slave runs on the master's node as well. The paper does not say.
    #[serde(default)]
    pub master_computes: bool,
    /// The distribution `ship`: what the master computes to mutate an individual once.
    #[serde(default)]
    pub mutation: Operations,
    /// The length of a message besides individuals and numbers.
    #[serde(default = "bytes::<64>")]
    pub message_size: Bytes,
    /// The bytes that an individual adds to a message. By default 8 bytes for each variable, the error and the step
    /// of `search`, or 96 bytes (ten variables) without `search`.
    pub individual_size: Option<Bytes>,
    /// The memory of an individual on a slave, whose working set is all its individuals. It counts on nodes with a
    /// `cache`.
    #[serde(default)]
    pub individual_memory: Bytes,
}

/// The strategy, ready to run any number of times.
#[derive(Debug)]
pub struct PreparedEvolution {
    parameters: EvolutionParameters,
}

/// Each individual has its number in memory, and its cost where that is drawn.
const MOST_INDIVIDUALS: u32 = 1 << 26;

/// Each iteration of a benchmark is an event.
const MOST_ITERATIONS: f64 = 1e7;

impl Workload for EvolutionParameters {
    const NAME: &'static str = "evolution";
    const ABOUT: &'static str = "An evolution strategy: a master, and slaves that measure their computing power.";
    const TABLES: &'static [TableShape] = outcome::TABLES;
    type Prepared = PreparedEvolution;

    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        self.task.read_file(files)
    }

    fn unused(&self) -> Vec<&'static str> {
        let mut unused = Vec::new();
        if self.distribution.is_central() {
            unused.push("benchmark");
        } else if !self.runs_benchmark() {
            // The clock still measures the rounds.
            unused.extend(["benchmark.span", "benchmark.individuals"]);
        }
        if self.distribution != Distribution::Ship {
            unused.push("mutation");
        }
        match &self.search {
            Some(search) => unused.extend(settings::unused_of(search.strategy)),
            None => unused.push("target"),
        }
        unused
    }

    fn server(&self) -> Option<NodeId> {
        (!self.master_computes).then_some(NodeId(self.master))
    }

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        KeyError::at_least_one(&[
            ("population", self.population),
            ("generations", self.generations),
            ("rounds", self.rounds),
        ])?;
        KeyError::unless(self.population <= MOST_INDIVIDUALS, "population", || {
            format!("{} individuals are too many; at most {MOST_INDIVIDUALS}", self.population)
        })?;
        KeyError::unless(self.target >= 0.0, "target", || "`target` must be zero or more")?;
        if let Some(search) = &self.search {
            let given = self.evaluations.is_some();
            KeyError::unless(!given, "evaluations", || "the strategy of `search` says how many evaluations there are")?;
            search.check().map_err(|error| KeyError::from(error).under("search"))?;
            let what =
                format!("{} individuals of dimension {}, with their children,", self.population, search.dimension);
            KeyError::bounded("search", &what, search.population_bytes(self.population, platform.nodes()))?;
        }
        KeyError::at_least_one(&[("evaluations", self.evaluations.unwrap_or(1))])?;
        self.task.check()?;
        self.benchmark.check()?;
        self.check_machine(platform)?;
        if let Some(rebalance) = &self.rebalance {
            rebalance.check()?;
            KeyError::unless(!self.distribution.is_central(), "rebalance", || {
                format!("under `{}` the master has the individuals: nothing can be moved", self.distribution)
            })?;
        }
        let mut parameters = self.clone();
        let assumed = self.search.as_ref().map_or(96, Settings::individual_bytes);
        parameters.individual_size.get_or_insert(Bytes::new(assumed));
        Ok(PreparedEvolution { parameters })
    }
}

impl EvolutionParameters {
    pub(super) fn evaluations_a_generation(&self) -> u32 {
        self.search.as_ref().map_or(self.evaluations.unwrap_or(100), Settings::evaluations)
    }

    /// Whether slaves run the benchmark, at the start or again.
    fn runs_benchmark(&self) -> bool {
        let again = self.rebalance.as_ref().is_some_and(|rebalance| rebalance.measure == Measure::Benchmark);
        self.distribution == Distribution::Benchmark || again
    }

    /// About how many iterations of the benchmark a node makes; at least one, however long it takes.
    fn iterations(&self, node: NodeId, platform: &Platform) -> f64 {
        let (mean, _) = self.task.moments();
        let iteration = mean * f64::from(self.benchmark.individuals) * f64::from(self.evaluations_a_generation());
        let (span, clock) = (self.benchmark.span.base(), self.benchmark.clock.base());
        // The clock shows that the span is over at the first multiple of its resolution.
        let until = if clock > 0.0 { (span / clock).ceil() * clock } else { span };
        (until / iteration * platform.speed_per_second(node)).max(1.0)
    }

    fn slaves(&self, platform: &Platform) -> impl Iterator<Item = NodeId> {
        (0..platform.nodes()).map(NodeId).filter(|node| self.master_computes || node.0 != self.master)
    }

    /// About how many events benchmarks and rebalancing have. How often the slaves' times spread too much, nobody knows:
    /// every other round is taken.
    fn expected_balancing(&self, platform: &Platform) -> f64 {
        let benchmark = || self.slaves(platform).map(|slave| self.iterations(slave, platform) + 1.0).sum::<f64>();
        let first = if self.distribution == Distribution::Benchmark { benchmark() } else { 0.0 };
        let Some(rebalance) = &self.rebalance else { return first };
        let times = f64::from((self.rounds - 1) / rebalance.every.unwrap_or(2));
        let measuring = if rebalance.measure == Measure::Benchmark { benchmark() } else { 0.0 };
        first + times * (measuring + 3.0 * self.slaves(platform).count() as f64)
    }

    fn check_machine(&self, platform: &Platform) -> Result<(), KeyError> {
        let nodes = platform.nodes();
        KeyError::unless_node("master", self.master, platform)?;
        KeyError::unless(
            nodes >= 2 || self.master_computes,
            "master",
            || "there are no slaves: the platform's only node is the master's",
        )?;
        KeyError::unless(
            platform.faults().is_empty(),
            "kind",
            || "the master waits for every slave, so no node may fail",
        )?;
        if !self.runs_benchmark() {
            return Ok(());
        }
        KeyError::unless(
            self.benchmark.clock <= self.benchmark.span,
            "benchmark.clock",
            || "`clock` is coarser than `span`: the power would be that of the clock",
        )?;
        let iterations = (0..nodes).map(|node| self.iterations(NodeId(node), platform)).fold(0.0, f64::max);
        KeyError::unless(iterations <= MOST_ITERATIONS, "benchmark.span", || {
            format!(
                "an iteration is so short that {iterations:.0} fit the span, each an event; at most {MOST_ITERATIONS:.0}"
            )
        })
    }
}

impl Prepared for PreparedEvolution {
    type Metrics = EvolutionMetrics;

    fn run(&self, run: &mut Run<'_>) -> Result<EvolutionMetrics, RunFailure> {
        let site = Site::new(&self.parameters, run.platform, run.streams)?;
        if self.parameters.distribution.is_central() {
            let mut program = Central::new(site);
            let end = run.simulate(&mut program)?;
            let share = |slave: &central::Slave| Share {
                power: None,
                created: slave.share,
                at_end: slave.share,
                operations: slave.operations,
            };
            let shares = program.slaves.iter().map(share).collect();
            return Ok(EvolutionOutcome::new(&end, program.site, shares, run.platform)?.metrics(run));
        }
        let mut program = MasterSlaves::new(site);
        let end = run.simulate(&mut program)?;
        let share = |slave: &program::Slave| Share {
            power: slave.first_power,
            created: Some(slave.created),
            at_end: Some(slave.individuals.len() as u32),
            operations: slave.operations,
        };
        let shares = program.slaves.iter().map(share).collect();
        let mut outcome = EvolutionOutcome::new(&end, program.site, shares, run.platform)?;
        (outcome.measured, outcome.rebalances) = (program.measured, program.rebalances);
        Ok(outcome.metrics(run))
    }

    /// What evolves is evaluated for each round at once.
    fn expected_evaluations(&self) -> f64 {
        let EvolutionParameters { rounds, generations, population, search, .. } = &self.parameters;
        let evaluations = search.as_ref().map_or(0.0, |search| f64::from(search.evaluations()));
        f64::from(*rounds) * f64::from(*generations) * f64::from(*population) * evaluations
    }

    /// A slave computes and has two messages for whatever it is given, in all rounds unless the search ends before the
    /// last one. Each iteration of a benchmark is an event, too.
    fn expected_events(&self, platform: &Platform) -> Option<f64> {
        let parameters = &self.parameters;
        let (rounds, population) = (f64::from(parameters.rounds), f64::from(parameters.population));
        let slaves = parameters.slaves(platform).count() as f64;
        let a_round = match parameters.distribution {
            Distribution::Ship => {
                let steps = f64::from(parameters.generations) * f64::from(parameters.evaluations_a_generation());
                let mutations = if parameters.mutation.base() > 0.0 { 1.0 } else { 0.0 };
                steps * (3.0 * slaves.min(population) + mutations)
            }
            Distribution::LargestFirst => 3.0 * population,
            _ => 3.0 * slaves + 1.0,
        };
        Some(rounds * a_round + parameters.expected_balancing(platform))
    }
}
