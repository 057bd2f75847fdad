//! The memory that the nodes of a group share, where a node is a core.
//!
//! Every byte that a message moves is read from its sender's memory and written to its receiver's, and what a core
//! copies or combines passes its memory as often as it is read and written. All of this shares the bandwidth, as
//! messages share a link. What fits a cache passes no memory.

use super::channel::Channel;
use super::levels::LevelConnection;
use super::memory::SharedMemory;
use super::path::Path;
use super::{Platform, Sharing};
use crate::program::{Moved, NodeId};

impl Platform {
    /// Whether the nodes of any group share memory.
    #[inline]
    #[must_use]
    pub const fn shares_memory(&self) -> bool {
        self.levels.shares_memory
    }

    /// Whether memory can be shared: what passes it takes no account of load, faults, processors that are shared, or
    /// messages that stream.
    #[must_use]
    pub fn can_share_memory(&self) -> bool {
        self.loads.is_empty()
            && self.faults.is_empty()
            && self.sharing == Sharing::OneAtATime
            && !self.connections().iter().any(|link| link.model.is_streamed())
    }

    /// The channel that what a node moves shares with others, and the bytes that pass it.
    pub(crate) fn passes(&self, node: NodeId, moved: Moved) -> Option<(Channel, f64)> {
        let (bytes, are_pages) = match moved {
            Moved::Nothing => return None,
            Moved::Bytes(bytes) => (bytes, false),
            Moved::Pages(bytes) => (bytes, true),
        };
        let cluster = self.cluster_of(node);
        let innermost = |has: fn(&SharedMemory) -> bool| {
            self.level_connections(cluster).iter().rev().find(|level| has(&level.memory))
        };
        let pages = innermost(|memory| memory.allocate.is_some()).filter(|_| are_pages);
        let level = pages.or_else(|| innermost(|memory| memory.bandwidth.is_some())).filter(|_| bytes > 0.0)?;
        let group = self.place(cluster, node.0 - self.starts[cluster]) / level.size;
        let number = if pages.is_some() { self.groups(level) + group } else { group };
        Some((Channel::Memory { link: level.link, number }, bytes))
    }

    /// Adds the memories of a message to its path: it is read in one and written in the other.
    #[cold]
    pub(crate) fn add_memory(&self, from: NodeId, to: NodeId, bytes: u64, path: &mut Path) {
        if bytes > self.memory.cache {
            let moved = Moved::Bytes(bytes as f64);
            path.channels.extend([from, to].into_iter().filter_map(|node| Some(self.passes(node, moved)?.0)));
        }
    }

    /// The bandwidth of a channel of memory, in bytes per second.
    pub(super) fn memory_bandwidth(&self, link: u32, number: u32) -> f64 {
        let level = self.level_of(link);
        let memory = level.memory;
        let shared = if number < self.groups(level) { memory.bandwidth } else { memory.allocate };
        shared.unwrap_or(f64::INFINITY)
    }

    /// The number of a level's groups.
    pub(crate) fn groups(&self, level: &LevelConnection) -> u32 {
        self.count_places(level.cluster as usize).div_ceil(level.size)
    }

    /// The number of links from a level's groups that serve nodes.
    pub(super) fn serving_links(&self, level: &LevelConnection) -> u32 {
        let cluster = level.cluster as usize;
        if self.places.is_empty() {
            return self.group_links(level);
        }
        let mut last = None;
        let links = (0..self.clusters[cluster].nodes).map(|local| self.place(cluster, local) / level.on_link);
        links.filter(|link| last.replace(*link) != Some(*link)).count() as u32
    }

    /// The number of links from a level's groups to the network around them.
    pub(crate) fn group_links(&self, level: &LevelConnection) -> u32 {
        self.count_places(level.cluster as usize).div_ceil(level.on_link)
    }
}
