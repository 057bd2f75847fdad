//! The network inside a cluster: its channels, and the way of a message through them.
//!
//! A topology is a set of one-way *channels*, numbered from 0, and a rule that says which of them a message crosses
//! from one node to another. Both are arithmetic on the numbers of the nodes, so that a topology takes no memory for
//! each node and no time to build; only [`random_regular`] holds tables, whose size is the square of the number of
//! switches.
//!
//! A cable between two points is two channels, one each way, where it is full duplex, and one that both directions
//! share where it is half duplex. One file a topology, one line in the list below.
//!
//! Every cluster has a *gateway*, the point at which messages leave for other clusters and enter from them; each
//! topology says where it is.

pub mod paths;

mod channel;
mod check;
mod duplex;
mod grid;
mod routing;
#[cfg(test)]
mod tests;

pub use channel::{Channel, Ends, Point};
pub use check::TopologyError;
pub use duplex::Duplex;
pub use paths::{Choose, Edge, Paths, PathsError};
pub use routing::Routing;

use xxhash_rust::xxh3::xxh3_64;

/// What each topology's file says. Numbers of nodes and channels are below [`Topology::nodes`] and
/// [`Topology::channels`].
trait Shape {
    fn channels(&self) -> u32;
    fn channel(&self, number: u32) -> &Channel;
    fn ends(&self, number: u32) -> Ends;

    fn name(&self, number: u32) -> String {
        self.ends(number).to_string()
    }

    fn route(&self, from: u32, to: u32, route: &mut Vec<u32>);
    fn leave(&self, from: u32, route: &mut Vec<u32>);
    fn enter(&self, to: u32, route: &mut Vec<u32>);
    fn own_channels(&self, node: u32, out: &mut Vec<u32>);
}

/// A number by which one of several equal ways is picked, the same for the same two numbers.
fn hash(a: u32, b: u32) -> u32 {
    xxh3_64(&(u64::from(a) << 32 | u64::from(b)).to_le_bytes()) as u32
}

/// Makes the registry, the enum of what is built, and the ways between them from the same lines.
macro_rules! topologies {
    ($($file:ident :: $Entry:ident($Parameters:ident) = $name:literal: $summary:literal,)+) => {
        $(pub mod $file;)+

        crate::registry! {
            /// The parameters of a topology, as a scenario gives them.
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
    crossbar::Crossbar(CrossbarParameters) = "crossbar": "A link of its own from each node to each other node.",
    fat_tree::FatTree(FatTreeParameters) = "fat_tree":
        "Levels of switches with several parents each (Leiserson 1985), routed by the destination (D-mod-k).",
    torus::Torus(TorusParameters) = "torus": "A grid that closes on itself, one dimension after the other.",
    mesh::Mesh(MeshParameters) = "mesh": "A grid with borders, one dimension after the other.",
    dragonfly::Dragonfly(DragonflyParameters) = "dragonfly":
        "Groups of routers, with a direct way between any two groups (Kim et al. 2008).",
    random_regular::RandomRegular(RandomRegularParameters) = "random_regular":
        "Switches joined at random, each to as many others (Jellyfish, Singla et al. 2012).",
}

/// A topology with its nodes and links.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    nodes: u32,
    built: Built,
}

impl Topology {
    /// The topology of `parameters` for `nodes` nodes. `own` is a link where no key of the topology says otherwise; its
    /// bandwidth is above zero.
    ///
    /// Takes no time that grows with the nodes; with the switches in [`random_regular`] only.
    ///
    /// # Errors
    /// Where a parameter is out of range, does not fit the number of nodes, or makes more channels than can be
    /// numbered.
    pub fn new(parameters: &Parameters, nodes: u32, own: Channel) -> Result<Self, TopologyError> {
        Ok(Self { nodes, built: Built::new(parameters, nodes, own)? })
    }

    /// How many nodes there are.
    #[must_use]
    pub const fn nodes(&self) -> u32 {
        self.nodes
    }

    /// How many channels there are; their numbers are below it.
    #[must_use]
    pub fn channels(&self) -> u32 {
        self.built.shape().channels()
    }

    /// What the channel `number` carries. The number must be below [`channels`](Self::channels).
    #[must_use]
    pub fn channel(&self, number: u32) -> &Channel {
        self.built.shape().channel(number)
    }

    /// Where the channel `number` starts and ends. The number must be below [`channels`](Self::channels).
    #[must_use]
    pub fn ends(&self, number: u32) -> Ends {
        self.built.shape().ends(number)
    }

    /// A name for the channel `number` in tables and charts; no two channels have the same. The number must be below
    /// [`channels`](Self::channels).
    #[must_use]
    pub fn name(&self, number: u32) -> String {
        self.built.shape().name(number)
    }

    /// Appends the channels from one node to another one, in the order in which a message crosses them. Both must be
    /// below [`nodes`](Self::nodes); there is no way from a node to itself.
    pub fn route(&self, from: u32, to: u32, route: &mut Vec<u32>) {
        debug_assert!(from != to && from < self.nodes && to < self.nodes, "no way from node {from} to node {to}");
        self.built.shape().route(from, to, route);
    }

    /// Appends the channels from a node to the gateway; none where the node is at the gateway.
    pub fn leave(&self, from: u32, route: &mut Vec<u32>) {
        self.built.shape().leave(from, route);
    }

    /// Appends the channels from the gateway to a node; none where the node is at the gateway.
    pub fn enter(&self, to: u32, route: &mut Vec<u32>) {
        self.built.shape().enter(to, route);
    }

    /// Appends the channels that start or end at a node: its link up and link down where it hangs on a switch; the
    /// links to its neighbours in a torus or a mesh; in a crossbar the links from it to all others and back.
    pub fn own_channels(&self, node: u32, out: &mut Vec<u32>) {
        self.built.shape().own_channels(node, out);
    }
}
