//! A channel, and the points that it connects.

use std::fmt;

use super::TopologyError;
use super::check::fault;
use hetsim_base::units::{BytesPerSecond, Quantity, Seconds};

/// The capacity of a channel, in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Channel {
    /// Bandwidth, in bytes per second, above zero.
    pub bandwidth: f64,
    /// Latency, in seconds; the latency of a route is the sum over its channels.
    pub latency: f64,
    /// Whether the messages that cross it share the bandwidth; otherwise the bandwidth bounds each message on its own.
    pub shared: bool,
}

impl Channel {
    /// This channel with the bandwidth and the latency of a topology's keys, where given; `key` is the key of the
    /// bandwidth.
    pub(super) fn with(
        self,
        key: &'static str,
        bandwidth: Option<BytesPerSecond>,
        latency: Option<Seconds>,
    ) -> Result<Self, TopologyError> {
        let bandwidth = bandwidth.map_or(self.bandwidth, Quantity::base);
        if bandwidth <= 0.0 {
            return fault(key, format!("`{key}` must be above zero"));
        }
        Ok(Self { bandwidth, latency: latency.map_or(self.latency, Quantity::base), ..self })
    }
}

/// A point at which channels start and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Point {
    /// A node of the cluster; in a topology that joins groups, one of them.
    Node(u32),
    /// A group of nodes, in names only.
    Group {
        /// The number of the group.
        number: u32,
        /// How many nodes it has.
        nodes: u32,
    },
    /// A switch.
    Switch(u32),
    /// A switch of a tree.
    TreeSwitch {
        /// The level, from 1 for the switches next to the nodes.
        level: u32,
        /// The number within the level.
        number: u32,
    },
    /// A router of a dragonfly.
    Router {
        /// The group.
        group: u32,
        /// The chassis in the group.
        chassis: u32,
        /// The router in the chassis.
        router: u32,
    },
}

/// How the names of channels call what a topology joins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Members {
    /// The number of the first node.
    pub(super) first: u32,
    /// The number of nodes of each group; 1 if nodes are joined.
    pub(super) group: u32,
}

impl Point {
    const fn named(self, members: Members) -> Self {
        match self {
            Self::Node(number) if members.group > 1 => Self::Group { number, nodes: members.group },
            Self::Node(number) => Self::Node(members.first + number),
            other => other,
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(number) => write!(f, "node {number}"),
            Self::Group { number, nodes } => write!(f, "group {number} of {nodes}"),
            Self::Switch(number) => write!(f, "switch {number}"),
            Self::TreeSwitch { level, number } => write!(f, "switch {level}.{number}"),
            Self::Router { group, chassis, router } => write!(f, "router {group}.{chassis}.{router}"),
        }
    }
}

/// The two points that a channel connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ends {
    /// Where it starts.
    pub from: Point,
    /// Where it ends.
    pub to: Point,
    /// Whether messages also cross it from its end to its start.
    pub both_ways: bool,
}

impl Ends {
    /// The same ends as names call them.
    pub(super) const fn named(self, members: Members) -> Self {
        Self { from: self.from.named(members), to: self.to.named(members), ..self }
    }
}

impl fmt::Display for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.from, if self.both_ways { "and" } else { "to" }, self.to)
    }
}
