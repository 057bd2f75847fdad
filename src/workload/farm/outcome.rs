//! What is known of a farm when it has ended.

use super::server::{Server, TaskSource};
use crate::cluster::Footprint;
use crate::cluster::{Observer, Platform, Simulation};
use crate::record::{Metric, Record, Table, TableShape};
use crate::units::Time;
use crate::workload::footprint;
use crate::workload::share::{self, Share, write_performance};

/// What a farm measured.
#[derive(Debug)]
pub struct Outcome<O> {
    /// When the server had the last result.
    pub completion: Time,
    /// Rounds of tasks.
    pub rounds: u32,
    /// Tasks that were computed until then, copies of late ones included.
    pub tasks: u64,
    /// Copies of late tasks that were dealt.
    pub copied: u64,
    /// The operations of all tasks, each counted once.
    pub operations: f64,
    /// What the run has asked of the machine.
    pub footprint: Footprint,
    /// Messages that met a node that was down.
    pub lost: u64,
    /// Worker by worker.
    pub workers: Vec<Share>,
    /// The least time in which one of the workers could have done everything alone, in seconds.
    pub serial_s: f64,
    /// What watched the run.
    pub observer: O,
}

/// The metrics of every farm, in the order of [`Outcome::write`].
pub const METRICS: &[Metric] = &[
    Metric::number("rounds", "rounds of tasks (generations)").neither(),
    Metric::number(
        "tasks",
        "tasks that were computed before that, copies of late ones and those whose results were lost included",
    )
    .neither(),
    Metric::number("copies", "copies of late tasks that were dealt").neither(),
    Metric::number("lost", "messages that met a node that was down").less(),
];

/// The long tables that a farm can keep.
pub const TABLES: &[TableShape] = &[share::NODES];

impl<O: Observer> Outcome<O> {
    /// Reads a run out.
    ///
    /// # Errors
    /// A sentence that says what is missing, where the run has not come to its end.
    pub(super) fn new<M, B: TaskSource>(
        cluster: Simulation<'_, M, O>,
        server: &Server<B>,
        platform: &Platform,
        task_memory: u64,
    ) -> Result<Self, String> {
        let completion = server.end().ok_or_else(|| {
            let (unfinished, round) = (server.unfinished(), server.rounds() + 1);
            let workers_down = (0..server.workers()).all(|worker| cluster.is_down(server.node_of(worker)));
            let why = if workers_down {
                "; all workers are down"
            } else if !platform.faults().is_empty() && !server.has_timeout() {
                "; where nodes fail, a farm needs a `timeout` to deal lost tasks again"
            } else {
                ""
            };
            format!("{unfinished} tasks of round {round} were never computed{why}")
        })?;
        let share = |worker: u32| Share::of(server.node_of(worker), cluster.usage(), platform);
        let workers: Vec<Share> = (0..server.workers()).map(share).collect();
        let tasks = server.rounds() * server.bag.tasks();
        let operations = server.bag.total(tasks);
        // Alone, a worker holds all tasks of a round in its memory.
        let memory = task_memory.saturating_mul(u64::from(server.bag.tasks()));
        let fastest = workers.iter().map(|share| platform.speed_with(share.node, memory)).fold(0.0, f64::max);
        Ok(Self {
            completion,
            rounds: server.rounds(),
            tasks: workers.iter().map(|share| share.tasks).sum(),
            copied: server.copied(),
            operations,
            footprint: cluster.footprint(),
            lost: cluster.lost(),
            serial_s: operations / fastest,
            workers,
            observer: cluster.into_observer(),
        })
    }

    /// Writes the farm's own metrics.
    pub fn write(&self, record: &mut Record) {
        record.metric("rounds", u64::from(self.rounds));
        record.metric("tasks", self.tasks);
        record.metric("copies", self.copied);
        record.metric("lost", self.lost);
    }

    /// Writes the metrics of Bazterra et al. over the workers, and what the run has asked of the machine.
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
