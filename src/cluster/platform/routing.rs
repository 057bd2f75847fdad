//! Named links, the routes over them inside clusters, and zones that join clusters: networks that no formula describes.
//!
//! A cluster whose network is `routes` has a table of routes between its points, which are its nodes and then its
//! routers; a zone of routers has the same without nodes. Zones hold clusters and other zones, and a table of routes between their members, each from a gateway in the
//! one to a gateway in the other; so what is stored grows with the members of each zone, not with the pairs of nodes.

use super::LinkPower;
use crate::cluster::fault::Fault;
use crate::cluster::profile::Profile;
use crate::cluster::topology::{Choose, Edge, Paths, PathsError};

/// A link with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Its name in the scenario.
    pub name: String,
    /// Its bandwidth, in bytes a second; of each direction where it has two.
    pub bandwidth: f64,
    /// Its latency, in seconds.
    pub latency: f64,
    /// Who shares its bandwidth.
    pub sharing: LinkSharing,
    /// A factor on the latency, over time.
    pub latency_factor: Option<Profile>,
    /// A factor on the bandwidth, over time.
    pub bandwidth_factor: Option<Profile>,
    /// When it is down.
    pub faults: Vec<Fault>,
    /// What each of its directions draws, or all of it where they share one bandwidth.
    pub power: Option<LinkPower>,
}

/// Who shares the bandwidth of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LinkSharing {
    /// The messages of each direction among themselves.
    #[default]
    Duplex,
    /// All messages on it, whatever their direction.
    Shared,
    /// Nobody: it bounds each message by itself.
    Unshared,
}

/// A link on a route, in the direction in which it is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DirectedLink {
    /// The number of the wire.
    pub wire: u32,
    /// Whether it is passed backwards.
    pub back: bool,
}

/// A place in the network: a node of a cluster, a router beyond its nodes, or the way out of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// The cluster; from the number of clusters on, a zone of routers.
    pub cluster: u32,
    /// The node's number in it; from the number of nodes on, a router of `routes`; [`EXIT`](Self::EXIT) is the way out of
    /// any other network.
    pub local: u32,
}

impl Point {
    /// Where a cluster without named routers is left.
    pub const EXIT: u32 = u32::MAX;
}

/// A route between two points of a cluster, one way.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// The point that it starts at.
    pub from: u32,
    /// The point that it ends at; a route from a node to itself is for the messages that it sends to itself.
    pub to: u32,
    /// What it leads over.
    pub wires: Vec<DirectedLink>,
}

/// What a route costs where the cheapest way is searched for: its latency, in seconds, or its links.
fn cost(route: &[DirectedLink], choose: Choose, wires: &[Link]) -> f64 {
    match choose {
        Choose::LeastLatency => {
            // One that there isn't is the fault of the machine that gets the routes.
            let latency =
                |passing: &DirectedLink| wires.get(passing.wire as usize).map_or(f64::INFINITY, |wire| wire.latency);
            route.iter().map(latency).sum()
        }
        _ => route.len() as f64,
    }
}

/// The routes of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Routes {
    paths: Paths,
    /// By the numbers of the edges of the paths.
    edges: Vec<Route>,
    /// Routes that go before all others, where a message starts and ends at their ends.
    bypass: Vec<Route>,
    /// Of points to themselves.
    own: Vec<Route>,
}

impl Routes {
    /// The routes between `points`; those of `bypass` go before what `choose` finds among the others.
    ///
    /// # Errors
    /// Where two routes join the same points one way, or there are too many points to search.
    pub fn new(
        points: u32,
        routes: Vec<Route>,
        bypass: Vec<Route>,
        choose: Choose,
        wires: &[Link],
    ) -> Result<Self, PathsError> {
        let (own, between): (Vec<_>, Vec<_>) = routes.iter().cloned().partition(|route| route.from == route.to);
        // SimGrid's Dijkstra heeds the order in which all routes name their ends, and takes none to a point itself.
        let routes = if choose == Choose::SimgridDijkstra { routes } else { between };
        let edge = |route: &Route| Edge { from: route.from, to: route.to, cost: cost(&route.wires, choose, wires) };
        let edges: Vec<Edge> = routes.iter().map(edge).collect();
        Ok(Self { paths: Paths::new(points, &edges, choose)?, edges: routes, bypass, own })
    }

    /// The first two of the first `nodes` points between which there is no way.
    #[must_use]
    pub fn missing(&self, nodes: u32) -> Option<(u32, u32)> {
        self.paths.missing(0..nodes)
    }

    /// The wires that a node's messages to itself pass, if they pass any.
    #[must_use]
    pub fn own(&self, node: u32) -> Option<&[DirectedLink]> {
        self.own.iter().find(|route| route.from == node).map(|route| route.wires.as_slice())
    }

    /// The wires of the route that goes before all others from one point to another, if there is one.
    pub(super) fn bypass(&self, from: u32, to: u32) -> Option<&[DirectedLink]> {
        self.bypass.iter().find(|route| (route.from, route.to) == (from, to)).map(|route| route.wires.as_slice())
    }

    /// Appends the wires from one point to another, bypasses apart; false where there is no way.
    pub(super) fn append(&self, from: u32, to: u32, way: &mut Vec<DirectedLink>, edges: &mut Vec<u32>) -> bool {
        let first = edges.len();
        let found = self.paths.append(from, to, edges);
        for edge in edges.drain(first..) {
            way.extend_from_slice(&self.edges[edge as usize].wires);
        }
        found
    }
}

/// Clusters or zones that are joined by routes.
#[derive(Debug, Clone, PartialEq)]
pub struct Zone {
    members: Vec<ZoneMember>,
    paths: Paths,
    pub(super) routes: Vec<ZoneRoute>,
    bypass: Vec<ZoneRoute>,
    /// The zone around it, and its place there.
    parent: Option<(u32, u32)>,
    depth: u32,
}

/// What a zone holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneMember {
    /// The cluster of that number; from the number of clusters on, a zone of routers.
    Cluster(u32),
    /// The zone of that number.
    Zone(u32),
}

/// A route between two members of a zone, one way.
#[derive(Debug, Clone, PartialEq)]
pub struct ZoneRoute {
    /// The place of the member that it starts in.
    pub from: u32,
    /// The place of the member that it ends in.
    pub to: u32,
    /// Where it leaves the one.
    pub from_gateway: Point,
    /// Where it enters the other.
    pub to_gateway: Point,
    /// What it leads over in between.
    pub wires: Vec<DirectedLink>,
}

impl Zone {
    /// A zone of `members`, with routes between them; those of `bypass` go before what `choose` finds among the others.
    ///
    /// # Errors
    /// Where two routes join the same members one way.
    pub fn new(
        members: Vec<ZoneMember>,
        routes: Vec<ZoneRoute>,
        bypass: Vec<ZoneRoute>,
        choose: Choose,
        wires: &[Link],
    ) -> Result<Self, PathsError> {
        let edge = |route: &ZoneRoute| Edge { from: route.from, to: route.to, cost: cost(&route.wires, choose, wires) };
        let edges: Vec<Edge> = routes.iter().map(edge).collect();
        let paths = Paths::new(members.len() as u32, &edges, choose)?;
        Ok(Self { members, paths, routes, bypass, parent: None, depth: 0 })
    }

    /// The first two members between which there is no way.
    #[must_use]
    pub fn missing(&self) -> Option<(u32, u32)> {
        self.paths.missing(0..self.members.len() as u32)
    }

    /// The route that goes before all others between two members.
    pub(super) fn bypass(&self, from: u32, to: u32) -> Option<&ZoneRoute> {
        self.bypass.iter().find(|route| (route.from, route.to) == (from, to))
    }

    /// Appends the numbers of the routes from one member to another; false where there is no way.
    pub(super) fn append(&self, from: u32, to: u32, edges: &mut Vec<u32>) -> bool {
        self.paths.append(from, to, edges)
    }
}

/// The named links of a machine and the routes over them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RoutingTables {
    wires: Vec<Link>,
    routes: Vec<Option<Routes>>,
    zones: Vec<Zone>,
    /// The zone of each cluster and its place there.
    parents: Vec<Option<(u32, u32)>>,
}

impl RoutingTables {
    /// The links and routes of a machine: the routes of each cluster, where its network is `routes`, and behind them those of
    /// zones that hold only routers; and the zones of clusters and of these.
    #[must_use]
    pub fn new(wires: Vec<Link>, routes: Vec<Option<Routes>>, mut zones: Vec<Zone>) -> Self {
        let mut parents = vec![None; routes.len()];
        let members: Vec<_> = zones.iter().map(|zone| zone.members.clone()).collect();
        for (zone, members) in (0..).zip(&members) {
            for (place, member) in (0..).zip(members) {
                match *member {
                    ZoneMember::Cluster(cluster) => parents[cluster as usize] = Some((zone, place)),
                    ZoneMember::Zone(inner) => zones[inner as usize].parent = Some((zone, place)),
                }
            }
        }
        for zone in 0..zones.len() {
            let around = std::iter::successors(zones[zone].parent, |&(above, _)| zones[above as usize].parent);
            zones[zone].depth = around.take(zones.len()).count() as u32;
        }
        Self { wires, routes, zones, parents }
    }

    /// Gives a link other factors over time; one that is not given stays.
    pub(super) fn set_factors(&mut self, wire: usize, latency: Option<Profile>, bandwidth: Option<Profile>) {
        let wire = &mut self.wires[wire];
        wire.latency_factor = latency.or_else(|| wire.latency_factor.take());
        wire.bandwidth_factor = bandwidth.or_else(|| wire.bandwidth_factor.take());
    }

    /// The links.
    #[must_use]
    pub fn wires(&self) -> &[Link] {
        &self.wires
    }

    /// The number of a link that a route leads over and that there isn't, if there is one.
    pub(super) fn unknown(&self) -> Option<usize> {
        let within = self.routes.iter().flatten();
        let within = within.flat_map(|routes| [&routes.edges, &routes.bypass, &routes.own]).flatten();
        let between = self.zones.iter().flat_map(|zone| [&zone.routes, &zone.bypass]).flatten();
        let passed = within.map(|route| &route.wires).chain(between.map(|route| &route.wires)).flatten();
        passed.map(|passing| passing.wire as usize).find(|&wire| wire >= self.wires.len())
    }

    /// The routes of a cluster, where its network is `routes`, or of a zone of routers, which are numbered behind the clusters.
    #[must_use]
    pub fn routes(&self, cluster: u32) -> Option<&Routes> {
        self.routes.get(cluster as usize)?.as_ref()
    }

    /// The innermost zone that holds two clusters, and the places of its members that hold them.
    pub(super) fn joining(&self, one: u32, other: u32) -> Option<(&Zone, u32, u32)> {
        let (mut one, mut other) = (self.parents[one as usize]?, self.parents[other as usize]?);
        let zone = |at: (u32, u32)| &self.zones[at.0 as usize];
        while one.0 != other.0 {
            if zone(one).depth >= zone(other).depth {
                one = zone(one).parent?;
            } else {
                other = zone(other).parent?;
            }
        }
        Some((zone(one), one.1, other.1))
    }
}
