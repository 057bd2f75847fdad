//! A program without code: a list of phases that all ranks go through, each in its own time.
//!
//! What most parallel programs do between their start and their end: compute, exchange halos with the neighbours on a grid,
//! combine a few numbers, again and again. Nothing makes ranks wait but the messages that they await. A rank's time goes
//! to three places: phases of computing; phases of communication, what it waits for others there and what it combines
//! included; and idle time from its own end to that of the last rank.

mod program;
mod schedule;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::KeyError;
use super::collective::check_messages;
use super::communication::Placement;
use super::fitted::Fitted;
use super::footprint;
use super::share::{self, Share};
use crate::cluster::Footprint;
use crate::cluster::{NodeId, Observer, Platform, Simulation, Timeline, Usage};
use crate::communication::collective::{Algorithm, Operation};
use crate::engine::Streams;
use crate::record::{Metric, Record, Table, TableShape, Value};
use crate::units::{Bytes, Operations, Quantity, Time};

pub use program::{PhaseMessage, Phases};
pub use schedule::{Phase, Schedule};

/// `kind = "phases"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// What the ranks do, one phase after the other.
    pub phase: Vec<PhaseKeys>,
    /// The lengths of the grid on which the ranks are neighbours, in one to three dimensions; the last coordinate varies
    /// fastest. Only halo exchanges need it.
    #[serde(default)]
    pub grid: Vec<u32>,
    /// Whether the last rank of a line of the grid is a neighbour of the first.
    #[serde(default)]
    pub periodic: bool,
    /// On which nodes the ranks are: cluster after cluster, or one in each cluster in turn.
    #[serde(default)]
    pub placement: Placement,
    /// What it costs a reduction to combine a byte with another, on the node that does it.
    #[serde(default)]
    pub reduction: Operations,
}

/// `[[workload.phase]]`: what all ranks do next. One of `compute`, `halo`, `collective` and `repeat` says what.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseKeys {
    /// What the phase is called in tables; what it does where this is not given.
    #[serde(default)]
    pub name: Option<String>,
    /// Every rank computes so much.
    #[serde(default)]
    pub compute: Option<Operations>,
    /// How far what is computed differs from rank to rank and from time to time: its standard deviation over its mean, of
    /// a log-normal distribution.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub imbalance: Option<f64>,
    /// Every rank sends so much to each of its neighbours on the grid, and awaits as much from each.
    #[serde(default)]
    pub halo: Option<Bytes>,
    /// All ranks take part in a collective operation.
    #[serde(default)]
    pub collective: Option<CollectivePhase>,
    /// The phases within (`phase`) are gone through so many times.
    #[serde(default)]
    pub repeat: Option<u32>,
    /// What is repeated.
    #[serde(default)]
    pub phase: Vec<PhaseKeys>,
}

/// A collective operation as a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectivePhase {
    /// What is done.
    pub operation: Operation,
    /// Who sends what to whom; where it is not given, the binomial tree, recursive doubling (`all_reduce`), Bruck's
    /// (`all_gather`), the pairwise one (`all_to_all`) or the dissemination (`barrier`).
    #[serde(default)]
    pub algorithm: Option<Algorithm>,
    /// What every rank has, as for `kind = "collective"`.
    #[serde(default)]
    pub size: Option<Bytes>,
    /// The rank that has the data at first, or gets it.
    #[serde(default)]
    pub root: u32,
    /// A formula for the time of the operation, such as one measured of an MPI library, instead of messages: the name of its
    /// file, or a table. All ranks wait for the last one, and are through after the formula's time.
    #[serde(default)]
    pub fitted: Option<Fitted>,
}

/// The metrics of a run besides those that all workloads have.
pub const METRICS: &[&[Metric]] = &[&[
    Metric::number("completion_s", "when the last rank was done, simulated").less(),
    Metric::number("compute_share", "the part of all ranks' time that phases of computing took").neither(),
    Metric::number("communication_share", "the part that halo exchanges and collectives took, waiting included").less(),
    Metric::number("idle_share", "the part between a rank's end and that of the last one").less(),
]];

/// The long tables that a run can keep.
pub const TABLES: &[TableShape] = &[share::NODES, PHASES];

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
pub struct Prepared {
    schedule: Schedule,
    nodes: Vec<NodeId>,
    reduction: f64,
}

impl Parameters {
    /// The formulas of its collectives, each with the way to its key.
    pub fn formulas(&mut self) -> Vec<(String, &mut Fitted)> {
        formulas_in(&mut self.phase, "phase")
    }

    /// Plans the phases.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn prepare(&self, platform: &Platform) -> Result<Prepared, KeyError> {
        let schedule = Schedule::new(self, platform)?;
        let nodes = self.placement.nodes(platform);
        for phase in schedule.phases() {
            if let Phase::Exchange { plan, .. } = phase {
                let at_phases = |error: KeyError| KeyError { key: "phase".to_owned(), ..error };
                check_messages(plan, &nodes, platform).map_err(at_phases)?;
            }
        }
        Ok(Prepared { schedule, nodes, reduction: self.reduction.base() })
    }
}

fn formulas_in<'a>(phases: &'a mut [PhaseKeys], path: &str) -> Vec<(String, &'a mut Fitted)> {
    let mut found = Vec::new();
    for (number, keys) in phases.iter_mut().enumerate() {
        let path = format!("{path}.{number}");
        if let Some(fitted) = keys.collective.as_mut().and_then(|collective| collective.fitted.as_mut()) {
            found.push((format!("{path}.collective.fitted"), fitted));
        }
        found.extend(formulas_in(&mut keys.phase, &format!("{path}.phase")));
    }
    found
}

/// What is known at the end of a run.
struct Outcome<O> {
    completion: Time,
    /// By phase: what each rank spent in it.
    spent: Vec<Vec<Time>>,
    usage: Vec<Usage>,
    footprint: Footprint,
    observer: O,
}

impl Prepared {
    /// Runs the program.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn run(&self, platform: &Platform, streams: Streams, tables: &[String]) -> Result<Record, String> {
        let outcome = self.execute(platform, streams, ())?;
        let seconds = |time: Time| platform.tick().seconds(time);
        let shares: Vec<Share> =
            (0..platform.nodes()).map(|node| Share::of(NodeId(node), &outcome.usage, platform)).collect();
        let completion = seconds(outcome.completion);
        let mut record = Record::default();
        record.metric("completion_s", completion);
        self.write_shares(&outcome, &mut record);
        let fastest = shares.iter().map(|share| share.speed).fold(0.0, f64::max);
        let operations: f64 = shares.iter().map(|share| share.operations).sum();
        share::write_performance(&shares, operations / fastest, completion, &mut record);
        footprint::write(&outcome.footprint, platform, &mut record, tables);
        for table in tables {
            if table == share::NODES.name {
                record.tables.push(share::nodes_table(&shares, platform));
            } else if table == PHASES.name {
                record.tables.push(self.phases_table(&outcome, platform));
            }
        }
        Ok(record)
    }

    /// Runs the program and notes everything that happens.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn trace(&self, platform: &Platform, streams: Streams) -> Result<Timeline, String> {
        self.execute(platform, streams, Timeline::default()).map(|outcome| outcome.observer)
    }

    fn execute<O: Observer>(&self, platform: &Platform, streams: Streams, observer: O) -> Result<Outcome<O>, String> {
        let mut program = Phases::new(&self.schedule, self.nodes.clone(), self.reduction);
        let mut simulation = Simulation::observed(platform, streams, observer);
        simulation.run(&mut program).map_err(|error| error.to_string())?;
        let (completed, nodes) = (simulation.completed(), platform.nodes());
        let completion = simulation.completion().filter(|_| completed == nodes);
        Ok(Outcome {
            completion: completion.ok_or_else(|| format!("only {completed} of {nodes} ranks were done"))?,
            spent: (0..self.schedule.phases().len()).map(|phase| program.spent(phase).to_vec()).collect(),
            usage: simulation.usage().to_vec(),
            footprint: simulation.footprint(),
            observer: simulation.into_observer(),
        })
    }

    /// Where the time of all ranks went; the parts add up to 1.
    fn write_shares<O>(&self, outcome: &Outcome<O>, record: &mut Record) {
        let whole = outcome.completion.as_f64() * self.nodes.len() as f64;
        let part = |computes: bool| {
            let phases = self.schedule.phases().iter().zip(&outcome.spent);
            let those = phases.filter(|(phase, _)| matches!(phase, Phase::Compute { .. }) == computes);
            those.flat_map(|(_, spent)| spent).map(|time| time.as_f64()).sum::<f64>()
        };
        let (compute, communication) = (part(true), part(false));
        let share = |time: f64| (whole > 0.0).then_some(time / whole);
        record.metric("compute_share", share(compute));
        record.metric("communication_share", share(communication));
        record.metric("idle_share", share(whole - compute - communication));
    }

    fn phases_table<O>(&self, outcome: &Outcome<O>, platform: &Platform) -> Table {
        let seconds = |time: Time| Value::from(platform.tick().seconds(time));
        let (ranks, whole) = (self.nodes.len() as f64, outcome.completion.as_f64());
        let row = |(number, (phase, spent)): (usize, (&Phase, &Vec<Time>))| {
            let mean = spent.iter().map(|time| time.as_f64()).sum::<f64>() / ranks;
            vec![
                Value::Count(number as u64),
                phase.name().into(),
                Value::Count(self.schedule.times(number) as u64),
                (mean / platform.tick().per_second()).into(),
                seconds(spent.iter().copied().min().unwrap_or_default()),
                seconds(spent.iter().copied().max().unwrap_or_default()),
                (whole > 0.0).then_some(mean / whole).into(),
            ]
        };
        let rows = self.schedule.phases().iter().zip(&outcome.spent).enumerate().map(row).collect();
        Table { rows, ..Table::new(&PHASES) }
    }
}
