//! A collective operation: scatter, gather, reduce, all-gather, all-reduce, all-to-all, barrier or broadcast by the
//! algorithms of [`collective`](crate::communication::collective), carried out by events.
//!
//! Sends are eager: a rank hands a message over and goes on, and waits for those that it is to receive in their order.
//! What combining costs is computed on the node. Broadcasts over clusters, and those that cut the message, are
//! [another workload](super::broadcast).

use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::broadcast::is_steady;
use super::communication::{Carrier, Communication, Placement, Steps};
use super::fitted::{self, Fitted, FittedMetrics};
use super::{Files, KeyError, Prepared, Run, RunFailure, Workload};
use crate::cluster::network::Model as Network;
use crate::cluster::{Completions, NodeId, Platform};
use crate::communication::collective::{Algorithm, Collective as Planned, Cost, Operation, PlanError, Step, StepPlan};
use crate::record::{Metric, TableShape, Value};
use crate::units::{Bytes, Operations, Quantity, Seconds, Time, round_up};

/// `kind = "collective"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectiveParameters {
    /// What is done.
    pub operation: Operation,
    /// Who sends what to whom; not every algorithm is one for every operation.
    pub algorithm: Algorithm,
    /// What every rank has, as MPI counts it: the vector of a broadcast, a reduce or an all-reduce; the block of each rank in a
    /// scatter, a gather or an all-gather; the block for each other rank in an all-to-all; the length of a barrier's
    /// messages. Only a barrier can do without.
    #[serde(default)]
    pub size: Option<Bytes>,
    /// The rank that has the data at first, or gets it; only for a broadcast, a scatter, a gather or a reduce.
    #[serde(default)]
    pub root: u32,
    /// On which nodes the ranks are: cluster after cluster, or one in each cluster in turn.
    #[serde(default)]
    pub placement: Placement,
    /// What it costs to combine a byte with another, on the node that does it.
    #[serde(default)]
    pub reduction: Operations,
    /// How far apart the ranks come: each at an instant drawn between zero and this.
    #[serde(default)]
    pub skew: Seconds,
    /// A formula for the time of the whole operation, whose prediction stands beside what is simulated: the name of its
    /// file, or a table.
    #[serde(default)]
    pub fitted: Option<Fitted>,
}

crate::metrics! {
    /// The metrics of a collective operation.
    pub struct CollectiveMetrics {
        completion_s: f64 = "when the last rank was done, simulated" [less],
        predicted_s: Option<f64> = "the same by the closed form under Hockney's model; blank where none is exact" [less],
        moved_bytes: u64 = "the bytes of all messages together" [less],
        combined_bytes: u64 = "the bytes that were combined with others, over all ranks" [less],
    }
}

/// A row a rank.
const RANKS: TableShape = TableShape {
    name: "ranks",
    about: "when each rank was done",
    columns: &[
        Metric::number("rank", "the rank"),
        Metric::number("node", "the number of its node"),
        Metric::name("cluster", "the node's cluster"),
        Metric::number("completed_s", "when it was done"),
    ],
};

/// A collective on a platform, ready to run any number of times.
#[derive(Debug)]
pub struct PreparedCollective {
    plan: StepPlan,
    nodes: Vec<NodeId>,
    reduction: f64,
    skew: f64,
    predicted: Option<Time>,
    fitted_s: Option<f64>,
}

/// The key to which an error of a plan belongs.
pub(super) fn at_key(error: &PlanError) -> KeyError {
    let key = if matches!(error, PlanError::NoRoot { .. }) { "root" } else { "algorithm" };
    KeyError { key: key.to_owned(), message: error.to_string() }
}

/// The size of an operation, which only a barrier can do without.
pub(super) fn size_of(operation: Operation, size: Option<Bytes>) -> Result<u64, KeyError> {
    match size {
        Some(size) => Ok(size.count()),
        None if operation == Operation::Barrier => Ok(0),
        None => Err(KeyError { key: "size".to_owned(), message: format!("the operation {operation} needs a `size`") }),
    }
}

/// The most messages of a plan that are looked at before a run.
const MOST_CHECKED: usize = 1 << 21;

/// Whether the network has a time for every message of a plan, rank r being on `nodes[r]`. Of a plan without end only the
/// first messages are asked for; a later one without a time ends the run, which says the same.
pub(super) fn check_messages(plan: &StepPlan, nodes: &[NodeId], platform: &Platform) -> Result<(), KeyError> {
    // Only a formula may have none.
    if !platform.connections().iter().any(|link| matches!(link.model, Network::Fitted(_))) {
        return Ok(());
    }
    let sends = (0..).zip(nodes).flat_map(|(rank, &from)| {
        plan.of(rank).filter_map(move |step| match step {
            Step::Send { to, blocks, .. } => Some((from, nodes[to as usize], plan.bytes(blocks))),
            Step::Receive { .. } => None,
        })
    });
    for (from, to, bytes) in sends.take(MOST_CHECKED) {
        if let Some(why) = platform.refusal(from, to, bytes) {
            let message = format!("a message of {bytes} B from node {from} to node {to} can't be sent: {why}");
            return Err(KeyError { key: "size".to_owned(), message });
        }
    }
    Ok(())
}

impl Workload for CollectiveParameters {
    const NAME: &'static str = "collective";
    const ABOUT: &'static str = "An operation of all ranks, by any algorithm: all-reduce, gather, barrier and others.";
    const TABLES: &'static [TableShape] = &[RANKS];
    type Prepared = PreparedCollective;

    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        fitted::read(self.fitted.as_mut(), "fitted", files)
    }

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        let Self { operation, algorithm, root, .. } = *self;
        if root != 0 && !operation.has_root() {
            let message = format!("the operation {operation} has no root");
            return Err(KeyError { key: "root".to_owned(), message });
        }
        let size = size_of(operation, self.size)?;
        let collective = Planned { operation, ranks: platform.nodes(), root, size };
        let plan = algorithm.plan(&collective).map_err(|error| at_key(&error))?;
        let nodes = self.placement.nodes(platform);
        check_messages(&plan, &nodes, platform)?;
        let fitted_s = fitted::seconds_of(self.fitted.as_ref(), platform.nodes(), size)?;
        let predicted = if self.skew.base() > 0.0 { None } else { self.predict(&collective, platform) };
        Ok(PreparedCollective {
            plan,
            nodes,
            reduction: self.reduction.base(),
            skew: self.skew.base(),
            predicted,
            fitted_s,
        })
    }
}

impl CollectiveParameters {
    /// The closed form, where the platform is what it speaks of: equal nodes without load, and a message that keeps both
    /// ports, and no processor, for all of its time.
    fn predict(&self, collective: &Planned, platform: &Platform) -> Option<Time> {
        let Some(last) = platform.nodes().checked_sub(2) else { return Some(Time::ZERO) };
        let (one, other, reduction) = (NodeId(last), NodeId(last + 1), self.reduction.base());
        let transfer = |bytes| platform.transfer(one, other, bytes);
        let keeps_ports = |bytes| {
            let transfer = transfer(bytes);
            let processors = transfer.overhead + transfer.receive_overhead;
            transfer.gap() == transfer.hop() && transfer.hop() > Time::ZERO && processors == Time::ZERO
        };
        let alike = (0..platform.nodes()).map(NodeId).all(|node| {
            let speed = platform.speed(node);
            speed == platform.speed(one) && platform.speed_per_second(node) == platform.speed_under_load(node)
        });
        let streams = platform.connections().iter().any(|link| link.model.is_streamed());
        let fits = !streams
            && platform.has_one_network()
            && is_steady(platform)
            && keeps_ports(0)
            && keeps_ports(collective.size);
        let message = |bytes| transfer(bytes).hop();
        let combine = |bytes| round_up(reduction * bytes as f64 / platform.speed(one));
        let cost = Cost { message: &message, combine: &combine };
        (fits && (alike || reduction == 0.0)).then(|| self.algorithm.completion(collective, &cost)).flatten()
    }
}

impl Prepared for PreparedCollective {
    type Metrics = (CollectiveMetrics, FittedMetrics);

    fn run(&self, run: &mut Run<'_>) -> Result<Self::Metrics, RunFailure> {
        let platform = run.platform;
        let mut steps = Steps::new(self.plan.clone(), self.reduction);
        if self.skew > 0.0 {
            let delay = |rank| {
                let part: f64 = run.streams.stream("skew", rank).random();
                platform.tick().time(part * self.skew)
            };
            steps = steps.with_delays((0..u64::from(self.plan.ranks())).map(delay).collect());
        }
        let mut program = Communication::placed(Carrier::Steps(steps), self.nodes.clone());
        let mut noted = run.wants(&RANKS).then(|| Completions::new(platform.nodes() as usize));
        let end = run.simulate_observed(&mut program, noted.as_mut())?;
        if let Some(noted) = &noted {
            run.table(&RANKS, || self.rows(noted, platform));
        }
        let completion_s = run.seconds(end.completion_of_all(platform.nodes(), "ranks were done")?);
        let metrics = CollectiveMetrics {
            completion_s,
            predicted_s: self.predicted.map(|time| run.seconds(time)),
            moved_bytes: self.plan.moved_bytes(),
            combined_bytes: self.plan.combined_bytes(),
        };
        Ok((metrics, FittedMetrics::new(self.fitted_s, completion_s)))
    }
}

impl PreparedCollective {
    fn rows(&self, completions: &Completions, platform: &Platform) -> Vec<Vec<Value>> {
        let row = |(rank, node): (u64, &NodeId)| {
            vec![
                Value::Count(rank),
                node.0.into(),
                platform.clusters()[platform.cluster_of(*node)].name.as_str().into(),
                platform.tick().seconds(completions.at[node.index()]).into(),
            ]
        };
        (0..).zip(&self.nodes).map(row).collect()
    }
}
