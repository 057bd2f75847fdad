//! The path of a message over shared links.

use super::Platform;
use super::channel::Channel;
use super::link::DirectedLink;
use super::routing::{ClusterPoint, ZoneRoute};
use crate::network::{Fair, Model, Transfer};
use crate::profile::Profile;
use crate::program::NodeId;
use crate::transport::PathCost;
use hetsim_base::units::{Time, round_up};

/// A path, and the buffers of its search.
#[derive(Debug, Default)]
pub(crate) struct Path {
    /// The channels in the order in which the message crosses them.
    pub(crate) channels: Vec<Channel>,
    /// Channels of a topology, before their cluster is added.
    own: Vec<u32>,
    /// The routes being followed, of nested zones.
    routes: Vec<u32>,
    links: Vec<DirectedLink>,
}

impl Platform {
    /// Finds the path of a message. Returns false if there is none. The previous channels are discarded.
    pub(crate) fn find_path(&self, from: NodeId, to: NodeId, path: &mut Path) -> bool {
        path.channels.clear();
        let point = |node: NodeId| {
            let cluster = self.cluster_of(node);
            ClusterPoint { cluster: cluster as u32, local: node.0 - self.starts[cluster] }
        };
        let (from, to) = (point(from), point(to));
        if from.cluster == to.cluster || self.routing.is_some() {
            return self.path_between(from, to, true, path);
        }
        let link = from.cluster * self.clusters.len() as u32 + to.cluster;
        self.leave(from, link, path);
        if self.links[link as usize].model.shared_links().is_some() {
            path.channels.push(Channel::Between(link));
        }
        self.enter(to, link, path);
        true
    }

    /// Whether a message may have no path, or one with latencies of its own: those of a topology or of named links.
    pub(crate) fn paths_tell_latency(&self) -> bool {
        let tells = |model: &Model| matches!(model, Model::Routed(_)) || model.topology().is_some();
        self.routing.is_some() || self.connections().iter().any(|link| tells(&link.model))
    }

    /// Appends the path from one point to another, over a bypass if the message is `direct`, that is not on its way to
    /// a gateway.
    fn path_between(&self, from: ClusterPoint, to: ClusterPoint, direct: bool, path: &mut Path) -> bool {
        if from.cluster == to.cluster {
            return self.path_within(from, to, direct, path);
        }
        let joining = self.routing.as_deref().and_then(|routing| routing.joining(from.cluster, to.cluster));
        let Some((zone, one, other)) = joining else { return false };
        let mut at = from;
        let bypass = zone.bypass(one, other).filter(|_| direct);
        // The rest of a bypass may use further ones, as in SimGrid.
        let direct = bypass.is_some();
        let mut follow = |route: &ZoneRoute, path: &mut Path| {
            let found = at == route.from_gateway || self.path_between(at, route.from_gateway, direct, path);
            path.channels.extend(route.links.iter().copied().map(Channel::Link));
            at = route.to_gateway;
            found
        };
        let first = path.routes.len();
        let found = if let Some(route) = bypass {
            follow(route, path)
        } else {
            let is_joined = zone.append(one, other, &mut path.routes);
            let last = path.routes.len();
            let found = is_joined && (first..last).all(|place| follow(&zone.routes[path.routes[place] as usize], path));
            path.routes.truncate(first);
            found
        };
        found && (at == to || self.path_between(at, to, direct, path))
    }

    /// Appends the path between two points of one cluster.
    fn path_within(&self, from: ClusterPoint, to: ClusterPoint, direct: bool, path: &mut Path) -> bool {
        if let Some(routes) = self.routing.as_deref().and_then(|routing| routing.routes(from.cluster)) {
            path.links.clear();
            let own = if from == to { routes.own(from.local) } else { None };
            let bypass = if direct { routes.bypass(from.local, to.local) } else { None };
            if let Some(links) = own.or(bypass) {
                path.links.extend_from_slice(links);
            } else if from != to && !routes.append(from.local, to.local, &mut path.links, &mut path.routes) {
                return false;
            }
            path.channels.extend(path.links.iter().copied().map(Channel::Link));
            return true;
        }
        let cluster = from.cluster as usize;
        let places = |point: ClusterPoint| self.place(cluster, point.local);
        match self.own_model(from.cluster) {
            Model::Routed(_) => return false,
            model if from.local != ClusterPoint::EXIT && to.local != ClusterPoint::EXIT => {
                // Most topologies join nodes, around which there is nothing to climb.
                if let (Some(topology), true) = (model.topology(), self.levels.is_empty()) {
                    if from != to {
                        topology.route(places(from), places(to), &mut path.own);
                        path.take_own(from.cluster);
                    }
                    return true;
                }
                let (one, other) = (self.starts[cluster] + from.local, self.starts[cluster] + to.local);
                let link = self.connection_between(NodeId(one), NodeId(other)) as u32;
                self.climb(from, link, false, path);
                // From a node to itself a topology has no path, and needs none.
                if let Some(topology) = model.topology().filter(|_| from != to) {
                    topology.route(places(from), places(to), &mut path.own);
                    path.take_own(from.cluster);
                }
                self.climb(to, link, true, path);
            }
            _ if from.local != ClusterPoint::EXIT => self.leave(from, 0, path),
            _ if to.local != ClusterPoint::EXIT => self.enter(to, 0, path),
            _ => {}
        }
        true
    }

    /// Appends the path from a node up to the network of connection `link`: out of its cluster if that is one between
    /// clusters.
    fn leave(&self, from: ClusterPoint, link: u32, path: &mut Path) {
        self.climb(from, link, false, path);
        if let Some(topology) = self.own_model(from.cluster).topology() {
            topology.leave(self.place(from.cluster as usize, from.local), &mut path.own);
            path.take_own(from.cluster);
        }
    }

    /// Appends the path from the network of connection `link` down to a node.
    fn enter(&self, to: ClusterPoint, link: u32, path: &mut Path) {
        if let Some(topology) = self.own_model(to.cluster).topology() {
            topology.enter(self.place(to.cluster as usize, to.local), &mut path.own);
            path.take_own(to.cluster);
        }
        self.climb(to, link, true, path);
    }

    /// Appends the links of a node and of the levels around it that are not of a topology, up to the network of
    /// connection `link`.
    fn climb(&self, at: ClusterPoint, link: u32, down: bool, path: &mut Path) {
        let cluster = at.cluster as usize;
        let nodes = self.clusters[cluster].nodes;
        let is_shared = self.links[self.node_link(at.cluster) as usize].model.shared_links().is_some();
        if is_shared && self.nodes_have_links(at.cluster) {
            let number = if down { nodes + at.local } else { at.local };
            path.channels.push(Channel::Own { cluster: at.cluster, number });
        }
        let pairs = (self.clusters.len() * self.clusters.len()) as u32;
        for level in self.linked_levels(at.cluster) {
            let joins = link < pairs || level.link > link;
            if joins && self.links[level.around as usize].model.shared_links().is_some() {
                let groups = if down { self.group_links(level) } else { 0 };
                let number = self.place(cluster, at.local) / level.on_link + groups;
                path.channels.push(Channel::Level { link: level.link, number });
            }
        }
    }

    /// The cost of an unhindered message between two nodes over shared links; without a path it never arrives.
    pub(super) fn flow_alone(&self, from: NodeId, to: NodeId, bytes: u64) -> Transfer {
        let mut path = Path::default();
        if !self.find_path(from, to, &mut path) {
            return Transfer { transmission: Time::NEVER, ..Transfer::default() };
        }
        let governing = self.governing_latency(from, to);
        let characteristics = self.character(&path.channels, governing);
        let of_links = self.tick.time(self.latency_of(&path.channels, None));
        let latency = self.transport.latency(governing + of_links, bytes);
        let widths = path.channels.iter().map(|channel| self.nature(*channel).bandwidth);
        let least = widths.fold(f64::INFINITY, f64::min) / self.tick.per_second();
        let rate = least.min(self.transport.limit(characteristics, self.tick));
        let costs = self.numbered_connection(self.connection_between(from, to)).model.flow_costs(bytes);
        let transmission = round_up(self.transport.bytes(bytes) / rate).max(costs.transmission);
        Transfer { transmission, latency: costs.latency - governing + latency, ..costs }
    }

    /// The latency of the whole path by the connection between two nodes, without those of a topology or of named
    /// links.
    pub(crate) fn governing_latency(&self, from: NodeId, to: NodeId) -> Time {
        self.links[self.connection_between(from, to)].model.shared_links().map_or(Time::ZERO, Fair::latency)
    }

    /// The characteristics of a path for a protocol that shares by round-trip times.
    pub(crate) fn character(&self, channels: &[Channel], governing: Time) -> PathCost {
        let latency = governing.as_f64() / self.tick.per_second() + self.latency_of(channels, None);
        let per_byte = channels.iter().map(|channel| 1.0 / self.nature(*channel).bandwidth).sum();
        PathCost { latency, per_byte }
    }

    /// The sum of the latencies of a path's channels at an instant, in seconds. Links without a topology have one
    /// latency for the whole path, that of the network between the two nodes, which is not included here.
    pub(crate) fn latency_of(&self, channels: &[Channel], at: Option<Time>) -> f64 {
        let varied = |latency: f64, factor: Option<&Profile>| match (factor, at) {
            (Some(factor), Some(at)) => latency * factor.value(at),
            _ => latency,
        };
        let latency = |channel: &Channel| match *channel {
            Channel::Topology { cluster, number } => {
                let link = &self.links[self.own_link(cluster) as usize];
                let own = link.model.topology().map_or(0.0, |topology| topology.channel(number).latency);
                varied(own, link.latency.as_ref())
            }
            Channel::Link(directed) => {
                let named = self.named_link(directed);
                named.map_or(0.0, |named| varied(named.latency, named.latency_factor.as_ref()))
            }
            Channel::Own { .. } | Channel::Between(_) | Channel::Level { .. } | Channel::Memory { .. } => 0.0,
        };
        channels.iter().map(latency).sum()
    }
}

impl Path {
    /// Converts the numbers from a topology to channels of a cluster.
    fn take_own(&mut self, cluster: u32) {
        self.channels.extend(self.own.drain(..).map(|number| Channel::Topology { cluster, number }));
    }
}
