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

    /// The order of ranks on the first nodes of some clusters, as many as `counts` says for each, renumbered.
    pub(super) fn ranks_of_part(&self, kept: &[usize], counts: &[u32]) -> Vec<NodeId> {
        if self.ranks.is_empty() {
            return Vec::new();
        }
        let mut order = Vec::new();
        for &cluster in kept {
            let (first, before) = (self.members(cluster).start, order.len() as u32);
            let places = self.ranks(cluster).map(|node| node.0 - first).filter(|place| *place < counts[cluster]);
            order.extend(places.map(|place| NodeId(before + place)));
        }
        order
    }
}
