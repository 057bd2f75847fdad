//! More than two levels: groups of nodes inside a cluster, and sites of clusters.
//!
//! A level costs its own few bytes whatever the number of nodes: groups are of equal size and consecutive, so whether two
//! nodes are in the same one is a division. Looking up a link takes as many steps as there are levels.

use super::{Connection, Platform, PlatformError, check};
use crate::cluster::program::NodeId;

/// Groups of consecutive nodes inside a cluster that have a network of their own, such as the cores of an SMP node.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// How many nodes are in each of the groups; the last one may have fewer.
    pub size: u32,
    /// The way of messages within one of them.
    pub link: Connection,
}

/// The levels inside all clusters and the sites above them.
#[derive(Debug, Clone, Default)]
pub(super) struct Levels {
    /// Where a cluster's levels start in `inner`, and their number at the end; empty where no cluster has any.
    starts: Vec<u32>,
    /// Size of the groups and number of the link, cluster by cluster, the outermost first.
    inner: Vec<(u32, u32)>,
    /// The site of each cluster; empty where there are none.
    sites: Vec<Option<u32>>,
}

/// The most levels inside a cluster: the way of a message through shared links has room for so many.
pub const MOST_LEVELS: usize = 4;

impl Levels {
    /// Those of a cluster: size of the groups and number of the link, the outermost first.
    #[inline]
    pub(super) fn of(&self, cluster: usize) -> &[(u32, u32)] {
        match self.starts.get(cluster..cluster + 2) {
            Some(range) => &self.inner[range[0] as usize..range[1] as usize],
            None => &[],
        }
    }

    /// Whether no cluster has any.
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }
}

impl Platform {
    /// The same machine with levels inside its clusters: a list for each cluster, the outermost level first. A cluster's own
    /// link then joins nodes of different groups of the outermost level.
    ///
    /// # Errors
    /// Where there is not one list for each cluster, one has more than [`MOST_LEVELS`] levels, a size is 0 or does not divide
    /// the one above, or the machine has levels already.
    pub fn with_levels(mut self, levels: Vec<Vec<Level>>) -> Result<Self, PlatformError> {
        self.check_levels(&levels)?;
        if levels.iter().all(Vec::is_empty) {
            return Ok(self);
        }
        let sites = std::mem::take(&mut self.levels.sites);
        let mut made = Levels { starts: vec![0], inner: Vec::new(), sites };
        for levels in levels {
            for Level { size, link } in levels {
                made.inner.push((size, self.links.len() as u32));
                self.links.push(link);
            }
            made.starts.push(made.inner.len() as u32);
        }
        self.levels = made;
        Ok(self)
    }

    /// The same machine with sites above its clusters: the number of the site of each cluster that belongs to one. Where a
    /// node has a [port per level](super::Ports::PerLevel), it has one for its site and another for what leaves it; the
    /// links between clusters are those that the machine has been made with.
    ///
    /// # Errors
    /// Where there is not one entry for each cluster.
    pub fn with_sites(mut self, sites: Vec<Option<u32>>) -> Result<Self, PlatformError> {
        check::count("sites", sites.len(), self.clusters().len())?;
        self.levels.sites = if sites.iter().all(Option::is_none) { Vec::new() } else { sites };
        Ok(self)
    }

    /// A list for each cluster, whose sizes divide one another, and given once.
    fn check_levels(&self, levels: &[Vec<Level>]) -> Result<(), PlatformError> {
        check::count("lists of levels", levels.len(), self.clusters().len())?;
        for (cluster, levels) in levels.iter().enumerate() {
            let divides = |pair: &[Level]| pair[1].size > 0 && pair[0].size.is_multiple_of(pair[1].size);
            let why = if !self.levels.is_empty() && !levels.is_empty() {
                "are given twice"
            } else if levels.len() > MOST_LEVELS {
                "are too many"
            } else if levels.first().is_some_and(|level| level.size == 0) || !levels.windows(2).all(divides) {
                "must be of sizes above zero, each of which divides the one above"
            } else {
                continue;
            };
            return Err(PlatformError::Levels { cluster, why });
        }
        check::links(levels.iter().flatten().map(|level| &level.link), self.tick)
    }

    /// The levels inside a cluster, the outermost first: how many nodes are in each group of the level, and its link.
    #[must_use]
    pub fn levels(&self, cluster: usize) -> impl ExactSizeIterator<Item = (u32, &Connection)> {
        self.levels.of(cluster).iter().map(|&(size, link)| (size, &self.links[link as usize]))
    }

    /// The same with the number of the link.
    #[inline]
    pub(in crate::cluster) fn level_connections(&self, cluster: usize) -> &[(u32, u32)] {
        self.levels.of(cluster)
    }

    /// The number of the site of a cluster, if it belongs to one.
    #[must_use]
    pub fn site_of(&self, cluster: usize) -> Option<u32> {
        self.levels.sites.get(cluster).copied().flatten()
    }

    /// Whether any cluster has levels inside.
    #[must_use]
    pub const fn is_nested(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Whether all nodes are joined by one and the same network: one cluster without levels.
    #[must_use]
    pub const fn has_one_network(&self) -> bool {
        self.links.len() == 1
    }

    /// The way of a message from one node to another: that of the innermost level that holds both.
    #[must_use]
    pub fn link_of(&self, from: NodeId, to: NodeId) -> &Connection {
        &self.links[self.link_between(from, to)]
    }

    /// The number of the link between two nodes. Equal numbers are equal links.
    #[inline]
    #[must_use]
    pub fn link_between(&self, from: NodeId, to: NodeId) -> usize {
        let (cluster, other) = (self.cluster_of(from), self.cluster_of(to));
        let between = cluster * self.clusters.len() + other;
        if cluster != other || self.levels.is_empty() {
            return between;
        }
        let first = self.starts[cluster];
        let (from, to) = (from.0 - first, to.0 - first);
        let inner = self.levels.of(cluster).iter().rev().find(|(size, _)| from / size == to / size);
        inner.map_or(between, |&(_, link)| link as usize)
    }

    /// The cluster that a level's link lies in, and the size of the level's units.
    pub(super) fn level_of(&self, link: u32) -> (u32, u32) {
        let clusters = self.clusters.len();
        let inner = link as usize - clusters * clusters;
        let cluster = self.levels.starts.partition_point(|&start| start as usize <= inner) - 1;
        (cluster as u32, self.levels.inner[inner].0)
    }

    /// Which of a node's ports messages on a link use, where it has one per level: 0 inside its cluster, 1 out of its site
    /// (or out of its cluster, where that has none), 2 to another cluster of its site, then one for each level inside its
    /// cluster, the outermost first.
    pub(in crate::cluster) fn port_of(&self, link: usize) -> usize {
        let clusters = self.clusters.len();
        if let Some(inner) = link.checked_sub(clusters * clusters) {
            let (cluster, _) = self.level_of(link as u32);
            return 3 + inner - self.levels.starts[cluster as usize] as usize;
        }
        let (from, to) = (link / clusters, link % clusters);
        match (self.site_of(from), self.site_of(to)) {
            _ if from == to => 0,
            (Some(one), Some(other)) if one == other => 2,
            _ => 1,
        }
    }
}
