//! Where ranks lie.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::unit::Unit;
use crate::KeyError;
use hetsim_cluster::{NodeId, Platform};

/// On which nodes the ranks are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// Rank after rank through the first cluster, then the second, and so on; inside each as its `map_by` says.
    #[default]
    Cluster,
    /// One rank in each cluster in turn, as long as it has nodes left; inside each as its `map_by` says.
    RoundRobin,
    /// In turn on every level: one rank in each site, there in the next of its clusters, there in the next group of
    /// each level inside, whatever `map_by` says.
    Spread,
    /// Cluster after cluster; in a torus or a mesh there and back along the lines of its dimensions, so that ranks after
    /// each other are neighbours; elsewhere in the order of the nodes. The ranks of a node stay together, whatever
    /// `map_by` says.
    Snake,
}

impl Placement {
    /// The nodes of the ranks, in their order.
    #[must_use]
    pub fn nodes(self, platform: &Platform) -> Vec<NodeId> {
        match self {
            Self::Cluster => (0..platform.clusters().len()).flat_map(|group| platform.ranks(group)).collect(),
            Self::RoundRobin => round_robin(platform),
            Self::Spread => Unit::whole(platform).in_turn(platform),
            Self::Snake => (0..platform.clusters().len()).flat_map(|group| platform.along_topology(group)).collect(),
        }
    }

    /// The nodes of the ranks counted from the root: the root first, the others after it in a circle.
    ///
    /// # Errors
    /// Where there is no such rank.
    pub fn ranks(self, root: u32, platform: &Platform) -> Result<Vec<NodeId>, KeyError> {
        let mut nodes = self.nodes(platform);
        check_root(root, nodes.len() as u32)?;
        nodes.rotate_left(root as usize);
        Ok(nodes)
    }

    /// The machine of the nodes that `ranks` ranks take, on which they are placed as on the whole one. None where these
    /// are not the first nodes of each cluster, as those of ranks dealt or spread over groups inside clusters are not,
    /// where there are fewer, or where a cluster is left without ranks that routes may lead through.
    #[must_use]
    pub fn first(self, platform: &Platform, ranks: u32) -> Option<Platform> {
        let nodes = self.nodes(platform);
        let mut counts = vec![0; platform.clusters().len()];
        for node in nodes.get(..ranks as usize)? {
            counts[platform.cluster_of(*node)] += 1;
        }
        let is_first = |node: &NodeId| {
            let group = platform.cluster_of(*node);
            node.0 - platform.members(group).start < counts[group]
        };
        if nodes[..ranks as usize].iter().all(is_first) { platform.part(&counts).ok() } else { None }
    }
}

/// How far a rank stands after a root, in a circle of all ranks.
pub(crate) const fn after_root(root: u32, rank: u32, ranks: u32) -> u32 {
    if rank >= root { rank - root } else { rank + (ranks - root) }
}

/// The rank that stands so far after a root.
pub(crate) const fn rank_after(root: u32, place: u32, ranks: u32) -> u32 {
    let left = ranks - root;
    if place < left { place + root } else { place - left }
}

/// Refuses a root that is none of the ranks.
pub(crate) fn check_root(root: u32, ranks: u32) -> Result<(), KeyError> {
    if root < ranks {
        return Ok(());
    }
    let message = format!("there is no rank {root}: the ranks are 0 to {}", ranks.saturating_sub(1));
    Err(KeyError { key: "root".to_owned(), message })
}

fn round_robin(platform: &Platform) -> Vec<NodeId> {
    let mut left: Vec<_> = (0..platform.clusters().len()).map(|group| platform.ranks(group)).collect();
    let mut nodes = Vec::with_capacity(platform.nodes() as usize);
    while nodes.len() < platform.nodes() as usize {
        nodes.extend(left.iter_mut().filter_map(Iterator::next));
    }
    nodes
}
