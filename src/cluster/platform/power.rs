//! The power of nodes and links.
//!
//! A node's power is linear in the computing cores, with a step at the first one; a link's power is linear in the used
//! bandwidth. Both forms have been fitted to real computers (nodes: Heinrich et al., "Predicting the Energy-Consumption
//! of MPI Applications at Scale Using Only a Single Node", IEEE CLUSTER 2017).

use super::{Channel, LinkSharing, Platform, PlatformError, check};
use crate::cluster::program::NodeId;

/// The power of a node, in watts, each zero or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodePower {
    /// While it is up without computations.
    pub idle: f64,
    /// While it computes, without its cores.
    pub active: f64,
    /// The addition of each computing core.
    pub per_core: f64,
    /// While it is down.
    pub off: f64,
}

/// The power of a one-way channel, in watts, each zero or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkPower {
    /// At any time, without traffic.
    pub idle: f64,
    /// At full use of its bandwidth.
    pub full: f64,
}

impl LinkPower {
    /// The energy, in joules, of a channel of `bandwidth` bytes per second that carries `bytes` in `seconds`.
    #[must_use]
    pub fn joules(&self, seconds: f64, bytes: f64, bandwidth: f64) -> f64 {
        self.idle * seconds + (self.full - self.idle) * bytes / bandwidth
    }
}

impl Platform {
    /// The same platform with the power of its nodes, by cluster. The power of links is part of each
    /// [`Connection`](super::Connection) and [`Link`](super::Link).
    ///
    /// # Errors
    /// If there is not one entry for each cluster, or a power is negative or not finite.
    pub fn with_power(mut self, powers: &[Option<NodePower>]) -> Result<Self, PlatformError> {
        check::count("powers of clusters", powers.len(), self.clusters.len())?;
        check::powers(powers)?;
        self.powers = if powers.iter().all(Option::is_none) { Vec::new() } else { powers.to_vec() };
        Ok(self)
    }

    /// The same platform with the power of each node, if the nodes of a cluster differ.
    ///
    /// # Errors
    /// If there is not one entry for each node, or a power is negative or not finite.
    pub fn with_node_powers(mut self, powers: Vec<Option<NodePower>>) -> Result<Self, PlatformError> {
        check::count("powers of nodes", powers.len(), self.nodes() as usize)?;
        check::powers(&powers)?;
        self.node_powers = powers;
        Ok(self)
    }

    /// The power of a node, if known.
    #[must_use]
    pub fn node_power(&self, node: NodeId) -> Option<&NodePower> {
        if let Some(own) = self.node_powers.get(node.index()) {
            return own.as_ref();
        }
        if self.powers.is_empty() { None } else { self.powers[self.cluster_of(node)].as_ref() }
    }

    /// The power of a channel, if known.
    #[must_use]
    pub fn link_power(&self, channel: Channel) -> Option<LinkPower> {
        let link = match channel {
            Channel::Own { cluster, .. } if self.own_model(cluster).topology().is_some() => self.own_link(cluster),
            Channel::Own { cluster, .. } => self.node_link(cluster),
            Channel::Between(link) => link,
            Channel::Level { link, .. } => self.around(link),
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
            let own = match self.own_model(cluster).topology() {
                Some(topology) => (self.own_link(cluster), topology.channels()),
                None => (self.node_link(cluster), 2 * nodes),
            };
            let levels = self.level_connections(cluster as usize).iter();
            let levels = levels.map(move |&(size, link)| (self.around(link), 2 * nodes.div_ceil(size)));
            std::iter::once(own).chain(levels)
        });
        // Zones join their members by named links only.
        let between = if self.routing.is_some() { 0..0 } else { 0..clusters * clusters };
        let between = between.filter(move |link| link / clusters != link % clusters).map(|link| (link, 1));
        inside.chain(between).filter_map(|(link, channels)| {
            let link = &self.links[link as usize];
            Some((link.power.filter(|_| link.model.shared_links().is_some())?, channels))
        })
    }
}
