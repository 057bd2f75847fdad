//! A run that was watched: what happened, and what is known of the platform on which it happened.

use hetsim_base::units::{Tick, Time};
use hetsim_cluster::{Availability, LinkCourse, NodeId, Platform, Timeline};
use hetsim_workload::ranks::RankCall;
use hetsim_workload::{TracedTasks, Watched};

/// A run that was watched.
#[derive(Debug)]
pub struct Traced {
    /// What happened.
    pub timeline: Timeline,
    /// The clusters' names.
    pub clusters: Vec<String>,
    /// The cluster of each node.
    pub cluster_of: Vec<usize>,
    /// The clock.
    pub tick: Tick,
    /// The share that external load leaves of each node, from each instant on; of a node whose load changes too often
    /// to be shown, its mean. Empty where there is no load.
    pub loads: Vec<Vec<(Time, f64)>>,
    /// The tasks, where the run is of a task graph.
    pub tasks: Option<TracedTasks>,
    /// By rank: what it called, where the workload's ranks are functions.
    pub calls: Option<Vec<Vec<RankCall>>>,
    /// The links that messages shared, in the order in which the first one came to each.
    pub links: Vec<TracedLink>,
    /// The cores of each node.
    pub cores: Vec<u32>,
    /// When the last thing happened that was seen.
    pub end: Time,
}

/// A link of a run that was watched, in one direction where each has a bandwidth of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedLink {
    /// What it is called.
    pub name: String,
    /// What it carries at its full bandwidth, in bytes a tick.
    pub capacity: f64,
    /// What flowed over it, in bytes a tick, from each instant on; nothing before the first.
    pub rates: Vec<(Time, f64)>,
}

/// The most changes of a node's load that are shown.
const MOST_STEPS: usize = 2000;

/// The share that external load leaves of each node of a run.
fn loads(platform: &Platform, end: Time) -> Vec<Vec<(Time, f64)>> {
    let nodes = (0..platform.nodes()).map_while(|node| platform.availability(NodeId(node)));
    let steps = |load: &Availability| {
        let steps = load.clone().steps(end, MOST_STEPS);
        steps.unwrap_or_else(|| vec![(Time::ZERO, load.mean_share())])
    };
    nodes.map(steps).collect()
}

/// The links of a run by their names.
fn links(platform: &Platform, courses: Vec<LinkCourse>) -> Vec<TracedLink> {
    let traced = |LinkCourse { channel, rates }| {
        let capacity = platform.channel_capacity(channel)?;
        Some(TracedLink { name: platform.channel_name(channel), capacity, rates })
    };
    courses.into_iter().filter_map(traced).collect()
}

impl Traced {
    /// What happened on a platform.
    pub(super) fn new(platform: &Platform, mut timeline: Timeline, shown: Watched) -> Self {
        let end = timeline.end();
        Self {
            loads: loads(platform, end),
            tasks: shown.tasks,
            calls: shown.calls,
            links: links(platform, std::mem::take(&mut timeline.links)),
            cores: (0..platform.nodes()).map(|node| platform.cores(NodeId(node))).collect(),
            end,
            timeline,
            clusters: platform.clusters().iter().map(|cluster| cluster.name.clone()).collect(),
            cluster_of: (0..platform.nodes()).map(|node| platform.cluster_of(NodeId(node))).collect(),
            tick: platform.tick(),
        }
    }
}
