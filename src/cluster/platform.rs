//! The machine that is simulated: clusters of nodes, their speeds and loads, and the links within and between clusters.

mod check;
mod levels;
mod path;
mod power;
mod routing;
mod varying;

use std::ops::Range;
use std::sync::Arc;

use crate::units::{Tick, Time};

use super::fault::Fault;
use super::network::{Model, Transfer};
use super::profile::{Availability, Profile};
use super::program::NodeId;
use super::transport::{Character, Transport};

pub use check::PlatformError;
use levels::Levels;
pub use levels::{Level, MOST_LEVELS};
pub use path::Channel;
pub(super) use path::Path;
pub use power::{LinkPower, NodePower};
pub use routing::{DirectedLink, Link, LinkSharing, Point, Route, Routes, RoutingTables, Zone, ZoneMember, ZoneRoute};

/// Nodes that share a network: a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// Its name in the scenario.
    pub name: String,
    /// How many nodes it has.
    pub nodes: u32,
    /// Cores of each node, where [they](Platform::with_node_cores) are not given node by node.
    pub cores: u32,
}

/// What the messages take that a node sends to itself, any number at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loopback {
    /// The latency, in seconds.
    pub latency: f64,
    /// The bandwidth of each message, in bytes a second.
    pub bandwidth: f64,
}

/// The fast memory of a node: what does not fit into it is computed more slowly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cache {
    /// How large a working set may be to fit.
    pub bytes: u64,
    /// A factor on the node's speed while the working set does not fit, in (0, 1].
    pub speed_beyond: f64,
}

/// The way of messages within a cluster, or from one cluster to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// What a message costs.
    pub model: Model,
    /// A factor on the latency, over time.
    pub latency: Option<Profile>,
    /// A factor on the bandwidth, over time.
    pub bandwidth: Option<Profile>,
    /// The standard deviation σ of a factor on each message's flight, log-normal with mean 1; 0 for none.
    pub jitter: f64,
    /// When it is down, for links between clusters under the model `fair`.
    pub faults: Vec<Fault>,
    /// What each of its one-way channels draws; only of links that messages share.
    pub power: Option<LinkPower>,
}

impl From<Model> for Connection {
    fn from(model: Model) -> Self {
        Self { model, latency: None, bandwidth: None, jitter: 0.0, faults: Vec::new(), power: None }
    }
}

impl Connection {
    /// Whether its costs change from message to message.
    #[must_use]
    pub const fn varies(&self) -> bool {
        self.latency.is_some() || self.bandwidth.is_some() || self.jitter > 0.0
    }
}

/// How many ports a node has for the messages that it sends, and as many for those that it receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ports {
    /// One for all messages.
    #[default]
    Single,
    /// One for messages within its cluster and another for those that leave it; likewise one for each further
    /// [level](Level) and for its site.
    PerLevel,
}

/// How the computations of a node use its cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sharing {
    /// One computation at a time a core, first come, first served.
    #[default]
    OneAtATime,
    /// All at once, sharing the cores equally.
    Processor,
}

/// A simulated machine: plain data, shared by all runs on it.
#[derive(Debug, Clone)]
pub struct Platform {
    tick: Tick,
    clusters: Vec<Cluster>,
    /// The first node of each cluster, and the number of nodes at the end.
    starts: Vec<u32>,
    /// The cluster of each node; empty where there is only one cluster.
    cluster_of: Vec<u32>,
    /// From each cluster to each cluster, row by row, then those of the levels inside clusters.
    links: Vec<Connection>,
    levels: Levels,
    /// Operations a tick of one core, by cluster.
    cluster_speeds: Vec<f64>,
    /// The same by node; empty where the nodes of a cluster are alike.
    speeds: Vec<f64>,
    /// Cores by node; empty where the nodes of a cluster are alike.
    cores: Vec<u32>,
    /// By cluster; empty where messages of nodes to themselves are free.
    loopbacks: Vec<Option<Loopback>>,
    /// By cluster; empty where no node has a cache.
    caches: Vec<Option<Cache>>,
    /// By node; empty where no node has any load.
    loads: Vec<Availability>,
    /// By node; empty where no node has any.
    faults: Vec<Vec<Fault>>,
    /// Those of the links that join nodes to their networks, likewise.
    link_faults: Vec<Vec<Fault>>,
    ports: Ports,
    sharing: Sharing,
    /// Named links and the routes over them, where there are any.
    wiring: Option<Arc<RoutingTables>>,
    transport: Transport,
    /// What a node draws, by cluster; empty where it is said of none.
    powers: Vec<Option<NodePower>>,
    /// By node; empty where the nodes of each cluster are alike.
    node_powers: Vec<Option<NodePower>>,
}

impl Platform {
    /// A machine of `clusters`, with `links` from each cluster to each cluster, row by row. Nodes compute one operation a
    /// tick until [speeds](Self::with_cluster_speeds) are given.
    ///
    /// # Errors
    /// Where the number of links is not the square of that of clusters, there are more nodes than can be numbered, a cluster
    /// has no cores, a network model was made for another tick or its topology for fewer nodes, or a jitter or a power is
    /// no number or below zero.
    pub fn new(tick: Tick, clusters: Vec<Cluster>, links: Vec<Connection>) -> Result<Self, PlatformError> {
        check::count("links between clusters", links.len(), clusters.len() * clusters.len())?;
        check::clusters(&clusters)?;
        check::links(&links, tick)?;
        check::topologies(&clusters, &links)?;
        Ok(Self::of(tick, clusters, links))
    }

    fn of(tick: Tick, clusters: Vec<Cluster>, links: Vec<Connection>) -> Self {
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
            speeds: Vec::new(),
            cores: Vec::new(),
            loopbacks: Vec::new(),
            caches: Vec::new(),
            loads: Vec::new(),
            faults: Vec::new(),
            link_faults: Vec::new(),
            ports: Ports::default(),
            sharing: Sharing::default(),
            wiring: None,
            transport: Transport::default(),
            powers: Vec::new(),
            node_powers: Vec::new(),
        }
    }

    /// A machine of one cluster of `nodes` single-core nodes, whose clock ticks as that of `model` does.
    ///
    /// # Errors
    /// Where there are more nodes than can be numbered, or than the topology of `model` has.
    pub fn uniform(nodes: u32, model: Model) -> Result<Self, PlatformError> {
        let cluster = Cluster { name: "nodes".to_owned(), nodes, cores: 1 };
        Self::new(model.tick().unwrap_or_default(), vec![cluster], vec![model.into()])
    }

    /// The machine of the first so many nodes of each cluster, numbered anew; clusters of which none stay fall away.
    ///
    /// # Errors
    /// Where there is not one count for each cluster, one is above the cluster's nodes, or something falls away of a machine
    /// with [named links](Self::with_routing) through which routes may lead.
    pub fn part(&self, counts: &[u32]) -> Result<Self, PlatformError> {
        check::count("numbers of nodes", counts.len(), self.clusters.len())?;
        for (cluster, (&nodes, whole)) in counts.iter().zip(&self.clusters).enumerate() {
            if nodes > whole.nodes {
                return Err(PlatformError::NoNodes { cluster, wanted: nodes, nodes: whole.nodes });
            }
            if nodes == 0 && self.wiring.is_some() {
                return Err(PlatformError::RoutedThrough { cluster });
            }
        }
        let kept: Vec<usize> = (0..counts.len()).filter(|&cluster| counts[cluster] > 0).collect();
        let nodes = || kept.iter().flat_map(|&cluster| self.members(cluster).take(counts[cluster] as usize));
        let clusters = kept.iter().map(|&cluster| Cluster { nodes: counts[cluster], ..self.clusters[cluster].clone() });
        let links = kept.iter().flat_map(|&from| kept.iter().map(move |&to| self.link(from, to).clone()));
        let level = |(size, link): (u32, &Connection)| Level { size, link: link.clone() };
        let levels = kept.iter().map(|&cluster| self.levels(cluster).map(level).collect()).collect();
        let sites = kept.iter().map(|&cluster| self.site_of(cluster)).collect();
        let part = Self {
            cluster_speeds: kept.iter().map(|&cluster| self.cluster_speeds[cluster]).collect(),
            speeds: nodes().filter_map(|node| self.speeds.get(node as usize).copied()).collect(),
            cores: nodes().filter_map(|node| self.cores.get(node as usize).copied()).collect(),
            loopbacks: kept.iter().filter_map(|&cluster| self.loopbacks.get(cluster).copied()).collect(),
            caches: kept.iter().filter_map(|&cluster| self.caches.get(cluster).copied()).collect(),
            loads: nodes().filter_map(|node| self.loads.get(node as usize).cloned()).collect(),
            faults: nodes().filter_map(|node| self.faults.get(node as usize).cloned()).collect(),
            link_faults: nodes().filter_map(|node| self.link_faults.get(node as usize).cloned()).collect(),
            ports: self.ports,
            sharing: self.sharing,
            wiring: self.wiring.clone(),
            transport: self.transport,
            node_powers: nodes().filter_map(|node| self.node_powers.get(node as usize).copied()).collect(),
            powers: kept.iter().filter_map(|&cluster| self.powers.get(cluster).copied()).collect(),
            ..Self::of(self.tick, clusters.collect(), links.collect())
        };
        if let Some(wiring) = &part.wiring {
            wiring.fit(&part.clusters)?;
        }
        part.with_levels(levels)?.with_sites(sites)
    }

    /// The same machine with speeds in operations a second of one core, by cluster.
    ///
    /// # Errors
    /// Where there is not one for each cluster, or one is not above zero and finite.
    pub fn with_cluster_speeds(mut self, speeds: &[f64]) -> Result<Self, PlatformError> {
        check::count("speeds of clusters", speeds.len(), self.clusters.len())?;
        check::in_range("the speed of cluster", check::POSITIVE, speeds.iter().copied().enumerate())?;
        self.cluster_speeds = speeds.iter().map(|speed| speed / self.tick.per_second()).collect();
        Ok(self)
    }

    /// The same machine with speeds in operations a second of one core, by node.
    ///
    /// # Errors
    /// Where there is not one for each node, or one is not above zero and finite.
    pub fn with_speeds(mut self, speeds: &[f64]) -> Result<Self, PlatformError> {
        check::count("speeds of nodes", speeds.len(), self.nodes() as usize)?;
        check::in_range("the speed of node", check::POSITIVE, speeds.iter().copied().enumerate())?;
        self.speeds = speeds.iter().map(|speed| speed / self.tick.per_second()).collect();
        Ok(self)
    }

    /// The same machine with the cores of each node.
    ///
    /// # Errors
    /// Where there is not one number for each node, or one is zero.
    pub fn with_node_cores(mut self, cores: Vec<u32>) -> Result<Self, PlatformError> {
        check::count("numbers of cores", cores.len(), self.nodes() as usize)?;
        check::cores(cores.iter().copied())?;
        self.cores = cores;
        Ok(self)
    }

    /// The same machine with what the messages take that nodes send to themselves, by cluster; free where nothing is given.
    ///
    /// # Errors
    /// Where there is not one entry for each cluster, or a latency or a bandwidth is out of range.
    pub fn with_loopbacks(mut self, loopbacks: Vec<Option<Loopback>>) -> Result<Self, PlatformError> {
        check::count("loopbacks", loopbacks.len(), self.clusters.len())?;
        check::loopbacks(&loopbacks)?;
        self.loopbacks = if loopbacks.iter().all(Option::is_none) { Vec::new() } else { loopbacks };
        Ok(self)
    }

    /// The same machine with the caches of its nodes, by cluster.
    ///
    /// # Errors
    /// Where there is not one entry for each cluster, or a factor on the speed is not in (0, 1].
    pub fn with_caches(mut self, caches: &[Option<Cache>]) -> Result<Self, PlatformError> {
        check::count("caches", caches.len(), self.clusters.len())?;
        check::caches(caches)?;
        self.caches = if caches.iter().all(Option::is_none) { Vec::new() } else { caches.to_vec() };
        Ok(self)
    }

    /// The same machine with what external load leaves of each node.
    ///
    /// # Errors
    /// Where there is not one load for each node, or one leaves less than nothing or has turns of no length.
    pub fn with_loads(mut self, loads: Vec<Availability>) -> Result<Self, PlatformError> {
        check::count("loads", loads.len(), self.nodes() as usize)?;
        check::loads(&loads)?;
        self.loads = loads;
        Ok(self)
    }

    /// The same machine with the faults of each node, which is down while any of them says so.
    ///
    /// # Errors
    /// Where there is not one list for each node.
    pub fn with_faults(mut self, faults: Vec<Vec<Fault>>) -> Result<Self, PlatformError> {
        check::count("lists of faults", faults.len(), self.nodes() as usize)?;
        self.faults = if faults.iter().all(Vec::is_empty) { Vec::new() } else { faults };
        Ok(self)
    }

    /// The same machine with other ports.
    #[must_use]
    pub const fn with_ports(mut self, ports: Ports) -> Self {
        self.ports = ports;
        self
    }

    /// The same machine with another way of sharing cores.
    #[must_use]
    pub const fn with_sharing(mut self, sharing: Sharing) -> Self {
        self.sharing = sharing;
        self
    }

    /// The same machine with named links, routes inside the clusters whose network is
    /// [`Routed`](super::network::Model::Routed), and zones that join the clusters: the links between clusters that it was made
    /// with then say nothing.
    ///
    /// # Errors
    /// Where the tables are of fewer clusters, the routes of a cluster of fewer points than it has nodes, or a route between
    /// two clusters starts or ends at a node that is missing.
    pub fn with_routing(mut self, wiring: RoutingTables) -> Result<Self, PlatformError> {
        wiring.fit(&self.clusters)?;
        self.wiring = Some(Arc::new(wiring));
        Ok(self)
    }

    /// The same machine with another protocol on the links that messages share.
    ///
    /// # Errors
    /// Where a number of the protocol is out of range.
    pub fn with_transport(mut self, transport: Transport) -> Result<Self, PlatformError> {
        check::transport(&transport)?;
        self.transport = transport;
        Ok(self)
    }

    /// The named links and the routes over them, if there are any.
    #[must_use]
    pub fn wiring(&self) -> Option<&RoutingTables> {
        self.wiring.as_deref()
    }

    /// How messages flow over links that they share.
    #[must_use]
    pub const fn transport(&self) -> &Transport {
        &self.transport
    }

    /// Whether the messages that a node sends to itself pass links.
    pub(super) fn sends_to_itself(&self, node: NodeId) -> bool {
        let Some(wiring) = &self.wiring else { return false };
        let cluster = self.cluster_of(node);
        wiring.routes(cluster as u32).is_some_and(|routes| routes.own(node.0 - self.starts[cluster]).is_some())
    }

    /// What a message takes that a node sends to itself over no links.
    pub(super) fn loopback(&self, node: NodeId, bytes: u64) -> Transfer {
        let Some(Some(loopback)) = self.loopbacks.get(self.cluster_of(node)) else { return Transfer::default() };
        let way = Character { latency: loopback.latency, per_byte: 1.0 / loopback.bandwidth };
        self.transport.alone(way, loopback.bandwidth, bytes, self.tick)
    }

    /// The clock's tick.
    #[must_use]
    pub const fn tick(&self) -> Tick {
        self.tick
    }

    /// How many nodes there are in all clusters.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.starts[self.clusters.len()]
    }

    /// The clusters in their order.
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

    /// The link from one cluster to another; from one to itself, that of nodes which no level inside it joins.
    #[must_use]
    pub fn link(&self, from: usize, to: usize) -> &Connection {
        &self.links[from * self.clusters.len() + to]
    }

    /// The link of that number.
    #[inline]
    pub(super) fn numbered_link(&self, number: usize) -> &Connection {
        &self.links[number]
    }

    /// All links: from each cluster to each cluster, row by row, then those of the levels inside clusters.
    #[must_use]
    pub fn links(&self) -> &[Connection] {
        &self.links
    }

    /// The cost of a message between two nodes that meets nothing else on its way.
    #[must_use]
    pub fn transfer(&self, from: NodeId, to: NodeId, bytes: u64) -> Transfer {
        let model = &self.links[self.link_between(from, to)].model;
        if model.is_flow() { self.flow_alone(from, to, bytes) } else { model.transfer(bytes) }
    }

    /// Why a message between two nodes can't be carried, if it can't.
    #[must_use]
    pub fn refusal(&self, from: NodeId, to: NodeId, bytes: u64) -> Option<super::network::fitted::Refusal> {
        if from == to { None } else { self.links[self.link_between(from, to)].model.refusal(bytes) }
    }

    /// The speed of one core of a node, in operations a tick.
    #[must_use]
    pub fn speed(&self, node: NodeId) -> f64 {
        self.speeds.get(node.index()).copied().unwrap_or_else(|| self.cluster_speeds[self.cluster_of(node)])
    }

    /// The speed of one core of a node, in operations a second.
    #[must_use]
    pub fn speed_per_second(&self, node: NodeId) -> f64 {
        self.speed(node) * self.tick.per_second()
    }

    /// The speed of one core of a node on `working_set` bytes, in operations a second: that of
    /// [`speed_per_second`](Self::speed_per_second), slower where the node has a cache that they don't fit.
    #[must_use]
    pub fn speed_with(&self, node: NodeId, working_set: u64) -> f64 {
        self.speed_on(node, working_set) * self.tick.per_second()
    }

    /// [`speed_with`](Self::speed_with) in operations a tick.
    pub(super) fn speed_on(&self, node: NodeId, working_set: u64) -> f64 {
        match self.cache(node) {
            Some(cache) if working_set > cache.bytes => self.speed(node) * cache.speed_beyond,
            _ => self.speed(node),
        }
    }

    /// What external load leaves of the speed of a core of a node in the long run, in operations a second.
    #[must_use]
    pub fn speed_under_load(&self, node: NodeId) -> f64 {
        self.speed_per_second(node) * self.loads.get(node.index()).map_or(1.0, Availability::mean_share)
    }

    /// The cache of a node, if it has one.
    #[must_use]
    pub fn cache(&self, node: NodeId) -> Option<Cache> {
        if self.caches.is_empty() { None } else { self.caches[self.cluster_of(node)] }
    }

    /// What external load leaves of a node; nothing where no node has any.
    #[must_use]
    pub fn availability(&self, node: NodeId) -> Option<&Availability> {
        self.loads.get(node.index())
    }

    /// What external load leaves of each node; empty where there is none.
    pub(super) fn loads(&self) -> &[Availability] {
        &self.loads
    }

    /// The faults of each node; empty where no node has any.
    #[must_use]
    pub fn faults(&self) -> &[Vec<Fault>] {
        &self.faults
    }

    /// How many ports a node has.
    #[must_use]
    pub const fn ports(&self) -> Ports {
        self.ports
    }

    /// How computations share cores.
    #[must_use]
    pub const fn sharing(&self) -> Sharing {
        self.sharing
    }

    /// Cores of a node.
    #[must_use]
    pub fn cores(&self, node: NodeId) -> u32 {
        self.cores.get(node.index()).copied().unwrap_or_else(|| self.clusters[self.cluster_of(node)].cores)
    }

    /// The receiver's overhead, where every message on every link has the same, so that it may be added to the flight.
    pub(super) fn constant_receive_overhead(&self) -> Option<Time> {
        if self.sharing == Sharing::Processor {
            return None;
        }
        let first = self.links.first()?.model.constant_receive_overhead()?;
        self.links.iter().all(|link| link.model.constant_receive_overhead() == Some(first)).then_some(first)
    }
}
