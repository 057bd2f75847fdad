//! What each node did of a run's work, for every workload that computes.

use crate::metrics::{Measured, Performance};
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::Time;
use hetsim_cluster::{NodeId, Platform, Usage};

/// What a node did of a run's work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The node.
    pub node: NodeId,
    /// Its nominal speed, in operations a second.
    pub speed: f64,
    /// How long it computed, in seconds.
    pub busy_s: f64,
    /// The operations that it computed.
    pub operations: f64,
    /// The tasks that it computed.
    pub tasks: u64,
    /// As how many processors it counts in the metrics: 1, or its cores where each of them computes on its own.
    pub processors: u32,
}

impl Share {
    /// What `node` did, by the machine's book; every computation counts as a task.
    #[must_use]
    pub fn of(node: NodeId, usage: &[Usage], platform: &Platform) -> Self {
        let usage = usage.get(node.index()).copied().unwrap_or_default();
        Self {
            node,
            speed: platform.speed_per_second(node),
            busy_s: platform.tick().seconds(usage.busy),
            operations: usage.operations,
            tasks: usage.works,
            processors: 1,
        }
    }
}

/// The metrics of Bazterra et al. over the nodes that compute. A node that counts as several processors gives each of
/// them an equal part of what it did.
#[must_use]
pub fn performance(shares: &[Share], serial_s: f64, completion_s: f64) -> Performance {
    let each = |part: fn(&Share) -> f64| -> Vec<f64> {
        shares.iter().flat_map(|share| std::iter::repeat_n(part(share), share.processors as usize)).collect()
    };
    Performance::of(&Measured {
        speeds: &each(|share| share.speed),
        busy_s: &each(|share| share.busy_s / f64::from(share.processors)),
        operations: &each(|share| share.operations / f64::from(share.processors)),
        serial_s: Some(serial_s),
        completion_s: Some(completion_s),
    })
}

/// The long table `nodes`: a row a node that computes.
pub const NODES: TableShape = TableShape {
    name: "nodes",
    about: "what each node computed, and for how long",
    columns: &[
        Metric::number("node", "the node's number"),
        Metric::name("cluster", "its cluster"),
        Metric::number("speed_per_s", "its nominal speed, in operations a second of one core"),
        Metric::number("tasks", "the tasks that it computed"),
        Metric::number("busy_s", "how long it computed"),
        Metric::number("normalised_speed", "its part of the speeds of all: its best share"),
        Metric::number("share", "its part of all operations that were computed (p_i)"),
    ],
};

/// The rows of [`NODES`].
#[must_use]
pub fn rows(shares: &[Share], platform: &Platform) -> Vec<Vec<Value>> {
    let speed_of_all = |share: &Share| share.speed * f64::from(share.processors);
    let total_speed: f64 = shares.iter().map(speed_of_all).sum();
    let total_operations: f64 = shares.iter().map(|share| share.operations).sum();
    let row = |share: &Share| {
        vec![
            Value::Count(u64::from(share.node.0)),
            platform.clusters()[platform.cluster_of(share.node)].name.as_str().into(),
            share.speed.into(),
            share.tasks.into(),
            share.busy_s.into(),
            (speed_of_all(share) / total_speed).into(),
            (share.operations / total_operations).into(),
        ]
    };
    shares.iter().map(row).collect()
}

/// What the ranks spent with something, as cells: the mean, the least and the greatest time, in seconds, and its part of
/// all ranks' time until the completion.
#[must_use]
pub fn of_ranks(spent: &[Time], completion: Time, platform: &Platform) -> [Value; 4] {
    let seconds = |time: Option<Time>| Value::from(platform.tick().seconds(time.unwrap_or_default()));
    let mean = spent.iter().map(|time| time.as_f64()).sum::<f64>() / spent.len() as f64;
    let whole = completion.as_f64();
    [
        (mean / platform.tick().per_second()).into(),
        seconds(spent.iter().copied().min()),
        seconds(spent.iter().copied().max()),
        (whole > 0.0).then_some(mean / whole).into(),
    ]
}
