//! The content of a file: links, and nested zones and clusters.

use std::collections::HashMap;

use super::Word;
use super::names::Names;
use super::power::Power;
use super::profile::Profile;
use super::quantity::Quantity;
use super::xml::Element;
use hetsim_text::{Node, Place};

/// A whole file.
#[derive(Debug)]
pub(super) struct Platform<'e> {
    /// Zones and clusters, each after its parent.
    pub(super) parts: Vec<Part<'e>>,
    /// The links in the order of the file.
    pub(super) links: Links<'e>,
    /// The names and their meaning.
    pub(super) names: Names<'e>,
    /// The keys of the transport.
    pub(super) transport: Vec<(&'static str, Node)>,
}

/// A zone or a cluster.
#[derive(Debug)]
pub(super) struct Part<'e> {
    /// Its name.
    pub(super) id: Word<'e>,
    /// The position of its start.
    pub(super) place: &'e Place,
    /// The parent zone.
    pub(super) parent: Option<usize>,
    /// The content.
    pub(super) kind: PartKind<'e>,
    /// The profiles of its nodes.
    pub(super) profiles: Vec<NodeProfile>,
}

/// The content of a part.
#[derive(Debug)]
pub(super) enum PartKind<'e> {
    /// Equal nodes.
    Cluster(Box<Cluster<'e>>),
    /// Hosts and the routes between them, or other parts and the routes between those.
    Zone(Zone<'e>),
}

/// `cluster`.
#[derive(Debug)]
pub(super) struct Cluster<'e> {
    pub(super) element: &'e Element<'e>,
    pub(super) nodes: u32,
    pub(super) cores: u32,
    pub(super) speed: GivenQuantity<'e>,
    pub(super) power: Option<Power>,
    pub(super) bandwidth: GivenQuantity<'e>,
    pub(super) latency: GivenQuantity<'e>,
    /// The cost of a node's messages to itself, if any.
    pub(super) loopback: Option<Node>,
    /// The table of its topology.
    pub(super) topology: Node,
}

/// A quantity and its attribute.
#[derive(Debug, Clone, Copy)]
pub(super) struct GivenQuantity<'e> {
    pub(super) quantity: Quantity,
    pub(super) place: &'e Place,
}

impl GivenQuantity<'_> {
    /// As a value.
    pub(super) fn value(self) -> Node {
        Node::string(self.quantity.write(), self.place)
    }
}

/// The routing of a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Routing {
    /// All routes are given.
    Full,
    /// The paths with the fewest links; ties go to the first found by Floyd's algorithm.
    Floyd,
    /// The paths with the fewest links; ties go to the first found by Dijkstra's algorithm.
    Dijkstra,
    /// Each host has a link to a hub and back.
    Hub,
    /// There are no routes.
    None,
}

/// `zone`.
#[derive(Debug)]
pub(super) struct Zone<'e> {
    pub(super) element: &'e Element<'e>,
    pub(super) routing: Routing,
    /// The parts in it.
    pub(super) members: Vec<usize>,
    pub(super) hosts: Vec<Host<'e>>,
    pub(super) routers: Vec<Word<'e>>,
    pub(super) routes: Vec<Route<'e>>,
    /// The links of hosts to the hub and back.
    pub(super) host_links: Vec<HostLink<'e>>,
    /// The backbone, which every message passes.
    pub(super) backbone: Option<usize>,
}

/// `host`.
#[derive(Debug)]
pub(super) struct Host<'e> {
    pub(super) id: Word<'e>,
    pub(super) element: &'e Element<'e>,
    pub(super) cores: u32,
    pub(super) speed: GivenQuantity<'e>,
    pub(super) power: Option<Power>,
}

/// `host_link`.
#[derive(Debug)]
pub(super) struct HostLink<'e> {
    pub(super) element: &'e Element<'e>,
    pub(super) host: Word<'e>,
    pub(super) up: Word<'e>,
    pub(super) down: Word<'e>,
}

/// `route`, `zoneRoute` and those that bypass them.
#[derive(Debug)]
pub(super) struct Route<'e> {
    pub(super) element: &'e Element<'e>,
    pub(super) from: Word<'e>,
    pub(super) to: Word<'e>,
    /// The points at which the route leaves and enters zones.
    pub(super) gateways: Option<(Word<'e>, Word<'e>)>,
    pub(super) symmetric: bool,
    pub(super) bypass: bool,
    pub(super) hops: Vec<Hop<'e>>,
}

/// `link_ctn`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hop<'e> {
    pub(super) link: Word<'e>,
    pub(super) direction: Option<Direction>,
}

/// The halves of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    Up,
    Down,
}

/// The sharing policy of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// All messages share it.
    Shared,
    /// The messages of each direction share it.
    SplitDuplex,
    /// It is not shared.
    FatPipe,
}

/// `link` and `backbone`.
#[derive(Debug)]
pub(super) struct Link<'e> {
    pub(super) id: Word<'e>,
    pub(super) element: &'e Element<'e>,
    pub(super) bandwidth: GivenQuantity<'e>,
    pub(super) latency: Option<GivenQuantity<'e>>,
    pub(super) sharing: Sharing,
    pub(super) power: Option<Node>,
    pub(super) profiles: Vec<LinkProfile>,
}

/// All links by name.
#[derive(Debug, Default)]
pub(super) struct Links<'e> {
    /// The links in the order of the file.
    pub(super) all: Vec<Link<'e>>,
    pub(super) by_name: HashMap<&'e str, usize>,
}

/// The quality that a profile changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Quality {
    Speed,
    Bandwidth,
    Latency,
    State,
}

/// A profile of a node.
#[derive(Debug)]
pub(super) struct NodeProfile {
    pub(super) node: u32,
    pub(super) quality: Quality,
    pub(super) profile: Profile,
    pub(super) place: Place,
}

/// A profile of a link.
#[derive(Debug)]
pub(super) struct LinkProfile {
    pub(super) quality: Quality,
    pub(super) profile: Profile,
    pub(super) place: Place,
}
