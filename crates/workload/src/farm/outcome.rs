//! The results of a farm.

use super::server::{Server, TaskSource};
use crate::share::{self, Share};
use crate::{End, Run, RunFailure};
use hetsim_base::units::Time;
use hetsim_cluster::{NodeId, Platform};

/// The measurements of a farm.
#[derive(Debug)]
pub struct Outcome {
    /// The time of the last result at the server.
    pub completion: Time,
    /// The number of rounds.
    pub rounds: u32,
    /// The number of tasks computed until then, including copies of late ones.
    pub tasks: u64,
    /// The number of copies of late tasks that were dealt.
    pub copied: u64,
    /// The number of tasks that a timeout took from workers that had not failed.
    pub false_timeouts: u64,
    /// The operations of all tasks, each counted once.
    pub operations: f64,
    /// The number of messages that met a node that was down.
    pub lost: u64,
    /// The measurements of each worker.
    pub workers: Vec<Share>,
    /// The shortest time in which a single worker could have computed everything, in seconds.
    pub serial_s: f64,
}

hetsim_base::metrics! {
    /// The metrics of every farm.
    pub struct FarmMetrics {
        rounds: u32 = "rounds of tasks (generations)" [neither],
        tasks: u64 = "tasks computed before that, including copies of late ones and those whose results were lost" [neither],
        copies: u64 = "dealt copies of late tasks" [neither],
        lost: u64 = "messages that met a node that was down" [less],
        false_timeouts: u64 = "tasks that a timeout took from workers that had not failed, to deal them again" [
            less,
            doubt(
                "a timeout took tasks from workers that had not failed, and dealt them again: it is shorter than a chunk \
                 takes. Raise `workload.farm.timeout` or `workload.farm.task_timeout`, whichever is given; only the second \
                 grows with the chunk"
            )
        ],
    }
}

impl Outcome {
    /// Collects the results of a run; `speed_at` is the speed of a node at its tasks, with a working set of so many
    /// bytes.
    ///
    /// # Errors
    /// A sentence that says what is missing, if the run did not finish.
    pub(super) fn new<S: TaskSource>(
        end: &End,
        server: &Server<S>,
        platform: &Platform,
        speed_at: &dyn Fn(NodeId, u64) -> f64,
    ) -> Result<Self, RunFailure> {
        let completion = server.end.ok_or_else(|| {
            let (unfinished, round) = (server.unfinished(), server.rounds + 1);
            let workers_down = (0..server.slots.workers()).all(|worker| end.is_down(server.node_of(worker)));
            let is_told = server.rules.timeout.is_some() || server.rules.detection.is_some();
            let why = if workers_down {
                "; all workers are down"
            } else if !platform.faults().is_empty() && !is_told {
                "; where nodes fail, a farm needs a `timeout`, a `task_timeout` or a `detection` to deal lost tasks again"
            } else {
                ""
            };
            let (tasks, were) = if unfinished == 1 { ("task", "was") } else { ("tasks", "were") };
            format!("{unfinished} {tasks} of round {round} {were} never computed{why}")
        })?;
        let share = |worker: u32| {
            let share = Share::of(server.node_of(worker), &end.usage, platform);
            let speed = speed_at(share.node, 0);
            Share { speed, operations: share.operations * (speed / share.speed), ..share }
        };
        let workers: Vec<Share> = (0..server.slots.workers()).map(share).collect();
        let tasks = server.rounds * server.source.tasks();
        let operations = server.source.total(tasks);
        // A single worker would hold all tasks of a round in its memory.
        let memory = server.rules.sizes.memory.saturating_mul(u64::from(server.source.tasks()));
        let fastest = workers.iter().map(|share| speed_at(share.node, memory)).fold(0.0, f64::max);
        Ok(Self {
            completion,
            rounds: server.rounds,
            tasks: workers.iter().map(|share| share.tasks).sum(),
            copied: server.copied,
            false_timeouts: server.false_timeouts,
            operations,
            lost: end.lost,
            serial_s: operations / fastest,
            workers,
        })
    }

    /// The farm's own metrics. Also passes the use of its nodes to the run.
    pub fn metrics(&self, run: &mut Run<'_>) -> FarmMetrics {
        run.set_shares(&self.workers, self.serial_s, self.completion);
        let platform = run.platform;
        run.table(&share::NODES, || share::rows(&self.workers, platform));
        FarmMetrics {
            rounds: self.rounds,
            tasks: self.tasks,
            copies: self.copied,
            lost: self.lost,
            false_timeouts: self.false_timeouts,
        }
    }
}
