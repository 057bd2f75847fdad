//! The network inside a cluster: its channels, and the paths of messages through them.
//!
//! A topology is a set of one-way *channels*, numbered from 0, and a rule that gives the channels that a message
//! crosses from one node to another. Both are arithmetic on the numbers of the nodes, so a topology takes no memory per
//! node and no time to build. Only [`random_regular`] holds tables, whose size is the square of the number of switches.
//!
//! A full-duplex cable between two points is two channels, one in each direction; a half-duplex cable is one channel
//! that both directions share. A topology is one file, its `mod` line and one line in the list below.
//!
//! Every cluster has a *gateway*, the point at which messages to and from other clusters leave and enter; each topology
//! defines where it is.

pub mod backbone;
pub mod cells;
pub mod crossbar;
pub mod dragonfly;
pub mod fat_tree;
pub mod mesh;
pub mod paths;
pub mod random_regular;
pub mod star;
pub mod torus;

mod channel;
mod check;
mod duplex;
mod grid;
mod routing;
#[cfg(test)]
mod tests;

use channel::Members;
pub use channel::{Channel, Ends, Point};
pub use check::TopologyError;
pub use duplex::Duplex;
pub use paths::{Choose, Edge, Paths, PathsError};
pub use routing::Routing;

use xxhash_rust::xxh3::xxh3_64;

/// The interface of each topology's file. Numbers of nodes and channels are below [`Topology::nodes`] and
/// [`Topology::channels`].
trait Shape {
    fn channels(&self) -> u32;
    fn channel(&self, number: u32) -> &Channel;
    fn ends(&self, number: u32) -> Ends;

    fn name(&self, number: u32, members: Members) -> String {
        self.ends(number).named(members).to_string()
    }

    fn route(&self, from: u32, to: u32, route: &mut Vec<u32>);
    fn leave(&self, from: u32, route: &mut Vec<u32>);
    fn enter(&self, to: u32, route: &mut Vec<u32>);
    fn own_channels(&self, node: u32, out: &mut Vec<u32>);

    /// The place of a node in an order whose neighbours are neighbours in the network, if there is a way to walk it.
    fn along(&self, node: u32) -> u32 {
        node
    }
}

/// A number that picks one of several equal paths, always the same for the same two numbers.
fn hash(a: u32, b: u32) -> u32 {
    xxh3_64(&(u64::from(a) << 32 | u64::from(b)).to_le_bytes()) as u32
}

/// Makes the registry, the enum of built topologies, and the conversions between them from the same lines.
macro_rules! topologies {
    ($($file:ident :: $Entry:ident($Parameters:ident) = $name:literal: $summary:literal,)+) => {
        hetsim_base::registry! {
            /// The parameters of a topology in a scenario.
            pub enum Parameters by "kind" {
                $($name => $Entry($file::$Parameters): $summary,)+
            }
        }

        #[derive(Debug, Clone, PartialEq)]
        enum Built {
            $($Entry($file::$Entry),)+
        }

        impl Built {
            fn new(parameters: &Parameters, nodes: u32, own: Channel) -> Result<Self, TopologyError> {
                Ok(match parameters {
                    $(Parameters::$Entry(parameters) => Self::$Entry($file::build(parameters, nodes, own)?),)+
                })
            }

            fn shape(&self) -> &dyn Shape {
                match self { $(Self::$Entry(shape) => shape),+ }
            }
        }
    };
}

topologies! {
    star::Star(StarParameters) = "star": "Each node has a link to a switch that never fills.",
    backbone::Backbone(BackboneParameters) = "backbone": "A star whose messages all cross one backbone.",
    crossbar::Crossbar(CrossbarParameters) = "crossbar": "A link from each node to each other node.",
    fat_tree::FatTree(FatTreeParameters) = "fat_tree":
        "Levels of switches with several parents each (Leiserson 1985), routed by the destination (D-mod-k).",
    torus::Torus(TorusParameters) = "torus": "A grid that closes on itself, one dimension after the other.",
    mesh::Mesh(MeshParameters) = "mesh": "A grid with borders, one dimension after the other.",
    dragonfly::Dragonfly(DragonflyParameters) = "dragonfly":
        "Groups of routers, with a direct connection between any two groups (Kim et al. 2008).",
    cells::Cells(CellsParameters) = "cells": "Groups of nodes of any sizes, any two joined by a bundle of cables.",
    random_regular::RandomRegular(RandomRegularParameters) = "random_regular":
        "Switches connected at random, each to the same number of others (Jellyfish, Singla et al. 2012).",
}

/// A topology with its nodes and links.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    nodes: u32,
    /// The number of nodes of each group that the topology joins; 1 if it joins nodes.
    group: u32,
    built: Built,
}

impl Topology {
    /// The topology of `parameters` for `nodes` nodes. `own` is a link without values from the topology's keys; its
    /// bandwidth is above zero.
    ///
    /// The time does not grow with the nodes; in [`random_regular`] it grows with the switches.
    ///
    /// # Errors
    /// If a parameter is out of range, does not fit the number of nodes, or makes more channels than can be numbered.
    pub fn new(parameters: &Parameters, nodes: u32, own: Channel) -> Result<Self, TopologyError> {
        Self::of_groups(parameters, nodes, 1, own)
    }

    /// The topology of `parameters` that joins groups of `group` nodes as [`new`](Self::new) joins nodes: the groups of
    /// a cluster's outermost level. Messages between the nodes of a group cross none of its channels.
    ///
    /// # Errors
    /// As [`new`](Self::new), for the number of groups.
    ///
    /// # Panics
    /// If `group` is 0.
    pub fn of_groups(parameters: &Parameters, nodes: u32, group: u32, own: Channel) -> Result<Self, TopologyError> {
        Ok(Self { nodes, group, built: Built::new(parameters, nodes.div_ceil(group), own)? })
    }

    /// The number of nodes of each group that the topology joins; 1 if it joins nodes.
    #[must_use]
    pub const fn group(&self) -> u32 {
        self.group
    }

    /// The number of nodes.
    #[must_use]
    pub const fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The place of a node in an order whose neighbours are neighbours in a torus or a mesh: there and back along the
    /// lines of its dimensions, the first one first. Elsewhere the order is that of the nodes.
    #[must_use]
    pub fn along(&self, node: u32) -> u32 {
        self.built.shape().along(node / self.group) * self.group + node % self.group
    }

    /// The number of channels; their numbers are below it.
    #[must_use]
    pub fn channels(&self) -> u32 {
        self.built.shape().channels()
    }

    /// The capacity of the channel `number`, which must be below [`channels`](Self::channels).
    #[must_use]
    pub fn channel(&self, number: u32) -> &Channel {
        self.built.shape().channel(number)
    }

    /// The ends of the channel `number`, which must be below [`channels`](Self::channels).
    #[must_use]
    pub fn ends(&self, number: u32) -> Ends {
        self.built.shape().ends(number)
    }

    /// A unique name of the channel `number` for tables and charts. The number must be below
    /// [`channels`](Self::channels). The nodes in it are counted from `first`, the number of the first one on the
    /// platform.
    #[must_use]
    pub fn name(&self, number: u32, first: u32) -> String {
        self.built.shape().name(number, Members { first, group: self.group })
    }

    /// Appends the channels from one node to another, in the order in which a message crosses them. The nodes must
    /// differ and be below [`nodes`](Self::nodes).
    pub fn route(&self, from: u32, to: u32, route: &mut Vec<u32>) {
        debug_assert!(from != to && from < self.nodes && to < self.nodes, "no path from node {from} to node {to}");
        let (from, to) = (from / self.group, to / self.group);
        if from != to {
            self.built.shape().route(from, to, route);
        }
    }

    /// Appends the channels from a node to the gateway; none if the node is at the gateway.
    pub fn leave(&self, from: u32, route: &mut Vec<u32>) {
        self.built.shape().leave(from / self.group, route);
    }

    /// Appends the channels from the gateway to a node; none if the node is at the gateway.
    pub fn enter(&self, to: u32, route: &mut Vec<u32>) {
        self.built.shape().enter(to / self.group, route);
    }

    /// The other direction of a node's cable, where that is the node's only one: all messages on the one are answered
    /// over the other.
    #[must_use]
    pub fn back_of(&self, number: u32) -> Option<u32> {
        let Ends { from, to, both_ways } = self.ends(number);
        let mut own = Vec::new();
        if both_ways {
            return None;
        }
        [from, to].into_iter().find_map(|point| {
            let Point::Node(node) = point else { return None };
            own.clear();
            self.built.shape().own_channels(node, &mut own);
            match own[..] {
                [one, other] if one == number => Some(other),
                [one, other] if other == number => Some(one),
                _ => None,
            }
        })
    }

    /// Appends the channels that start or end at a node or its group: its uplink and downlink if it is connected to a
    /// switch; the links to its neighbours in a torus or a mesh; in a crossbar the links from it to all others and back.
    pub fn own_channels(&self, node: u32, out: &mut Vec<u32>) {
        self.built.shape().own_channels(node / self.group, out);
    }
}
