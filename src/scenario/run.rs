//! The one place that names every workload, and turns a resolved run into a record.

use std::sync::Arc;

use super::check::resolve_file;
use super::csv::read_numbers;
use super::node::Node;
use super::platform::{Context, PlatformPlan};
use super::problem::{Problem, Source};
use crate::cluster::{Availability, LinkCourse, NodeId, Platform, Timeline};
use crate::engine::Streams;
use crate::graph::TaskGraph;
use crate::metrics;
use crate::record::{Metric, Record, TableShape};
use crate::units::{Tick, Time};
use crate::workload::fitted::Fitted;
use crate::workload::{
    KeyError, adaptive, adversarial, broadcast, collective, evolution, fit, footprint, genetic, independent, island,
    measure, partition, phases, schedules, taskgraph, traffic,
};

/// Makes of one line a workload all that is needed of it: the alternative of `kind`, and what stands in its module under
/// the names `Parameters`, `Prepared`, `METRICS` and `TABLES`.
macro_rules! workloads {
    ($($name:literal => $variant:ident($module:ident): $about:literal,)+) => {
        crate::registry! {
            /// The programs that a scenario can run.
            pub enum Workload by "kind" {
                $($name => $variant($module::Parameters): $about,)+
            }
        }

        impl Workload {
            /// The long tables of each kind of workload.
            pub const TABLES: &[(&str, &[TableShape])] = &[$(($name, $module::TABLES)),+];

            /// The metrics that only the runs of each kind of workload give.
            pub const METRICS: &[(&str, &[&[Metric]])] = &[$(($name, $module::METRICS)),+];

            /// The metrics that only this workload's runs give.
            const fn own_metrics(&self) -> &'static [&'static [Metric]] {
                match self { $(Self::$variant(_) => $module::METRICS),+ }
            }

            /// Makes it ready to run on a platform.
            fn prepare(&self, platform: &Platform) -> Result<Prepared, KeyError> {
                Ok(match self { $(Self::$variant(parameters) => Prepared::$variant(parameters.prepare(platform)?)),+ })
            }
        }

        #[derive(Debug)]
        enum Prepared {
            $($variant($module::Prepared),)+
        }

        impl Prepared {
            fn run(&self, platform: &Platform, streams: Streams, tables: &[String]) -> Result<Record, String> {
                match self { $(Self::$variant(prepared) => prepared.run(platform, streams, tables)),+ }
            }

            fn trace(&self, platform: &Platform, streams: Streams) -> Result<Watched, String> {
                match self { $(Self::$variant(prepared) => prepared.trace(platform, streams).map(Watched::from)),+ }
            }
        }
    };
}

workloads! {
    "adaptive" => Adaptive(adaptive): "A broadcast that measures the clusters and chooses models, algorithms and schedule.",
    "adversarial" => Adversarial(adversarial): "Two schedulers of task graphs: a search for where one does worst beside the other.",
    "broadcast" => Broadcast(broadcast): "One rank has a message, and all are to have it.",
    "collective" => Collective(collective): "An operation of all ranks, by any algorithm: all-reduce, gather, barrier and others.",
    "evolution" => Evolution(evolution): "An evolution strategy: a master, and slaves that measure their power.",
    "fit" => Fit(fit): "A formula for run times, simulated or measured: curve fitting, genetic programming, models.",
    "genetic" => Genetic(genetic): "A genetic algorithm: a server breeds, unequal workers evaluate.",
    "independent" => Independent(independent): "Independent tasks, dealt to unequal workers.",
    "island" => Island(island): "A genetic algorithm on every node, with migrants between them.",
    "measure" => Measure(measure): "Benchmarks of the network, and models fitted to what they measure.",
    "partition" => Partition(partition): "Logical clusters from the latencies between machines.",
    "phases" => Phases(phases): "A program without code: computing, halo exchanges and collectives, one after the other.",
    "schedules" => Schedules(schedules): "Heuristics for a broadcast between clusters, on drawn grids, without events.",
    "taskgraph" => Taskgraph(taskgraph): "A task graph: tasks that wait for each other's data, by any scheduler.",
    "traffic" => Traffic(traffic): "Messages without a program behind them: how a network carries a pattern.",
}

impl Workload {
    /// The metrics of a workload's runs, each with what it means: its own, and those that every workload has.
    #[must_use]
    pub fn metrics(&self) -> Vec<Metric> {
        self.own_metrics()
            .iter()
            .copied()
            .flatten()
            .chain(metrics::METRICS)
            .chain(footprint::METRICS)
            .copied()
            .collect()
    }

    /// The long tables that a workload's runs can keep.
    #[must_use]
    pub fn tables(&self) -> Vec<TableShape> {
        let of_this = Self::TABLES.iter().find(|(name, _)| *name == self.name());
        let own = of_this.map_or(&[][..], |(_, tables)| tables);
        own.iter().chain(footprint::TABLES).copied().collect()
    }

    /// The formulas of whole operations that it names, each with the way to its key.
    fn formulas(&mut self) -> Vec<(String, &mut Fitted)> {
        fn own(fitted: &mut Option<Fitted>) -> Vec<(String, &mut Fitted)> {
            fitted.iter_mut().map(|fitted| ("fitted".to_owned(), fitted)).collect()
        }
        match self {
            Self::Broadcast(broadcast) => own(&mut broadcast.fitted),
            Self::Collective(collective) => own(&mut collective.fitted),
            Self::Phases(phases) => phases.formulas(),
            _ => Vec::new(),
        }
    }

    /// The node that only serves: what is measured of unequal speeds is measured of the others.
    const fn server(&self) -> Option<NodeId> {
        match self {
            Self::Genetic(genetic) => Some(NodeId(genetic.farm.server)),
            Self::Independent(independent) => Some(NodeId(independent.farm.server)),
            _ => None,
        }
    }
}

/// A workload on a platform, ready to run.
#[derive(Debug)]
pub(super) struct Resolved {
    workload: Workload,
    prepared: Prepared,
}

/// Puts the numbers of the file that the cost of tasks names into the place of a list.
fn read_trace(table: &Node, json: &mut serde_json::Value, sources: &[Source]) -> Result<(), Problem> {
    let Some((named, file)) = table.at("task.file").and_then(|node| Some((node, node.text()?))) else { return Ok(()) };
    if let Some(list) = table.at("task.operations") {
        return Err(Problem::at(&list.place, "give either `operations` or `file`"));
    }
    let numbers = read_numbers(&resolve_file(sources, named, file), named)?;
    json["task"]["operations"] = numbers.iter().map(|number| format!("{number}op")).collect();
    Ok(())
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

/// The tasks of a run that was watched.
#[derive(Debug, Clone)]
pub struct TracedTasks {
    /// The graph.
    pub graph: Arc<TaskGraph>,
    /// Where each task ran, and from when to when.
    pub times: Vec<(NodeId, Time, Time)>,
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

/// What a workload shows of a run.
struct Watched {
    timeline: Timeline,
    tasks: Option<TracedTasks>,
}

impl From<Timeline> for Watched {
    fn from(timeline: Timeline) -> Self {
        Self { timeline, tasks: None }
    }
}

impl From<taskgraph::Watched> for Watched {
    fn from(watched: taskgraph::Watched) -> Self {
        let tasks = Some(TracedTasks { graph: watched.graph, times: watched.times });
        Self { timeline: watched.timeline, tasks }
    }
}

impl Resolved {
    /// Reads a `[workload]` that has passed the schema, for a platform.
    pub(super) fn read(table: &Node, platform: &PlatformPlan, context: &Context<'_>) -> Result<Self, Vec<Problem>> {
        let sources = context.sources;
        let mut json = table.to_json();
        read_trace(table, &mut json, sources).map_err(|problem| vec![problem])?;
        let mut workload: Workload = serde_json::from_value(json)
            .map_err(|error| vec![Problem::at(&table.place, error.to_string()).labelled("in this workload")])?;
        if let Workload::Taskgraph(parameters) = &mut workload {
            parameters.graph = context.files.graphs.read(table, sources).map_err(|problem| vec![problem])?;
        }
        if let Workload::Fit(parameters) = &mut workload {
            let data = context.files.measured.read(parameters, table, sources);
            parameters.data = data.map_err(|problem| vec![problem])?;
        }
        for (path, fitted) in workload.formulas() {
            let named = table.at(&path).unwrap_or(table);
            let named = named.get("formula").unwrap_or(named);
            fitted.give(context.files.formulas.read(named, sources).map_err(|problem| vec![problem])?);
        }
        let at_key = |error: KeyError| {
            // A key that is left out is looked for in the table that it belongs to.
            let above = || error.key.rsplit_once('.').and_then(|(above, _)| table.at(above));
            let place = table.at(&error.key).or_else(above).map_or(&table.place, |node| &node.place);
            vec![Problem::at(place, error.message)]
        };
        if let Some(server) = workload.server().filter(|server| platform.diversity_concerns(*server)) {
            let message = format!("the diversity counts node {server}, the server, which computes no tasks");
            let help =
                "put the server into a cluster of its own, and name the workers' clusters in `platform.diversity_over`";
            return Err(vec![Problem::at(&table.place, message).labelled("in this workload").with_help(help)]);
        }
        let prepared = workload.prepare(platform.platform()).map_err(at_key)?;
        Ok(Self { workload, prepared })
    }

    /// The workload's parameters.
    pub(super) const fn workload(&self) -> &Workload {
        &self.workload
    }

    pub(super) fn run(&self, platform: &Platform, streams: Streams, tables: &[String]) -> Result<Record, String> {
        self.prepared.run(platform, streams, tables)
    }

    /// What the schedule of a task graph promises, once it is checked; nothing for other workloads, and where there is no
    /// schedule before the run.
    pub(super) fn promise(
        &self,
        platform: &Platform,
        streams: Streams,
    ) -> Result<Option<taskgraph::Predicted>, String> {
        match &self.prepared {
            Prepared::Taskgraph(prepared) => prepared.promise(platform, streams),
            _ => Ok(None),
        }
    }

    pub(super) fn trace(&self, platform: &Platform, streams: Streams) -> Result<Traced, String> {
        let Watched { mut timeline, tasks } = self.prepared.trace(platform, streams)?;
        let end = timeline.end();
        Ok(Traced {
            loads: loads(platform, end),
            tasks,
            links: links(platform, std::mem::take(&mut timeline.links)),
            cores: (0..platform.nodes()).map(|node| platform.cores(NodeId(node))).collect(),
            end,
            timeline,
            clusters: platform.clusters().iter().map(|group| group.name.clone()).collect(),
            cluster_of: (0..platform.nodes()).map(|node| platform.cluster_of(NodeId(node))).collect(),
            tick: platform.tick(),
        })
    }
}
