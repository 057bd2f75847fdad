//! A program without code: a list of phases that all ranks go through, each in its own time.
//!
//! What most parallel programs do between their start and their end: compute, exchange halos with the neighbours on a
//! grid, combine a few numbers, again and again. Nothing makes ranks wait but the messages that they await. A rank's
//! time goes to three places: phases of computing; phases of communication, what it waits for others there and what it
//! combines included; and idle time from its own end to that of the last rank.

mod groups;
mod program;
mod schedule;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::KernelCall;
use super::collective::{Calls, Choice, check_messages};
use super::communication::{Levels, Placement, usual_fanout, usual_radix, usual_segment};
use super::demand::check_outages;
use super::fitted::{self, Fitted};
use super::share;
use super::{Demand, Files, KeyError, Prepared, Run, RunFailure, Workload};
use hetsim_base::engine::Streams;
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::{Bytes, Operations, Quantity, Time};
use hetsim_cluster::{NodeId, Platform};
use hetsim_communication::steps::StepPlan;
use hetsim_communication::{Library, Operation};

pub use program::{PhaseMessage, Phases};
pub use schedule::{Phase, PhaseWork, Schedule};

/// `kind = "phases"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhasesParameters {
    /// What the ranks do, one phase after the other.
    pub phase: Vec<PhaseKeys>,
    /// The lengths of the grid on which the ranks are neighbours, in one to three dimensions; the last coordinate
    /// varies fastest. Only halo exchanges need it, and collectives among `rows` and `columns`.
    #[serde(default)]
    pub grid: Vec<u32>,
    /// By name: lists of ranks, each of which is a group of a collective `among` them.
    #[serde(default)]
    pub groups: BTreeMap<String, Vec<Vec<u32>>>,
    /// Whether the last rank of a line of the grid is a neighbour of the first.
    #[serde(default)]
    pub periodic: bool,
    /// On which nodes the ranks are: cluster after cluster, or one in each cluster in turn.
    #[serde(default)]
    pub placement: Placement,
    /// The work of a reduction to combine two bytes, on the node that does it.
    #[serde(default)]
    pub reduction: Operations,
    /// How ranks make their sends and receives; in a halo exchange by `mpi`, all at once, then they wait for all.
    #[serde(default)]
    pub calls: Calls,
}

/// `[[workload.phase]]`: what all ranks do next. One of `compute`, `call`, `halo`, `collective` and
/// `repeat` says what.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseKeys {
    /// The name of the phase in tables; by default what it does.
    #[serde(default)]
    pub name: Option<String>,
    /// The work of every rank.
    #[serde(default)]
    pub compute: Option<Operations>,
    /// Instead of `compute`: every rank calls a kernel of the platform.
    #[serde(default)]
    pub call: Option<KernelCall>,
    /// The variation of the work from rank to rank and from time to time: its standard deviation over its mean, of a
    /// log-normal distribution.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub imbalance: Option<f64>,
    /// The bytes that every rank sends to each of its neighbours on the grid; it waits for as many from each.
    #[serde(default)]
    pub halo: Option<Bytes>,
    /// All ranks take part in a collective operation.
    #[serde(default)]
    pub collective: Option<CollectivePhase>,
    /// The number of times that the phases within (`phase`) are repeated.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub repeat: Option<u32>,
    /// What is repeated.
    #[serde(default)]
    pub phase: Vec<PhaseKeys>,
}

/// A collective operation as a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectivePhase {
    /// The operation.
    pub operation: Operation,
    /// Who sends what to whom, on levels too, as for `kind = "collective"`. Without it or a `library`: the binomial
    /// tree, recursive doubling (`all_reduce`), Bruck's (`all_gather`), the pairwise one (`all_to_all`) or the
    /// dissemination (`barrier`).
    #[serde(default)]
    pub algorithm: Option<Choice>,
    /// The MPI library that chooses the algorithm and its parameters, instead of `algorithm`.
    #[serde(default)]
    pub library: Option<Library>,
    /// The levels on which two algorithms work.
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
    /// What every rank has, as for `kind = "collective"`.
    #[serde(default)]
    pub size: Option<Bytes>,
    /// The rank that sends or receives the data; its place in its group where there are several.
    #[serde(default)]
    pub root: u32,
    /// The groups that carry it out at the same time, each among its own ranks: the `rows` or `columns` of a `grid` of two
    /// dimensions, or a name of `groups`; ranks of no group go on. Default: all ranks together.
    #[serde(default)]
    pub among: Option<String>,
    /// A formula for the time of the operation, such as one measured of an MPI library, instead of messages: the name
    /// of its file, or a table. All ranks wait for the last one, and are through after the formula's time.
    #[serde(default)]
    pub fitted: Option<Fitted>,
}

hetsim_base::metrics! {
    /// The metrics of a program of phases.
    pub struct PhasesMetrics {
        completion_s: f64 = "when the last rank was done, simulated" [less],
        compute_share: Option<f64> = "the part of all ranks' time that phases of computing took" [neither],
        communication_share: Option<f64> = "the part that halo exchanges and collectives took, waiting included" [less],
        idle_share: Option<f64> = "the part between a rank's end and that of the last one" [less],
    }
}

/// A row a phase.
const PHASES: TableShape = TableShape {
    name: "phases",
    about: "how long the ranks were in each phase",
    columns: &[
        Metric::number("phase", "the phase's number, in the order of the scenario"),
        Metric::name("name", "what it is called"),
        Metric::number("times", "how often it was gone through"),
        Metric::number("mean_s", "the time that a rank spent in it altogether, the mean over the ranks"),
        Metric::number("least_s", "the least time that a rank spent in it"),
        Metric::number("greatest_s", "the most time that a rank spent in it"),
        Metric::number("share", "its part of all ranks' time"),
    ],
};

/// A program, ready to run any number of times.
#[derive(Debug)]
pub struct PreparedPhases {
    schedule: Schedule,
    nodes: Vec<NodeId>,
    reduction: f64,
    calls: Calls,
}

impl Workload for PhasesParameters {
    const NAME: &'static str = "phases";
    const ABOUT: &'static str =
        "A program without code: computing, halo exchanges and collectives, one after the other.";
    const TABLES: &'static [TableShape] = &[share::NODES, PHASES];
    type Prepared = PreparedPhases;

    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        read_files_in(&mut self.phase, "phase", files)
    }

    fn unused(&self) -> Vec<&'static str> {
        let mut phases = Vec::new();
        each_phase(&self.phase, &mut |phase| phases.push(phase));
        let collectives = || phases.iter().filter_map(|phase| phase.collective.as_ref());
        let among: Vec<&str> = collectives().filter_map(|collective| collective.among.as_deref()).collect();
        let has_halo = phases.iter().any(|phase| phase.halo.is_some());
        let is_used = [
            ("grid", has_halo || among.iter().any(|name| matches!(*name, "rows" | "columns"))),
            ("periodic", has_halo),
            ("groups", among.iter().any(|name| self.groups.contains_key(*name))),
            ("reduction", collectives().any(|collective| collective.operation.combines())),
        ];
        is_used.into_iter().filter(|(_, is_used)| !is_used).map(|(key, _)| key).collect()
    }

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        let schedule = Schedule::new(self, platform)?;
        let nodes = self.placement.nodes(platform);
        for phase in schedule.phases() {
            let Phase::Exchange { plans, groups, .. } = phase else { continue };
            for (group, plan) in plans.iter().enumerate() {
                let at_phases = |error: KeyError| KeyError { key: "phase".to_owned(), ..error };
                let members: Vec<NodeId> = groups.members(group).map(|rank| nodes[rank as usize]).collect();
                check_messages(plan, &members, platform).map_err(at_phases)?;
            }
        }
        let prepared = PreparedPhases { schedule, nodes, reduction: self.reduction.base(), calls: self.calls };
        check_outages("phase", platform, || prepared.work(platform).ideal_s())?;
        Ok(prepared)
    }
}

/// Shows each phase, those that are repeated too.
fn each_phase<'a>(phases: &'a [PhaseKeys], show: &mut impl FnMut(&'a PhaseKeys)) {
    for phase in phases {
        show(phase);
        each_phase(&phase.phase, show);
    }
}

fn read_files_in(phases: &mut [PhaseKeys], path: &str, files: &mut dyn Files) -> Result<(), KeyError> {
    for (number, keys) in phases.iter_mut().enumerate() {
        let path = format!("{path}.{number}");
        if let Some(collective) = &mut keys.collective {
            fitted::read(collective.fitted.as_mut(), &format!("{path}.collective.fitted"), files)?;
        }
        read_files_in(&mut keys.phase, &format!("{path}.phase"), files)?;
    }
    Ok(())
}

impl Prepared for PreparedPhases {
    type Metrics = PhasesMetrics;

    fn run(&self, run: &mut Run<'_>) -> Result<PhasesMetrics, RunFailure> {
        let platform = run.platform;
        let mut program = Phases::new(&self.schedule, platform, self.nodes.clone(), self.reduction);
        if self.calls == Calls::Mpi {
            program = program.by_calls();
        }
        let end = run.simulate(&mut program)?;
        let completion = end.completion_of_all(platform.nodes(), "ranks were done")?;
        let spent: Vec<Vec<Time>> =
            (0..self.schedule.phases().len()).map(|phase| program.spent(phase).to_vec()).collect();
        run.share_among_all(&end.usage, completion);
        run.table(&PHASES, || self.rows(completion, &spent, platform));
        Ok(self.metrics(completion, &spent, run.seconds(completion)))
    }

    /// One for each rank that computes or waits, and those of each message.
    fn expected_events(&self, _: &Platform) -> Option<f64> {
        let events = |(number, phase): (usize, &Phase)| {
            let each = match phase {
                Phase::Compute { .. } | Phase::Timed { .. } => self.nodes.len() as f64,
                Phase::Exchange { plans, .. } => {
                    plans.iter().map(StepPlan::expected_messages).sum::<f64>() * self.calls.events_of_a_message()
                }
            };
            each * self.schedule.times(number) as f64
        };
        Some(self.schedule.phases().iter().enumerate().map(events).sum())
    }

    fn demand(&self, platform: &Platform, _: Streams) -> Result<Option<Demand>, RunFailure> {
        Ok(Some(self.work(platform)).filter(|work| work.operations > 0.0))
    }
}

impl PreparedPhases {
    /// The work of all ranks; none where they only exchange messages or wait.
    fn work(&self, platform: &Platform) -> Demand {
        let speed = self.nodes.iter().map(|&node| platform.speed_per_second(node)).sum();
        let operations = self.nodes.iter().map(|&node| self.schedule.operations_on(node, platform)).sum();
        Demand { operations, speed }
    }

    /// Where the time of all ranks went; the parts add up to 1. `spent` is what each rank spent in each phase.
    fn metrics(&self, completion: Time, spent: &[Vec<Time>], completion_s: f64) -> PhasesMetrics {
        let whole = completion.as_f64() * self.nodes.len() as f64;
        let part = |computes: bool| {
            let phases = self.schedule.phases().iter().zip(spent);
            let those = phases.filter(|(phase, _)| matches!(phase, Phase::Compute { .. }) == computes);
            // A sum of nothing is a negative zero.
            those.flat_map(|(_, spent)| spent).map(|time| time.as_f64()).sum::<f64>() + 0.0
        };
        let (compute, communication) = (part(true), part(false));
        let share = |time: f64| (whole > 0.0).then_some(time / whole);
        PhasesMetrics {
            completion_s,
            compute_share: share(compute),
            communication_share: share(communication),
            idle_share: share(whole - compute - communication),
        }
    }

    fn rows(&self, completion: Time, spent: &[Vec<Time>], platform: &Platform) -> Vec<Vec<Value>> {
        let row = |(number, (phase, spent)): (usize, (&Phase, &Vec<Time>))| {
            let times = Value::Count(self.schedule.times(number) as u64);
            let mut cells = vec![number.into(), phase.name().into(), times];
            cells.extend(share::of_ranks(spent, completion, platform));
            cells
        };
        self.schedule.phases().iter().zip(spent).enumerate().map(row).collect()
    }
}
