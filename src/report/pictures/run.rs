//! One run in detail: `kind = "gantt"` and `kind = "tree"`.

use crate::cluster::Activity;
use crate::report::chart::{Arrow, Edge, Gantt, Lane, Span, Tree, TreeNode};
use crate::report::results::Results;
use crate::report::tables::axis_text;
use crate::scenario::{ChartKind, ChartSpec, Traced};

/// Runs the one point of a chart again, watched, and draws it.
pub(super) fn detailed(results: &Results<'_>, spec: &ChartSpec, title: String) -> Result<String, String> {
    let point = *results.matching(&spec.filter).first().ok_or("it has no run")?;
    let traced = results.scenario().trace(point, 0)?;
    let values = results.scenario().values(point);
    let conditions: Vec<String> =
        values.map(|(axis, value)| format!("{} {}", axis.name, axis_text(axis.format.as_deref(), value))).collect();
    let subtitle = spec.subtitle.clone().or_else(|| Some(conditions.join(", ")));
    Ok(match spec.kind {
        ChartKind::Tree => tree(&traced, title, subtitle).svg(),
        _ => gantt(&traced, title, subtitle).svg(),
    })
}

/// Who is busy with what when, and who sends to whom.
#[must_use]
pub fn gantt(traced: &Traced, title: String, subtitle: Option<String>) -> Gantt {
    let seconds = |time| traced.tick.seconds(time);
    let mut lanes: Vec<Lane> = traced
        .cluster_of
        .iter()
        .enumerate()
        .map(|(node, &cluster)| Lane {
            label: node.to_string(),
            group: traced.clusters[cluster].clone(),
            spans: Vec::new(),
        })
        .collect();
    for span in &traced.timeline.spans {
        let kind = match span.activity {
            Activity::Send => 0,
            Activity::Receive => 1,
            Activity::Compute => 2,
            Activity::Down => 3,
        };
        if span.end > span.start {
            lanes[span.at.index()].spans.push(Span { start: seconds(span.start), end: seconds(span.end), kind });
        }
    }
    let arrows = traced.timeline.messages.iter().map(|message| {
        let [from, to] = [message.from, message.to].map(crate::cluster::NodeId::index);
        let between = traced.cluster_of[from] != traced.cluster_of[to];
        Arrow { from, start: seconds(message.start), to, end: seconds(message.arrival), group: usize::from(between) }
    });
    let several = traced.clusters.len() > 1;
    Gantt {
        title,
        subtitle,
        kinds: ["sends", "receives", "computes", "is down"].map(str::to_owned).to_vec(),
        arrow_groups: if several {
            vec!["inside a cluster".to_owned(), "between clusters".to_owned()]
        } else {
            vec!["message".to_owned()]
        },
        arrows: arrows.collect(),
        lanes,
    }
}

/// The tree along which a run passed its message on: each node hangs under the one from which it first heard.
#[must_use]
pub fn tree(traced: &Traced, title: String, subtitle: Option<String>) -> Tree {
    let mut parents: Vec<Option<(crate::units::Time, usize)>> = vec![None; traced.cluster_of.len()];
    for message in &traced.timeline.messages {
        let parent = &mut parents[message.to.index()];
        if parent.is_none_or(|(arrival, _)| message.arrival < arrival) {
            *parent = Some((message.arrival, message.from.index()));
        }
    }
    let several = traced.clusters.len() > 1;
    let mut edges: Vec<(crate::units::Time, Edge)> = parents
        .iter()
        .enumerate()
        .filter_map(|(child, parent)| parent.map(|(arrival, parent)| (arrival, Edge { parent, child })))
        // The root may hear from others late in an exchange; it hangs under nobody.
        .filter(|(_, edge)| Some(edge.child) != traced.timeline.messages.first().map(|first| first.from.index()))
        .collect();
    edges.sort_by_key(|(arrival, _)| *arrival);
    Tree {
        title,
        subtitle,
        groups: if several { traced.clusters.clone() } else { Vec::new() },
        nodes: traced
            .cluster_of
            .iter()
            .enumerate()
            .map(|(node, &cluster)| TreeNode { label: node.to_string(), group: several.then_some(cluster) })
            .collect(),
        edges: edges.into_iter().map(|(_, edge)| edge).collect(),
    }
}
