//! The channels that messages share: their bandwidths, names, faults and power.

use super::levels::LevelConnection;
use super::link::{DirectedLink, Link, LinkSharing};
use super::power::LinkPower;
use super::{Connection, Platform};
use crate::fault::Fault;
use crate::network::{Fair, Model};
use crate::profile::Profile;
use crate::program::NodeId;

/// One direction of a shared link, or a link whose directions share one bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Node n's uplink (n) or downlink (the cluster's nodes + n) to the innermost network around it.
    Own {
        /// The cluster.
        cluster: u32,
        /// The channel's number in the cluster.
        number: u32,
    },
    /// Of the topology of a cluster.
    Topology {
        /// The cluster.
        cluster: u32,
        /// The channel's number in the topology.
        number: u32,
    },
    /// From one cluster to another: the number of the platform's connection.
    Between(u32),
    /// From a group of a level to the network around it (the group's number), or down to it (the level's groups + the
    /// number).
    Level {
        /// The number of the level's own connection.
        link: u32,
        /// The channel's number in the level.
        number: u32,
    },
    /// The memory that a group of a level shares (the group's number), or the new pages of its nodes (the level's groups
    /// + the number).
    Memory {
        /// The number of the level's own connection.
        link: u32,
        /// The channel's number in the level.
        number: u32,
    },
    /// Of a named link.
    Link(DirectedLink),
}

/// The properties of a channel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nature<'a> {
    /// Its bandwidth, in bytes per second.
    pub(crate) bandwidth: f64,
    /// Whether the messages on it share its bandwidth.
    pub(crate) is_shared: bool,
    /// A factor on the bandwidth, over time.
    pub(crate) factor: Option<&'a Profile>,
}

impl Platform {
    /// The properties of a channel.
    pub(crate) fn nature(&self, channel: Channel) -> Nature<'_> {
        let of = |link: &Connection| link.model.shared_links().map_or(f64::INFINITY, Fair::bandwidth);
        let shared = |link: u32| {
            let link = &self.links[link as usize];
            Nature { bandwidth: of(link), is_shared: true, factor: link.bandwidth.as_ref() }
        };
        match channel {
            Channel::Own { cluster, .. } => shared(self.node_link(cluster)),
            Channel::Topology { cluster, number } => {
                let factor = self.links[self.own_link(cluster) as usize].bandwidth.as_ref();
                let channel = self.own_model(cluster).topology().map(|topology| topology.channel(number));
                channel.map_or(Nature { bandwidth: f64::INFINITY, is_shared: true, factor }, |channel| Nature {
                    bandwidth: channel.bandwidth,
                    is_shared: channel.shared,
                    factor,
                })
            }
            Channel::Between(link) => shared(link),
            Channel::Level { link, .. } => shared(self.level_of(link).around),
            Channel::Memory { link, number } => {
                Nature { bandwidth: self.memory_bandwidth(link, number), is_shared: true, factor: None }
            }
            Channel::Link(directed) => {
                let named = self.named_link(directed);
                named.map_or(Nature { bandwidth: f64::INFINITY, is_shared: true, factor: None }, |named| Nature {
                    bandwidth: named.bandwidth,
                    is_shared: named.sharing != LinkSharing::Unshared,
                    factor: named.bandwidth_factor.as_ref(),
                })
            }
        }
    }

    /// The capacity of a channel at full bandwidth, in bytes per tick; `None` if the messages on it do not share it.
    #[must_use]
    pub fn channel_capacity(&self, channel: Channel) -> Option<f64> {
        let nature = self.nature(channel);
        nature.is_shared.then(|| nature.bandwidth / self.tick.per_second())
    }

    /// The channel over which the answers to all messages on this one go, and whose messages are answered over this one,
    /// if there is one: the other direction of a node's only cable, of a group's, or between two clusters. Inside most
    /// topologies the way back is not the way out.
    pub(crate) fn answered_over(&self, channel: Channel) -> Option<Channel> {
        let turned = |number: u32, count: u32| if number < count { number + count } else { number - count };
        match channel {
            Channel::Own { cluster, number } => {
                Some(Channel::Own { cluster, number: turned(number, self.clusters[cluster as usize].nodes) })
            }
            Channel::Level { link, number } => {
                Some(Channel::Level { link, number: turned(number, self.group_links(self.level_of(link))) })
            }
            Channel::Between(link) => {
                let clusters = self.clusters.len() as u32;
                let back = link % clusters * clusters + link / clusters;
                self.links[back as usize].model.shared_links().map(|_| Channel::Between(back))
            }
            Channel::Topology { cluster, number } => {
                let topology = self.own_model(cluster).topology()?;
                let back = topology.back_of(number)?;
                Some(Channel::Topology { cluster, number: back })
            }
            Channel::Memory { .. } | Channel::Link(_) => None,
        }
    }

    /// The channels that belong to a node: those of its links to the network.
    pub(crate) fn own_channels(&self, node: NodeId, channels: &mut Vec<Channel>) {
        let cluster = self.cluster_of(node) as u32;
        let local = node.0 - self.starts[cluster as usize];
        if let Some(topology) = self.own_model(cluster).topology().filter(|topology| topology.group() == 1) {
            let mut own = Vec::new();
            topology.own_channels(self.place(cluster as usize, local), &mut own);
            channels.extend(own.into_iter().map(|number| Channel::Topology { cluster, number }));
        } else {
            let both = [local, self.clusters[cluster as usize].nodes + local];
            channels.extend(both.map(|number| Channel::Own { cluster, number }));
        }
    }

    /// The faults of a link that belongs to no node.
    pub(crate) fn channel_faults(&self, channel: Channel) -> &[Fault] {
        match channel {
            Channel::Between(link) => &self.links[link as usize].faults,
            Channel::Link(directed) => self.named_link(directed).map_or(&[], |named| &named.faults),
            Channel::Own { .. } | Channel::Topology { .. } | Channel::Level { .. } | Channel::Memory { .. } => &[],
        }
    }

    /// The name of a channel in tables and charts. Nodes have the numbers that they have on the platform.
    #[must_use]
    pub fn channel_name(&self, channel: Channel) -> String {
        let name = |cluster: u32| self.clusters[cluster as usize].name.as_str();
        match channel {
            Channel::Own { cluster, number } => {
                let first = self.starts[cluster as usize];
                let nodes = self.clusters[cluster as usize].nodes;
                let direction = if number < nodes { "up" } else { "down" };
                format!("{} node {} {direction}", name(cluster), first + number % nodes)
            }
            Channel::Topology { cluster, number } => {
                let first = self.starts[cluster as usize];
                let topology = self.own_model(cluster).topology();
                topology
                    .map_or_else(String::new, |topology| format!("{} {}", name(cluster), topology.name(number, first)))
            }
            Channel::Between(link) => {
                let clusters = self.clusters.len() as u32;
                format!("{} to {}", name(link / clusters), name(link % clusters))
            }
            Channel::Level { link, number } => {
                let level = self.level_of(link);
                let count = self.group_links(level);
                let direction = if number < count { "up" } else { "down" };
                format!("{} group {} of {} {direction}", name(level.cluster), number % count, level.on_link)
            }
            Channel::Memory { link, number } => {
                let level = self.level_of(link);
                let count = self.groups(level);
                let what = if number < count { "memory" } else { "new pages" };
                format!("{} {what} of group {} of {}", name(level.cluster), number % count, level.size)
            }
            Channel::Link(directed) => match self.named_link(directed) {
                Some(named) if named.sharing == LinkSharing::Duplex => {
                    format!("{} {}", named.name, if directed.back { "down" } else { "up" })
                }
                Some(named) => named.name.clone(),
                None => String::new(),
            },
        }
    }

    /// The power of a channel, if known.
    pub(crate) fn link_power(&self, channel: Channel) -> Option<LinkPower> {
        let link = match channel {
            Channel::Topology { cluster, .. } => self.own_link(cluster),
            Channel::Own { cluster, .. } => self.node_link(cluster),
            Channel::Between(link) => link,
            Channel::Level { link, .. } => self.level_of(link).around,
            Channel::Memory { .. } => return None,
            Channel::Link(passing) => return self.named_link(passing)?.power,
        };
        self.links[link as usize].power
    }

    /// Whether the power of any node or link is known.
    #[must_use]
    pub fn has_power(&self) -> bool {
        let mut links = self.routing.iter().flat_map(|routing| routing.links());
        self.powers.iter().chain(&self.node_powers).any(Option::is_some)
            || self.channels_with_power().next().is_some()
            || links.any(|link| link.power.is_some())
    }

    /// The idle power of all links together, in watts.
    #[must_use]
    pub fn idle_power_of_links(&self) -> f64 {
        let laid = self.channels_with_power().map(|(power, channels)| power.idle * f64::from(channels));
        let links = self.routing.iter().flat_map(|routing| routing.links()).filter_map(|link| {
            let directions = if link.sharing == LinkSharing::Duplex { 2.0 } else { 1.0 };
            Some(link.power?.idle * directions)
        });
        laid.chain(links).sum()
    }

    /// The power and the number of equal channels, for all shared links without names.
    fn channels_with_power(&self) -> impl Iterator<Item = (LinkPower, u32)> {
        let clusters = self.clusters.len() as u32;
        let inside = (0..clusters).flat_map(move |cluster| {
            let nodes = self.clusters[cluster as usize].nodes;
            let topology = self.own_model(cluster).topology();
            let laid = topology.map(|topology| (self.own_link(cluster), topology.channels()));
            let own = self.nodes_have_links(cluster).then(|| (self.node_link(cluster), 2 * nodes));
            let levels = self.linked_levels(cluster).iter();
            let levels = levels.map(move |level| (level.around, 2 * self.serving_links(level)));
            laid.into_iter().chain(own).chain(levels)
        });
        // Zones join their members by named links only.
        let is_powered = self.connections().iter().any(|link| link.power.is_some());
        let between = if self.routing.is_some() || !is_powered { 0..0 } else { 0..clusters * clusters };
        let between = between.filter(move |link| link / clusters != link % clusters).map(|link| (link, 1));
        inside.chain(between).filter_map(|(link, channels)| {
            let link = &self.links[link as usize];
            Some((link.power.filter(|_| link.model.shared_links().is_some())?, channels))
        })
    }

    /// The number of the connection of the innermost network around each of a cluster's nodes.
    pub(super) fn node_link(&self, cluster: u32) -> u32 {
        self.level_connections(cluster as usize).last().map_or(self.own_link(cluster), |level| level.link)
    }

    /// Whether a cluster's nodes have links that are not of its topology.
    pub(super) fn nodes_have_links(&self, cluster: u32) -> bool {
        self.own_model(cluster).topology().is_none_or(|topology| topology.group() > 1)
    }

    /// The levels of a cluster whose groups have links that are not of its topology.
    pub(super) fn linked_levels(&self, cluster: u32) -> &[LevelConnection] {
        let levels = self.level_connections(cluster as usize);
        if self.own_model(cluster).topology().is_some() { levels.get(1..).unwrap_or(&[]) } else { levels }
    }

    /// The network model that joins a cluster's nodes.
    pub(super) fn own_model(&self, cluster: u32) -> &Model {
        &self.links[self.own_link(cluster) as usize].model
    }

    /// The number of a cluster's own connection.
    pub(super) const fn own_link(&self, cluster: u32) -> u32 {
        cluster * self.clusters.len() as u32 + cluster
    }

    /// The named link of a directed link.
    pub(super) fn named_link(&self, directed: DirectedLink) -> Option<&Link> {
        self.routing.as_deref()?.links().get(directed.link as usize)
    }
}
