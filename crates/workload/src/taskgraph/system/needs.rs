//! What tasks take of their node while they run, and what a node has left.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::SystemParameters;
use crate::{KeyError, RunFailure};
use hetsim_base::units::Bytes;
use hetsim_cluster::{NodeId, Platform};
use hetsim_graph::TaskGraph;
use hetsim_text::suggest;

/// `[workload.system.needs.TYPE]`: what the tasks of a type take of their node.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Need {
    /// The cores that a task keeps from others. How long it takes is what the graph says, whatever their number.
    #[schemars(range(min = 1))]
    pub cores: u32,
    /// The memory that it keeps from others.
    pub memory: Bytes,
}

impl Default for Need {
    fn default() -> Self {
        Self { cores: 1, memory: Bytes::default() }
    }
}

/// What each task needs.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Needs {
    /// By type of task; none where all take one core.
    of_type: Vec<Need>,
    /// The memory of a node.
    memory: u64,
}

impl Needs {
    /// The needs of a graph's tasks.
    ///
    /// # Errors
    /// A sentence, where no task is of a type.
    pub(in super::super) fn new(system: &SystemParameters, graph: &TaskGraph) -> Result<Self, RunFailure> {
        let mut of_type = vec![Need::default(); if system.needs.is_empty() { 0 } else { graph.types().len() }];
        for (name, need) in &system.needs {
            of_type[type_number(name, graph)?] = *need;
        }
        Ok(Self { of_type, memory: system.memory.map_or(u64::MAX, Bytes::count) })
    }

    /// Whether any task may need more than a core.
    pub(in super::super) fn are_any(&self) -> bool {
        !self.of_type.is_empty()
    }

    /// What a task needs.
    #[inline]
    pub(in super::super) fn of(&self, task: u32, graph: &TaskGraph) -> Need {
        if self.of_type.is_empty() {
            return Need::default();
        }
        graph.type_of(task).map_or_else(Need::default, |number| self.of_type[number as usize])
    }
}

/// The number of a type that a scenario names.
///
/// # Errors
/// A sentence, where no task is of it.
pub(in super::super) fn type_number(name: &str, graph: &TaskGraph) -> Result<usize, RunFailure> {
    graph.types().iter().position(|other| other == name).ok_or_else(|| {
        let known: Vec<&str> = graph.types().iter().map(String::as_str).collect();
        let advice = if known.is_empty() { "its tasks have no types".to_owned() } else { suggest(name, &known) };
        format!("no task of the graph is of type `{name}`: {advice}").into()
    })
}

/// Says why tasks could never run: `most` is what nodes have.
///
/// # Errors
/// More cores or memory than that.
pub(super) fn check(needs: &BTreeMap<String, Need>, most: Need) -> Result<(), KeyError> {
    for (name, need) in needs {
        let key = |key: &str| format!("system.needs.{name}.{key}");
        let fits = (1..=most.cores).contains(&need.cores);
        KeyError::unless(fits, &key("cores"), || {
            format!("a task takes at least 1 core, and at most the {} that nodes have", most.cores)
        })?;
        let fits = need.memory <= most.memory;
        KeyError::unless(fits, &key("memory"), || "that is more than the `memory` of a node")?;
    }
    Ok(())
}

/// What nodes have left.
#[derive(Debug)]
pub struct Room {
    /// The idle cores of each node, and of all.
    cores: Vec<u32>,
    idle: u32,
    memory: Vec<u64>,
}

impl Room {
    /// All that the nodes have.
    pub(in super::super) fn new(platform: &Platform, needs: &Needs) -> Self {
        let cores: Vec<u32> = (0..platform.nodes()).map(|node| platform.cores(NodeId(node))).collect();
        Self { idle: cores.iter().sum(), memory: vec![needs.memory; cores.len()], cores }
    }

    /// The idle cores of all nodes.
    #[inline]
    pub(in super::super) const fn idle(&self) -> u32 {
        self.idle
    }

    /// The idle cores of a node.
    #[must_use]
    #[inline]
    pub fn idle_at(&self, at: NodeId) -> u32 {
        self.cores[at.index()]
    }

    /// Whether a node has what a task needs.
    #[must_use]
    #[inline]
    pub fn fits(&self, need: Need, at: NodeId) -> bool {
        self.cores[at.index()] >= need.cores && self.memory[at.index()] >= need.memory.count()
    }

    /// The nodes that have what a task needs.
    pub fn nodes(&self, need: Need) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.cores.len() as u32).map(NodeId).filter(move |&at| self.fits(need, at))
    }

    /// Gives a task what it needs.
    #[inline]
    pub(in super::super) fn take(&mut self, need: Need, at: NodeId) {
        self.cores[at.index()] -= need.cores;
        self.idle -= need.cores;
        self.memory[at.index()] -= need.memory.count();
    }

    /// Takes that back.
    #[inline]
    pub(in super::super) fn release(&mut self, need: Need, at: NodeId) {
        self.cores[at.index()] += need.cores;
        self.idle += need.cores;
        self.memory[at.index()] += need.memory.count();
    }
}
