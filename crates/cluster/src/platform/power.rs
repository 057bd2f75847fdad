//! The power of nodes and links.
//!
//! A node's power is linear in the computing cores, with a step at the first one; a link's power is linear in the used
//! bandwidth. Both forms have been fitted to real computers (nodes: Heinrich et al., "Predicting the Energy-Consumption
//! of MPI Applications at Scale Using Only a Single Node", IEEE CLUSTER 2017).

use super::Platform;
use super::check::{NATURAL, PlatformError, count, in_range};
use crate::program::NodeId;

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
        count("powers of clusters", powers.len(), self.clusters.len())?;
        check_nodes(powers)?;
        self.powers = if powers.iter().all(Option::is_none) { Vec::new() } else { powers.to_vec() };
        Ok(self)
    }

    /// The same platform with the power of each node, if the nodes of a cluster differ.
    ///
    /// # Errors
    /// If there is not one entry for each node, or a power is negative or not finite.
    pub fn with_node_powers(mut self, powers: Vec<Option<NodePower>>) -> Result<Self, PlatformError> {
        count("powers of nodes", powers.len(), self.nodes() as usize)?;
        check_nodes(&powers)?;
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
}

/// Checks the powers of nodes.
fn check_nodes(powers: &[Option<NodePower>]) -> Result<(), PlatformError> {
    let watts = |power: NodePower| [power.idle, power.active, power.per_core, power.off];
    let numbered = powers.iter().enumerate().filter_map(|(number, power)| power.map(|power| (number, power)));
    in_range("power", NATURAL, numbered.flat_map(|(number, power)| watts(power).map(|watts| (number, watts))))
}

/// Checks the power of the connection or link with a number; `what` says which.
pub(super) fn check_link(what: &'static str, number: usize, power: Option<LinkPower>) -> Result<(), PlatformError> {
    let watts = power.into_iter().flat_map(|power| [power.idle, power.full]);
    in_range(what, NATURAL, watts.map(|watts| (number, watts)))
}
