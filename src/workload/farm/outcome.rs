//! The results of a farm.

use super::server::{Server, TaskSource};
use crate::cluster::Footprint;
use crate::cluster::{Observer, Platform, Simulation};
use crate::record::{Metric, Record, Table, TableShape};
use crate::units::Time;
use crate::workload::footprint;
use crate::workload::share::{self, Share, write_performance};

/// The measurements of a farm.
#[derive(Debug)]
pub struct Outcome<O> {
    /// The time of the last result at the server.
    pub completion: Time,
    /// The number of rounds.
    pub rounds: u32,
    /// The number of tasks computed until then, including copies of late ones.
    pub tasks: u64,
    /// The number of copies of late tasks that were dealt.
    pub copied: u64,
    /// The operations of all tasks, each counted once.
    pub operations: f64,
    /// The footprint of the run on the platform.
    pub footprint: Footprint,
    /// The number of messages that met a node that was down.
    pub lost: u64,
    /// The measurements of each worker.
    pub workers: Vec<Share>,
    /// The shortest time in which a single worker could have computed everything, in seconds.
    pub serial_s: f64,
    /// The observer of the run.
    pub observer: O,
}

/// The metrics of every farm, in the order of [`Outcome::write`].
pub const METRICS: &[Metric] = &[
    Metric::number("rounds", "rounds of tasks (generations)").neither(),
    Metric::number(
        "tasks",
        "tasks computed before that, including copies of late ones and those whose results were lost",
    )
    .neither(),
    Metric::number("copies", "dealt copies of late tasks").neither(),
    Metric::number("lost", "messages that met a node that was down").less(),
];

/// The long tables of a farm.
pub const TABLES: &[TableShape] = &[share::NODES];

impl<O: Observer> Outcome<O> {
    /// Collects the results of a run.
    ///
    /// # Errors
    /// A sentence that says what is missing, if the run did not finish.
    pub(super) fn new<M, S: TaskSource>(
        simulation: Simulation<'_, M, O>,
        server: &Server<S>,
        platform: &Platform,
        task_memory: u64,
    ) -> Result<Self, String> {
        let completion = server.end().ok_or_else(|| {
            let (unfinished, round) = (server.unfinished(), server.rounds() + 1);
            let workers_down = (0..server.workers()).all(|worker| simulation.is_down(server.node_of(worker)));
            let why = if workers_down {
                "; all workers are down"
            } else if !platform.faults().is_empty() && !server.has_timeout() {
                "; where nodes fail, a farm needs a `timeout` to deal lost tasks again"
            } else {
                ""
            };
            format!("{unfinished} tasks of round {round} were never computed{why}")
        })?;
        let share = |worker: u32| Share::of(server.node_of(worker), simulation.usage(), platform);
        let workers: Vec<Share> = (0..server.workers()).map(share).collect();
        let tasks = server.rounds() * server.source.tasks();
        let operations = server.source.total(tasks);
        // A single worker would hold all tasks of a round in its memory.
        let memory = task_memory.saturating_mul(u64::from(server.source.tasks()));
        let fastest = workers.iter().map(|share| platform.speed_with(share.node, memory)).fold(0.0, f64::max);
        Ok(Self {
            completion,
            rounds: server.rounds(),
            tasks: workers.iter().map(|share| share.tasks).sum(),
            copied: server.copied(),
            operations,
            footprint: simulation.footprint(),
            lost: simulation.lost(),
            serial_s: operations / fastest,
            workers,
            observer: simulation.into_observer(),
        })
    }

    /// Writes the farm's own metrics.
    pub fn write(&self, record: &mut Record) {
        record.metric("rounds", u64::from(self.rounds));
        record.metric("tasks", self.tasks);
        record.metric("copies", self.copied);
        record.metric("lost", self.lost);
    }

    /// Writes the metrics of Bazterra et al. over the workers, and the footprint of the run.
    pub fn write_performance(&self, platform: &Platform, record: &mut Record, tables: &[String]) {
        let completion_s = platform.tick().seconds(self.completion);
        write_performance(&self.workers, self.serial_s, completion_s, record);
        footprint::write(&self.footprint, platform, record, tables);
    }
}

/// The long table of the workers.
pub fn nodes_table<O>(outcome: &Outcome<O>, platform: &Platform) -> Table {
    share::nodes_table(&outcome.workers, platform)
}
