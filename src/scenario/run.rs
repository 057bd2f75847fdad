//! The one place that names every workload, and turns a resolved run into a record.

use super::check::resolve_file;
use super::csv::read_numbers;
use super::graphs::GraphFiles;
use super::node::Node;
use super::platform::PlatformPlan;
use super::problem::{Problem, Source};
use crate::cluster::{NodeId, Platform, Timeline};
use crate::engine::Streams;
use crate::metrics;
use crate::record::{Figure, Record, TableShape};
use crate::units::Tick;
use crate::workload::{
    KeyError, adaptive, broadcast, evolution, farm, genetic, independent, island, partition, schedules, taskgraph,
};

crate::registry! {
    /// The programs that a scenario can run.
    pub enum Workload by "kind" {
        "broadcast" => Broadcast(broadcast::Parameters): "One rank has a message, and all are to have it.",
        "adaptive" => Adaptive(adaptive::Parameters): "A broadcast that measures the clusters and chooses models, algorithms and schedule.",
        "evolution" => Evolution(evolution::Parameters): "An evolution strategy: a master, and slaves that measure their power.",
        "genetic" => Genetic(genetic::Parameters): "A genetic algorithm: a server breeds, unequal workers evaluate.",
        "independent" => Independent(independent::Parameters): "Independent tasks, dealt to unequal workers.",
        "island" => Island(island::Parameters): "A genetic algorithm on every node, with migrants between them.",
        "partition" => Partition(partition::Parameters): "Logical clusters from the latencies between machines.",
        "schedules" => Schedules(schedules::Parameters): "Heuristics for a broadcast between clusters, on drawn grids, without events.",
        "taskgraph" => Taskgraph(taskgraph::Parameters): "A task graph: tasks that wait for each other's data, by any scheduler.",
    }
}

impl Workload {
    /// The long tables of each kind of workload.
    pub const TABLES: &[(&str, &[TableShape])] = &[
        ("adaptive", adaptive::TABLES),
        ("broadcast", broadcast::TABLES),
        ("evolution", evolution::TABLES),
        ("genetic", genetic::TABLES),
        ("independent", farm::TABLES),
        ("island", island::TABLES),
        ("partition", partition::TABLES),
        ("schedules", schedules::TABLES),
        ("taskgraph", taskgraph::TABLES),
    ];

    /// The figures of a workload's runs, each with what it means: its own, and those that every workload has.
    #[must_use]
    pub fn figures(&self) -> Vec<Figure> {
        let own = match self {
            Self::Adaptive(_) => adaptive::FIGURES,
            Self::Broadcast(_) => broadcast::FIGURES,
            Self::Evolution(_) => evolution::FIGURES,
            Self::Genetic(_) => genetic::FIGURES,
            Self::Independent(_) => independent::FIGURES,
            Self::Island(_) => island::FIGURES,
            Self::Partition(_) => partition::FIGURES,
            Self::Schedules(_) => schedules::FIGURES,
            Self::Taskgraph(_) => taskgraph::FIGURES,
        };
        own.iter().copied().flatten().chain(metrics::FIGURES).chain(EVERY).copied().collect()
    }

    /// The long tables that a workload's runs can keep.
    #[must_use]
    pub fn tables(&self) -> &'static [TableShape] {
        let of_this = Self::TABLES.iter().find(|(name, _)| *name == self.name());
        of_this.map_or(&[], |(_, tables)| tables)
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

/// The figures of every workload, after the [metrics](metrics::FIGURES).
const EVERY: &[Figure] =
    &[Figure::number("messages", "messages delivered"), Figure::number("events", "events handled")];

/// A workload on a platform, ready to run.
#[derive(Debug)]
pub(super) struct Resolved {
    workload: Workload,
    prepared: Prepared,
}

#[derive(Debug)]
enum Prepared {
    Adaptive(adaptive::Prepared),
    Broadcast(broadcast::Prepared),
    Evolution(evolution::Prepared),
    Genetic(genetic::Prepared),
    Independent(independent::Prepared),
    Island(island::Prepared),
    Partition(partition::Prepared),
    Schedules(schedules::Prepared),
    Taskgraph(taskgraph::Prepared),
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
}

impl Resolved {
    /// Reads a `[workload]` that has passed the schema, for a platform.
    pub(super) fn read(
        table: &Node,
        platform: &PlatformPlan,
        sources: &[Source],
        graphs: &GraphFiles,
    ) -> Result<Self, Vec<Problem>> {
        let mut json = table.to_json();
        read_trace(table, &mut json, sources).map_err(|problem| vec![problem])?;
        let mut workload: Workload = serde_json::from_value(json)
            .map_err(|error| vec![Problem::at(&table.place, error.to_string()).labelled("in this workload")])?;
        if let Workload::Taskgraph(parameters) = &mut workload {
            parameters.graph = graphs.read(table, sources).map_err(|problem| vec![problem])?;
        }
        let at_key = |error: KeyError| {
            let place = table.at(&error.key).map_or(&table.place, |node| &node.place);
            vec![Problem::at(place, error.message)]
        };
        if let Some(server) = workload.server().filter(|server| platform.diversity_concerns(*server)) {
            let message = format!("the diversity counts node {server}, the server, which computes no tasks");
            let help =
                "put the server into a cluster of its own, and name the workers' clusters in `platform.diversity_over`";
            return Err(vec![Problem::at(&table.place, message).labelled("in this workload").with_help(help)]);
        }
        let prepared = match &workload {
            Workload::Adaptive(parameters) => {
                Prepared::Adaptive(parameters.prepare(platform.platform()).map_err(at_key)?)
            }
            Workload::Broadcast(parameters) => {
                Prepared::Broadcast(parameters.prepare(platform.platform()).map_err(at_key)?)
            }
            Workload::Evolution(parameters) => {
                Prepared::Evolution(parameters.prepare(platform.platform()).map_err(at_key)?)
            }
            Workload::Genetic(parameters) => {
                Prepared::Genetic(parameters.prepare(platform.platform()).map_err(at_key)?)
            }
            Workload::Independent(parameters) => {
                Prepared::Independent(parameters.prepare(platform.platform()).map_err(at_key)?)
            }
            Workload::Island(parameters) => Prepared::Island(parameters.prepare(platform.platform()).map_err(at_key)?),
            Workload::Partition(parameters) => {
                Prepared::Partition(parameters.prepare(platform.platform()).map_err(at_key)?)
            }
            Workload::Schedules(parameters) => Prepared::Schedules(parameters.prepare().map_err(at_key)?),
            Workload::Taskgraph(parameters) => {
                Prepared::Taskgraph(parameters.prepare(platform.platform()).map_err(at_key)?)
            }
        };
        Ok(Self { workload, prepared })
    }

    /// The workload's parameters.
    pub(super) const fn workload(&self) -> &Workload {
        &self.workload
    }

    pub(super) fn run(&self, platform: &Platform, streams: Streams, tables: &[String]) -> Result<Record, String> {
        match &self.prepared {
            Prepared::Adaptive(prepared) => prepared.run(platform, streams, tables),
            Prepared::Broadcast(prepared) => prepared.run(platform, streams, tables),
            Prepared::Evolution(prepared) => prepared.run(platform, streams, tables),
            Prepared::Genetic(prepared) => prepared.run(platform, streams, tables),
            Prepared::Independent(prepared) => prepared.run(platform, streams, tables),
            Prepared::Island(prepared) => prepared.run(platform, streams, tables),
            Prepared::Partition(prepared) => prepared.run(platform, streams, tables),
            Prepared::Schedules(prepared) => prepared.run(platform, streams, tables),
            Prepared::Taskgraph(prepared) => prepared.run(platform, streams, tables),
        }
    }

    /// What the schedule of a task graph promises, once it is checked; nothing for other workloads, and where there is no
    /// schedule before the run.
    pub(super) fn promise(&self, platform: &Platform, streams: Streams) -> Result<Option<taskgraph::Promise>, String> {
        match &self.prepared {
            Prepared::Taskgraph(prepared) => prepared.promise(platform, streams),
            _ => Ok(None),
        }
    }

    pub(super) fn trace(&self, platform: &Platform, streams: Streams) -> Result<Traced, String> {
        let timeline = match &self.prepared {
            Prepared::Adaptive(prepared) => prepared.trace(platform, streams)?,
            Prepared::Broadcast(prepared) => prepared.trace(platform, streams)?,
            Prepared::Evolution(prepared) => prepared.trace(platform, streams)?,
            Prepared::Genetic(prepared) => prepared.trace(platform, streams)?,
            Prepared::Independent(prepared) => prepared.trace(platform, streams)?,
            Prepared::Island(prepared) => prepared.trace(platform, streams)?,
            Prepared::Partition(prepared) => prepared.trace(),
            Prepared::Schedules(prepared) => prepared.trace(),
            Prepared::Taskgraph(prepared) => prepared.trace(platform, streams)?,
        };
        Ok(Traced {
            timeline,
            clusters: platform.groups().iter().map(|group| group.name.clone()).collect(),
            cluster_of: (0..platform.nodes()).map(|node| platform.group_of(NodeId(node))).collect(),
            tick: platform.tick(),
        })
    }
}
