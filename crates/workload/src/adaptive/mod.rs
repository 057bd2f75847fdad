//! An adaptive broadcast: measured clusters, a model and an algorithm for each, a schedule between them, carried out.
//!
//! Nasri, Steffenel and Trystram (IJGUC 2008), Algorithm 1 and §4.3. The platform's clusters are the logical ones
//! (the study `partition` finds them). In one run benchmarks measure the machine, [`adapt`](hetsim_adapt) decides from
//! the measurements, and a broadcast on two levels follows the decision: the record has the predicted and the simulated
//! time. Any number of such operations follow each other; each takes the decision that is valid when it begins.

mod decide;
mod measure;
mod metrics;
mod session;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::broadcast::{self, Segment};
use super::communication::{Levels, Placement};
use super::measure::{Background, Gaps, Outliers};
use super::{KeyError, Prepared, Run, RunFailure, Workload};
use hetsim_adapt::{Candidate, Model, Selection};
use hetsim_base::record::TableShape;
use hetsim_base::units::Bytes;
use hetsim_base::units::defaults::{bytes, count, fraction};
use hetsim_cluster::{Platform, Simulation};
use hetsim_communication::intercluster::Heuristic;
use hetsim_communication::{Algorithm, Operation, PlanError};

use session::Session;

/// `kind = "adaptive"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdaptiveParameters {
    /// The length of the message.
    pub size: Bytes,
    /// The node that has the message.
    #[serde(default)]
    pub root: u32,
    /// The candidate algorithms inside the clusters.
    #[serde(default = "papers_algorithms")]
    pub algorithms: Vec<Algorithm>,
    /// The lengths of segments that are tried with the algorithms that segment the message.
    #[serde(default = "usual_segments")]
    pub segments: Vec<Bytes>,
    /// The candidate models.
    #[serde(default = "all_models")]
    pub models: Vec<Model>,
    /// The short message of the models that know only short ones (LogP, LoPC): a longer one is many of them.
    #[serde(default = "bytes::<8192>")]
    pub packet: Bytes,
    /// The weight of measurements against accuracy: the score of a model is the relative error of its prediction plus
    /// this weight for each benchmark that its parameters need. 0 is accuracy alone.
    #[serde(default = "fraction::<1, 1000>")]
    #[schemars(range(min = 0.0))]
    pub weight: f64,
    /// The message sizes at which single messages are measured, at least two.
    #[serde(default = "usual_sizes")]
    pub sizes: Vec<Bytes>,
    /// The message sizes at which sample broadcasts are measured; only the message's own where none are given. Other
    /// sizes go by the nearest.
    #[serde(default)]
    pub samples: Vec<Bytes>,
    /// Whether the fastest algorithm is the one by the models' predictions, or the one that was fastest in the
    /// operations before.
    #[serde(default)]
    pub selection: Selection,
    /// The number of broadcasts, one after the other.
    #[serde(default = "count::<1>")]
    #[schemars(range(min = 1))]
    pub operations: u32,
    /// When the network is measured and the choice made again: `never`, before `every` operation, or after an operation
    /// whose time differs from that of the first one like it by more than this share (0.2: a fifth). Then past
    /// operations are forgotten, too. Measuring takes its simulated time.
    #[serde(default)]
    pub reselect: Reselect,
    /// The number of repetitions of each benchmark.
    #[serde(default = "count::<5>")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub repetitions: u32,
    /// The number of messages in a saturated train. A second train has twice as many; the gap is the additional time of
    /// each message.
    #[serde(default = "count::<16>")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub train: u32,
    /// How the gaps of messages inside clusters are measured. Between clusters it is always by trains: Algorithm 1
    /// names `logp_mpi` for the clusters only, and a schedule between them asks when a coordinator may send again.
    #[serde(default)]
    pub gaps: Gaps,
    /// Messages between other pairs during the measurements and the broadcasts.
    pub background: Option<Background>,
    /// Outliers: times of benchmarks and sample broadcasts that are too long. Operations have none.
    pub outliers: Option<Outliers>,
    /// The candidate heuristics between the clusters.
    #[serde(default = "papers_heuristics")]
    pub heuristics: Vec<Heuristic>,
    /// One cluster and one algorithm whose predictions by every model become metrics.
    pub focus: Option<Focus>,
}

/// What `focus` looks at.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Focus {
    /// The cluster.
    pub cluster: String,
    /// The algorithm: one of `algorithms`.
    pub algorithm: Algorithm,
}

/// When the choice is made again.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Reselect {
    /// After an operation that lies off by more than this share.
    Above(#[schemars(range(min = 0.0))] f64),
    /// Whenever the name says so.
    Named(When),
}

/// The names of moments to choose again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Once, before the first operation.
    Never,
    /// Before every operation.
    Every,
}

impl Default for Reselect {
    fn default() -> Self {
        Self::Named(When::Never)
    }
}

fn papers_algorithms() -> Vec<Algorithm> {
    vec![Algorithm::Linear, Algorithm::Pipeline, Algorithm::Binary, Algorithm::Binomial]
}

fn papers_heuristics() -> Vec<Heuristic> {
    vec![Heuristic::Flat, Heuristic::Fef, Heuristic::Ecef, Heuristic::EcefLatMin]
}

fn all_models() -> Vec<Model> {
    Model::ALL.to_vec()
}

fn usual_segments() -> Vec<Bytes> {
    vec![Bytes::new(16 * 1024)]
}

fn usual_sizes() -> Vec<Bytes> {
    let rest = (6..=20).map(|exponent| Bytes::new(1 << exponent));
    std::iter::once(Bytes::new(1)).chain(rest).collect()
}

/// An adaptive broadcast, ready to run.
#[derive(Debug)]
pub struct PreparedAdaptive {
    parameters: AdaptiveParameters,
    /// The cluster of the focus.
    focus: Option<(usize, Algorithm)>,
}

impl Workload for AdaptiveParameters {
    const NAME: &'static str = "adaptive";
    const ABOUT: &'static str = "A broadcast that measures the clusters and chooses models, algorithms and a schedule.";
    const TABLES: &'static [TableShape] = metrics::TABLES;
    type Prepared = PreparedAdaptive;

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        let wrong = |key: &str, message: String| KeyError::new(key, message);
        KeyError::unless_node("root", self.root, platform)?;
        let lists = [
            ("algorithms", self.algorithms.is_empty()),
            ("models", self.models.is_empty()),
            ("heuristics", self.heuristics.is_empty()),
            ("segments", self.segments.is_empty()),
        ];
        for (key, empty) in lists {
            KeyError::unless(!empty, key, || format!("`{key}` is empty: there is nothing to choose from"))?;
        }
        let mut sizes: Vec<u64> = self.sizes.iter().map(|size| size.count()).collect();
        sizes.sort_unstable();
        let apart = sizes.len() >= 2 && sizes.windows(2).all(|pair| pair[0] != pair[1]);
        KeyError::unless(apart, "sizes", || "at least two sizes must be measured, each once")?;
        KeyError::unless(self.weight >= 0.0 && self.weight.is_finite(), "weight", || {
            format!("`weight` is {}: it must be 0 or more", self.weight)
        })?;
        KeyError::at_least_one(&[
            ("operations", self.operations),
            ("repetitions", self.repetitions),
            ("train", self.train),
        ])?;
        KeyError::unless(self.train <= 1_000_000, "train", || "`train` must be at most 1000000")?;
        // Each benchmark waits in a list for its turn, and each sample stays.
        let benchmarks = platform.clusters().len() * (self.candidates().len() * self.sample_sizes().len() + 3);
        let series = platform.clusters().len() * self.sizes.len() * 4;
        let bytes = u128::from(self.repetitions) * (benchmarks * 40 + series * 8) as u128;
        KeyError::bounded("repetitions", &format!("{} repetitions of each benchmark", self.repetitions), bytes)?;
        let share = if let Reselect::Above(share) = self.reselect { share } else { 0.0 };
        KeyError::unless(
            share >= 0.0 && share.is_finite(),
            "reselect",
            || "`reselect` must be never, every, or a share of 0 or more",
        )?;
        KeyError::unless(
            platform.faults().is_empty(),
            "kind",
            || "the platform has faults, and a benchmark whose messages are lost would never end",
        )?;
        if self.selection == Selection::Experimental {
            KeyError::unless(
                self.focus.is_none(),
                "focus",
                || "`focus` looks at models, which experimental selection does not use",
            )?;
            KeyError::unless(
                !self.algorithms.contains(&Algorithm::Optimal),
                "algorithms",
                || "the tree of `optimal` is made from measured costs, which experimental selection does not have",
            )?;
        }
        if let Some(&algorithm) = self.algorithms.iter().find(|algorithm| !algorithm.fits(Operation::Broadcast)) {
            let error = PlanError::Other { algorithm: algorithm.name(), operation: Operation::Broadcast };
            return Err(wrong("algorithms", error.to_string()));
        }
        self.background.as_ref().map_or(Ok(()), Background::check)?;
        self.outliers.as_ref().map_or(Ok(()), Outliers::check)?;
        let focus = self.focus.as_ref().map(|focus| {
            let cluster = platform.clusters().iter().position(|group| group.name == focus.cluster);
            let cluster = cluster.filter(|cluster| platform.clusters()[*cluster].nodes > 1).ok_or_else(|| {
                wrong("focus.cluster", format!("the platform has no cluster `{}` of two nodes or more", focus.cluster))
            })?;
            if self.algorithms.contains(&focus.algorithm) {
                Ok((cluster, focus.algorithm))
            } else {
                Err(wrong("focus.algorithm", format!("`{}` is not one of `algorithms`", focus.algorithm)))
            }
        });
        Ok(PreparedAdaptive { parameters: self.clone(), focus: focus.transpose()? })
    }
}

impl AdaptiveParameters {
    /// The candidates inside a cluster: each algorithm, with each length of segments where it cuts the message.
    fn candidates(&self) -> Vec<Candidate> {
        let of = |&algorithm: &Algorithm| {
            let segments = self.segments.iter().map(|size| size.count());
            let segments = if algorithm.cuts() { segments.collect() } else { vec![0] };
            segments.into_iter().map(move |segment| Candidate { algorithm, segment })
        };
        self.algorithms.iter().flat_map(of).collect()
    }

    /// The sizes of sample broadcasts.
    fn sample_sizes(&self) -> Vec<u64> {
        let sizes = if self.samples.is_empty() { std::slice::from_ref(&self.size) } else { self.samples.as_slice() };
        sizes.iter().map(|size| size.count()).collect()
    }

    /// A plain binomial tree over all ranks, for comparison.
    fn plain(&self, tree: Algorithm, placement: Placement, platform: &Platform) -> broadcast::BroadcastParameters {
        let in_order = || placement.nodes(platform).iter().position(|node| node.0 == self.root);
        broadcast::BroadcastParameters {
            size: self.size,
            algorithm: broadcast::Strategy::Plain(tree),
            root: if placement == Placement::Cluster { in_order().unwrap_or(0) as u32 } else { 0 },
            placement,
            levels: Levels::default(),
            segment: Segment::default(),
            candidates: Vec::new(),
            fitted: None,
        }
    }
}

impl Prepared for PreparedAdaptive {
    type Metrics = metrics::AllMetrics;

    /// Measures, adapts and broadcasts.
    fn run(&self, run: &mut Run<'_>) -> Result<Self::Metrics, RunFailure> {
        let mut session = Session::new(&self.parameters, run.platform, &run.streams);
        let end = run.simulate(&mut session)?;
        self.check_end(&mut session)?;
        let completion = end.completion.ok_or("the broadcasts did not end")?;
        self.metrics(&session, completion, run)
    }

    /// Measures and adapts, and shows the first broadcast by itself, which starts at zero.
    fn trace(&self, run: &mut Run<'_>) -> Result<(), RunFailure> {
        let mut session = Session::new(&self.parameters, run.platform, &run.streams);
        Simulation::with_streams(run.platform, run.streams).run(&mut session)?;
        self.check_end(&mut session)?;
        let first = session.log.first().ok_or("the broadcast did not end")?;
        let mut program = first.decision.program(self.parameters.size.count(), &session.members);
        broadcast::simulate(&mut program, run).map(drop)
    }
}

impl PreparedAdaptive {
    fn check_end(&self, session: &mut Session<'_>) -> Result<(), RunFailure> {
        if let Some(message) = session.failure.take() {
            return Err(message.into());
        }
        if session.log.len() as u64 != u64::from(self.parameters.operations) {
            return Err("the broadcasts did not end".into());
        }
        Ok(())
    }
}
