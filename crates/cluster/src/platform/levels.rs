//! More than two levels: groups of nodes inside a cluster, and sites of clusters.
//!
//! A level costs a few bytes for any number of nodes: groups are of equally many consecutive places, so whether two nodes
//! are in the same one is a division. Looking up a connection takes one step per level.

use rustc_hash::FxHashSet;

use super::{Connection, Platform, PlatformError, Ports, SharedMemory, check, connection};
use crate::program::NodeId;

/// Groups of consecutive nodes inside a cluster that have a network of their own, such as the cores of an SMP node.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The number of nodes in each group; the last group may have fewer, and so has one with [empty
    /// places](Platform::with_places).
    pub size: u32,
    /// The connection between nodes of a group.
    pub connection: Connection,
    /// The number of links that join a group to the network around it, where that is one of shared links: a divisor of
    /// `size`. Each serves as many consecutive nodes.
    pub cards: u32,
    /// The memory that the nodes of a group share.
    pub memory: SharedMemory,
}

impl Level {
    /// Groups of one link each that share no memory.
    #[must_use]
    pub const fn new(size: u32, connection: Connection) -> Self {
        Self { size, connection, cards: 1, memory: SharedMemory::NONE }
    }
}

/// The levels inside all clusters and the sites above them.
#[derive(Debug, Clone, Default)]
pub(super) struct Levels {
    /// The start of each cluster's levels in `inner`, and their number at the end; empty if no cluster has levels.
    starts: Vec<u32>,
    /// Cluster by cluster, outermost level first.
    inner: Vec<LevelConnection>,
    /// Whether the nodes of any group share memory.
    pub(super) shares_memory: bool,
    /// The site of each cluster; empty without sites.
    sites: Vec<Option<u32>>,
}

/// The connection that joins the nodes of each group of a level.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelConnection {
    pub(crate) cluster: u32,
    /// The number of nodes in each group.
    pub(crate) size: u32,
    /// The number of nodes on each link from a group to the network around it.
    pub(crate) on_link: u32,
    /// The number of the connection, and that of the one around the groups.
    pub(crate) link: u32,
    pub(crate) around: u32,
    pub(crate) memory: SharedMemory,
}

/// The maximum number of levels inside a cluster, for which the ports of a node have room.
pub const MOST_LEVELS: usize = 4;

impl Levels {
    /// The levels of a cluster, outermost first.
    #[inline]
    pub(super) fn of(&self, cluster: usize) -> &[LevelConnection] {
        match self.starts.get(cluster..cluster + 2) {
            Some(range) => &self.inner[range[0] as usize..range[1] as usize],
            None => &[],
        }
    }

    /// Whether no cluster has levels.
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }
}

impl Platform {
    /// The same platform with levels inside its clusters: a list for each cluster, outermost level first. A cluster's
    /// own connection then joins nodes of different groups of the outermost level.
    ///
    /// # Errors
    /// If there is not one list for each cluster, one has more than [`MOST_LEVELS`] levels, a size is 0 or does not
    /// divide the one above, the outermost groups are not those that the cluster's topology joins or have several links
    /// to it, a number of links does not divide its size, a bandwidth of memory is not above zero, or the platform
    /// already has levels.
    pub fn with_levels(mut self, levels: Vec<Vec<Level>>) -> Result<Self, PlatformError> {
        self.check_levels(&levels)?;
        if levels.iter().all(Vec::is_empty) {
            return Ok(self);
        }
        let sites = std::mem::take(&mut self.levels.sites);
        let mut made = Levels { starts: vec![0], inner: Vec::new(), shares_memory: false, sites };
        for (cluster, levels) in (0..).zip(levels) {
            let mut around = self.own_link(cluster);
            for Level { size, connection, cards, memory } in levels {
                let link = self.links.len() as u32;
                made.inner.push(LevelConnection { cluster, size, on_link: size / cards, link, around, memory });
                made.shares_memory |= memory != SharedMemory::NONE;
                self.links.push(connection);
                around = link;
            }
            made.starts.push(made.inner.len() as u32);
        }
        self.levels = made;
        Ok(self)
    }

    /// The same platform with sites above its clusters: the number of the site of each cluster that belongs to one. A
    /// node with a [port per level](super::Ports::PerLevel) has one for its site and another for messages that leave
    /// it; the connections between clusters stay as they are.
    ///
    /// # Errors
    /// If there is not one entry for each cluster.
    pub fn with_sites(mut self, sites: Vec<Option<u32>>) -> Result<Self, PlatformError> {
        check::count("sites", sites.len(), self.clusters().len())?;
        self.levels.sites = if sites.iter().all(Option::is_none) { Vec::new() } else { sites };
        Ok(self)
    }

    /// Checks that there is a list for each cluster, that its sizes divide one another, and that levels are given once.
    fn check_levels(&self, levels: &[Vec<Level>]) -> Result<(), PlatformError> {
        check::count("lists of levels", levels.len(), self.clusters().len())?;
        for (cluster, levels) in levels.iter().enumerate() {
            let topology = self.own_model(cluster as u32).topology();
            let is_joined = |level: &Level| topology.is_none_or(|topology| topology.group() == level.size);
            let divides = |pair: &[Level]| pair[1].size > 0 && pair[0].size.is_multiple_of(pair[1].size);
            let why = if !self.levels.is_empty() && !levels.is_empty() {
                "are given twice"
            } else if levels.len() > MOST_LEVELS {
                "are too many"
            } else if levels.first().is_some_and(|level| level.size == 0) || !levels.windows(2).all(divides) {
                "must be of sizes above zero, each of which divides the one above"
            } else if !levels.first().is_none_or(is_joined) {
                "must begin with the groups that its topology joins"
            } else if levels.iter().any(|level| level.cards == 0 || !level.size.is_multiple_of(level.cards)) {
                "must have numbers of links that divide their sizes"
            } else if topology.is_some() && levels.first().is_some_and(|level| level.cards > 1) {
                "must have one link from each group to its topology"
            } else if !levels.iter().all(|level| level.memory.is_valid()) {
                "must share memory of a bandwidth above zero"
            } else {
                continue;
            };
            return Err(PlatformError::Levels { cluster, why });
        }
        connection::check(levels.iter().flatten().map(|level| &level.connection), self.links.len(), self.tick)
    }

    /// The levels inside a cluster, outermost first: the number of nodes in each group of the level, and its
    /// connection.
    #[must_use]
    pub fn levels(&self, cluster: usize) -> impl ExactSizeIterator<Item = (u32, &Connection)> {
        self.levels.of(cluster).iter().map(|level| (level.size, &self.links[level.link as usize]))
    }

    /// The same as they were given.
    #[must_use]
    pub fn levels_as_given(&self, cluster: usize) -> Vec<Level> {
        let given = |level: &LevelConnection| Level {
            size: level.size,
            connection: self.links[level.link as usize].clone(),
            cards: level.size / level.on_link,
            memory: level.memory,
        };
        self.levels.of(cluster).iter().map(given).collect()
    }

    /// The same with the numbers of the connections.
    #[inline]
    pub(crate) fn level_connections(&self, cluster: usize) -> &[LevelConnection] {
        self.levels.of(cluster)
    }

    /// The number of a cluster's site, if it belongs to one.
    #[must_use]
    pub fn site_of(&self, cluster: usize) -> Option<u32> {
        self.levels.sites.get(cluster).copied().flatten()
    }

    /// Whether any cluster has levels inside.
    #[must_use]
    pub const fn is_nested(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Whether one network joins all nodes: one cluster without levels.
    #[must_use]
    pub const fn has_one_network(&self) -> bool {
        self.links.len() == 1
    }

    /// The connection from one node to another: that of the innermost level that holds both.
    #[must_use]
    pub fn connection_of(&self, from: NodeId, to: NodeId) -> &Connection {
        &self.links[self.connection_between(from, to)]
    }

    /// The number of the connection between two nodes. Equal numbers are equal connections.
    #[inline]
    #[must_use]
    pub fn connection_between(&self, from: NodeId, to: NodeId) -> usize {
        let (cluster, other) = (self.cluster_of(from), self.cluster_of(to));
        let between = cluster * self.clusters.len() + other;
        if cluster != other || self.levels.is_empty() {
            return between;
        }
        let first = self.starts[cluster];
        let [from, to] = [from, to].map(|node| self.place(cluster, node.0 - first));
        let inner = self.levels.of(cluster).iter().rev().find(|level| from / level.size == to / level.size);
        inner.map_or(between, |level| level.link as usize)
    }

    /// The number of the level whose connection has this number, among those of all clusters.
    pub(crate) const fn level_number(&self, link: u32) -> usize {
        link as usize - self.clusters.len() * self.clusters.len()
    }

    /// The level whose connection has this number.
    pub(super) fn level_of(&self, link: u32) -> &LevelConnection {
        &self.levels.inner[self.level_number(link)]
    }

    /// The index of a node's port for messages to another one, if it has one per level: 0 inside its cluster, 1 out of
    /// its site (or out of its cluster, without a site), 2 to another cluster of its site, then one for each level
    /// inside its cluster, outermost first.
    pub(crate) fn port_between(&self, from: NodeId, to: NodeId) -> usize {
        let (cluster, other) = (self.cluster_of(from), self.cluster_of(to));
        if cluster != other {
            let is_of_site = self.site_of(cluster).is_some_and(|site| self.site_of(other) == Some(site));
            return 1 + usize::from(is_of_site);
        }
        let inner = self.connection_between(from, to).checked_sub(self.clusters.len() * self.clusters.len());
        inner.map_or(0, |inner| 3 + inner - self.levels.starts[cluster] as usize)
    }

    /// The highest number of a port.
    pub(crate) fn last_port(&self) -> usize {
        if self.ports == Ports::Single {
            return 0;
        }
        let levels = (0..self.clusters.len()).map(|cluster| self.levels.of(cluster).len()).max().unwrap_or(0);
        let mut sites = FxHashSet::default();
        match levels {
            0 if self.levels.sites.iter().flatten().any(|site| !sites.insert(site)) => 2,
            0 => usize::from(self.clusters.len() > 1),
            levels => 2 + levels,
        }
    }
}
