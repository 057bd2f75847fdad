//! More than two levels: groups of nodes inside a cluster, and sites of clusters.
//!
//! A level costs its own few bytes whatever the number of nodes: groups are of equal size and consecutive, so whether two
//! nodes are in the same one is a division. Looking up a link takes as many steps as there are levels.

use super::{Link, Platform, PlatformError, check};
use crate::cluster::program::NodeId;

/// Groups of consecutive nodes inside a cluster that have a network of their own, such as the cores of an SMP node.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// How many nodes are in each of the groups; the last one may have fewer.
    pub size: u32,
    /// The way of messages within one of them.
    pub link: Link,
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
    pub(super) fn of(&self, group: usize) -> &[(u32, u32)] {
        match self.starts.get(group..group + 2) {
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
    /// The same machine with levels inside its groups: a list for each group, the outermost level first. A group's own
    /// link then joins nodes of different groups of the outermost level.
    ///
    /// It is a [fault](Self::fault) where there is not one list for each group, one has more than [`MOST_LEVELS`] levels, a
    /// size is 0 or does not divide the one above, or the machine has levels already.
    #[must_use]
    pub fn with_levels(mut self, levels: Vec<Vec<Level>>) -> Self {
        let checked = self.check_levels(&levels);
        if !self.allows(checked) || levels.iter().all(Vec::is_empty) {
            return self;
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
        self
    }

    /// The same machine with sites above its groups: the number of the site of each group that belongs to one. Where a
    /// node has a [port per level](super::Ports::PerLevel), it has one for its site and another for what leaves it; the
    /// links between groups are those that the machine has been made with.
    ///
    /// It is a [fault](Self::fault) where there is not one entry for each group.
    #[must_use]
    pub fn with_sites(mut self, sites: Vec<Option<u32>>) -> Self {
        if self.allows(check::count("sites", sites.len(), self.groups().len())) {
            self.levels.sites = if sites.iter().all(Option::is_none) { Vec::new() } else { sites };
        }
        self
    }

    /// A list for each group, whose sizes divide one another, and given once.
    fn check_levels(&self, levels: &[Vec<Level>]) -> Result<(), PlatformError> {
        check::count("lists of levels", levels.len(), self.groups().len())?;
        for (group, levels) in levels.iter().enumerate() {
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
            return Err(PlatformError::Levels { group, why });
        }
        check::links(levels.iter().flatten().map(|level| &level.link), self.tick)
    }

    /// The levels inside a group, the outermost first: how many nodes are in each group of the level, and its link.
    #[must_use]
    pub fn levels(&self, group: usize) -> impl ExactSizeIterator<Item = (u32, &Link)> {
        self.levels.of(group).iter().map(|&(size, link)| (size, &self.links[link as usize]))
    }

    /// The same with the number of the link.
    #[inline]
    pub(in crate::cluster) fn level_links(&self, group: usize) -> &[(u32, u32)] {
        self.levels.of(group)
    }

    /// The number of the site of a group, if it belongs to one.
    #[must_use]
    pub fn site_of(&self, group: usize) -> Option<u32> {
        self.levels.sites.get(group).copied().flatten()
    }

    /// Whether any group has levels inside.
    #[must_use]
    pub const fn is_nested(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Whether all nodes are joined by one and the same network: one group without levels.
    #[must_use]
    pub const fn has_one_network(&self) -> bool {
        self.links.len() == 1
    }

    /// The way of a message from one node to another: that of the innermost level that holds both.
    #[must_use]
    pub fn link_of(&self, from: NodeId, to: NodeId) -> &Link {
        &self.links[self.link_between(from, to)]
    }

    /// The number of the link between two nodes. Equal numbers are equal links.
    #[inline]
    #[must_use]
    pub fn link_between(&self, from: NodeId, to: NodeId) -> usize {
        let (group, other) = (self.group_of(from), self.group_of(to));
        let between = group * self.groups.len() + other;
        if group != other || self.levels.is_empty() {
            return between;
        }
        let first = self.starts[group];
        let (from, to) = (from.0 - first, to.0 - first);
        let inner = self.levels.of(group).iter().rev().find(|(size, _)| from / size == to / size);
        inner.map_or(between, |&(_, link)| link as usize)
    }

    /// The group that a level's link lies in, and the size of the level's units.
    pub(super) fn level_of(&self, link: u32) -> (u32, u32) {
        let groups = self.groups.len();
        let inner = link as usize - groups * groups;
        let group = self.levels.starts.partition_point(|&start| start as usize <= inner) - 1;
        (group as u32, self.levels.inner[inner].0)
    }

    /// Which of a node's ports messages on a link use, where it has one per level: 0 inside its group, 1 out of its site
    /// (or out of its group, where that has none), 2 to another group of its site, then one for each level inside its
    /// group, the outermost first.
    pub(in crate::cluster) fn port_of(&self, link: usize) -> usize {
        let groups = self.groups.len();
        if let Some(inner) = link.checked_sub(groups * groups) {
            let (group, _) = self.level_of(link as u32);
            return 3 + inner - self.levels.starts[group as usize] as usize;
        }
        let (from, to) = (link / groups, link % groups);
        match (self.site_of(from), self.site_of(to)) {
            _ if from == to => 0,
            (Some(one), Some(other)) if one == other => 2,
            _ => 1,
        }
    }
}
