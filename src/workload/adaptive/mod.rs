//! An adaptive broadcast: measured clusters, a model and an algorithm for each, a schedule between them, carried out.
//!
//! Nasri, Steffenel and Trystram (IJGUC 2008), Algorithm 1 and §4.3. The platform's clusters are the logical ones
//! (`kind = "partition"` finds them). What [`adapt`](crate::adapt) decides from the benchmarks is run as a broadcast on two
//! levels, so its prediction stands beside what comes of it.

mod decide;
mod figures;
mod measure;

use schemars::JsonSchema;
use serde::Deserialize;

use super::KeyError;
use super::broadcast::{self, Placement, Segment};
use crate::adapt::{Model, Selection};
use crate::cluster::{NodeId, Platform, Timeline};
use crate::engine::Streams;
use crate::record::Record;
use crate::tree::Algorithm;
use crate::tree::between::Heuristic;
use crate::units::Bytes;

pub use figures::{FIGURES, TABLES};

/// `kind = "adaptive"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// The length of the message.
    pub size: Bytes,
    /// The node that has the message.
    #[serde(default)]
    pub root: u32,
    /// The algorithms inside the clusters among which is chosen.
    #[serde(default = "papers_algorithms")]
    pub algorithms: Vec<Algorithm>,
    /// The lengths of segments that are tried with the algorithms that cut the message.
    #[serde(default = "usual_segments")]
    pub segments: Vec<Bytes>,
    /// The models among which is chosen.
    #[serde(default = "all_models")]
    pub models: Vec<Model>,
    /// The short message of the models that know only short ones (LogP, LoPC): a longer one is many of them.
    #[serde(default = "usual_packet")]
    pub packet: Bytes,
    /// What a measurement weighs against accuracy: the score of a model is the relative error of its prediction plus so much
    /// for each benchmark that its parameters take. 0 is accuracy alone.
    #[serde(default = "a_thousandth")]
    #[schemars(range(min = 0.0))]
    pub weight: f64,
    /// The message sizes at which single messages are measured, at least two.
    #[serde(default = "usual_sizes")]
    pub sizes: Vec<Bytes>,
    /// The message sizes at which sample broadcasts are measured; only the message's own where none are given. Other
    /// sizes go by the nearest.
    #[serde(default)]
    pub samples: Vec<Bytes>,
    /// Whether the fastest algorithm is the one by the models' predictions, or the one that was fastest in the samples.
    #[serde(default)]
    pub selection: Choosing,
    /// The heuristics between the clusters among which is chosen.
    #[serde(default = "papers_heuristics")]
    pub heuristics: Vec<Heuristic>,
    /// One cluster and one algorithm whose predictions by every model become figures.
    #[serde(default)]
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

/// By what the fastest algorithm is chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Choosing {
    /// By the predictions of the models.
    #[default]
    Analytical,
    /// By the samples, as a cache of past runs would.
    Experimental,
}

impl From<Choosing> for Selection {
    fn from(choosing: Choosing) -> Self {
        match choosing {
            Choosing::Analytical => Self::Analytical,
            Choosing::Experimental => Self::Experimental,
        }
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

fn usual_packet() -> Bytes {
    Bytes::new(8 * 1024)
}

fn usual_sizes() -> Vec<Bytes> {
    let rest = (6..=20).map(|exponent| Bytes::new(1 << exponent));
    std::iter::once(Bytes::new(1)).chain(rest).collect()
}

const fn a_thousandth() -> f64 {
    0.001
}

/// An adaptive broadcast, ready to run.
#[derive(Debug)]
pub struct Prepared {
    parameters: Parameters,
    /// The cluster of the focus.
    focus: Option<(usize, Algorithm)>,
}

impl Parameters {
    /// Checks the keys against each other and the platform.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn prepare(&self, platform: &Platform) -> Result<Prepared, KeyError> {
        let wrong = |key: &str, message: String| KeyError { key: key.to_owned(), message };
        let nodes = platform.nodes();
        if self.root >= nodes {
            return Err(wrong("root", format!("there is no node {}: the nodes are 0 to {}", self.root, nodes - 1)));
        }
        let lists = [
            ("algorithms", self.algorithms.is_empty()),
            ("models", self.models.is_empty()),
            ("heuristics", self.heuristics.is_empty()),
            ("segments", self.segments.is_empty()),
        ];
        if let Some((key, _)) = lists.into_iter().find(|(_, empty)| *empty) {
            return Err(wrong(key, format!("`{key}` is empty: there is nothing to choose from")));
        }
        let mut sizes: Vec<u64> = self.sizes.iter().map(|size| size.count()).collect();
        sizes.sort_unstable();
        if sizes.len() < 2 || sizes.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(wrong("sizes", "at least two sizes must be measured, each once".to_owned()));
        }
        if !(self.weight >= 0.0 && self.weight.is_finite()) {
            return Err(wrong("weight", format!("`weight` is {}: it must be 0 or more", self.weight)));
        }
        let focus = self.focus.as_ref().map(|focus| {
            let cluster = platform.groups().iter().position(|group| group.name == focus.cluster);
            let cluster = cluster.filter(|cluster| platform.groups()[*cluster].nodes > 1).ok_or_else(|| {
                wrong("focus.cluster", format!("the platform has no cluster `{}` of two nodes or more", focus.cluster))
            })?;
            if self.algorithms.contains(&focus.algorithm) {
                Ok((cluster, focus.algorithm))
            } else {
                Err(wrong("focus.algorithm", format!("`{}` is not one of `algorithms`", focus.algorithm)))
            }
        });
        Ok(Prepared { parameters: self.clone(), focus: focus.transpose()? })
    }

    /// The plain binomial tree over all ranks, for comparison.
    fn binomial(&self, placement: Placement) -> broadcast::Parameters {
        broadcast::Parameters {
            size: self.size,
            algorithm: broadcast::Strategy::Plain(Algorithm::Binomial),
            root: if placement == Placement::Cluster { self.root } else { 0 },
            placement,
            levels: broadcast::Levels::default(),
            segment: Segment::default(),
            candidates: Vec::new(),
        }
    }
}

impl Prepared {
    /// Measures, adapts and broadcasts.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn run(&self, platform: &Platform, streams: Streams, tables: &[String]) -> Result<Record, String> {
        let decision = self.decide(platform, streams)?;
        let outcome = broadcast::execute(decision.program(platform), platform, streams, ())?;
        self.record(platform, streams, &decision, &outcome, tables)
    }

    /// Measures and adapts, and notes everything that happens in the broadcast.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn trace(&self, platform: &Platform, streams: Streams) -> Result<Timeline, String> {
        let decision = self.decide(platform, streams)?;
        let outcome = broadcast::execute(decision.program(platform), platform, streams, Timeline::default())?;
        Ok(outcome.observer)
    }

    fn root(&self) -> NodeId {
        NodeId(self.parameters.root)
    }
}
