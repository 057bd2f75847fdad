//! What is known of a farm when it has ended.

use super::server::{Server, TaskSource};
use crate::cluster::Platform;
use crate::units::Time;
use crate::workload::share::{self, Share};
use crate::workload::{End, Run, RunFailure};

/// What a farm measured.
#[derive(Debug)]
pub struct Outcome {
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
    /// Messages that met a node that was down.
    pub lost: u64,
    /// Worker by worker.
    pub workers: Vec<Share>,
    /// The least time in which one of the workers could have done everything alone, in seconds.
    pub serial_s: f64,
}

crate::metrics! {
    /// The metrics of every farm.
    pub struct FarmMetrics {
        rounds: u32 = "rounds of tasks (generations)" [neither],
        tasks: u64 = "tasks that were computed before that, copies of late ones and those whose results were lost included" [neither],
        copies: u64 = "copies of late tasks that were dealt" [neither],
        lost: u64 = "messages that met a node that was down" [less],
    }
}

impl Outcome {
    /// Reads a run out.
    ///
    /// # Errors
    /// A sentence that says what is missing, where the run has not come to its end.
    pub(super) fn new<B: TaskSource>(
        end: &End,
        server: &Server<B>,
        platform: &Platform,
        task_memory: u64,
    ) -> Result<Self, RunFailure> {
        let completion = server.end().ok_or_else(|| {
            let (unfinished, round) = (server.unfinished(), server.rounds() + 1);
            let workers_down = (0..server.workers()).all(|worker| end.is_down(server.node_of(worker)));
            let why = if workers_down {
                "; all workers are down"
            } else if !platform.faults().is_empty() && !server.has_timeout() {
                "; where nodes fail, a farm needs a `timeout` to deal lost tasks again"
            } else {
                ""
            };
            format!("{unfinished} tasks of round {round} were never computed{why}")
        })?;
        let share = |worker: u32| Share::of(server.node_of(worker), &end.usage, platform);
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
            lost: end.lost,
            serial_s: operations / fastest,
            workers,
        })
    }

    /// The farm's own metrics; how it used its nodes is told to the run.
    pub fn metrics(&self, run: &mut Run<'_>) -> FarmMetrics {
        run.shared(&self.workers, self.serial_s, self.completion);
        let platform = run.platform;
        run.table(&share::NODES, || share::rows(&self.workers, platform));
        FarmMetrics { rounds: self.rounds, tasks: self.tasks, copies: self.copied, lost: self.lost }
    }
}
