//! A collective operation: scatter, gather, reduce, all-gather, all-reduce, all-to-all, barrier or broadcast by the
//! algorithms of [`collective`](crate::communication::collective), carried out by events.
//!
//! Sends are eager: a rank hands a message over and goes on, and waits for those that it is to receive in their order.
//! What combining costs is computed on the node. Broadcasts over clusters, and those that cut the message, are
//! [another workload](super::broadcast).

use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::KeyError;
use super::broadcast::is_steady;
use super::communication::{Carrier, Communication, Placement, Steps};
use super::fitted::{self, Fitted};
use super::footprint;
use crate::cluster::Footprint;
use crate::cluster::network::Model as Network;
use crate::cluster::{Completions, NodeId, Observer, Platform, Simulation, Timeline};
use crate::communication::collective::{Algorithm, Collective as Planned, Cost, Operation, Plan, PlanError, Step};
use crate::engine::Streams;
use crate::metrics::Performance;
use crate::record::{Metric, Record, Table, TableShape, Value};
use crate::units::{Bytes, Operations, Quantity, Seconds, Time, round_up};

/// `kind = "collective"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
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

/// The metrics of every collective, with what they mean.
pub const METRICS: &[&[Metric]] = &[
    &[
        Metric::number("completion_s", "when the last rank was done, simulated").less(),
        Metric::number("predicted_s", "the same by the closed form under Hockney's model; blank where none is exact")
            .less(),
        Metric::number("moved_bytes", "the bytes of all messages together").less(),
        Metric::number("combined_bytes", "the bytes that were combined with others, over all ranks").less(),
    ],
    fitted::METRICS,
];

/// The long tables that a collective can keep.
pub const TABLES: &[TableShape] = &[RANKS];

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
pub struct Prepared {
    plan: Plan,
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
pub(super) fn check_messages(plan: &Plan, nodes: &[NodeId], platform: &Platform) -> Result<(), KeyError> {
    // Only a formula may have none.
    if !platform.links().iter().any(|link| matches!(link.model, Network::Fitted(_))) {
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

impl Parameters {
    /// Decides who sends what to whom.
    ///
    /// # Errors
    /// Where the algorithm is none for the operation or not for so many ranks, where the root is no rank, or without a size;
    /// where the network has no time for one of the messages, or a formula none for the operation.
    pub fn prepare(&self, platform: &Platform) -> Result<Prepared, KeyError> {
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
        Ok(Prepared { plan, nodes, reduction: self.reduction.base(), skew: self.skew.base(), predicted, fitted_s })
    }

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
        let streams = platform.links().iter().any(|link| link.model.is_streamed());
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

/// What is known at the end of a run.
struct Outcome<O> {
    completion: Time,
    footprint: Footprint,
    observer: O,
}

impl Prepared {
    /// Runs the collective.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn run(&self, platform: &Platform, streams: Streams, tables: &[String]) -> Result<Record, String> {
        if tables.iter().any(|table| table == RANKS.name) {
            let outcome = self.execute(platform, streams, Completions::new(platform.nodes() as usize))?;
            let mut record = self.record(&outcome, platform, tables);
            record.tables.push(self.ranks_table(&outcome.observer, platform));
            return Ok(record);
        }
        self.execute(platform, streams, ()).map(|outcome| self.record(&outcome, platform, tables))
    }

    /// Runs the collective and notes everything that happens.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn trace(&self, platform: &Platform, streams: Streams) -> Result<Timeline, String> {
        self.execute(platform, streams, Timeline::default()).map(|outcome| outcome.observer)
    }

    fn execute<O: Observer>(&self, platform: &Platform, streams: Streams, observer: O) -> Result<Outcome<O>, String> {
        let mut steps = Steps::new(self.plan.clone(), self.reduction);
        if self.skew > 0.0 {
            let delay = |rank| {
                let part: f64 = streams.stream("skew", rank).random();
                platform.tick().time(part * self.skew)
            };
            steps = steps.with_delays((0..u64::from(self.plan.ranks())).map(delay).collect());
        }
        let mut program = Communication::placed(Carrier::Steps(steps), self.nodes.clone());
        let mut simulation = Simulation::observed(platform, streams, observer);
        simulation.run(&mut program).map_err(|error| error.to_string())?;
        let (completed, nodes) = (simulation.completed(), platform.nodes());
        let completion = simulation.completion().filter(|_| completed == nodes);
        let completion = completion.ok_or_else(|| format!("only {completed} of {nodes} ranks were done"))?;
        Ok(Outcome { completion, footprint: simulation.footprint(), observer: simulation.into_observer() })
    }

    fn record<O>(&self, outcome: &Outcome<O>, platform: &Platform, tables: &[String]) -> Record {
        let seconds = |time: Time| platform.tick().seconds(time);
        let mut record = Record::default();
        record.metric("completion_s", seconds(outcome.completion));
        record.metric("predicted_s", self.predicted.map(seconds));
        record.metric("moved_bytes", self.plan.moved_bytes());
        record.metric("combined_bytes", self.plan.combined_bytes());
        fitted::write_metrics(self.fitted_s, seconds(outcome.completion), &mut record);
        let speeds = (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node)));
        Performance::unmeasured(speeds).write(&mut record);
        footprint::write(&outcome.footprint, platform, &mut record, tables);
        record
    }

    fn ranks_table(&self, completions: &Completions, platform: &Platform) -> Table {
        let row = |(rank, node): (u64, &NodeId)| {
            vec![
                Value::Count(rank),
                Value::Count(u64::from(node.0)),
                platform.clusters()[platform.cluster_of(*node)].name.as_str().into(),
                platform.tick().seconds(completions.at[node.index()]).into(),
            ]
        };
        Table { rows: (0..).zip(&self.nodes).map(row).collect(), ..Table::new(&RANKS) }
    }
}
