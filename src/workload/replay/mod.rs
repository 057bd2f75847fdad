//! A real program again: its trace of calls and computation, on the simulated platform.
//!
//! Each rank does what it did, in the same order: it computes, posts its receives, sends, waits and takes part in
//! collective operations. Only the times are new. The algorithms of collective operations may be others than the
//! program had.

mod program;
mod read;
mod trace;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collective::{Calls, Choice, CollectiveParameters, Timing, check_messages, in_steps};
use super::communication::{Levels, Placement, cost_among, usual_fanout, usual_radix, usual_segment};
use super::share::{self, Share};
use super::{Files, KeyError, Prepared, Run, RunFailure, Workload};
use crate::cluster::{NodeId, Platform};
use crate::communication::steps::StepPlan;
use crate::communication::{Collective, Library, Operation};
use crate::record::{Metric, TableShape, Value};
use crate::units::{Bytes, Operations, Seconds, Time};

pub use program::{Replay, ReplayMessage, Spent};
pub use read::{TraceError, read};
pub use trace::{ANY, Action, Key, Operated, Trace};

/// `kind = "replay"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayParameters {
    /// The time-independent trace of an MPI program, in SimGrid's format (`smpirun -trace-ti`): one file with the
    /// actions of all ranks, such as those of the ranks one after the other.
    #[schemars(extend("format" = "file"))]
    pub trace: String,
    /// The MPI library that chooses the algorithms of collective operations.
    #[serde(default)]
    pub library: Option<Library>,
    /// The algorithms of collective operations, by operation; the others have the library's, or hetsim's usual ones.
    #[serde(default)]
    pub algorithms: Algorithms,
    /// On which nodes the ranks are: cluster after cluster, or one in each cluster in turn.
    #[serde(default)]
    pub placement: Placement,
    /// What the file holds; set by `read_files`.
    #[serde(skip)]
    pub actions: Option<Arc<Trace>>,
}

macro_rules! algorithms {
    ($($key:ident $operation:ident),* $(,)?) => {
        /// `algorithms = { all_reduce = "ring", … }`: the algorithm of each collective operation, as for
        /// `kind = "collective"`.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct Algorithms {
            $(
                /// Its algorithm.
                #[serde(default)]
                pub $key: Option<Choice>,
            )*
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

crate::metrics! {
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
    const ABOUT: &'static str = "A traced MPI program again, on other machines and with other collective algorithms.";
    const TABLES: &'static [TableShape] = &[share::NODES, CALLS];
    type Prepared = PreparedReplay;

    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        self.actions = Some(files.trace("trace")?);
        Ok(())
    }

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        let trace = self.actions.clone().ok_or_else(|| KeyError::new("trace", "the trace has not been read"))?;
        let faults = platform.faults().is_empty();
        KeyError::unless(faults, "kind", || "nodes of a replayed program can't fail: its ranks would wait for ever")?;
        let ranks = trace.ranks.len();
        let mut nodes = self.placement.nodes(platform);
        let fits = ranks <= nodes.len();
        KeyError::unless(fits, "trace", || format!("it has {ranks} ranks, and the platform {} nodes", nodes.len()))?;
        nodes.truncate(ranks);
        let plans = trace.operations.iter().map(|operated| self.plan(operated, &nodes, platform));
        let plans = plans.collect::<Result<_, _>>()?;
        Ok(PreparedReplay { trace, plans, nodes })
    }
}

impl ReplayParameters {
    /// The plan of a collective operation, with ranks counted from the root.
    fn plan(&self, operated: &Operated, nodes: &[NodeId], platform: &Platform) -> Result<StepPlan, KeyError> {
        let Operated { operation, root, size, ref lengths } = *operated;
        let (named, key) = self.algorithms.of(operation);
        let library = if named.is_none() { self.library } else { None };
        let usual = || library.is_none().then(|| operation.usual_algorithm().into());
        let alone = CollectiveParameters {
            operation,
            algorithm: named.or_else(usual),
            library,
            levels: if named.is_some_and(|choice| choice.inside.is_some()) {
                Levels::Leaders
            } else {
                Levels::default()
            },
            segment: usual_segment(),
            radix: usual_radix(),
            fanout: usual_fanout(),
            window: 0,
            size: Some(Bytes::new(size)),
            root,
            placement: self.placement,
            reduction: Operations::default(),
            skew: Seconds::default(),
            calls: Calls::Mpi,
            timing: Timing::default(),
            fitted: None,
        };
        let ranks = nodes.len() as u32;
        let at_key = |error: KeyError| KeyError::new(if named.is_some() { key } else { "trace" }, error.message);
        let plan = || {
            let algorithm = alone.choice(ranks, size)?;
            let mut nodes = nodes.to_vec();
            nodes.rotate_left(root as usize);
            let mut lengths = lengths.clone();
            let shift = if lengths.is_empty() { 0 } else { root as usize };
            lengths.rotate_left(shift);
            let cost = cost_among(&nodes, size, platform);
            let call = alone.parameters(Collective::new(operation, ranks, size));
            let call = Collective { cost: &cost, lengths: &lengths, ..call };
            let plan = in_steps(algorithm, alone.plan(algorithm, &call, &nodes, platform)?)?;
            check_messages(&plan, &nodes, platform)?;
            Ok(plan)
        };
        let named_key = |error| if named.is_some() { at_key(error).under("algorithms") } else { at_key(error) };
        plan().map_err(named_key)
    }
}

impl Prepared for PreparedReplay {
    type Metrics = ReplayMetrics;

    fn run(&self, run: &mut Run<'_>) -> Result<ReplayMetrics, RunFailure> {
        let platform = run.platform;
        let mut program = Replay::new(&self.trace, &self.plans, &self.nodes, platform);
        let end = run.simulate(&mut program)?;
        let completion = end.completion_of_all(platform.nodes(), "ranks were done")?;
        let shares: Vec<Share> =
            (0..platform.nodes()).map(|node| Share::of(NodeId(node), &end.usage, platform)).collect();
        let fastest = shares.iter().map(|share| share.speed).fold(0.0, f64::max);
        let operations: f64 = shares.iter().map(|share| share.operations).sum();
        run.set_shares(&shares, operations / fastest, completion);
        run.table(&share::NODES, || share::rows(&shares, platform));
        run.table(&CALLS, || self.rows(completion, &program, platform));
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
}

impl PreparedReplay {
    fn rows(&self, completion: Time, program: &Replay<'_>, platform: &Platform) -> Vec<Vec<Value>> {
        let seconds = |time: Option<Time>| Value::from(platform.tick().seconds(time.unwrap_or_default()));
        let (ranks, whole) = (self.nodes.len() as f64, completion.as_f64());
        let row = |(what, name): (Spent, &'static str)| {
            let times = || program.spent(what).map(|(time, _)| time);
            let mean = times().map(Time::as_f64).sum::<f64>() / ranks;
            vec![
                name.into(),
                Value::Count(program.spent(what).map(|(_, times)| times).sum()),
                (mean / platform.tick().per_second()).into(),
                seconds(times().min()),
                seconds(times().max()),
                (whole > 0.0).then_some(mean / whole).into(),
            ]
        };
        Spent::ALL.into_iter().map(row).collect()
    }
}
