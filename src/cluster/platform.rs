//! The machine that is simulated: groups of nodes, their speeds and loads, and the links within and between groups.

mod check;
mod levels;
mod power;
mod varying;
mod way;
mod wiring;

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
pub use power::{LinkPower, NodePower};
pub use way::Channel;
pub(super) use way::Way;
pub use wiring::{Passing, Point, Route, Routes, Wire, WireSharing, Wiring, Zone, ZoneMember, ZoneRoute};

/// Nodes that share a network: a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
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

/// The way of messages within a group, or from one group to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// What a message costs.
    pub model: Model,
    /// A factor on the latency, over time.
    pub latency: Option<Profile>,
    /// A factor on the bandwidth, over time.
    pub bandwidth: Option<Profile>,
    /// The standard deviation σ of a factor on each message's flight, log-normal with mean 1; 0 for none.
    pub jitter: f64,
    /// When it is down, for links between groups under the model `fair`.
    pub faults: Vec<Fault>,
    /// What each of its one-way channels draws; only of links that messages share.
    pub power: Option<LinkPower>,
}

impl From<Model> for Link {
    fn from(model: Model) -> Self {
        Self { model, latency: None, bandwidth: None, jitter: 0.0, faults: Vec::new(), power: None }
    }
}

impl Link {
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
    /// One for messages within its group and another for those that leave it; likewise one for each further
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
    groups: Vec<Group>,
    /// The first node of each group, and the number of nodes at the end.
    starts: Vec<u32>,
    /// The group of each node; empty where there is only one group.
    group_of: Vec<u32>,
    /// From each group to each group, row by row, then those of the levels inside groups.
    links: Vec<Link>,
    levels: Levels,
    /// Operations a tick of one core, by group.
    group_speeds: Vec<f64>,
    /// The same by node; empty where the nodes of a group are alike.
    speeds: Vec<f64>,
    /// Cores by node; empty where the nodes of a group are alike.
    cores: Vec<u32>,
    /// By group; empty where messages of nodes to themselves are free.
    loopbacks: Vec<Option<Loopback>>,
    /// By group; empty where no node has a cache.
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
    wiring: Option<Arc<Wiring>>,
    transport: Transport,
    /// What a node draws, by group; empty where it is said of none.
    powers: Vec<Option<NodePower>>,
    /// By node; empty where the nodes of each group are alike.
    node_powers: Vec<Option<NodePower>>,
    /// The first thing that was wrong with what the machine was made of.
    fault: Option<PlatformError>,
}

impl Platform {
    /// A machine of `groups`, with `links` from each group to each group, row by row. Nodes compute one operation a
    /// tick until [speeds](Self::with_group_speeds) are given.
    ///
    /// Whatever is wrong with this or with what is given later is the machine's [fault](Self::fault): here a number of
    /// links that is not the square of that of groups, more nodes than can be numbered, a group without cores, a network
    /// model that was made for another tick, a jitter or a power that is no number or below zero.
    #[must_use]
    pub fn new(tick: Tick, groups: Vec<Group>, links: Vec<Link>) -> Self {
        let counted = check::count("links between groups", links.len(), groups.len() * groups.len());
        let checked = counted.and_then(|()| check::groups(&groups)).and_then(|()| check::links(&links, tick));
        match checked {
            Ok(()) => Self::of(tick, groups, links),
            // Nothing is left that could be asked for in vain.
            Err(fault) => Self { fault: Some(fault), ..Self::of(tick, Vec::new(), Vec::new()) },
        }
    }

    fn of(tick: Tick, groups: Vec<Group>, links: Vec<Link>) -> Self {
        let mut starts = vec![0];
        for group in &groups {
            starts.push(starts[starts.len() - 1] + group.nodes);
        }
        let group_of = if groups.len() == 1 {
            Vec::new()
        } else {
            let numbered = groups.iter().zip(0..);
            numbered.flat_map(|(group, number)| std::iter::repeat_n(number, group.nodes as usize)).collect()
        };
        Self {
            tick,
            group_speeds: vec![1.0; groups.len()],
            groups,
            starts,
            group_of,
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
            fault: None,
        }
    }

    /// A machine of one group of `nodes` single-core nodes, whose clock ticks as that of `model` does.
    #[must_use]
    pub fn uniform(nodes: u32, model: Model) -> Self {
        let group = Group { name: "nodes".to_owned(), nodes, cores: 1 };
        Self::new(model.tick().unwrap_or_default(), vec![group], vec![model.into()])
    }

    /// The machine of the first so many nodes of each group, numbered anew; groups of which none stay fall away.
    ///
    /// # Panics
    /// Where there is not one count for each group, one is above the group's nodes, or a group falls away of a machine
    /// with [wiring](Self::with_wiring), whose routes may lead through it.
    #[must_use]
    pub fn part(&self, counts: &[u32]) -> Self {
        assert!(self.wiring.is_none() || counts.iter().all(|count| *count > 0), "routes may lead through any group");
        assert_eq!(counts.len(), self.groups.len(), "a count for each group");
        assert!(counts.iter().zip(&self.groups).all(|(count, group)| *count <= group.nodes), "no more than there are");
        let kept: Vec<usize> = (0..counts.len()).filter(|&group| counts[group] > 0).collect();
        let nodes = || kept.iter().flat_map(|&group| self.members(group).take(counts[group] as usize));
        let groups = kept.iter().map(|&group| Group { nodes: counts[group], ..self.groups[group].clone() });
        let links = kept.iter().flat_map(|&from| kept.iter().map(move |&to| self.link(from, to).clone()));
        let level = |(size, link): (u32, &Link)| Level { size, link: link.clone() };
        let levels = kept.iter().map(|&group| self.levels(group).map(level).collect()).collect();
        let sites = kept.iter().map(|&group| self.site_of(group)).collect();
        let part = Self {
            group_speeds: kept.iter().map(|&group| self.group_speeds[group]).collect(),
            speeds: nodes().filter_map(|node| self.speeds.get(node as usize).copied()).collect(),
            cores: nodes().filter_map(|node| self.cores.get(node as usize).copied()).collect(),
            loopbacks: kept.iter().filter_map(|&group| self.loopbacks.get(group).copied()).collect(),
            caches: kept.iter().filter_map(|&group| self.caches.get(group).copied()).collect(),
            loads: nodes().filter_map(|node| self.loads.get(node as usize).cloned()).collect(),
            faults: nodes().filter_map(|node| self.faults.get(node as usize).cloned()).collect(),
            link_faults: nodes().filter_map(|node| self.link_faults.get(node as usize).cloned()).collect(),
            ports: self.ports,
            sharing: self.sharing,
            wiring: self.wiring.clone(),
            transport: self.transport,
            node_powers: nodes().filter_map(|node| self.node_powers.get(node as usize).copied()).collect(),
            powers: kept.iter().filter_map(|&group| self.powers.get(group).copied()).collect(),
            fault: self.fault,
            ..Self::new(self.tick, groups.collect(), links.collect())
        };
        part.with_levels(levels).with_sites(sites)
    }

    /// The same machine with speeds in operations a second of one core, by group: one for each, above zero.
    #[must_use]
    pub fn with_group_speeds(mut self, speeds: &[f64]) -> Self {
        let counted = check::count("speeds of groups", speeds.len(), self.groups.len());
        let numbered = speeds.iter().copied().enumerate();
        if self.allows(counted.and_then(|()| check::in_range("the speed of group", check::POSITIVE, numbered))) {
            self.group_speeds = speeds.iter().map(|speed| speed / self.tick.per_second()).collect();
        }
        self
    }

    /// The same machine with speeds in operations a second of one core, by node: one for each, above zero.
    #[must_use]
    pub fn with_speeds(mut self, speeds: &[f64]) -> Self {
        let counted = check::count("speeds of nodes", speeds.len(), self.nodes() as usize);
        let numbered = speeds.iter().copied().enumerate();
        if self.allows(counted.and_then(|()| check::in_range("the speed of node", check::POSITIVE, numbered))) {
            self.speeds = speeds.iter().map(|speed| speed / self.tick.per_second()).collect();
        }
        self
    }

    /// The same machine with the cores of each node, one at least.
    #[must_use]
    pub fn with_node_cores(mut self, cores: Vec<u32>) -> Self {
        let counted = check::count("numbers of cores", cores.len(), self.nodes() as usize);
        if self.allows(counted.and_then(|()| check::cores(cores.iter().copied()))) {
            self.cores = cores;
        }
        self
    }

    /// The same machine with what the messages take that nodes send to themselves, an entry for each group; free where
    /// nothing is given.
    #[must_use]
    pub fn with_loopbacks(mut self, loopbacks: Vec<Option<Loopback>>) -> Self {
        let counted = check::count("loopbacks", loopbacks.len(), self.groups.len());
        if self.allows(counted.and_then(|()| check::loopbacks(&loopbacks))) {
            self.loopbacks = if loopbacks.iter().all(Option::is_none) { Vec::new() } else { loopbacks };
        }
        self
    }

    /// The same machine with the caches of its nodes, an entry for each group.
    #[must_use]
    pub fn with_caches(mut self, caches: &[Option<Cache>]) -> Self {
        let counted = check::count("caches", caches.len(), self.groups.len());
        if self.allows(counted.and_then(|()| check::caches(caches))) {
            self.caches = if caches.iter().all(Option::is_none) { Vec::new() } else { caches.to_vec() };
        }
        self
    }

    /// The same machine with what external load leaves of each node, zero or more.
    #[must_use]
    pub fn with_loads(mut self, loads: Vec<Availability>) -> Self {
        let counted = check::count("loads", loads.len(), self.nodes() as usize);
        if self.allows(counted.and_then(|()| check::loads(&loads))) {
            self.loads = loads;
        }
        self
    }

    /// The same machine with the faults of each node, which is down while any of them says so: a list for each.
    #[must_use]
    pub fn with_faults(mut self, faults: Vec<Vec<Fault>>) -> Self {
        if self.allows(check::count("lists of faults", faults.len(), self.nodes() as usize)) {
            self.faults = if faults.iter().all(Vec::is_empty) { Vec::new() } else { faults };
        }
        self
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

    /// The same machine with named links, routes inside the groups whose network is
    /// [`Routed`](super::network::Model::Routed), and zones that join the groups: the links between groups that it was made
    /// with then say nothing.
    #[must_use]
    pub fn with_wiring(mut self, wiring: Wiring) -> Self {
        if self.allows(check::wires(&wiring)) {
            self.wiring = Some(Arc::new(wiring));
        }
        self
    }

    /// The same machine with another protocol on the links that messages share.
    #[must_use]
    pub fn with_transport(mut self, transport: Transport) -> Self {
        if self.allows(check::transport(&transport)) {
            self.transport = transport;
        }
        self
    }

    /// The named links and the routes over them, if there are any.
    #[must_use]
    pub fn wiring(&self) -> Option<&Wiring> {
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
        let group = self.group_of(node);
        wiring.routes(group as u32).is_some_and(|routes| routes.own(node.0 - self.starts[group]).is_some())
    }

    /// What a message takes that a node sends to itself over no links.
    pub(super) fn loopback(&self, node: NodeId, bytes: u64) -> Transfer {
        let Some(Some(loopback)) = self.loopbacks.get(self.group_of(node)) else { return Transfer::default() };
        let way = Character { latency: loopback.latency, per_byte: 1.0 / loopback.bandwidth };
        self.transport.alone(way, loopback.bandwidth, bytes, self.tick)
    }

    /// The clock's tick.
    #[must_use]
    pub const fn tick(&self) -> Tick {
        self.tick
    }

    /// How many nodes there are in all groups.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.starts[self.groups.len()]
    }

    /// The groups in their order.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The nodes of a group.
    #[must_use]
    pub fn members(&self, group: usize) -> Range<u32> {
        self.starts[group]..self.starts[group + 1]
    }

    /// The group of a node.
    #[inline]
    #[must_use]
    pub fn group_of(&self, node: NodeId) -> usize {
        self.group_of.get(node.index()).map_or(0, |&group| group as usize)
    }

    /// The link from one group to another; from one to itself, that of nodes which no level inside it joins.
    #[must_use]
    pub fn link(&self, from: usize, to: usize) -> &Link {
        &self.links[from * self.groups.len() + to]
    }

    /// The link of that number.
    #[inline]
    pub(super) fn numbered_link(&self, number: usize) -> &Link {
        &self.links[number]
    }

    /// All links: from each group to each group, row by row, then those of the levels inside groups.
    #[must_use]
    pub fn links(&self) -> &[Link] {
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
        self.speeds.get(node.index()).copied().unwrap_or_else(|| self.group_speeds[self.group_of(node)])
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
        if self.caches.is_empty() { None } else { self.caches[self.group_of(node)] }
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
        self.cores.get(node.index()).copied().unwrap_or_else(|| self.groups[self.group_of(node)].cores)
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
