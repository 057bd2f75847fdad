//! Measuring: benchmarks that run on the simulated machine, and the models that are fitted to what they say.
//!
//! Ping-pongs, saturated trains, delayed ping-pongs (Kielmann, Bal, Verstoep: `logp_mpi`) and experiments with three nodes
//! (Lastovetsky, Rychkov) go on one after the other, pair by pair; a message hands the turn from one initiator to the next. What
//! each experiment measures stands in `docs/measuring.md`. The samples are plain [`Measurements`], as those of a real machine
//! would be: what is fitted to them knows nothing of the simulation.

mod conditions;
mod outcome;
mod plan;
mod program;
#[cfg(test)]
mod tests;
mod traffic;
mod truth;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::KeyError;
use crate::cluster::Footprint;
use crate::cluster::{Observer, Platform, Simulation, Timeline};
use crate::engine::Streams;
use crate::fit::{Measurements, Model, PairSamples, Series};
use crate::record::Record;
use crate::units::{Bytes, Time};

pub use conditions::{Background, Gaps, Outliers};
pub use outcome::{METRICS, TABLES};
pub use plan::{Experiments, Plan, Processor, Sizes, Traffic, all_pairs, sampled_pairs, traffic_pairs, triplets};
pub use program::{Benchmarks, Message};
pub use traffic::Loads;

/// `kind = "measure"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// The sizes of messages.
    #[schemars(length(min = 1))]
    pub sizes: Vec<Bytes>,
    /// How often each experiment is repeated with each pair and size.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub repetitions: u32,
    /// Which pairs of nodes are measured: `all`, or so many, drawn from the seed.
    #[serde(default)]
    pub pairs: Pairs,
    /// The models that are fitted; they decide which experiments are made. Without any, the smallest round trips are measured,
    /// for a matrix of latencies.
    #[serde(default = "four")]
    pub models: Vec<Model>,
    /// Whether models are fitted pair by pair, or once for all pairs that join the same clusters.
    #[serde(default)]
    pub per: Per,
    /// How many messages a saturated train has. A second one has twice as many; the gap is what these take more.
    #[serde(default = "sixteen")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub train: u32,
    /// How the gaps of messages are measured.
    #[serde(default)]
    pub gaps: Gaps,
    /// Messages between other pairs meanwhile.
    #[serde(default)]
    pub background: Option<Background>,
    /// Times that are too long.
    #[serde(default)]
    pub outliers: Option<Outliers>,
}

/// Which pairs are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Pairs {
    /// This many, drawn from the seed.
    Sampled(#[schemars(range(min = 1))] u32),
    /// Those that the name says.
    Named(All),
}

/// The name of all pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum All {
    /// Every two nodes.
    All,
}

impl Default for Pairs {
    fn default() -> Self {
        Self::Named(All::All)
    }
}

/// What a model is fitted to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// The samples of each pair.
    #[default]
    Pair,
    /// The samples of all pairs that join the same two clusters, or lie in the same one.
    Cluster,
}

const fn ten() -> u32 {
    10
}

const fn sixteen() -> u32 {
    16
}

fn four() -> Vec<Model> {
    vec![Model::Hockney, Model::Logp, Model::Loggp, Model::Plogp]
}

/// Benchmarks, ready to run any number of times.
#[derive(Debug)]
pub struct Prepared {
    parameters: Parameters,
    sizes: Vec<u64>,
}

/// A run that has come to its end.
struct Ended<O> {
    measurements: Measurements,
    completion: Time,
    footprint: Footprint,
    observer: O,
}

impl Parameters {
    /// Checks the keys against each other and the platform.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn prepare(&self, platform: &Platform) -> Result<Prepared, KeyError> {
        let problem = |key: &str, message: &str| Err(KeyError { key: key.to_owned(), message: message.to_owned() });
        let mut sizes: Vec<u64> = self.sizes.iter().map(|size| size.count()).collect();
        sizes.sort_unstable();
        sizes.dedup();
        if sizes.is_empty() {
            return problem("sizes", "`sizes` needs at least one size");
        }
        let of_lines = [Model::Hockney, Model::Loggp, Model::Lmo];
        if let Some(model) = self.models.iter().find(|model| of_lines.contains(model) && sizes.len() < 2) {
            return problem("sizes", &format!("{model} is fitted to a line, which needs at least two sizes"));
        }
        if self.repetitions == 0 || self.train == 0 {
            let key = if self.train == 0 { "train" } else { "repetitions" };
            return problem(key, &format!("`{key}` must be at least 1"));
        }
        if self.train > 1_000_000 {
            return problem("train", "`train` must be at most 1000000");
        }
        self.check_samples(sizes.len(), platform.nodes())?;
        if platform.nodes() < 2 {
            return problem("kind", "to measure a network there must be two nodes, but the platform has one");
        }
        if self.models.contains(&Model::Lmo) && platform.nodes() < 3 {
            return problem("models", "lmo needs experiments with three nodes, but the platform has two");
        }
        if matches!(self.pairs, Pairs::Sampled(0)) {
            return problem("pairs", "`pairs` must be at least 1");
        }
        if !platform.faults().is_empty() {
            return problem("kind", "the platform has faults, and a benchmark whose messages are lost would never end");
        }
        self.background.as_ref().map_or(Ok(()), Background::check)?;
        self.outliers.as_ref().map_or(Ok(()), Outliers::check)?;
        Ok(Prepared { parameters: self.clone(), sizes })
    }
}

impl Parameters {
    /// Checks that a machine can hold the samples: each takes eight bytes, besides their lists.
    fn check_samples(&self, sizes: usize, nodes: u32) -> Result<(), KeyError> {
        let possible = u64::from(nodes) * u64::from(nodes.saturating_sub(1)) / 2;
        let pairs = match self.pairs {
            Pairs::Named(All::All) => possible,
            Pairs::Sampled(count) => possible.min(u64::from(count)),
        };
        let experiments = Experiments::for_models(&self.models);
        let kinds = [experiments.round_trips, experiments.gaps, experiments.overheads, experiments.overheads];
        let of_pair: usize = kinds.iter().map(|sizes_of| sizes_of.of(sizes)).sum();
        let of_root = experiments.triplets.of(sizes);
        let lists = u128::from(pairs) * of_pair as u128 + u128::from(nodes) * of_root as u128;
        let list = (size_of::<Series>() + size_of::<f64>() * self.repetitions as usize) as u128;
        let bytes = u128::from(pairs) * size_of::<PairSamples>() as u128 + lists * list;
        let key = if self.repetitions > 1 { "repetitions" } else { "pairs" };
        let what = format!("{} repetitions of {pairs} pairs at {sizes} sizes", self.repetitions);
        KeyError::bounded(key, &what, bytes)
    }
}

impl Prepared {
    /// What is measured on a platform; sampled pairs depend on the seed.
    #[must_use]
    pub fn plan(&self, platform: &Platform, streams: &Streams) -> Plan {
        let nodes = platform.nodes();
        let keys = &self.parameters;
        let pairs = match keys.pairs {
            Pairs::Named(All::All) => all_pairs(nodes),
            Pairs::Sampled(count) => sampled_pairs(nodes, count, streams),
        };
        let traffic = keys.background.map_or_else(Traffic::default, |background| background.traffic(nodes, streams));
        let experiments = Experiments::for_models(&keys.models);
        let triplets = if experiments.triplets == Sizes::None { Vec::new() } else { triplets(&pairs, nodes) };
        Plan {
            pairs,
            triplets,
            sizes: self.sizes.clone(),
            repetitions: keys.repetitions,
            train: keys.train,
            experiments,
            gaps: keys.gaps,
            outliers: keys.outliers,
            turn: 0,
            traffic,
        }
    }

    /// Runs the benchmarks and gives the samples.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn measure(&self, platform: &Platform, streams: Streams) -> Result<Measurements, String> {
        self.execute(platform, streams, ()).map(|ended| ended.measurements)
    }

    /// Runs the benchmarks and fits the models.
    ///
    /// # Errors
    /// A sentence that says why the run failed, or why a model could not be fitted.
    pub fn run(&self, platform: &Platform, streams: Streams, tables: &[String]) -> Result<Record, String> {
        let ended = self.execute(platform, streams, ())?;
        outcome::record(&self.parameters, &ended, platform, tables)
    }

    /// Runs the benchmarks and notes everything that happens.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn trace(&self, platform: &Platform, streams: Streams) -> Result<Timeline, String> {
        self.execute(platform, streams, Timeline::default()).map(|ended| ended.observer)
    }

    fn execute<O: Observer>(&self, platform: &Platform, streams: Streams, observer: O) -> Result<Ended<O>, String> {
        let mut program = Benchmarks::new(self.plan(platform, &streams), Processor::of(platform));
        let mut simulation = Simulation::observed(platform, streams, observer);
        simulation.run(&mut program).map_err(|error| error.to_string())?;
        let completion = simulation.completion().ok_or("the benchmarks did not end")?;
        let footprint = simulation.footprint();
        let measurements = program.into_measurements();
        Ok(Ended { measurements, completion, footprint, observer: simulation.into_observer() })
    }
}
