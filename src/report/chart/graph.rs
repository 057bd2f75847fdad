//! `kind = "graph"`: the tasks of one run: levels from above to below, every edge downwards, each task in the colour of
//! the node that computes it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::keys::Common;
use super::looks::ChartContext;
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at, unknown_path, watched};
use crate::cluster::Part;
use crate::report::results::Results;
use crate::report::text::Kind;
use crate::scenario::{References, Traced};
use hetsim_chart::dag::{Dag, DagEdge, DagNode};

/// The keys of a chart of a task graph.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct GraphKeys {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// Whether the tasks and edges on the critical path of the run are marked.
    #[serde(default)]
    pub critical_path: bool,
}

impl ChartKind for GraphKeys {
    common_at!(common);

    fn has_details(&self) -> bool {
        true
    }

    fn is_of_one_run(&self) -> bool {
        true
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        if !references.kind.shows_tasks {
            let message = "only a task graph has a picture of this kind".to_owned();
            references.wrong(&format!("{at}.kind"), message, Some("[workload] kind = \"taskgraph\"".to_owned()));
        }
        checks::one_run(references, at, &self.common);
    }

    fn draw(&self, results: &Results<'_>, _: &ChartContext<'_>) -> Result<Drawn, String> {
        let (traced, subtitle) = watched(results, &self.common)?;
        let mut graph = graph(&traced, self.common.heading(), subtitle)?;
        if self.critical_path {
            graph.path = critical_tasks(&traced).unwrap_or_default();
        }
        Ok(Drawn::new(graph, self.common.paper()).with_note(unknown_path(self.critical_path, &traced)))
    }
}

/// The task graph of a run.
///
/// # Errors
/// Where the run is not of a task graph.
pub fn graph(traced: &Traced, title: String, subtitle: Option<String>) -> Result<Dag, String> {
    let tasks = traced.tasks.as_ref().ok_or("only task graphs have tasks to draw")?;
    let graph = &tasks.graph;
    // The nodes that compute, each with a colour.
    let mut used: Vec<u32> = tasks.times.iter().map(|(node, ..)| node.0).collect();
    used.sort_unstable();
    used.dedup();
    let work = |task: u32| match graph.seconds() {
        Some(matrix) => Kind::Seconds.format(matrix.seconds(task, tasks.times[task as usize].0.0)),
        None => operations(graph.operations(task)),
    };
    let node = |task: u32| DagNode {
        label: graph.label(task),
        short: task.to_string(),
        detail: work(task),
        group: used.binary_search(&tasks.times[task as usize].0.0).ok(),
    };
    let edge = |edge: crate::graph::Edge| DagEdge {
        from: edge.from as usize,
        to: edge.to as usize,
        label: if edge.bytes == 0 { String::new() } else { Kind::Bytes.format(edge.bytes as f64) },
    };
    // More than a picture holds is only counted.
    let drawn = graph.tasks() <= Dag::MOST;
    Ok(Dag {
        title,
        subtitle,
        groups: used.iter().map(|node| format!("node {node}")).collect(),
        nodes: graph.ids().map(node).collect(),
        edges: if drawn { graph.edges().map(edge).collect() } else { Vec::new() },
        path: Vec::new(),
    })
}

/// The tasks on the critical path of a run, from the first to the last; nothing where the path is not known.
#[must_use]
pub fn critical_tasks(traced: &Traced) -> Option<Vec<usize>> {
    let path = traced.timeline.path.as_ref()?;
    let by_end = traced.tasks.as_ref()?.by_end();
    let mut tasks = Vec::new();
    for segment in path.segments().iter().rev().filter(|segment| segment.part == Part::Computing) {
        let mut end = segment.end;
        // Tasks that a node computes one after the other are one segment.
        while let Some(&(task, start)) = by_end.get(&(segment.from, end)).filter(|_| end > segment.start) {
            tasks.push(task);
            end = start;
        }
    }
    tasks.reverse();
    Some(tasks)
}

/// A number of operations with its prefix.
fn operations(number: f64) -> String {
    let prefixes = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (unit, prefix) = prefixes.into_iter().find(|(unit, _)| number >= unit * (1.0 - 1e-9)).unwrap_or((1.0, ""));
    format!("{}\u{a0}{prefix}op", Kind::Number.format(number / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_prefixes() {
        let written = [0.0, 14.0, 1e3, 2.5e9, 7e15].map(|number| operations(number).replace('\u{a0}', " "));
        assert_eq!(written, ["0 op", "14 op", "1 kop", "2.5 Gop", "7000 Top"]);
    }
}
