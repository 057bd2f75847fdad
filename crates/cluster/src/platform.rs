//! The simulated platform: clusters of nodes, their speeds and loads, and the connections within and between clusters.

mod channel;
mod check;
mod connection;
mod kernels;
mod kinds;
mod least;
mod levels;
mod link;
mod memory;
mod nodes;
mod part;
mod path;
mod places;
mod power;
mod ranks;
mod routing;
mod shared_memory;
mod varying;

use std::ops::Range;
use std::sync::Arc;

use hetsim_base::units::{Tick, Time};

use super::barrier::Barrier;
use super::fault::Fault;
use super::kernel::Kernel;
use super::network::{Model, Transfer};
use super::profile::Availability;
use super::program::NodeId;
use super::topology::Topology;
use super::transport::Transport;

pub use channel::Channel;
pub use check::PlatformError;
pub use connection::Connection;
pub use kinds::Kinds;
use kinds::Links;
pub use least::{Least, Traffic};
use levels::Levels;
pub use levels::{Level, MOST_LEVELS};
pub use link::{DirectedLink, Link, LinkSharing};
pub use memory::{Memory, MemoryRate, SharedMemory};
pub use nodes::{Cache, Loopback};
pub(super) use path::Path;
pub use power::{LinkPower, NodePower};
pub use routing::{ClusterPoint, Route, Routes, RoutingTables, Zone, ZoneMember, ZoneRoute};

/// The most clusters of a platform: their pairs are numbered.
pub const MOST_CLUSTERS: usize = 1 << 15;

/// Nodes that share a network: a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Its name in the scenario.
    pub name: String,
    /// The number of its nodes.
    pub nodes: u32,
    /// The cores of each node, unless [given](Platform::with_node_cores) for each node.
    pub cores: u32,
}

/// The ports of a node for sending, and equally many for receiving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ports {
    /// One for all messages.
    #[default]
    Single,
    /// One for messages within its cluster and another for those that leave it; one more for each further
    /// [level](Level) and for its site.
    PerLevel,
}

/// How the computations of a node use its cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sharing {
    /// One computation at a time per core, first come, first served.
    #[default]
    OneAtATime,
    /// All at once, sharing the cores equally.
    Processor,
}

/// A simulated platform: plain data, shared by all runs on it.
#[derive(Debug, Clone)]
pub struct Platform {
    tick: Tick,
    clusters: Vec<Cluster>,
    /// The first node of each cluster, and the number of nodes at the end.
    starts: Vec<u32>,
    /// The cluster of each node; empty if there is only one cluster.
    cluster_of: Vec<u32>,
    /// From each cluster to each cluster, row by row, then those of the levels inside clusters.
    links: Links,
    levels: Levels,
    /// The nodes in the order of their ranks; empty if that is the order of their numbers.
    ranks: Vec<NodeId>,
    /// The place of each node in its cluster; empty if all nodes stand beside each other.
    places: Vec<u32>,
    /// Operations per tick of one core, by cluster.
    cluster_speeds: Vec<f64>,
    /// The same by node; empty if all nodes of a cluster are equal.
    speeds: Vec<f64>,
    /// Cores by node; empty if all nodes of a cluster are equal.
    cores: Vec<u32>,
    /// By cluster; empty if messages of nodes to themselves are free.
    loopbacks: Vec<Option<Loopback>>,
    /// By cluster; empty if no node has a cache.
    caches: Vec<Option<Cache>>,
    /// By node; empty if no node has a load.
    loads: Vec<Availability>,
    /// By node; empty if no node has faults.
    faults: Vec<Vec<Fault>>,
    /// The faults of the links that connect nodes to their networks, by node; empty if there are none.
    link_faults: Vec<Vec<Fault>>,
    ports: Ports,
    sharing: Sharing,
    /// Named links and the routes over them, if any.
    routing: Option<Arc<RoutingTables>>,
    transport: Transport,
    memory: Memory,
    barrier: Barrier,
    barrier_skew: f64,
    /// The power of a node, by cluster; empty if unknown for all.
    powers: Vec<Option<NodePower>>,
    /// The power by node; empty if the nodes of each cluster are equal.
    node_powers: Vec<Option<NodePower>>,
    /// What calls of routines take; shared by all copies.
    kernels: Arc<[Kernel]>,
}

impl Platform {
    /// A platform of `clusters`, with `links` from each cluster to each cluster, row by row. Nodes compute one
    /// operation per tick until [speeds](Self::with_cluster_speeds) are given.
    ///
    /// # Errors
    /// If the number of connections is not the square of the number of clusters, there are more nodes than can be
    /// numbered, or more than [`MOST_CLUSTERS`], a cluster has no cores, a network model was made for another tick or
    /// its topology for fewer nodes, or a jitter or a power is negative or not a number.
    pub fn new(tick: Tick, clusters: Vec<Cluster>, links: Vec<Connection>) -> Result<Self, PlatformError> {
        Self::joined(tick, clusters, Links::each(links))
    }

    /// A platform of `clusters`; `kinds` are the kinds of the connections from each cluster to each cluster, row by
    /// row, and `links` has one connection of each kind.
    ///
    /// # Errors
    /// As [`Self::new`].
    ///
    /// # Panics
    /// There is no connection of some kind.
    pub fn of_kinds(
        tick: Tick,
        clusters: Vec<Cluster>,
        links: Vec<Connection>,
        kinds: Kinds,
    ) -> Result<Self, PlatformError> {
        Self::joined(tick, clusters, Links::new(links, kinds))
    }

    fn joined(tick: Tick, clusters: Vec<Cluster>, links: Links) -> Result<Self, PlatformError> {
        check::count("links between clusters", links.len(), clusters.len() * clusters.len())?;
        check::clusters(&clusters)?;
        connection::check(links.all(), 0, tick)?;
        // The topology of each cluster that has one was made for its nodes.
        for (cluster, &Cluster { nodes, .. }) in clusters.iter().enumerate() {
            let given = links[cluster * clusters.len() + cluster].model.topology().map_or(nodes, Topology::nodes);
            if given < nodes {
                return Err(PlatformError::Topology { cluster, given, nodes });
            }
        }
        Ok(Self::of(tick, clusters, links))
    }

    fn of(tick: Tick, clusters: Vec<Cluster>, links: Links) -> Self {
        let mut starts = vec![0];
        for cluster in &clusters {
            starts.push(starts[starts.len() - 1] + cluster.nodes);
        }
        let cluster_of = if clusters.len() == 1 {
            Vec::new()
        } else {
            let numbered = clusters.iter().zip(0..);
            numbered.flat_map(|(cluster, number)| std::iter::repeat_n(number, cluster.nodes as usize)).collect()
        };
        Self {
            tick,
            cluster_speeds: vec![1.0; clusters.len()],
            clusters,
            starts,
            cluster_of,
            links,
            levels: Levels::default(),
            ranks: Vec::new(),
            places: Vec::new(),
            speeds: Vec::new(),
            cores: Vec::new(),
            loopbacks: Vec::new(),
            caches: Vec::new(),
            loads: Vec::new(),
            faults: Vec::new(),
            link_faults: Vec::new(),
            ports: Ports::default(),
            sharing: Sharing::default(),
            routing: None,
            transport: Transport::default(),
            memory: Memory::default(),
            barrier: Barrier::default(),
            barrier_skew: 0.0,
            powers: Vec::new(),
            node_powers: Vec::new(),
            kernels: Arc::default(),
        }
    }

    /// A platform of one cluster of `nodes` single-core nodes, with the tick of `model`.
    ///
    /// # Errors
    /// If there are more nodes than can be numbered, or than the topology of `model` has.
    pub fn uniform(nodes: u32, model: Model) -> Result<Self, PlatformError> {
        let cluster = Cluster { name: "nodes".to_owned(), nodes, cores: 1 };
        Self::new(model.tick().unwrap_or_default(), vec![cluster], vec![model.into()])
    }

    /// The same platform with other ports.
    #[must_use]
    pub const fn with_ports(mut self, ports: Ports) -> Self {
        self.ports = ports;
        self
    }

    /// The same platform with another way of sharing cores.
    #[must_use]
    pub const fn with_sharing(mut self, sharing: Sharing) -> Self {
        self.sharing = sharing;
        self
    }

    /// The same platform with named links, routes inside the clusters whose network is
    /// [`Routed`](super::network::Model::Routed), and zones that connect the clusters. The previous connections between
    /// clusters then have no effect.
    ///
    /// # Errors
    /// If the tables have fewer clusters, the routes of a cluster fewer points than it has nodes, or a route between
    /// two clusters starts or ends at a missing node.
    pub fn with_routing(mut self, routing: RoutingTables) -> Result<Self, PlatformError> {
        routing.fit(&self.clusters)?;
        self.routing = Some(Arc::new(routing));
        Ok(self)
    }

    /// The same platform with another protocol on shared links.
    ///
    /// # Errors
    /// If a parameter of the protocol is out of range.
    pub fn with_transport(mut self, transport: Transport) -> Result<Self, PlatformError> {
        check::transport(&transport)?;
        self.transport = transport;
        Ok(self)
    }

    /// The named links and the routes over them, if any.
    #[must_use]
    pub fn routing(&self) -> Option<&RoutingTables> {
        self.routing.as_deref()
    }

    /// The protocol of messages on shared links.
    #[must_use]
    pub const fn transport(&self) -> &Transport {
        &self.transport
    }

    /// Whether the messages of a node to itself cross links.
    pub(super) fn sends_to_itself(&self, node: NodeId) -> bool {
        let Some(routing) = &self.routing else { return false };
        let cluster = self.cluster_of(node);
        routing.routes(cluster as u32).is_some_and(|routes| routes.own(node.0 - self.starts[cluster]).is_some())
    }

    /// The clock's tick.
    #[must_use]
    pub const fn tick(&self) -> Tick {
        self.tick
    }

    /// The number of nodes in all clusters.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.starts[self.clusters.len()]
    }

    /// The clusters in order.
    #[must_use]
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// The nodes of a cluster.
    #[must_use]
    pub fn members(&self, cluster: usize) -> Range<u32> {
        self.starts[cluster]..self.starts[cluster + 1]
    }

    /// The cluster of a node.
    #[inline]
    #[must_use]
    pub fn cluster_of(&self, node: NodeId) -> usize {
        self.cluster_of.get(node.index()).map_or(0, |&cluster| cluster as usize)
    }

    /// The connection from one cluster to another; from one to itself, that of nodes that no inner level joins.
    #[must_use]
    pub fn connection(&self, from: usize, to: usize) -> &Connection {
        &self.links[from * self.clusters.len() + to]
    }

    /// The connection with this number.
    #[inline]
    pub(super) fn numbered_connection(&self, number: usize) -> &Connection {
        &self.links[number]
    }

    /// Every kind of connection at least once: between clusters, inside them, and in their levels.
    #[must_use]
    pub fn connections(&self) -> &[Connection] {
        self.links.all()
    }

    /// The cost of an unhindered message between two nodes.
    #[must_use]
    pub fn transfer(&self, from: NodeId, to: NodeId, bytes: u64) -> Transfer {
        let model = &self.links[self.connection_between(from, to)].model;
        let bytes = bytes.saturating_add(model.envelope());
        if model.is_flow() { self.flow_alone(from, to, bytes) } else { model.transfer(bytes) }
    }

    /// Why a message between two nodes cannot be carried, if it cannot.
    #[must_use]
    pub fn refusal(&self, from: NodeId, to: NodeId, bytes: u64) -> Option<super::network::fitted::Refusal> {
        if from == to { None } else { self.links[self.connection_between(from, to)].model.refusal(bytes) }
    }

    /// The ports of a node.
    #[must_use]
    pub const fn ports(&self) -> Ports {
        self.ports
    }

    /// What memory costs a message-passing library on every node.
    #[must_use]
    pub const fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The same platform with costs of memory.
    #[must_use]
    pub fn with_memory(self, memory: Memory) -> Self {
        Self { memory, ..self }
    }

    /// By which algorithm ranks meet before a measured collective.
    #[must_use]
    pub const fn barrier(&self) -> Barrier {
        self.barrier
    }

    /// The same platform with another barrier before measured collectives.
    #[must_use]
    pub fn with_barrier(self, barrier: Barrier) -> Self {
        Self { barrier, ..self }
    }

    /// How far apart ranks leave a barrier besides, in seconds.
    #[must_use]
    pub const fn barrier_skew(&self) -> f64 {
        self.barrier_skew
    }

    /// The same platform on which ranks leave a barrier up to so many seconds apart. Negative values count as zero.
    #[must_use]
    pub fn with_barrier_skew(self, seconds: f64) -> Self {
        Self { barrier_skew: seconds.max(0.0), ..self }
    }

    /// How computations share cores.
    #[must_use]
    pub const fn sharing(&self) -> Sharing {
        self.sharing
    }

    /// The receiver's overhead, if it is equal for every message on every connection and may be added to the flight.
    pub(super) fn constant_receive_overhead(&self) -> Option<Time> {
        if self.sharing == Sharing::Processor {
            return None;
        }
        let first = self.connections().first()?.model.constant_receive_overhead()?;
        self.connections().iter().all(|link| link.model.constant_receive_overhead() == Some(first)).then_some(first)
    }
}
