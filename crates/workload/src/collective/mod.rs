//! A collective operation: scatter, gather, reduce, all-gather, all-reduce, all-to-all, barrier or broadcast by the
//! [algorithm](hetsim_communication::algorithm) that fits it, carried out by events.
//!
//! Sends are eager: a rank hands a message over and goes on, and waits for those that it is to receive in their order.
//! What combining costs is computed on the node. Broadcasts with a schedule between clusters are
//! [another workload](super::broadcast).

mod choice;
mod pair;
mod planning;
mod timing;

use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::communication::{
    Calls as Calling, Carrier, Communication, Levels, Placement, Volume, cost_among, traffic, usual_fanout,
    usual_radix, usual_segment,
};
use super::demand::check_outages;
use super::fitted::{self, Fitted, FittedMetrics};
use super::{Files, KeyError, Prepared, Run, RunFailure, Workload};
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::{Bytes, Operations, Quantity, Seconds, Time, round_up};
use hetsim_cluster::network::Model as Network;
use hetsim_cluster::{Completions, NodeId, Platform, Traffic};
use hetsim_communication::steps::{Step, StepPlan};
use hetsim_communication::{Collective, Library, Operation, Plan};

pub use choice::{Choice, UnknownChoice};
use planning::in_steps;
pub(crate) use planning::size_of;
pub use timing::{Calls, Timing};

/// `kind = "collective"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectiveParameters {
    /// The operation.
    pub operation: Operation,
    /// Who sends what to whom; not every algorithm is one for every operation. Two of them (`ring+binomial`) work on
    /// levels: the first does the operation among coordinators, one for each cluster or site, and the second hands them
    /// what their ranks have, and down again what comes of it. An all-to-all is done on one level only.
    ///
    /// Instead a `library` may choose.
    #[serde(default)]
    pub algorithm: Option<Choice>,
    /// The MPI library that chooses the algorithm and its parameters, instead of `algorithm`.
    #[serde(default)]
    pub library: Option<Library>,
    /// The levels on which two algorithms work: the clusters (`clusters`), or all of the platform's (`all`), the first
    /// algorithm among the sites, and the second on every level below; `leaders` leaves out levels of one member.
    #[serde(default)]
    pub levels: Levels,
    /// The length of a segment, for the algorithms that segment the message.
    #[serde(default = "usual_segment")]
    pub segment: Bytes,
    /// The base of `k_nomial` and `k_bruck`: 2 or more.
    #[serde(default = "usual_radix")]
    pub radix: u32,
    /// The number of chains of `chain` and `pipeline`: 1 or more.
    #[serde(default = "usual_fanout")]
    pub fanout: u32,
    /// The number of messages that a rank has in flight in an all-to-all by `linear_synchronised`; 0 for all.
    #[serde(default)]
    pub window: u32,
    /// What every rank has, as MPI counts it: the vector of a broadcast, a reduce or an all-reduce; the block of each
    /// rank in a scatter, a gather or an all-gather; the block for each other rank in an all-to-all; the length of a
    /// barrier's messages. Only a barrier can do without.
    #[serde(default)]
    pub size: Option<Bytes>,
    /// The rank that sends or receives the data; only for a broadcast, a scatter, a gather or a reduce.
    #[serde(default)]
    pub root: u32,
    /// On which nodes the ranks are: cluster after cluster, or one in each cluster in turn.
    #[serde(default)]
    pub placement: Placement,
    /// The work to combine two bytes, on the node that does it.
    #[serde(default)]
    pub reduction: Operations,
    /// The largest difference between the arrivals of the ranks: each arrives at an instant drawn between zero and
    /// this.
    #[serde(default)]
    pub skew: Seconds,
    /// How ranks send and receive.
    #[serde(default)]
    pub calls: Calls,
    /// What is measured: the operation alone, or what a benchmark sees behind a barrier, which needs `calls = "mpi"`.
    #[serde(default)]
    pub timing: Timing,
    /// A formula for the time of the whole operation, as the name of its file or as a table. Its prediction is a metric
    /// beside the simulated time.
    #[serde(default)]
    pub fitted: Option<Fitted>,
}

hetsim_base::metrics! {
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
        Metric::number("completed_s", "when it was done; behind a barrier, how long it took from leaving that"),
    ],
};

/// A collective on a platform, ready to run any number of times.
#[derive(Debug)]
pub struct PreparedCollective {
    plan: Plan,
    /// The plan of two ranks that stand for all, if all do the same.
    pair: Option<StepPlan>,
    /// The nodes of the ranks, from the root on in a circle.
    nodes: Vec<NodeId>,
    root: u32,
    reduction: f64,
    skew: f64,
    calls: Calls,
    timing: Timing,
    /// The barrier before the operation, and how late rank 0 comes to the first.
    prelude: Option<(StepPlan, Time)>,
    predicted: Option<Time>,
    fitted_s: Option<f64>,
}

/// The most messages of a plan that are looked at before a run.
const MOST_CHECKED: usize = 1 << 21;

/// The messages of a plan, rank r being on `nodes[r]`; of a plan without end only the first ones.
fn first_messages(plan: &StepPlan, nodes: &[NodeId]) -> impl Iterator<Item = Traffic> {
    let sends = (0..).zip(nodes).flat_map(move |(rank, &from)| {
        plan.of(rank).filter_map(move |step| match step {
            Step::Send { to, bytes, .. } => Some(Traffic { from, to: nodes[to as usize], bytes, count: 1 }),
            Step::Receive { .. } | Step::Local { .. } => None,
        })
    });
    sends.take(MOST_CHECKED)
}

/// Whether the network has a time for every message of a plan, rank r being on `nodes[r]`. Of a plan without end only
/// the first messages are asked for; a later one without a time ends the run, which says the same.
pub(super) fn check_messages(plan: &StepPlan, nodes: &[NodeId], platform: &Platform) -> Result<(), KeyError> {
    // Only a formula may have none.
    if !platform.connections().iter().any(|link| matches!(link.model, Network::Fitted(_))) {
        return Ok(());
    }
    for Traffic { from, to, bytes, .. } in first_messages(plan, nodes) {
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

    fn unused(&self) -> Vec<&'static str> {
        let combines = self.operation.combines();
        self.unused_parameters().into_iter().chain((!combines).then_some("reduction")).collect()
    }

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        let Self { operation, root, .. } = *self;
        let size = size_of(operation, self.size)?;
        let algorithm = self.choice(platform.nodes(), size)?;
        let nodes = self.placement.ranks(root, platform)?;
        let cost = cost_among(&nodes, size, platform);
        let combine = |bytes| round_up(self.reduction.base() * bytes as f64 / platform.speed(nodes[0]));
        let call = Collective { root, ..Collective::new(operation, platform.nodes(), size) };
        let call = Collective { cost: &cost, combine: &combine, ..self.parameters(call) };
        let mut plan = self.plan(algorithm, &call, &nodes, platform)?;
        if self.skew.base() > 0.0 || self.calls == Calls::Mpi {
            plan = Plan::Steps(in_steps(algorithm, plan)?);
        }
        let steps = plan.clone().into_steps();
        check_messages(&steps, &nodes, platform)?;
        check_outages("size", platform, || {
            platform.tick().seconds(platform.least(first_messages(&steps, &nodes)).all)
        })?;
        let fitted_s = fitted::seconds_of(self.fitted.as_ref(), platform.nodes(), size)?;
        let barrier_skew = if self.timing.is_behind_barrier() { platform.barrier_skew() } else { 0.0 };
        let at_once = self.skew.base() == 0.0 && self.calls == Calls::Ready;
        let predicted = if at_once { predict(algorithm, &call, &plan, platform, self.reduction.base()) } else { None };
        let prelude = self.prelude(&nodes, platform)?;
        let skew = self.skew.base() + barrier_skew;
        let begins_at_once = skew == 0.0 && prelude.is_none();
        let pair = match &plan {
            Plan::Steps(plan) if begins_at_once && pair::is_uniform(platform) => plan.pair(),
            _ => None,
        };
        Ok(PreparedCollective {
            plan,
            pair,
            nodes,
            root,
            reduction: self.reduction.base(),
            skew,
            calls: self.calls,
            timing: self.timing,
            prelude,
            predicted,
            fitted_s,
        })
    }
}

/// The closed form, where the platform is what it speaks of: equal nodes without load, and a message that keeps
/// both ports, and no processor, for all of its time.
fn predict(algorithm: Choice, call: &Collective<'_>, plan: &Plan, platform: &Platform, reduction: f64) -> Option<Time> {
    // Of equal nodes on one network any two will do.
    let last = platform.nodes().saturating_sub(1);
    let (one, other) = (NodeId(last.saturating_sub(1)), NodeId(last));
    let transfer = |bytes| platform.transfer(one, other, bytes);
    let keeps_ports = |bytes| {
        let transfer = transfer(bytes);
        let processors = transfer.overhead + transfer.receive_overhead;
        transfer.gap() == transfer.hop() && transfer.hop() > Time::ZERO && processors == Time::ZERO
    };
    let fits = pair::has_one_steady_network(platform) && keeps_ports(0) && keeps_ports(call.size);
    let fits = platform.nodes() < 2 || (fits && (pair::have_one_speed(platform) || reduction == 0.0));
    if !fits || algorithm.inside.is_some() {
        return None;
    }
    match plan {
        Plan::Steps(_) => algorithm.top.closed_form(call),
        Plan::Forward { .. } | Plan::SplitBinary(_) => plan.is_exact().then(|| algorithm.top.completion(call, plan)),
    }
}

impl Prepared for PreparedCollective {
    type Metrics = (CollectiveMetrics, FittedMetrics);

    fn run(&self, run: &mut Run<'_>) -> Result<Self::Metrics, RunFailure> {
        if let Some(metrics) = self.run_pair(run)? {
            return Ok(metrics);
        }
        if self.calls == Calls::Mpi {
            return self.run_calls(run);
        }
        let platform = run.platform;
        let carrier = match Carrier::new(self.plan.clone(), self.reduction) {
            Carrier::Steps(steps) if self.skew > 0.0 => Carrier::Steps(steps.with_delays(self.delays(run))),
            carrier => carrier,
        };
        let mut program = Communication::placed(carrier, self.nodes.clone());
        let mut noted = run.wants(&RANKS).then(|| Completions::new(platform.nodes() as usize));
        let end = run.simulate_observed(&mut program, noted.as_mut())?;
        if let Some(noted) = &noted {
            run.table(&RANKS, || self.rows(noted, platform));
        }
        let completion = end.completion_of_all(platform.nodes(), "ranks were done")?;
        Ok(self.metrics(completion, program.volume(), run))
    }

    /// Those of each message; of two ranks' where they stand for all, as if no table were wanted that needs all.
    fn expected_events(&self, _: &Platform) -> Option<f64> {
        let barrier = self.prelude.as_ref().map_or(0.0, |(barrier, _)| barrier.expected_messages());
        let messages = self.pair.as_ref().map_or_else(|| self.plan.expected_messages(), StepPlan::expected_messages);
        Some(self.calls.events_of_a_message() * (messages + barrier))
    }
}

impl PreparedCollective {
    /// The least measured time of a run. Between ranks that leave a barrier when they like, messages may be under way
    /// in no rank's own time; only what each hands over is.
    pub(super) fn least(&self, platform: &Platform) -> Time {
        let least = platform.least(traffic(&self.plan, &self.nodes));
        match self.timing {
            Timing::Barrier if self.prelude.is_some() => least.sends,
            Timing::Barrier => least.sends.max(least.all.since(platform.tick().time(self.skew))),
            Timing::BarrierMean => Time::ZERO,
            Timing::Together => least.all,
        }
    }

    /// By when a run is over if no more than this is measured.
    pub(super) fn over_by(&self, measured: Time, platform: &Platform) -> Time {
        match self.timing {
            Timing::BarrierMean => Time::NEVER,
            Timing::Barrier if self.prelude.is_some() => Time::NEVER,
            Timing::Barrier => measured + platform.tick().time(self.skew),
            Timing::Together => measured,
        }
    }

    /// The same by the calls of an MPI library.
    fn run_calls(&self, run: &mut Run<'_>) -> Result<<Self as Prepared>::Metrics, RunFailure> {
        let platform = run.platform;
        let mut program = Calling::new(self.plan.clone().into_steps(), self.reduction, &self.nodes, platform);
        if let Some((barrier, late)) = &self.prelude {
            program = program.repeated(barrier.clone(), *late, platform);
        }
        if self.skew > 0.0 {
            program = program.with_delays(self.delays(run));
        }
        let mut noted = run.wants(&RANKS).then(|| Completions::new(platform.nodes() as usize));
        let end = run.simulate_observed(&mut program, noted.as_mut())?;
        if let Some(noted) = &mut noted {
            if self.timing.is_behind_barrier() {
                for (node, (begun, ended)) in self.nodes.iter().zip(program.spans()) {
                    noted.at[node.index()] = *ended - *begun;
                }
            }
            run.table(&RANKS, || self.rows(noted, platform));
        }
        end.completion_of_all(platform.nodes(), "ranks were done")?;
        Ok(self.metrics(self.timing.of(program.spans()), program.volume(), run))
    }

    fn metrics(&self, completion: Time, volume: Volume, run: &Run<'_>) -> (CollectiveMetrics, FittedMetrics) {
        let completion_s = run.seconds(completion);
        let metrics = CollectiveMetrics {
            completion_s,
            predicted_s: self.predicted.map(|time| run.seconds(time)),
            moved_bytes: volume.moved,
            combined_bytes: volume.combined,
        };
        (metrics, FittedMetrics::new(self.fitted_s, completion_s))
    }

    /// When each rank comes, from the root on.
    fn delays(&self, run: &Run<'_>) -> Vec<Time> {
        let delay = |rank| {
            let part: f64 = run.streams.stream("skew", rank).random();
            run.platform.tick().time(part * self.skew)
        };
        let mut delays: Vec<Time> = (0..u64::from(run.platform.nodes())).map(delay).collect();
        delays.rotate_left(self.root as usize);
        delays
    }

    fn rows(&self, completions: &Completions, platform: &Platform) -> Vec<Vec<Value>> {
        let row = |(rank, node): (u64, &NodeId)| {
            vec![
                Value::Count(rank),
                node.0.into(),
                platform.clusters()[platform.cluster_of(*node)].name.as_str().into(),
                platform.tick().seconds(completions.at[node.index()]).into(),
            ]
        };
        let count = self.nodes.len();
        let from_rank_zero = self.nodes.iter().cycle().skip((count - self.root as usize) % count);
        (0..).zip(from_rank_zero.take(count)).map(row).collect()
    }
}
