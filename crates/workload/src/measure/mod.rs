//! Measuring: benchmarks that run on the simulated machine, and the models that are fitted to what they say.
//!
//! Ping-pongs, saturated trains, delayed ping-pongs (Kielmann, Bal, Verstoep: `logp_mpi`) and experiments with three
//! nodes (Lastovetsky, Rychkov) go on one after the other, pair by pair; a message hands the turn from one initiator to
//! the next. What each experiment measures stands in `docs/measuring.md`. The samples are plain [`Measurements`], as
//! those of a real machine would be: what is fitted to them knows nothing of the simulation.

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

use super::{KeyError, Prepared, Run, RunFailure, Workload};
use hetsim_base::engine::Streams;
use hetsim_base::record::TableShape;
use hetsim_base::units::defaults::count;
use hetsim_base::units::{Bytes, Time};
use hetsim_cluster::Platform;
use hetsim_fit::{Measurements, Model, PairSamples, Series};

pub use conditions::{Background, Gaps, Outliers};
pub use outcome::MeasureMetrics;
pub use plan::{ExperimentPlan, Experiments, Processor, SizeSelection, all_pairs, sampled_pairs, triplets};
pub use program::{BenchmarkMessage, Benchmarks};
pub use traffic::{Loads, Traffic, traffic_pairs};

/// `kind = "measure"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasureParameters {
    /// The message sizes.
    #[schemars(length(min = 1))]
    pub sizes: Vec<Bytes>,
    /// The number of repetitions of each experiment with each pair and size.
    #[serde(default = "count::<10>")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub repetitions: u32,
    /// Which pairs of nodes are measured: `all`, or so many, drawn from the seed.
    #[serde(default)]
    pub pairs: Pairs,
    /// The models that are fitted; they decide which experiments are made. Without any, the smallest round trips are
    /// measured, for a matrix of latencies.
    #[serde(default = "four")]
    pub models: Vec<Model>,
    /// Whether models are fitted pair by pair, or once for all pairs that join the same clusters.
    #[serde(default)]
    pub per: Per,
    /// The number of messages in a saturated train. A second train has twice as many; the gap is the additional time of
    /// each message.
    #[serde(default = "count::<16>")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub train: u32,
    /// How the gaps of messages are measured.
    #[serde(default)]
    pub gaps: Gaps,
    /// Messages between other pairs during the measurements.
    #[serde(default)]
    pub background: Option<Background>,
    /// Outliers: measured times that are too long.
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

fn four() -> Vec<Model> {
    vec![Model::Hockney, Model::Logp, Model::Loggp, Model::Plogp]
}

/// Benchmarks, ready to run any number of times.
#[derive(Debug)]
pub struct PreparedMeasure {
    parameters: MeasureParameters,
    sizes: Vec<u64>,
}

impl Workload for MeasureParameters {
    const NAME: &'static str = "measure";
    const ABOUT: &'static str = "Benchmarks of the network, and models fitted to what they measure.";
    const TABLES: &'static [TableShape] = outcome::TABLES;
    type Prepared = PreparedMeasure;

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        let mut sizes: Vec<u64> = self.sizes.iter().map(|size| size.count()).collect();
        sizes.sort_unstable();
        sizes.dedup();
        KeyError::unless(!sizes.is_empty(), "sizes", || "`sizes` needs at least one size")?;
        let of_lines = [Model::Hockney, Model::Loggp, Model::Lmo];
        if let Some(model) = self.models.iter().find(|model| of_lines.contains(model) && sizes.len() < 2) {
            let message = format!("{model} is fitted to a line, which needs at least two sizes");
            return Err(KeyError::new("sizes", message));
        }
        KeyError::at_least_one(&[("train", self.train), ("repetitions", self.repetitions)])?;
        KeyError::unless(self.train <= 1_000_000, "train", || "`train` must be at most 1000000")?;
        self.check_samples(sizes.len(), platform.nodes())?;
        KeyError::unless(
            platform.nodes() >= 2,
            "kind",
            || "to measure a network there must be two nodes, but the platform has one",
        )?;
        KeyError::unless(
            !self.models.contains(&Model::Lmo) || platform.nodes() >= 3,
            "models",
            || "lmo needs experiments with three nodes, but the platform has two",
        )?;
        KeyError::unless(!matches!(self.pairs, Pairs::Sampled(0)), "pairs", || "`pairs` must be at least 1")?;
        KeyError::unless(
            platform.faults().is_empty(),
            "kind",
            || "the platform has faults, and a benchmark whose messages are lost would never end",
        )?;
        self.background.as_ref().map_or(Ok(()), Background::check)?;
        self.outliers.as_ref().map_or(Ok(()), Outliers::check)?;
        Ok(PreparedMeasure { parameters: self.clone(), sizes })
    }
}

impl MeasureParameters {
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

impl PreparedMeasure {
    /// What is measured on a platform; sampled pairs depend on the seed.
    #[must_use]
    pub fn plan(&self, platform: &Platform, streams: &Streams) -> ExperimentPlan {
        let nodes = platform.nodes();
        let keys = &self.parameters;
        let pairs = match keys.pairs {
            Pairs::Named(All::All) => all_pairs(nodes),
            Pairs::Sampled(count) => sampled_pairs(nodes, count, streams),
        };
        let traffic = keys.background.map_or_else(Traffic::default, |background| background.traffic(nodes, streams));
        let experiments = Experiments::for_models(&keys.models);
        let triplets = if experiments.triplets == SizeSelection::None { Vec::new() } else { triplets(&pairs, nodes) };
        ExperimentPlan {
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
    /// Why the run failed.
    pub fn samples(&self, run: &mut Run<'_>) -> Result<(Measurements, Time), RunFailure> {
        let mut program = Benchmarks::new(self.plan(run.platform, &run.streams), Processor::of(run.platform));
        let end = run.simulate(&mut program)?;
        let completion = end.completion.ok_or("the benchmarks did not end")?;
        Ok((program.into_measurements(), completion))
    }
}

impl Prepared for PreparedMeasure {
    type Metrics = MeasureMetrics;

    fn run(&self, run: &mut Run<'_>) -> Result<MeasureMetrics, RunFailure> {
        let (measurements, completion) = self.samples(run)?;
        Ok(outcome::metrics(&self.parameters, &measurements, completion, run)?)
    }
}
