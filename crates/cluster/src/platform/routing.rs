//! Routes over named links inside clusters, and zones that join clusters: networks that no formula describes.
//!
//! A cluster whose network is `routes` has a table of routes between its points, which are its nodes and then its
//! routers; a zone of routers has such a table without nodes. A zone holds clusters and other zones, and a table of
//! routes between its members, each from a gateway in one member to a gateway in the other. The tables grow with the
//! members of each zone, not with the pairs of nodes.

use super::Cluster;
use super::check::PlatformError;
use super::link::{self, DirectedLink, Link};
use crate::profile::Profile;
use crate::topology::{Choose, Edge, Paths, PathsError};

/// A point in the network: a node of a cluster, a router after its nodes, or its exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterPoint {
    /// The number of the cluster; from the number of clusters on, a zone of routers.
    pub cluster: u32,
    /// The node's number in it; from the number of nodes on, a router of `routes`; [`EXIT`](Self::EXIT) is the exit of
    /// any other network.
    pub local: u32,
}

impl ClusterPoint {
    /// The exit of a cluster without named routers.
    pub const EXIT: u32 = u32::MAX;
}

/// A route between two points of a cluster, in one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// The start.
    pub from: u32,
    /// The end. A route from a node to itself serves the messages that the node sends to itself.
    pub to: u32,
    /// Its links, in order.
    pub links: Vec<DirectedLink>,
}

/// What a route over known links costs where the cheapest way is searched for: its latency, in seconds, or its links.
fn cost(route: &[DirectedLink], choose: Choose, links: &[Link]) -> f64 {
    match choose {
        Choose::LeastLatency => route.iter().map(|passing| links[passing.link as usize].latency).sum(),
        _ => route.len() as f64,
    }
}

/// The number of the first link on the routes that does not exist.
fn unknown<'r>(passed: impl IntoIterator<Item = &'r Vec<DirectedLink>>, links: &[Link]) -> Option<u32> {
    passed.into_iter().flatten().map(|passing| passing.link).find(|&link| link as usize >= links.len())
}

/// The routes of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Routes {
    points: u32,
    paths: Paths,
    /// The routes, by the edges' numbers in `paths`.
    edges: Vec<Route>,
    /// Routes that take precedence for a message between their two ends.
    bypass: Vec<Route>,
    /// Routes from points to themselves.
    own: Vec<Route>,
}

impl Routes {
    /// The routes between `points`; those of `bypass` take precedence over the paths that `choose` finds among the
    /// others.
    ///
    /// # Errors
    /// If two routes connect the same points in the same direction, a point or a link is missing, or there are too many
    /// points to search.
    pub fn new(
        points: u32,
        routes: Vec<Route>,
        bypass: Vec<Route>,
        choose: Choose,
        links: &[Link],
    ) -> Result<Self, PathsError> {
        let passed = routes.iter().chain(&bypass).map(|route| &route.links);
        if let Some(link) = unknown(passed, links) {
            return Err(PathsError::NoSuchLink { link, links: links.len() });
        }
        let ends = routes.iter().chain(&bypass).map(|route| route.from.max(route.to));
        if let Some(point) = ends.max().filter(|&point| point >= points) {
            return Err(PathsError::NoSuchPoint { point, points });
        }
        let (own, between): (Vec<_>, Vec<_>) = routes.iter().cloned().partition(|route| route.from == route.to);
        // SimGrid's Dijkstra depends on the order of all routes, and ignores those from a point to itself.
        let routes = if choose == Choose::SimgridDijkstra { routes } else { between };
        let edge = |route: &Route| Edge { from: route.from, to: route.to, cost: cost(&route.links, choose, links) };
        let edges: Vec<Edge> = routes.iter().map(edge).collect();
        Ok(Self { points, paths: Paths::new(points, &edges, choose)?, edges: routes, bypass, own })
    }

    /// The first two of the first `nodes` points without a path between them.
    #[must_use]
    pub fn missing(&self, nodes: u32) -> Option<(u32, u32)> {
        self.paths.missing(0..nodes)
    }

    /// The links of a node's messages to itself, if they cross any.
    #[must_use]
    pub fn own(&self, node: u32) -> Option<&[DirectedLink]> {
        self.own.iter().find(|route| route.from == node).map(|route| route.links.as_slice())
    }

    /// The links of the route that takes precedence from one point to another, if there is one.
    pub(super) fn bypass(&self, from: u32, to: u32) -> Option<&[DirectedLink]> {
        self.bypass.iter().find(|route| (route.from, route.to) == (from, to)).map(|route| route.links.as_slice())
    }

    /// Appends the links from one point to another, without bypasses. Returns false if there is no path.
    pub(super) fn append(&self, from: u32, to: u32, way: &mut Vec<DirectedLink>, edges: &mut Vec<u32>) -> bool {
        let first = edges.len();
        let found = self.paths.append(from, to, edges);
        for edge in edges.drain(first..) {
            way.extend_from_slice(&self.edges[edge as usize].links);
        }
        found
    }
}

/// Clusters or zones that routes connect.
#[derive(Debug, Clone, PartialEq)]
pub struct Zone {
    members: Vec<ZoneMember>,
    paths: Paths,
    pub(super) routes: Vec<ZoneRoute>,
    bypass: Vec<ZoneRoute>,
    /// Its place in the zone around it.
    place: Option<ZonePlace>,
    depth: u32,
}

/// The place of a cluster or a zone in the zone around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ZonePlace {
    zone: u32,
    /// The index of the member.
    place: u32,
}

/// A member of a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZoneMember {
    /// The cluster with this number; from the number of clusters on, a zone of routers.
    Cluster(u32),
    /// The zone with this number.
    Zone(u32),
}

/// A route between two members of a zone, in one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct ZoneRoute {
    /// The index of the member at its start.
    pub from: u32,
    /// The index of the member at its end.
    pub to: u32,
    /// The gateway out of the first member.
    pub from_gateway: ClusterPoint,
    /// The gateway into the second member.
    pub to_gateway: ClusterPoint,
    /// The links between the gateways, in order.
    pub links: Vec<DirectedLink>,
}

impl Zone {
    /// A zone of `members`, with routes between them; those of `bypass` take precedence over the paths that `choose`
    /// finds among the others.
    ///
    /// # Errors
    /// If two routes connect the same members in the same direction, or a member or a link is missing.
    pub fn new(
        members: Vec<ZoneMember>,
        routes: Vec<ZoneRoute>,
        bypass: Vec<ZoneRoute>,
        choose: Choose,
        links: &[Link],
    ) -> Result<Self, PathsError> {
        if let Some(link) = unknown(routes.iter().chain(&bypass).map(|route| &route.links), links) {
            return Err(PathsError::NoSuchLink { link, links: links.len() });
        }
        let edge = |route: &ZoneRoute| Edge { from: route.from, to: route.to, cost: cost(&route.links, choose, links) };
        let edges: Vec<Edge> = routes.iter().map(edge).collect();
        let paths = Paths::new(members.len() as u32, &edges, choose)?;
        Ok(Self { members, paths, routes, bypass, place: None, depth: 0 })
    }

    /// The first two members without a path between them.
    #[must_use]
    pub fn missing(&self) -> Option<(u32, u32)> {
        self.paths.missing(0..self.members.len() as u32)
    }

    /// The route that takes precedence between two members.
    pub(super) fn bypass(&self, from: u32, to: u32) -> Option<&ZoneRoute> {
        self.bypass.iter().find(|route| (route.from, route.to) == (from, to))
    }

    /// Appends the numbers of the routes from one member to another. Returns false if there is no path.
    pub(super) fn append(&self, from: u32, to: u32, edges: &mut Vec<u32>) -> bool {
        self.paths.append(from, to, edges)
    }
}

/// The named links of a platform and the routes over them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RoutingTables {
    links: Vec<Link>,
    routes: Vec<Option<Routes>>,
    zones: Vec<Zone>,
    /// The place of each cluster in its zone.
    places: Vec<Option<ZonePlace>>,
}

impl RoutingTables {
    /// The links and routes of a platform: the routes of each cluster whose network is `routes`, followed by those of
    /// zones that hold only routers; and the zones of all of these.
    ///
    /// # Errors
    /// If a link's parameters are out of range, a route leads over a missing link, a zone holds a member that does not
    /// exist, that another zone also holds, or itself, or a route of a zone has a gateway outside the member in which
    /// it starts or ends.
    pub fn new(links: Vec<Link>, routes: Vec<Option<Routes>>, zones: Vec<Zone>) -> Result<Self, PlatformError> {
        link::check(&links)?;
        let places = vec![None; routes.len()];
        let mut tables = Self { links, routes, zones, places };
        let within = tables.routes.iter().flatten();
        let within = within.flat_map(|routes| [&routes.edges, &routes.bypass, &routes.own]).flatten();
        let between = tables.zones.iter().flat_map(|zone| [&zone.routes, &zone.bypass]).flatten();
        let passed = within.map(|route| &route.links).chain(between.map(|route| &route.links));
        if let Some(link) = unknown(passed, &tables.links) {
            return Err(PlatformError::NoLink { link: link as usize });
        }
        tables.nest_zones()?;
        for (number, zone) in (0..).zip(&tables.zones) {
            let is_inside = |gateway: ClusterPoint, member| tables.member_with(number, gateway.cluster) == Some(member);
            let joins =
                |route: &ZoneRoute| is_inside(route.from_gateway, route.from) && is_inside(route.to_gateway, route.to);
            if !zone.routes.iter().chain(&zone.bypass).all(joins) {
                return Err(PlatformError::Zone { zone: number as usize, why: "has a route with a gateway elsewhere" });
            }
        }
        Ok(tables)
    }

    /// Notes of each cluster and each zone the zone around it, and how deep each zone lies.
    fn nest_zones(&mut self) -> Result<(), PlatformError> {
        let members: Vec<_> = self.zones.iter().map(|zone| zone.members.clone()).collect();
        for (number, members) in members.iter().enumerate() {
            let zone = number as u32;
            let wrong = |why| PlatformError::Zone { zone: number, why };
            for (place, member) in (0..).zip(members) {
                let own = match *member {
                    ZoneMember::Cluster(cluster) => self.places.get_mut(cluster as usize),
                    ZoneMember::Zone(inner) => self.zones.get_mut(inner as usize).map(|zone| &mut zone.place),
                };
                let own = own.ok_or_else(|| wrong("holds a member that is missing"))?;
                if own.replace(ZonePlace { zone, place }).is_some() {
                    return Err(wrong("holds a member that is in a zone already"));
                }
            }
        }
        for number in 0..self.zones.len() {
            let around = std::iter::successors(self.zones[number].place, |above| self.zones[above.zone as usize].place);
            let depth = around.take(self.zones.len()).count();
            if depth == self.zones.len() {
                return Err(PlatformError::Zone { zone: number, why: "holds itself" });
            }
            self.zones[number].depth = depth as u32;
        }
        Ok(())
    }

    /// The place of the member of a zone that holds a cluster.
    fn member_with(&self, zone: u32, cluster: u32) -> Option<u32> {
        let own = *self.places.get(cluster as usize)?;
        let mut above = std::iter::successors(own, |above| self.zones[above.zone as usize].place);
        above.find(|above| above.zone == zone).map(|above| above.place)
    }

    /// Whether these are tables of such clusters.
    pub(super) fn fit(&self, clusters: &[Cluster]) -> Result<(), PlatformError> {
        if self.routes.len() < clusters.len() {
            return Err(PlatformError::Count {
                what: "tables of routes",
                given: self.routes.len(),
                wanted: clusters.len(),
            });
        }
        for (cluster, routes) in self.routes.iter().enumerate() {
            let nodes = clusters.get(cluster).map(|cluster| cluster.nodes);
            let why = match (routes, nodes) {
                (Some(routes), Some(nodes)) if routes.points < nodes => "join fewer points than it has nodes",
                (None, None) => "are missing",
                _ => continue,
            };
            return Err(PlatformError::Routes { cluster, why });
        }
        for (zone, routes) in self.zones.iter().map(|zone| zone.routes.iter().chain(&zone.bypass)).enumerate() {
            let exists = |gateway: ClusterPoint| match &self.routes[gateway.cluster as usize] {
                Some(routes) => gateway.local < routes.points,
                None => gateway.local == ClusterPoint::EXIT || gateway.local < clusters[gateway.cluster as usize].nodes,
            };
            if !routes.flat_map(|route| [route.from_gateway, route.to_gateway]).all(exists) {
                return Err(PlatformError::Zone { zone, why: "has a route with a gateway that is missing" });
            }
        }
        Ok(())
    }

    /// Replaces the factors over time of a link that are given.
    pub(super) fn set_factors(&mut self, link: usize, latency: Option<Profile>, bandwidth: Option<Profile>) {
        let link = &mut self.links[link];
        link.latency_factor = latency.or_else(|| link.latency_factor.take());
        link.bandwidth_factor = bandwidth.or_else(|| link.bandwidth_factor.take());
    }

    /// The links.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The routes of a cluster whose network is `routes`, or of a zone of routers, numbered after the clusters.
    #[must_use]
    pub fn routes(&self, cluster: u32) -> Option<&Routes> {
        self.routes.get(cluster as usize)?.as_ref()
    }

    /// The innermost zone that holds two clusters, and the indices of its members that hold them.
    pub(super) fn joining(&self, one: u32, other: u32) -> Option<(&Zone, u32, u32)> {
        let (mut one, mut other) = (self.places[one as usize]?, self.places[other as usize]?);
        let zone = |at: ZonePlace| &self.zones[at.zone as usize];
        while one.zone != other.zone {
            if zone(one).depth >= zone(other).depth {
                one = zone(one).place?;
            } else {
                other = zone(other).place?;
            }
        }
        Some((zone(one), one.place, other.place))
    }
}
