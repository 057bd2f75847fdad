//! From benchmarks to a broadcast: both levels of adaptation.

use super::Prepared;
use super::measure::Bench;
use crate::adapt::{Choice, Cluster, Composed, Law, Model, Needs, Sample, Shapes, compose};
use crate::cluster::network::Carriage;
use crate::cluster::{Link, Platform, Ports};
use crate::engine::Streams;
use crate::tree::between::{Exact, Grid, Inside, Matrix, exact};
use crate::tree::{Algorithm, Broadcast, Cost, Plan};
use crate::units::{Tick, Time};
use crate::workload::broadcast::{ClusterPlan, Clusters, TwoLevel};

/// Up to so many clusters the optimum is searched for.
const EXACT_UP_TO: usize = 8;
/// The steps of that search.
const STEPS: u64 = 10_000_000;

/// What was decided, and from what.
#[derive(Debug)]
pub(super) struct Decision {
    /// By cluster, where it has more than one node.
    pub(super) clusters: Vec<Option<(Cluster, Choice)>>,
    pub(super) composed: Composed,
    /// The best schedule that exists by the same predictions, where it was searched for and proved.
    pub(super) optimum: Option<Time>,
    /// What the benchmarks took.
    pub(super) seconds: f64,
    pub(super) messages: u64,
    bytes: u64,
    members: Clusters,
}

impl Prepared {
    /// Measures and decides.
    pub(super) fn decide(&self, platform: &Platform, streams: Streams) -> Result<Decision, String> {
        let parameters = &self.parameters;
        let (bytes, tick) = (parameters.size.count(), platform.tick());
        let mut bench = Bench::new(platform, streams);
        let mut clusters = Vec::new();
        for group in 0..platform.groups().len() {
            if platform.groups()[group].nodes < 2 {
                clusters.push(None);
                continue;
            }
            let cluster = self.measured(&mut bench, platform, group)?;
            let choice = cluster.fastest(bytes, parameters.weight, parameters.selection.into()).ok_or_else(|| {
                let reasons: Vec<String> = cluster.refusals().iter().map(ToString::to_string).collect();
                format!("no model can be used in cluster {}: {}", platform.groups()[group].name, reasons.join("; "))
            })?;
            clusters.push(Some((cluster, choice)));
        }
        let members = Clusters::new(platform, self.root());
        let inside = clusters.iter().map(|cluster| match cluster {
            Some((_, choice)) => tick.time(choice.predicted),
            None => Time::ZERO,
        });
        let grid = between(&mut bench, platform, bytes, inside.collect(), members.root)?;
        let convention = match platform.ports() {
            Ports::Single => Inside::AfterSends,
            Ports::PerLevel => Inside::Overlapped,
        };
        let composed = compose(&grid, convention, &parameters.heuristics)
            .ok_or_else(|| "there is no heuristic to choose".to_owned())?;
        let optimum = (grid.size() as usize <= EXACT_UP_TO).then(|| exact(&grid, convention, STEPS));
        let optimum = optimum.and_then(|Exact { completion, proved, .. }| proved.then_some(completion));
        Ok(Decision { clusters, composed, optimum, seconds: bench.seconds, messages: bench.messages, bytes, members })
    }

    /// A cluster, measured: single messages, and samples of every candidate.
    fn measured(&self, bench: &mut Bench<'_>, platform: &Platform, group: usize) -> Result<Cluster, String> {
        let parameters = &self.parameters;
        let counts = |sizes: &[crate::units::Bytes]| sizes.iter().map(|size| size.count()).collect::<Vec<u64>>();
        let observations = bench.inside(group, &counts(&parameters.sizes))?;
        let ranks = platform.groups()[group].nodes;
        let packet = parameters.packet.count();
        // The greedy tree needs to know costs: those of the poly-model's most detailed one.
        let law = Model::Plogp.fit(&observations, packet);
        let sizes =
            if parameters.samples.is_empty() { vec![parameters.size.count()] } else { counts(&parameters.samples) };
        let mut samples = Vec::new();
        for &algorithm in &parameters.algorithms {
            let segments = if Shapes::cuts(algorithm) { counts(&parameters.segments) } else { vec![0] };
            for segment in segments {
                for &bytes in &sizes {
                    let seconds = bench.sample(group, plan(algorithm, ranks, bytes, segment, &law, platform.tick()))?;
                    samples.push(Sample { algorithm, segment, bytes, seconds });
                }
            }
        }
        let shapes = Shapes::new(ranks, &parameters.algorithms);
        // Inside a cluster nodes are alike; a shared link lets messages contend, and levels inside make a hierarchy.
        let shared = |link: &Link| matches!(link.model.carriage(1), Carriage::Flow(_));
        let contention = shared(platform.link(group, group)) || platform.levels(group).any(|(_, link)| shared(link));
        let hierarchical = platform.levels(group).len() > 0;
        let needs = Needs { hierarchical, contention, ..Needs::default() };
        Ok(Cluster::new(shapes, &parameters.models, needs, &observations, packet, samples))
    }
}

/// The plan of an algorithm, with costs by a law.
fn plan(algorithm: Algorithm, ranks: u32, bytes: u64, segment: u64, law: &Law, tick: Tick) -> Plan {
    let cost = |bytes: u64| Cost { gap: tick.time(law.gap.at(bytes as f64)), hop: tick.time(law.hop.at(bytes as f64)) };
    algorithm.plan(&Broadcast { ranks, message: bytes, segment, cost: &cost })
}

/// What a message between coordinators costs, by pLogP from measurements: the one of Table 1's heterogeneous and
/// hierarchical models that the paper's heuristics are written in.
fn between(
    bench: &mut Bench<'_>,
    platform: &Platform,
    bytes: u64,
    inside: Vec<Time>,
    root: usize,
) -> Result<Grid, String> {
    let (size, tick) = (platform.groups().len(), platform.tick());
    let zero = || Matrix::from_fn(size, |_, _| Time::ZERO);
    let (mut gap, mut latency) = (zero(), zero());
    for (from, to) in (0..size).flat_map(|from| (0..size).map(move |to| (from, to))).filter(|(from, to)| from != to) {
        let law = Model::Plogp.fit(&bench.between(from, to, bytes)?, bytes);
        let (gap_s, hop_s) = (law.gap.at(bytes as f64), law.hop.at(bytes as f64));
        gap[(from, to)] = tick.time(gap_s);
        latency[(from, to)] = tick.time(hop_s - gap_s);
    }
    Grid::new(gap, latency, inside, root as u32).map_err(|error| error.to_string())
}

impl Decision {
    /// The broadcast on two levels.
    pub(super) fn program(&self, platform: &Platform) -> TwoLevel {
        let tree = self.composed.schedule.tree();
        let plans = self.members.members.iter().zip(&self.clusters).zip(0..).map(|((members, cluster), number)| {
            let inside = match cluster {
                Some((cluster, choice)) => {
                    let (algorithm, segment) = (choice.algorithm, choice.segment);
                    let law = cluster.laws().find(|(model, _)| *model == choice.model);
                    let ranks = members.len() as u32;
                    let free = Law::new(crate::adapt::Curve::Lines(Vec::new()), crate::adapt::Curve::Lines(Vec::new()));
                    plan(algorithm, ranks, self.bytes, segment, law.map_or(&free, |(_, law)| law), platform.tick())
                }
                None => Algorithm::Linear.plan(&Broadcast {
                    ranks: 1,
                    message: self.bytes,
                    segment: 0,
                    cost: &|_| Cost::default(),
                }),
            };
            ClusterPlan { members: members.clone(), children: tree.children(number).collect(), inside }
        });
        TwoLevel::new(self.bytes, self.members.root, plans.collect())
    }
}
