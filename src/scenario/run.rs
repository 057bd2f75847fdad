//! The one place that names every workload, and turns a resolved run into a record.

use super::node::Node;
use super::platform::PlatformPlan;
use super::problem::Problem;
use crate::cluster::{NodeId, Platform, Timeline};
use crate::engine::Streams;
use crate::record::{Figure, Record};
use crate::units::Tick;
use crate::metrics;
use crate::workload::{KeyError, broadcast, farm, independent};

crate::registry! {
    /// The programs that a scenario can run.
    pub enum Workload by "kind" {
        "broadcast" => Broadcast(broadcast::Parameters): "One rank has a message, and all are to have it.",
        "independent" => Independent(independent::Parameters): "Independent tasks, dealt to unequal workers.",
    }
}

impl Workload {
    /// The figures of a workload's runs, each with what it means: its own, and those that every workload has.
    #[must_use]
    pub fn figures(&self) -> Vec<Figure> {
        let own = match self {
            Self::Broadcast(_) => broadcast::FIGURES,
            Self::Independent(_) => independent::FIGURES,
        };
        own.iter().copied().flatten().chain(metrics::FIGURES).chain(EVERY).copied().collect()
    }

    /// The long tables that a workload's runs can keep.
    #[must_use]
    pub const fn tables(&self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Broadcast(_) => broadcast::TABLES,
            Self::Independent(_) => farm::TABLES,
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
    Broadcast(broadcast::Prepared),
    Independent(independent::Prepared),
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
    pub(super) fn read(table: &Node, platform: &PlatformPlan) -> Result<Self, Vec<Problem>> {
        let workload: Workload = serde_json::from_value(table.to_json())
            .map_err(|error| vec![Problem::at(&table.place, error.to_string()).labelled("in this workload")])?;
        let at_key = |error: KeyError| {
            let place = table.at(error.key).map_or(&table.place, |node| &node.place);
            vec![Problem::at(place, error.message)]
        };
        let prepared = match &workload {
            Workload::Broadcast(parameters) => {
                Prepared::Broadcast(parameters.prepare(platform.platform()).map_err(at_key)?)
            }
            Workload::Independent(parameters) => {
                Prepared::Independent(parameters.prepare(platform.platform()).map_err(at_key)?)
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
            Prepared::Broadcast(prepared) => prepared.run(platform, streams, tables),
            Prepared::Independent(prepared) => prepared.run(platform, streams, tables),
        }
    }

    pub(super) fn trace(&self, platform: &Platform, streams: Streams) -> Result<Traced, String> {
        let timeline = match &self.prepared {
            Prepared::Broadcast(prepared) => prepared.trace(platform, streams)?,
            Prepared::Independent(prepared) => prepared.trace(platform, streams)?,
        };
        Ok(Traced {
            timeline,
            clusters: platform.groups().iter().map(|group| group.name.clone()).collect(),
            cluster_of: (0..platform.nodes()).map(|node| platform.group_of(NodeId(node))).collect(),
            tick: platform.tick(),
        })
    }
}
