//! Replays the trace of a real program, its calls and computations, on the simulated platform.
//!
//! Each rank does what it did, in the same order: it computes, posts its receives, sends, waits and takes part in
//! collective operations. Only the times are new. The algorithms of collective operations may be others than the
//! program had.

mod arguments;
mod collectives;
mod communicators;
mod hosts;
mod planning;
mod program;
mod read;
mod trace;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collective::{Calls, Choice};
use super::communication::Placement;
use super::share;
use super::{Files, KeyError, Prepared, Run, RunFailure, Workload};
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::Time;
use hetsim_cluster::{NodeId, Platform};
use hetsim_communication::steps::StepPlan;
use hetsim_communication::{Library, Operation};

pub use hosts::read_hosts;
pub use program::{Replay, ReplayMessage, Spent};
pub use read::read;
pub use trace::{ANY, Action, MessageKey, Operated, Trace, TraceError};

/// `kind = "replay"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayParameters {
    /// The time-independent trace of an MPI program, in SimGrid's format (`smpirun -trace-ti`): one file with the
    /// actions of all ranks, such as those of the ranks one after the other. It may declare communicators.
    #[schemars(extend("format" = "file"))]
    pub trace: String,
    /// The MPI library that chooses the algorithms of collective operations, instead of hetsim's usual ones.
    #[serde(default)]
    pub library: Option<Library>,
    /// The algorithms of collective operations, by operation; the others have the library's, or hetsim's usual ones.
    #[serde(default)]
    pub algorithms: Algorithms,
    /// On which nodes the ranks are: cluster after cluster, or one in each cluster in turn.
    #[serde(default)]
    pub placement: Placement,
    /// Instead: a file with a line for each rank, rank 0 first, that has the number of its node. Nodes are numbered from
    /// 0 through the clusters in their order. What stands behind `#` is a comment.
    #[serde(default)]
    #[schemars(extend("format" = "file"))]
    pub hosts: Option<String>,
    /// What the trace holds; set by `read_files`.
    #[serde(skip)]
    pub actions: Option<Arc<Trace>>,
    /// What `hosts` holds; set by `read_files`.
    #[serde(skip)]
    pub listed: Vec<u32>,
}

macro_rules! algorithms {
    ($($key:ident $operation:ident),* $(,)?) => {
        /// `algorithms = { all_reduce = "ring", … }`: the algorithm of each collective operation, as for
        /// `kind = "collective"`.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct Algorithms {
            $(
                /// Its algorithm; by default the library's, or hetsim's usual one.
                #[serde(default)]
                pub $key: Option<Choice>,
            )*
            /// That of an all-to-all whose blocks differ, whose messages go straight to their receivers; by default the
            /// library's, or pairwise.
            #[serde(default)]
            pub all_to_all_v: Option<Choice>,
        }

        impl Algorithms {
            /// The algorithm of an operation, if one is named, and its key.
            const fn of(&self, operation: Operation) -> (Option<Choice>, &'static str) {
                match operation {
                    $(Operation::$operation => (self.$key, stringify!($key)),)*
                }
            }
        }
    };
}

algorithms! {
    broadcast Broadcast,
    scatter Scatter,
    gather Gather,
    reduce Reduce,
    all_gather AllGather,
    all_reduce AllReduce,
    reduce_scatter ReduceScatter,
    scan Scan,
    all_to_all AllToAll,
    barrier Barrier,
}

hetsim_base::metrics! {
    /// The metrics of a replayed program.
    pub struct ReplayMetrics {
        completion_s: f64 = "when the last rank was done, simulated" [less],
        compute_share: Option<f64> = "the part of all ranks' time in which they computed, but for collective operations" [neither],
        communication_share: Option<f64> = "the part that messages and collective operations took, waiting included" [less],
        idle_share: Option<f64> = "the part in which ranks slept, or were done before the last one" [less],
    }
}

/// A row for each thing that ranks spend their time with.
const CALLS: TableShape = TableShape {
    name: "calls",
    about: "what the ranks spent their time with",
    columns: &[
        Metric::name("name", "computing, sleeping, messages or collective operations"),
        Metric::number("times", "how many actions of all ranks that were"),
        Metric::number("mean_s", "the time that a rank spent with it, the mean over the ranks"),
        Metric::number("least_s", "the least time that a rank spent with it"),
        Metric::number("greatest_s", "the most time that a rank spent with it"),
        Metric::number("share", "its part of all ranks' time"),
    ],
};

/// A trace on a platform, ready to run any number of times.
#[derive(Debug)]
pub struct PreparedReplay {
    trace: Arc<Trace>,
    plans: Vec<StepPlan>,
    nodes: Vec<NodeId>,
}

impl Workload for ReplayParameters {
    const NAME: &'static str = "replay";
    const ABOUT: &'static str =
        "The trace of an MPI program, replayed on other machines and with other collective algorithms.";
    const TABLES: &'static [TableShape] = &[share::NODES, CALLS];
    type Prepared = PreparedReplay;

    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        self.actions = Some(files.trace("trace")?);
        if self.hosts.is_some() {
            self.listed = files.hosts("hosts")?;
        }
        Ok(())
    }

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        let trace = self.actions.clone().ok_or_else(|| KeyError::new("trace", "the trace has not been read"))?;
        let faults = platform.faults().is_empty();
        KeyError::unless(faults, "kind", || "nodes of a replayed program can't fail: its ranks would wait for ever")?;
        for call in &trace.calls {
            call.check(platform).map_err(|error| KeyError::new("trace", error.message))?;
        }
        let ranks = trace.ranks.len();
        let mut nodes = self.placement.nodes(platform);
        let fits = ranks <= nodes.len();
        KeyError::unless(fits, "trace", || format!("it has {ranks} ranks, and the platform {} nodes", nodes.len()))?;
        if self.hosts.is_some() {
            nodes = self.listed_nodes(ranks, platform)?;
        }
        nodes.truncate(ranks);
        let plan = |operated: &Operated| {
            let members = trace.communicators[operated.communicator].members(operated.group);
            let members = members.map(|rank| nodes[rank as usize]).collect();
            self.plan(operated, members, platform)
        };
        let plans = trace.operations.iter().map(plan);
        let plans = plans.collect::<Result<_, _>>()?;
        Ok(PreparedReplay { trace, plans, nodes })
    }
}

impl ReplayParameters {
    /// The nodes of the ranks as the file lists them, each once.
    fn listed_nodes(&self, ranks: usize, platform: &Platform) -> Result<Vec<NodeId>, KeyError> {
        let alone = self.placement == Placement::default();
        KeyError::unless(alone, "placement", || "`hosts` says where ranks are: leave one of both out")?;
        let (listed, nodes) = (&self.listed, platform.nodes());
        let unknown = listed.iter().find(|&&node| node >= nodes);
        let known = unknown.is_none();
        let highest = || format!("there is no node {}: the nodes are 0 to {}", unknown.unwrap_or(&0), nodes - 1);
        KeyError::unless(known, "hosts", highest)?;
        let enough = listed.len() >= ranks;
        KeyError::unless(enough, "hosts", || format!("it has {} lines, and the trace {ranks} ranks", listed.len()))?;
        let mut taken = vec![false; nodes as usize];
        let twice = listed[..ranks].iter().find(|&&node| std::mem::replace(&mut taken[node as usize], true));
        let once = twice.is_none();
        KeyError::unless(once, "hosts", || {
            format!("node {} stands there twice: a node has one rank", twice.unwrap_or(&0))
        })?;
        Ok(listed.iter().copied().map(NodeId).collect())
    }
}

impl Prepared for PreparedReplay {
    type Metrics = ReplayMetrics;

    fn run(&self, run: &mut Run<'_>) -> Result<ReplayMetrics, RunFailure> {
        let platform = run.platform;
        let mut program = Replay::new(&self.trace, &self.plans, &self.nodes, platform);
        let end = run.simulate(&mut program)?;
        // Nodes without ranks complete, too, and tell nothing of a program that does not end.
        let completion = end.completion.filter(|_| end.completed == platform.nodes());
        let completion = completion.ok_or_else(|| program.unfinished())?;
        run.share_among_all(&end.usage, completion);
        run.table(&CALLS, || rows(completion, &program, platform));
        let whole = completion.as_f64() * self.nodes.len() as f64;
        let part = |what: Spent| program.spent(what).map(|(time, _)| time.as_f64()).sum::<f64>();
        let (compute, communication) = (part(Spent::Computing), part(Spent::Messages) + part(Spent::Collectives));
        let share = |time: f64| (whole > 0.0).then_some(time / whole);
        Ok(ReplayMetrics {
            completion_s: run.seconds(completion),
            compute_share: share(compute),
            communication_share: share(communication),
            idle_share: share(whole - compute - communication),
        })
    }

    /// One for each computation, and those of each message.
    fn expected_events(&self, _: &Platform) -> Option<f64> {
        let of_a_message = Calls::Mpi.events_of_a_message();
        let of_a_rank = |plan: &StepPlan| of_a_message * plan.expected_messages() / f64::from(plan.ranks());
        let collectives: Vec<f64> = self.plans.iter().map(of_a_rank).collect();
        let events = |action: &Action| match *action {
            Action::Compute(_) | Action::Call(_) | Action::Sleep(_) => 1.0,
            Action::Send { .. } => of_a_message,
            Action::Receive { .. } | Action::Wait(_) | Action::WaitAll => 0.0,
            Action::Collective { number, work } => collectives[number as usize] + f64::from(u8::from(work > 0.0)),
        };
        Some(self.trace.ranks.iter().flatten().map(events).sum())
    }
}

/// The rows of [`CALLS`].
fn rows(completion: Time, program: &Replay<'_>, platform: &Platform) -> Vec<Vec<Value>> {
    let row = |(what, name): (Spent, &'static str)| {
        let times: Vec<Time> = program.spent(what).map(|(time, _)| time).collect();
        let mut cells = vec![name.into(), Value::Count(program.spent(what).map(|(_, times)| times).sum())];
        cells.extend(share::of_ranks(&times, completion, platform));
        cells
    };
    Spent::ALL.into_iter().map(row).collect()
}
