//! What is known of a farm when it has ended.

use super::server::{Bag, Server};
use crate::cluster::{Cluster, NodeId, Observer, Platform};
use crate::metrics::{Measured, Performance};
use crate::record::{Figure, Record, Table, TableShape, Value};
use crate::units::Time;

/// What a farm measured.
#[derive(Debug)]
pub struct Outcome<O> {
    /// When the server had the last result.
    pub completion: Time,
    /// Rounds of tasks.
    pub rounds: u32,
    /// Tasks that were computed, copies of late ones included.
    pub tasks: u64,
    /// Copies of late tasks that were dealt.
    pub copied: u64,
    /// The operations of all tasks, each counted once.
    pub operations: f64,
    /// Messages delivered.
    pub messages: u64,
    /// Messages that met a node that was down.
    pub lost: u64,
    /// Events handled.
    pub events: u64,
    /// Worker by worker.
    pub workers: Vec<Share>,
    /// The least time in which one of the workers could have done everything alone, in seconds.
    pub serial_s: f64,
    /// What watched the run.
    pub observer: O,
}

/// What a worker did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Where it ran.
    pub node: NodeId,
    /// Its nominal speed, in operations a second.
    pub speed: f64,
    /// How long it computed, in seconds.
    pub busy_s: f64,
    /// The operations that it computed.
    pub operations: f64,
    /// The tasks that it computed.
    pub tasks: u64,
}

/// The figures of every farm, in the order of [`Outcome::write`].
pub const FIGURES: &[Figure] = &[
    Figure::number("rounds", "rounds of tasks (generations)"),
    Figure::number("tasks", "tasks that were computed, copies of late ones and those lost with a node included"),
    Figure::number("copies", "copies of late tasks that were dealt"),
    Figure::number("lost", "messages that met a node that was down"),
];

/// The long tables that a farm can keep.
pub const TABLES: &[TableShape] = &[NODES];

/// A row a worker.
pub const NODES: TableShape = TableShape {
    name: "nodes",
    about: "what each worker computed, and for how long",
    columns: &[
        Figure::number("node", "the node's number"),
        Figure::name("cluster", "its cluster"),
        Figure::number("speed_per_s", "its nominal speed, in operations a second"),
        Figure::number("tasks", "the tasks that it computed"),
        Figure::number("busy_s", "how long it computed"),
        Figure::number("normalised_speed", "its part of the speeds of all workers: its best share"),
        Figure::number("share", "its part of all operations that were computed (p_i)"),
    ],
};

impl<O: Observer> Outcome<O> {
    /// Reads a run out.
    ///
    /// # Errors
    /// A sentence that says what is missing, where the run has not come to its end.
    pub(super) fn new<M, B: Bag>(
        cluster: Cluster<'_, M, O>,
        server: &Server<B>,
        platform: &Platform,
        task_memory: u64,
    ) -> Result<Self, String> {
        let completion = server.end().ok_or_else(|| {
            let (unfinished, round) = (server.unfinished(), server.rounds() + 1);
            let workers_down = (0..server.workers()).all(|worker| cluster.is_down(server.node_of(worker)));
            let why = if cluster.is_down(server.node()) {
                "; the server's node is down"
            } else if workers_down {
                "; all workers are down"
            } else if !platform.faults().is_empty() {
                "; where nodes fail, a farm needs a `timeout` to deal lost tasks again"
            } else {
                ""
            };
            format!("{unfinished} tasks of round {round} were never computed{why}")
        })?;
        let seconds = |time: Time| platform.tick().seconds(time);
        let share = |worker: u32| {
            let node = server.node_of(worker);
            let usage = cluster.usage().get(node.index()).copied().unwrap_or_default();
            Share {
                node,
                speed: platform.speed_per_second(node),
                busy_s: seconds(usage.busy),
                operations: usage.operations,
                tasks: usage.works,
            }
        };
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
            messages: cluster.messages(),
            lost: cluster.lost(),
            events: cluster.events(),
            serial_s: operations / fastest,
            workers,
            observer: cluster.into_observer(),
        })
    }

    /// Writes the farm's own figures.
    pub fn write(&self, record: &mut Record) {
        record.figure("rounds", u64::from(self.rounds));
        record.figure("tasks", self.tasks);
        record.figure("copies", self.copied);
        record.figure("lost", self.lost);
    }

    /// Writes the metrics of Bazterra et al. over the workers, and how many messages and events there were.
    pub fn write_performance(&self, platform: &Platform, record: &mut Record) {
        let each = |part: fn(&Share) -> f64| -> Vec<f64> { self.workers.iter().map(part).collect() };
        let performance = Performance::of(&Measured {
            speeds: &each(|share| share.speed),
            busy_s: &each(|share| share.busy_s),
            operations: &each(|share| share.operations),
            serial_s: Some(self.serial_s),
            completion_s: Some(platform.tick().seconds(self.completion)),
        });
        performance.write(record);
        record.figure("messages", self.messages);
        record.figure("events", self.events);
    }
}

/// The long table of the workers.
pub fn nodes_table<O>(outcome: &Outcome<O>, platform: &Platform) -> Table {
    let total_speed: f64 = outcome.workers.iter().map(|share| share.speed).sum();
    let total_operations: f64 = outcome.workers.iter().map(|share| share.operations).sum();
    let row = |share: &Share| {
        vec![
            Value::Count(u64::from(share.node.0)),
            platform.groups()[platform.group_of(share.node)].name.as_str().into(),
            share.speed.into(),
            share.tasks.into(),
            share.busy_s.into(),
            (share.speed / total_speed).into(),
            (share.operations / total_operations).into(),
        ]
    };
    Table { rows: outcome.workers.iter().map(row).collect(), ..Table::new(&NODES) }
}
