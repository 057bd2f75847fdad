//! A broadcast: one rank has a message, and all are to have it.
//!
//! Nasri, Steffenel and Trystram (IJGUC 2008, §4) compare algorithms inside clusters and schedules between them; here
//! each is a [plan](hetsim_communication) carried out by events, and its prediction stands beside what came of it.

mod levels;
mod strategy;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::communication::{
    Communication, Levels, Placement, check_levels, check_memory, cost_of_choice, is_steady, traffic, usual_segment,
};
use super::demand::check_outages;
use super::fitted::{self, Fitted, FittedMetrics};
use super::{Files, KeyError, Prepared, Run, RunFailure, Workload};
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::{Bytes, Time};
use hetsim_cluster::{Completions, NodeId, Platform, Ports, Program};
use hetsim_communication::intercluster::{Grid, IntraclusterStart as Convention, Matrix, Schedule};
use hetsim_communication::tree::{Half, Tree};
use hetsim_communication::{Algorithm, Collective, Operation, Plan, PlanError, Segments};

pub use strategy::{Intracluster, Strategy, UnknownStrategy};

/// `kind = "broadcast"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BroadcastParameters {
    /// The length of the message.
    pub size: Bytes,
    /// Who sends to whom: an algorithm over all ranks (`binomial`), a heuristic over all nodes (`ecef`), or a heuristic
    /// between clusters and an algorithm inside them (`ecef+binomial`); `best` inside takes the fastest in each
    /// cluster.
    pub algorithm: Strategy,
    /// The rank that has the message.
    #[serde(default)]
    pub root: u32,
    /// On which nodes the ranks are: cluster after cluster, or in turn. Only algorithms over all ranks depend on it,
    /// and which node the root is.
    #[serde(default)]
    pub placement: Placement,
    /// The levels on which a heuristic with an algorithm (`ecef+binomial`) works: the clusters (`clusters`), or all of
    /// the platform's (`all`): the heuristic between sites and between the clusters of each, the algorithm on every
    /// level inside a cluster, with a coordinator for each group.
    #[serde(default)]
    pub levels: Levels,
    /// The length of a segment, for the algorithms that cut the message; `best` tries the powers of two from 256
    /// bytes on that make at most 2²⁰ segments of it.
    #[serde(default)]
    pub segment: Segment,
    /// The algorithms among which `best` chooses; all by default.
    #[serde(default)]
    pub candidates: Vec<Algorithm>,
    /// A formula for the time of the whole broadcast, as the name of its file or as a table. Its prediction is a metric
    /// beside the simulated time.
    #[serde(default)]
    pub fitted: Option<Fitted>,
}

/// The length of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Segment {
    /// This long.
    Bytes(Bytes),
    /// The power of two with which the message arrives first.
    Named(Best),
}

/// The name of a choice by prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Best {
    /// The fastest.
    Best,
}

impl Default for Segment {
    fn default() -> Self {
        Self::Bytes(usual_segment())
    }
}

hetsim_base::metrics! {
    /// The metrics of a broadcast.
    pub struct BroadcastMetrics {
        completion_s: f64 = "when the last rank had the whole message, simulated" [less],
        predicted_s: Option<f64> = "the same by the closed form or exact evaluation of the plan; blank where there is none" [less],
        inside: Value = "the algorithm inside the clusters, cluster by cluster where they differ" [text],
        segment_bytes: Value = "the length of a segment, cluster by cluster where they differ; blank where nothing is cut" [text],
    }
}

/// A row a node.
const NODES: TableShape = TableShape {
    name: "nodes",
    about: "when each node had the whole message",
    columns: &[
        Metric::number("node", "the node's number"),
        Metric::name("cluster", "its cluster"),
        Metric::number("completed_s", "when it had the whole message"),
    ],
};

/// A broadcast on a platform: everything decided, ready to run any number of times.
#[derive(Debug)]
pub struct PreparedBroadcast {
    stages: Vec<Stage>,
    predicted: Option<Time>,
    inside: Vec<(Algorithm, Option<u64>)>,
    fitted_s: Option<f64>,
}

/// A plan, with the nodes of its ranks, the root first; no nodes where all ranks are on the nodes in their order.
#[derive(Debug, Clone)]
pub(super) struct Stage {
    pub(super) members: Vec<NodeId>,
    pub(super) plan: Plan,
}

impl Workload for BroadcastParameters {
    const NAME: &'static str = "broadcast";
    const ABOUT: &'static str = "One rank sends a message to all others.";
    const TABLES: &'static [TableShape] = &[NODES];
    type Prepared = PreparedBroadcast;

    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        fitted::read(self.fitted.as_mut(), "fitted", files)
    }

    fn unused(&self) -> Vec<&'static str> {
        let chooses = matches!(self.algorithm, Strategy::TwoLevel(_, Intracluster::Best));
        if chooses { Vec::new() } else { vec!["candidates"] }
    }

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        check_levels(self.levels, matches!(self.algorithm, Strategy::TwoLevel(..)))?;
        for (place, &candidate) in self.candidates.iter().enumerate() {
            if !candidate.fits(Operation::Broadcast) {
                let error = PlanError::Other { algorithm: candidate.name(), operation: Operation::Broadcast };
                return Err(KeyError::new(format!("candidates.{place}"), error.to_string()));
            }
        }
        let fitted_s = fitted::seconds_of(self.fitted.as_ref(), platform.nodes(), self.size.count())?;
        let prepared = PreparedBroadcast { fitted_s, ..self.decide(platform)? };
        check_outages("size", platform, || platform.tick().seconds(prepared.least(platform)))?;
        Ok(prepared)
    }
}

impl BroadcastParameters {
    fn decide(&self, platform: &Platform) -> Result<PreparedBroadcast, KeyError> {
        let nodes = self.placement.ranks(self.root, platform)?;
        Ok(match self.algorithm {
            Strategy::Plain(algorithm) => self.prepare_plain(algorithm, nodes, platform)?,
            Strategy::Nodes(heuristic) => {
                let gap_and_latency = |from: usize, to: usize| lengths(platform, nodes[from], nodes[to], self.size);
                let grid = grid(nodes.len(), gap_and_latency, vec![Time::ZERO; nodes.len()], 0)?;
                let schedule = heuristic.schedule(&grid, Convention::AfterSends);
                // With several ports a node's sends overlap, of which the schedule knows nothing.
                let one_port = platform.ports() == Ports::Single || platform.has_one_network();
                let follows = follow_gaps(platform, self.size) && outlast_gaps(platform, self.size);
                let exact = one_port && follows && is_steady(platform);
                let predicted = exact.then(|| schedule.completion(&grid, Convention::AfterSends));
                let tree = Tree::Explicit(schedule.tree().clone());
                let plan = Plan::Forward { tree, segments: Segments::whole(self.size.count()) };
                PreparedBroadcast { stages: placed(plan, nodes), predicted, inside: Vec::new(), fitted_s: None }
            }
            Strategy::TwoLevel(heuristic, inside) if self.levels != Levels::Clusters => {
                self.prepare_levels((heuristic, inside), nodes[0], platform)?
            }
            Strategy::TwoLevel(heuristic, inside) => {
                let clusters = Clusters::new(platform, nodes[0]);
                let chosen = clusters.members.iter().map(|members| self.choose(inside, 0, members, platform));
                let chosen = chosen.collect::<Result<Vec<Chosen>, _>>()?;
                let coordinator = |cluster: usize| clusters.members[cluster][0];
                let gap_and_latency =
                    |from: usize, to: usize| lengths(platform, coordinator(from), coordinator(to), self.size);
                let inside_times = chosen.iter().map(|chosen| chosen.completion).collect();
                let grid = grid(clusters.members.len(), gap_and_latency, inside_times, clusters.root)?;
                let convention = convention(platform);
                let schedule = heuristic.schedule(&grid, convention);
                let plans = chosen.iter().map(|chosen| &chosen.plan);
                let exact = !platform.is_nested() && outlast_gaps(platform, self.size);
                let exact = exact && is_exact(plans, platform, self.size);
                let predicted = exact.then(|| schedule.completion(&grid, convention));
                // In a cluster of one machine there is nothing to choose.
                let inside = chosen.iter().filter(|chosen| chosen.plan.ranks() > 1);
                let inside = inside.map(|chosen| (chosen.algorithm, chosen.segment)).collect();
                let plans = chosen.into_iter().map(|chosen| chosen.plan).collect();
                let stages = clusters.stages(&schedule, self.size.count(), plans);
                PreparedBroadcast { stages, predicted, inside, fitted_s: None }
            }
        })
    }

    fn prepare_plain(
        &self,
        algorithm: Algorithm,
        nodes: Vec<NodeId>,
        platform: &Platform,
    ) -> Result<PreparedBroadcast, KeyError> {
        let chosen = self.choose(Intracluster::Same(algorithm), self.root, &nodes, platform)?;
        let exact = platform.has_one_network() && is_exact([&chosen.plan], platform, self.size);
        Ok(PreparedBroadcast {
            stages: placed(chosen.plan, nodes),
            predicted: exact.then_some(chosen.completion),
            inside: vec![(chosen.algorithm, chosen.segment)],
            fitted_s: None,
        })
    }

    /// The plan for some nodes, of which the first has this number among them, and when it ends if every message costs
    /// what one between the first two does, one after the other; where there are levels inside clusters, what the dearest
    /// from the first one does.
    fn choose(
        &self,
        inside: Intracluster,
        root: u32,
        members: &[NodeId],
        platform: &Platform,
    ) -> Result<Chosen, KeyError> {
        let message = self.size.count();
        let cost = cost_of_choice(members, message, platform);
        let chosen_by = match inside {
            Intracluster::Best if !self.candidates.is_empty() => "candidates",
            Intracluster::Same(_) | Intracluster::Best => "algorithm",
        };
        // One that is later than the limit is never done.
        let of = |algorithm: Algorithm, segment: u64, limit: Time| {
            let call = Collective { root, ..Collective::broadcast(members.len() as u32, message, segment, &cost) };
            let plan = algorithm.plan(&call).map_err(|error| KeyError::new(chosen_by, error.to_string()))?;
            check_memory(&plan)?;
            let completion = algorithm.completion_within(limit, &call, &plan).unwrap_or(Time::NEVER);
            Ok(Chosen { algorithm, segment: cut(&plan), completion, plan })
        };
        // Of equally fast ones the first is taken; one that takes too much memory is none.
        let faster = |best: Result<Chosen, KeyError>, other: Result<Chosen, KeyError>| match (best, other) {
            (Ok(best), Ok(other)) if other.completion < best.completion => Ok(other),
            (Err(_), Ok(other)) => Ok(other),
            (best, _) => best,
        };
        let least = |best: &Result<Chosen, KeyError>| best.as_ref().map_or(Time::NEVER, |best| best.completion);
        let with_segment = |algorithm, limit: Time| match self.segment {
            Segment::Bytes(segment) => of(algorithm, segment.count(), limit),
            Segment::Named(Best::Best) => {
                let mut best = of(algorithm, 0, limit);
                let lengths = (8..u64::BITS).map(|exponent| 1 << exponent).take_while(|&length| length < message);
                for length in lengths.filter(|&length| message.div_ceil(length) <= MOST_TRIED) {
                    let other = of(algorithm, length, limit.min(least(&best)));
                    // Only an algorithm that cuts is tried with other lengths.
                    if other.as_ref().is_ok_and(|other| other.segment.is_none()) {
                        break;
                    }
                    best = faster(best, other);
                }
                best
            }
        };
        let all: Vec<Algorithm> = Operation::Broadcast.algorithms().collect();
        let candidates = match &inside {
            Intracluster::Same(algorithm) => std::slice::from_ref(algorithm),
            Intracluster::Best if self.candidates.is_empty() => &all,
            Intracluster::Best => self.candidates.as_slice(),
        };
        let (first, others) = candidates.split_first().unwrap_or((&Algorithm::Linear, &[]));
        others.iter().fold(with_segment(*first, Time::NEVER), |best, &other| {
            let other = with_segment(other, least(&best));
            faster(best, other)
        })
    }
}

/// The most segments into which `segment = "best"` cuts a message.
const MOST_TRIED: u64 = 1 << 20;

/// Whether what a coordinator does inside waits for its sends to others.
const fn convention(platform: &Platform) -> Convention {
    match platform.ports() {
        Ports::Single => Convention::AfterSends,
        Ports::PerLevel => Convention::Overlapped,
    }
}

/// A plan, and how it came about.
struct Chosen {
    algorithm: Algorithm,
    segment: Option<u64>,
    completion: Time,
    plan: Plan,
}

/// The clusters of a platform, the coordinator of each first: the root in its own, the first node in the others.
#[derive(Debug)]
pub(super) struct Clusters {
    pub(super) members: Vec<Vec<NodeId>>,
    pub(super) root: usize,
}

impl Clusters {
    pub(super) fn new(platform: &Platform, root: NodeId) -> Self {
        let members = (0..platform.clusters().len()).map(|group| {
            let mut members: Vec<NodeId> = platform.ranks(group).collect();
            if let Some(place) = members.iter().position(|&member| member == root) {
                members.rotate_left(place);
            }
            members
        });
        Self { members: members.collect(), root: platform.cluster_of(root) }
    }

    /// A schedule between the clusters and a plan inside each. A coordinator passes the message on to other clusters
    /// first and then begins inside its own: with one port a node the second waits for the first (the convention that
    /// ends at max(RT_i + T_i)), with a port per level both go on at once (max(arrival_i + T_i)).
    pub(super) fn stages(&self, schedule: &Schedule, bytes: u64, plans: Vec<Plan>) -> Vec<Stage> {
        let count = self.members.len();
        let coordinators = (0..count).map(|place| self.members[(self.root + place) % count][0]);
        let tree = Tree::Explicit(schedule.tree().counted_from_root());
        let between = Plan::Forward { tree, segments: Segments::whole(bytes) };
        let inside = self.members.iter().cloned().zip(plans).map(|(members, plan)| Stage { members, plan });
        std::iter::once(Stage { members: coordinators.collect(), plan: between }).chain(inside).collect()
    }
}

/// Whether the evaluation of these plans says exactly what a run will give. Where a rank receives several messages,
/// what its processor pays for one may meet what it pays for another, which no closed form counts.
fn is_exact<'a>(plans: impl IntoIterator<Item = &'a Plan>, platform: &Platform, size: Bytes) -> bool {
    let free = takes_no_processor(platform, size);
    let receives_once = |plan: &Plan| matches!(plan, Plan::Forward { segments, .. } if segments.count() == 1);
    let alone = follow_gaps(platform, size) && platform.ports() != Ports::PerLevel;
    is_steady(platform) && plans.into_iter().all(|plan| plan.is_exact() && (free || (receives_once(plan) && alone)))
}

/// Whether messages take nothing of the processors of their nodes.
fn takes_no_processor(platform: &Platform, size: Bytes) -> bool {
    platform.connections().iter().all(|link| {
        let transfer = link.model.transfer(size.count());
        !link.model.is_streamed() && transfer.overhead == Time::ZERO && transfer.receive_overhead == Time::ZERO
    })
}

/// Whether the sends of a node follow each other by their gaps alone. Over networks of several kinds a processor may
/// run ahead of its port for one message and not for the next, unless each send waits for both.
fn follow_gaps(platform: &Platform, size: Bytes) -> bool {
    let streamed = || platform.connections().iter().all(|link| link.model.is_streamed());
    platform.has_one_network() || takes_no_processor(platform, size) || streamed()
}

/// Whether no message is at its receiver before its sender's gap is over, as schedules take it.
fn outlast_gaps(platform: &Platform, size: Bytes) -> bool {
    platform
        .connections()
        .iter()
        .map(|link| link.model.transfer(size.count()))
        .all(|transfer| transfer.hop() >= transfer.gap())
}

/// The length of the segments of a plan that cuts its message; nothing where it doesn't.
fn cut(plan: &Plan) -> Option<u64> {
    let of = |segments: Segments| (segments.count() > 1).then(|| segments.full());
    match plan {
        Plan::Forward { segments, .. } => of(*segments),
        Plan::SplitBinary(split) => of(split.segments(Half::Left)),
        Plan::Steps(_) => None,
    }
}

fn placed(plan: Plan, nodes: Vec<NodeId>) -> Vec<Stage> {
    let in_order = nodes.iter().zip(0..).all(|(node, rank)| node.0 == rank);
    vec![Stage { members: if in_order { Vec::new() } else { nodes }, plan }]
}

/// The program of these stages.
pub(super) fn program(stages: &[Stage]) -> Communication {
    match stages {
        [Stage { members, plan }] => Communication::placed(plan.clone().into(), members.clone()),
        _ => Communication::staged(stages.iter().map(|Stage { members, plan }| (members.clone(), plan.clone().into()))),
    }
}

/// Gap and latency of a message, such that it arrives their sum after its start.
fn lengths(platform: &Platform, from: NodeId, to: NodeId, size: Bytes) -> (Time, Time) {
    let transfer = platform.transfer(from, to, size.count());
    (transfer.gap(), transfer.hop() - transfer.gap())
}

fn grid(
    size: usize,
    lengths: impl Fn(usize, usize) -> (Time, Time),
    inside: Vec<Time>,
    root: usize,
) -> Result<Grid, KeyError> {
    let each = |part: fn((Time, Time)) -> Time| {
        Matrix::from_fn(size, |from, to| if from == to { Time::ZERO } else { part(lengths(from, to)) })
    };
    Grid::new(each(|both| both.0), each(|both| both.1), inside, root as u32)
        .map_err(|error| KeyError { key: "algorithm".to_owned(), message: error.to_string() })
}

impl Prepared for PreparedBroadcast {
    type Metrics = (BroadcastMetrics, FittedMetrics);

    fn run(&self, run: &mut Run<'_>) -> Result<Self::Metrics, RunFailure> {
        let completion = self.carry_out(run)?;
        let completion_s = run.seconds(completion);
        let inside: Vec<String> = self.inside.iter().map(|(algorithm, _)| algorithm.to_string()).collect();
        let segments = self.inside.iter().map(|(_, segment)| segment.map_or("-".to_owned(), |bytes| bytes.to_string()));
        let metrics = BroadcastMetrics {
            completion_s,
            predicted_s: self.predicted.map(|time| run.seconds(time)),
            inside: alike(&inside),
            segment_bytes: alike(&segments.collect::<Vec<_>>()),
        };
        Ok((metrics, FittedMetrics::new(self.fitted_s, completion_s)))
    }

    /// One for each message.
    fn expected_events(&self, _: &Platform) -> Option<f64> {
        Some(self.stages.iter().map(|stage| stage.plan.expected_messages()).sum())
    }
}

impl PreparedBroadcast {
    /// The least time of a run.
    pub(super) fn least(&self, platform: &Platform) -> Time {
        let traffic = self.stages.iter().flat_map(|Stage { members, plan }| traffic(plan, members));
        platform.least(traffic).all
    }

    fn carry_out(&self, run: &mut Run<'_>) -> Result<Time, RunFailure> {
        simulate(&mut program(&self.stages), run)
    }
}

/// One text where all are alike, all of them where they differ, blank where there is none.
pub(super) fn alike(texts: &[String]) -> Value {
    match texts.first() {
        None => Value::Blank,
        Some(first) if texts.iter().all(|text| text == first) => {
            if first == "-" {
                Value::Blank
            } else {
                first.parse::<u64>().map_or_else(|_| first.clone().into(), Value::Count)
            }
        }
        Some(_) => texts.join(" ").into(),
    }
}

/// Simulates a broadcast until the last rank has the whole message.
pub(super) fn simulate<P: Program>(program: &mut P, run: &mut Run<'_>) -> Result<Time, RunFailure> {
    let platform = run.platform;
    let mut noted = run.wants(&NODES).then(|| Completions::new(platform.nodes() as usize));
    let end = run.simulate_observed(program, noted.as_mut())?;
    if let Some(noted) = &noted {
        run.table(&NODES, || rows(noted, platform));
    }
    end.completion_of_all(platform.nodes(), "ranks have the message")
}

fn rows(completions: &Completions, platform: &Platform) -> Vec<Vec<Value>> {
    let row = |(node, &at): (u32, &Time)| {
        let cluster = &platform.clusters()[platform.cluster_of(NodeId(node))].name;
        vec![node.into(), cluster.as_str().into(), platform.tick().seconds(at).into()]
    };
    (0..).zip(&completions.at).map(row).collect()
}
