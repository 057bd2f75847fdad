//! The nodes in the order of their ranks.

use super::{Platform, PlatformError};
use crate::program::NodeId;

impl Platform {
    /// The same platform on whose nodes ranks are in this order, cluster by cluster. Without it they are in the order of
    /// the nodes' numbers.
    ///
    /// # Errors
    /// If the order does not name each node of each cluster once, where the cluster's nodes stand.
    pub fn with_ranks(mut self, order: Vec<NodeId>) -> Result<Self, PlatformError> {
        super::check::count("nodes of ranks", order.len(), self.nodes() as usize)?;
        let mut taken = vec![false; order.len()];
        for cluster in 0..self.clusters.len() {
            let members = self.members(cluster);
            let ranks = &order[members.start as usize..members.end as usize];
            let is_next =
                |node: &NodeId| members.contains(&node.0) && !std::mem::replace(&mut taken[node.index()], true);
            if !ranks.iter().all(is_next) {
                return Err(PlatformError::Ranks { cluster });
            }
        }
        self.ranks = order;
        Ok(self)
    }

    /// The nodes of a cluster in the order of their ranks.
    pub fn ranks(&self, cluster: usize) -> impl Iterator<Item = NodeId> {
        self.members(cluster).map(|place| self.ranks.get(place as usize).copied().unwrap_or(NodeId(place)))
    }

    /// The order of ranks on some nodes, whose numbers rise cluster by cluster, renumbered by their places among them.
    pub(super) fn ranks_of_part(&self, nodes: &[u32]) -> Vec<NodeId> {
        if self.ranks.is_empty() {
            return Vec::new();
        }
        let places = |node: NodeId| {
            let (first, end) =
                (nodes.partition_point(|&one| one < node.0), nodes.partition_point(|&one| one <= node.0));
            first as u32..end as u32
        };
        let ranks = (0..self.clusters.len()).flat_map(|cluster| self.ranks(cluster));
        ranks.flat_map(places).map(NodeId).collect()
    }
}
