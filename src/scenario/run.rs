//! A workload of a scenario: read with the files that it names, and run or traced on a platform.

use std::sync::Arc;

use super::check::resolve_file;
use super::csv::read_numbers;
use super::formulas::Files as FileCache;
use super::kinds::{Kind, Ready, kinds};
use super::node::Node;
use super::platform::{Context, PlatformPlan};
use super::problem::{Problem, Source};
use crate::cluster::{Availability, LinkCourse, NodeId, Platform, Timeline};
use crate::engine::Streams;
use crate::fit::runtime::data::{Data, Reading};
use crate::formula::NamedFormula;
use crate::graph::TaskGraph;
use crate::record::Record;
use crate::units::{Tick, Time};
use crate::workload::taskgraph::Predicted;
use crate::workload::{Files, KeyError, RunFailure, TracedTasks};

/// A workload on a platform, ready to run.
#[derive(Debug)]
pub(super) struct Resolved {
    kind: &'static Kind,
    prepared: Box<dyn Ready>,
}

/// The files that a `[workload]` names.
struct NamedFiles<'a> {
    table: &'a Node,
    sources: &'a [Source],
    cache: &'a FileCache,
    /// What is wrong with a file, which says more than the error that the workload gets.
    problem: Option<Problem>,
}

impl NamedFiles<'_> {
    fn read<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&Node, &FileCache, &[Source]) -> Result<T, Problem>,
    ) -> Result<T, KeyError> {
        let wrong = |message: String| KeyError { key: key.to_owned(), message };
        let Some(named) = self.table.at(key) else { return Err(wrong(format!("`{key}` names no file"))) };
        read(named, self.cache, self.sources).map_err(|problem| {
            let error = wrong(problem.message.clone());
            self.problem = Some(problem);
            error
        })
    }
}

impl Files for NamedFiles<'_> {
    fn graph(&mut self, key: &str, instance: &str) -> Result<Arc<TaskGraph>, KeyError> {
        let instance = self.table.at(instance);
        self.read(key, |named, cache, sources| cache.graphs.read(named, instance, sources))
    }

    fn formula(&mut self, key: &str) -> Result<Arc<NamedFormula>, KeyError> {
        self.read(key, |named, cache, sources| cache.formulas.read(named, sources))
    }

    fn measured(&mut self, key: &str, reading: &Reading) -> Result<Arc<Data>, KeyError> {
        self.read(key, |named, cache, sources| cache.measured.read(named, reading, sources))
    }

    fn numbers(&mut self, key: &str) -> Result<Vec<f64>, KeyError> {
        self.read(key, |named, _, sources| {
            read_numbers(&resolve_file(sources, named, named.text().unwrap_or_default()), named)
        })
    }
}

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
    /// The share that external load leaves of each node, from each instant on; of a node whose load changes too often to be
    /// shown, its mean. Empty where there is no load.
    pub loads: Vec<Vec<(Time, f64)>>,
    /// The tasks, where the run is of a task graph.
    pub tasks: Option<TracedTasks>,
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

impl Resolved {
    /// Reads a `[workload]` that has passed the schema, for a platform.
    pub(super) fn read(table: &Node, platform: &PlatformPlan, context: &Context<'_>) -> Result<Self, Vec<Problem>> {
        let unread = |message: String| vec![Problem::at(&table.place, message).labelled("in this workload")];
        let mut json = table.to_json();
        let name = json.as_object_mut().and_then(|keys| keys.remove("kind"));
        let name = name.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
        let kind = kinds().iter().find(|kind| kind.name == name);
        let kind = kind.ok_or_else(|| unread(format!("there is no workload `{name}`")))?;
        let mut keys = kind.read(json).map_err(|error| unread(error.to_string()))?;
        let mut files = NamedFiles { table, sources: context.sources, cache: context.files, problem: None };
        let at_key = |error: KeyError| {
            // A key that is left out is looked for in the table that it belongs to.
            let above = || error.key.rsplit_once('.').and_then(|(above, _)| table.at(above));
            let place = table.at(&error.key).or_else(above).map_or(&table.place, |node| &node.place);
            vec![Problem::at(place, error.message)]
        };
        keys.read_files(&mut files)
            .map_err(|error| files.problem.take().map_or_else(|| at_key(error), |problem| vec![problem]))?;
        if let Some(server) = keys.server().filter(|server| platform.diversity_concerns(*server)) {
            let message = format!("the diversity counts node {server}, the server, which computes no tasks");
            let help =
                "put the server into a cluster of its own, and name the workers' clusters in `platform.diversity_over`";
            return Err(vec![Problem::at(&table.place, message).labelled("in this workload").with_help(help)]);
        }
        let prepared = keys.prepare(platform.platform()).map_err(at_key)?;
        Ok(Self { kind, prepared })
    }

    /// The kind of the workload.
    pub(super) const fn kind(&self) -> &'static Kind {
        self.kind
    }

    pub(super) fn run(&self, platform: &Platform, streams: Streams, tables: &[String]) -> Result<Record, RunFailure> {
        self.prepared.record(platform, streams, tables)
    }

    /// What the schedule of a task graph predicts, once it is checked; nothing for other workloads, and where there is no
    /// schedule before the run.
    pub(super) fn predicted(&self, platform: &Platform, streams: Streams) -> Result<Option<Predicted>, RunFailure> {
        self.prepared.predicted(platform, streams)
    }

    pub(super) fn trace(&self, platform: &Platform, streams: Streams) -> Result<Traced, RunFailure> {
        let (mut timeline, tasks) = self.prepared.timeline(platform, streams)?;
        let end = timeline.end();
        Ok(Traced {
            loads: loads(platform, end),
            tasks,
            links: links(platform, std::mem::take(&mut timeline.links)),
            cores: (0..platform.nodes()).map(|node| platform.cores(NodeId(node))).collect(),
            end,
            timeline,
            clusters: platform.clusters().iter().map(|cluster| cluster.name.clone()).collect(),
            cluster_of: (0..platform.nodes()).map(|node| platform.cluster_of(NodeId(node))).collect(),
            tick: platform.tick(),
        })
    }
}
