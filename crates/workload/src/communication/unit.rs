//! The levels of a platform as units within units: the grid, its sites, their clusters, the groups inside, single
//! nodes.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use hetsim_cluster::{NodeId, Platform};
use hetsim_communication::{Level, Member};

/// On which levels coordinators communicate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Levels {
    /// Two: between the clusters, and inside each.
    #[default]
    Clusters,
    /// All of the platform: sites, clusters, and the levels inside them.
    All,
    /// The same from the first level of several members on: in one cluster, its outermost groups.
    Leaders,
}

/// Part of a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Several clusters: all of them, or those of a site.
    Clusters {
        /// Their numbers.
        groups: Vec<usize>,
        /// Whether they are those of a site.
        site: bool,
    },
    /// Consecutive nodes of a cluster: all of them at depth 0, a group of its first level at depth 1, and so on.
    Nodes {
        /// The cluster.
        group: usize,
        /// How many levels are around it.
        depth: usize,
        /// The nodes.
        nodes: Range<u32>,
    },
}

impl Unit {
    /// All of a platform.
    pub(crate) fn whole(platform: &Platform) -> Self {
        Self::Clusters { groups: (0..platform.clusters().len()).collect(), site: false }
    }

    /// The units of the next level, in the order of their first nodes; none where there are only nodes left.
    pub(crate) fn parts(&self, platform: &Platform) -> Vec<Self> {
        let cluster = |group| Self::Nodes { group, depth: 0, nodes: platform.members(group) };
        match self {
            Self::Clusters { groups, site: true } => groups.iter().copied().map(cluster).collect(),
            Self::Clusters { groups, site: false } => {
                let mut seen = Vec::new();
                let parts = groups.iter().filter_map(|&group| match platform.site_of(group) {
                    None => Some(cluster(group)),
                    Some(site) if seen.contains(&site) => None,
                    Some(site) => {
                        seen.push(site);
                        let of_site = groups.iter().copied().filter(|&other| platform.site_of(other) == Some(site));
                        Some(Self::Clusters { groups: of_site.collect(), site: true })
                    }
                });
                parts.collect()
            }
            Self::Nodes { group, depth, nodes } => platform
                .groups_among(*group, *depth, nodes.clone())
                .map(|nodes| Self::Nodes { group: *group, depth: depth + 1, nodes })
                .collect(),
        }
    }

    /// Its nodes in the order of their ranks.
    fn nodes(&self, platform: &Platform) -> Vec<NodeId> {
        match self {
            Self::Clusters { groups, .. } => groups.iter().flat_map(|&group| platform.ranks(group)).collect(),
            Self::Nodes { group, depth: 0, .. } => platform.ranks(*group).collect(),
            // Inside a group of a level, ranks are in the order of the nodes, however they are mapped.
            Self::Nodes { nodes, .. } => nodes.clone().map(NodeId).collect(),
        }
    }

    /// The node that passes a message on inside: the root where it is in this unit, otherwise the first node.
    pub(crate) fn coordinator(&self, root: NodeId, platform: &Platform) -> NodeId {
        let (holds, first) = match self {
            Self::Clusters { groups, .. } => {
                (groups.contains(&platform.cluster_of(root)), platform.members(groups[0]).start)
            }
            Self::Nodes { nodes, .. } => (nodes.contains(&root.0), nodes.start),
        };
        if holds { root } else { NodeId(first) }
    }

    /// Its nodes, one of each part in turn, and so on inside the parts.
    pub(crate) fn in_turn(&self, platform: &Platform) -> Vec<NodeId> {
        let parts = self.parts(platform);
        if let (Self::Nodes { nodes, .. }, true) = (self, parts.is_empty()) {
            return nodes.clone().map(NodeId).collect();
        }
        let mut left: Vec<_> = parts.iter().map(|part| part.in_turn(platform).into_iter()).collect();
        let mut nodes = Vec::with_capacity(left.iter().map(ExactSizeIterator::len).sum());
        while !left.is_empty() {
            left.retain_mut(|part| {
                let next = part.next();
                nodes.extend(next);
                next.is_some()
            });
        }
        nodes
    }
}

/// The groups of ranks on these levels of a platform, the top one first. `nodes` are those of the ranks from the root
/// on, which is the coordinator of all that it is in.
pub(crate) fn levels_of(levels: Levels, nodes: &[NodeId], platform: &Platform) -> Vec<Level> {
    let mut ranks = vec![0; nodes.len()];
    for (node, rank) in nodes.iter().zip(0..) {
        ranks[node.index()] = rank;
    }
    let member = |node: NodeId, stands_for: usize| Member { rank: ranks[node.index()], stands_for: stands_for as u32 };
    let mut found: Vec<Level> = Vec::new();
    let mut level = vec![match levels {
        // As if they were those of one site.
        Levels::Clusters => Unit::Clusters { groups: (0..platform.clusters().len()).collect(), site: true },
        Levels::All | Levels::Leaders => Unit::whole(platform),
    }];
    while !level.is_empty() {
        let mut below = Vec::new();
        let mut groups = Vec::new();
        for unit in level {
            let coordinator = unit.coordinator(nodes[0], platform);
            let cut = levels == Levels::Clusters && matches!(unit, Unit::Nodes { .. });
            let parts = if cut { Vec::new() } else { unit.parts(platform) };
            let of_part = |part: &Unit| member(part.coordinator(nodes[0], platform), part.nodes(platform).len());
            let mut group: Vec<Member> = if parts.is_empty() {
                unit.nodes(platform).into_iter().map(|node| member(node, 1)).collect()
            } else {
                parts.iter().map(of_part).collect()
            };
            let first = group.iter().position(|member| member.rank == ranks[coordinator.index()]).unwrap_or(0);
            group.rotate_left(first);
            groups.push(group);
            below.extend(parts);
        }
        // Alone, a coordinator leads nobody.
        let leads_none = found.is_empty() && groups.iter().all(|group| group.len() < 2);
        if levels != Levels::Leaders || !leads_none || below.is_empty() {
            found.push(groups);
        }
        level = below;
    }
    found
}
