//! `[platform]`: clusters, the links between them, speeds and loads; and the machine made of them.

use std::collections::BTreeSet;
use std::ops::Range;

use thiserror::Error;

use super::fault::{FaultSpec, joined};
use super::formulas::Files;
use super::load::LoadSpec;
use hetsim_base::engine::Streams;
use hetsim_base::units::{Quantity, Seconds, Tick};
use hetsim_cluster::speeds::DiversityError;
use hetsim_cluster::{
    Availability, Cache, Fault, Loopback, NodeId, NodePower, Platform, PlatformError, Ports, ProfileError, Sharing,
};
use hetsim_text::{Node, Problem, Source};

mod clusters;
mod diversity;
mod full_nodes;
mod kernels;
mod levels;
mod link_faults;
mod links;
mod power;
mod routing;
mod sites;
mod spec;
mod varying;

pub use spec::CalibrationSpec;
pub(super) use spec::PlatformSpec;

use clusters::read_clusters;
use diversity::Diversity;
use kernels::{KernelPlan, read_kernels};
use levels::{check_shared_memory, make_levels, read_levels};
use links::read_links;
use power::{read_node_power, read_node_powers};
use routing::{read_named_links, read_routing};
use sites::Sites;
use spec::{ClusterSpec, PerNode, PortsSpec, SharingSpec};
use varying::{DrawnFactors, read_node_links};

/// The most values that are drawn for all factors and loads of a run together, which are kept in memory.
const MOST_DRAWN: f64 = (1u64 << 24) as f64;

/// A machine whose random parts are still to be drawn for a seed and a replica.
#[derive(Debug, Clone)]
pub struct PlatformPlan {
    platform: Platform,
    clusters: Vec<ClusterSpec>,
    loads: Vec<Vec<(LoadSpec, Option<Availability>)>>,
    factors: DrawnFactors,
    diversity: Option<Diversity>,
    kernels: Vec<KernelPlan>,
    calibration: Option<CalibrationSpec>,
    /// Whether a machine must be drawn for each run.
    random: bool,
}

/// The reason why no platform can be drawn for a seed and a replica.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DrawError {
    /// The draws do not allow the diversity that the platform asks for.
    #[error(transparent)]
    Diversity(#[from] DiversityError),
    /// A drawn value is out of range.
    #[error("a {what} is out of range: {why}")]
    OutOfRange {
        /// The drawn quantity.
        what: &'static str,
        /// The fault.
        why: ProfileError,
    },
    /// The draws make no valid platform.
    #[error(transparent)]
    Platform(#[from] PlatformError),
}

/// What the reading of a platform needs besides its own table.
pub(super) struct Context<'a> {
    /// The texts, for file names.
    pub(super) sources: &'a [Source],
    /// Checks a table that was put together from several places, and gives what is wrong with it.
    pub(super) check_network: &'a dyn Fn(&Node) -> Vec<Problem>,
    /// What is read of the files that are named.
    pub(super) files: &'a Files,
}

impl PlatformPlan {
    /// Reads a table that has passed the schema.
    ///
    /// # Errors
    /// Everything that the schema can't see: unknown clusters in links, missing links, wrong lengths.
    pub(super) fn read(table: &Node, context: &Context<'_>) -> Result<Self, Vec<Problem>> {
        let spec: PlatformSpec = deserialise(table)?;
        let calibration = spec.calibration.as_ref().and_then(CalibrationSpec::fault);
        check_parts(table, [("memory", spec.memory.fault()), ("calibration", calibration)])?;
        let tick = read_tick(table, spec.tick)?;
        let cluster_table = table.get("cluster").ok_or_else(|| vec![Problem::at(&table.place, "no clusters")])?;
        let (clusters, groups) = read_clusters(cluster_table)?;
        let names: Vec<&str> = cluster_table.entries().iter().map(|entry| entry.key.as_str()).collect();
        let sites = Sites::read(table, &spec, &names)?;
        let links = read_links(table, cluster_table, &clusters, &sites, tick, context)?;
        let wires = read_named_links(table, &spec, tick, context)?;
        let routing = read_routing(table, &spec, &clusters, &names, &wires, context.sources)?;
        let levels = in_each(cluster_table, &clusters, |table, cluster| read_levels(table, cluster, tick, context))?;
        let ports = match spec.ports {
            PortsSpec::Single => Ports::Single,
            PortsSpec::PerLevel => Ports::PerLevel,
        };
        let sharing = match spec.sharing {
            SharingSpec::OneAtATime => Sharing::OneAtATime,
            SharingSpec::Processor => Sharing::Processor,
        };
        let caches = in_each(cluster_table, &clusters, read_cache)?;
        let loopbacks = in_each(cluster_table, &clusters, read_loopback)?;
        let powers: Vec<_> = clusters.iter().map(|cluster| cluster.power.as_ref().map(read_node_power)).collect();
        let node_powers = in_each(cluster_table, &clusters, |table, cluster| {
            read_node_powers(table, cluster.node_power.as_ref(), cluster.nodes)
        })?;
        let faults = read_node_faults(cluster_table, &clusters, tick, context)?;
        let link_faults = read_node_links(cluster_table.entries(), &clusters, (&links, &levels), tick, context)?;
        let factors = DrawnFactors::new(&links, &levels, &wires);
        let loads = in_each(cluster_table, &clusters, |table, spec| read_loads(table, spec, tick, context.sources))?;
        check_drawn(table, &factors, &loads, &clusters, tick)?;
        let diversity = Diversity::read(table, &spec, &names, &clusters)?;
        let kernels = read_kernels(table, &spec.kernel, &names, &clusters, context)?;
        let is_drawn = clusters.iter().any(ClusterSpec::is_drawn) || kernels.iter().any(KernelPlan::is_drawn);
        let has_drawn_loads = loads.iter().flatten().any(|(_, fixed)| fixed.is_none());
        let random = diversity.is_some() || is_drawn || !factors.is_empty() || has_drawn_loads;
        let levels = levels.into_iter().zip(&clusters).map(|(networks, cluster)| make_levels(networks, cluster));
        let connections: Vec<_> = links.all.into_iter().map(|plan| plan.link).collect();
        let transport = spec.transport.transport().map_err(|(key, error)| {
            let place = table.get("transport").and_then(|transport| transport.get(key)).unwrap_or(table);
            vec![Problem::at(&place.place, error.to_string())]
        })?;
        let made = || {
            let mut platform = Platform::of_kinds(tick, groups, connections, links.kinds)?
                .with_levels(levels.collect())?
                .with_sites(sites.numbers())?
                .with_ports(ports)
                .with_sharing(sharing)
                .with_transport(transport)?
                .with_memory(spec.memory.memory())
                .with_barrier(spec.barrier)
                .with_barrier_skew(spec.barrier_skew.base())
                .with_caches(&caches)?
                .with_power(&powers)?
                .with_loopbacks(loopbacks)?;
            if let Some(routing) = routing {
                platform = platform.with_routing(routing)?;
            }
            platform = with_unlike_nodes(platform, &clusters, &powers, &node_powers)?;
            platform = platform.with_places(clusters.iter().map(|of| of.seating.places.clone()).collect())?;
            if let Some(order) = full_nodes::order(&clusters) {
                platform = platform.with_ranks(order)?;
            }
            if !faults.is_empty() {
                platform = platform.with_faults(faults)?;
            }
            if link_faults.is_empty() { Ok(platform) } else { platform.with_link_faults(link_faults) }
        };
        let platform = made().map_err(|error: PlatformError| vec![Problem::at(&table.place, error.to_string())])?;
        let calibration = spec.calibration;
        let mut plan = Self { platform, clusters, loads, factors, diversity, kernels, calibration, random };
        // Drawn once here, so that a diversity out of reach is found before any run.
        plan.platform = plan.draw(&Streams::new(0, 0)).map_err(|error| {
            let place = table.get("diversity").map_or(&table.place, |node| &node.place);
            vec![Problem::at(place, error.to_string())]
        })?;
        check_shared_memory(cluster_table, &plan.platform)?;
        Ok(plan)
    }

    /// The machine as far as it is the same for every seed, with some nodes of a larger one where these are drawn.
    #[must_use]
    pub const fn platform(&self) -> &Platform {
        &self.platform
    }

    /// The number of nodes: of groups of ranks, where several are on each.
    ///
    /// # Errors
    /// The levels of a cluster tell domains, and none of nodes.
    pub fn whole_nodes(&self) -> Result<u32, String> {
        self.clusters.iter().map(ClusterSpec::whole_nodes).sum()
    }

    /// The ranks on each of the nodes that fewer ranks of a single cluster take, as its `map_by` places them; nothing
    /// where there are several clusters.
    #[must_use]
    pub fn taken_by(&self, ranks: u32) -> Option<Vec<u32>> {
        let [cluster] = self.clusters.as_slice() else { return None };
        Some(cluster.taken_by(ranks))
    }

    /// The number of nodes of the machine that a cluster has only some nodes of, and in how many fragments these are drawn.
    #[must_use]
    pub fn machine_of(&self, cluster: usize) -> Option<(u32, Option<u32>)> {
        let allocation = self.clusters.get(cluster)?.allocation.as_ref()?;
        Some((allocation.of, allocation.fragments))
    }

    /// The number of ranks on each node of a cluster, by its number.
    pub fn ranks_per_node(&self, cluster: usize) -> impl Iterator<Item = u32> {
        self.clusters.get(cluster).into_iter().flat_map(ClusterSpec::ranks_on_nodes)
    }

    /// The number of nodes, each of which may have several ranks.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        (0..self.clusters.len()).map(|cluster| self.ranks_per_node(cluster).count() as u32).sum()
    }

    /// The nodes, each with the ranks on it, which are nodes of the simulated platform.
    #[must_use]
    pub fn ranks_of_nodes(&self) -> Vec<Range<u32>> {
        let mut next = 0;
        let ranges = self.clusters.iter().flat_map(ClusterSpec::ranks_on_nodes).map(|ranks| {
            next += ranks;
            next - ranks..next
        });
        ranges.collect()
    }

    /// By what it was calibrated, if it was.
    #[must_use]
    pub const fn calibration(&self) -> Option<&CalibrationSpec> {
        self.calibration.as_ref()
    }

    /// Whether the diversity that the platform is given counts this node.
    #[must_use]
    pub fn diversity_concerns(&self, node: NodeId) -> bool {
        self.diversity.as_ref().is_some_and(|diversity| diversity.concerns(node, &self.platform))
    }

    /// The machine of a seed and a replica; `None` if it is the same for all.
    ///
    /// # Errors
    /// Where the draws do not allow the diversity, or one is out of range.
    pub fn drawn(&self, streams: &Streams) -> Result<Option<Platform>, DrawError> {
        if self.random { self.draw(streams).map(Some) } else { Ok(None) }
    }

    /// The speed of each node, in operations a second.
    fn draw_speeds(&self, streams: &Streams) -> Result<Vec<f64>, DrawError> {
        let mut speeds = Vec::with_capacity(self.platform.nodes() as usize);
        // Each rank has the speed of its node, however many are on it.
        let mut node = 0;
        for cluster in &self.clusters {
            let mut listed = cluster.speeds.as_ref().map(PerNode::iter);
            for ranks in cluster.ranks_on_nodes() {
                let listed = listed.as_mut().and_then(Iterator::next).unwrap_or(cluster.speed);
                let factor =
                    cluster.speed_factor.as_ref().map_or(1.0, |factor| factor.draw(&mut streams.stream("speed", node)));
                speeds.extend(std::iter::repeat_n(listed.base() * factor, ranks as usize));
                node += 1;
            }
        }
        if let Some(diversity) = &self.diversity {
            diversity.apply(&self.platform, streams, &mut speeds)?;
        }
        Ok(speeds)
    }

    /// The same with the nodes where they are in the machine for a seed and a replica; `None` if that is not drawn.
    pub(super) fn placed(&self, streams: &Streams) -> Result<Option<Self>, DrawError> {
        if !self.clusters.iter().any(ClusterSpec::is_allocation_drawn) {
            return Ok(None);
        }
        let places = |(cluster, number): (&ClusterSpec, u64)| {
            cluster.draw_places(&mut streams.stream("nodes of the machine", number))
        };
        let platform = self.platform.clone().with_places(self.clusters.iter().zip(0..).map(places).collect())?;
        Ok(Some(Self { platform, ..self.clone() }))
    }

    fn draw(&self, streams: &Streams) -> Result<Platform, DrawError> {
        let kernels = self.kernels.iter().map(|kernel| kernel.draw(streams)).collect();
        let platform = match self.placed(streams)? {
            Some(placed) => placed.platform,
            None => self.platform.clone(),
        };
        let platform = self.factors.draw(platform, streams)?.with_kernels(kernels)?;
        let differ = |cluster: &ClusterSpec| cluster.speeds.is_some() || cluster.speed_factor.is_some();
        let platform = if self.diversity.is_some() || self.clusters.iter().any(differ) {
            platform.with_speeds(&self.draw_speeds(streams)?)?
        } else {
            let speeds: Vec<f64> = self.clusters.iter().map(|cluster| cluster.speed.base()).collect();
            platform.with_cluster_speeds(&speeds)?
        };
        if self.loads.iter().all(Vec::is_empty) {
            return Ok(platform);
        }
        let mut loads = vec![Availability::Constant(1.0); platform.nodes() as usize];
        for (group, specs) in self.loads.iter().enumerate() {
            let first = self.platform.members(group).start;
            for (spec, fixed) in specs {
                let all: Vec<u32> = (0..self.clusters[group].nodes).collect();
                for &node in spec.nodes.as_ref().unwrap_or(&all) {
                    let node = first + node;
                    let random = || spec.profile.random(streams.stream("load", u64::from(node)), self.platform.tick());
                    let load = fixed.clone().map_or_else(random, Ok);
                    loads[node as usize] = load.map_err(|why| DrawError::OutOfRange { what: "load", why })?;
                }
            }
        }
        Ok(platform.with_loads(loads)?)
    }
}

/// The machine with what is said node by node: cores, and what they draw.
fn with_unlike_nodes(
    mut platform: Platform,
    clusters: &[ClusterSpec],
    powers: &[Option<NodePower>],
    node_powers: &[Option<Vec<NodePower>>],
) -> Result<Platform, PlatformError> {
    if clusters.iter().any(|cluster| cluster.node_cores.is_some()) {
        let alike = |cluster: &ClusterSpec| vec![cluster.cores; cluster.ranks() as usize];
        let cores = |cluster: &ClusterSpec| cluster.node_cores.clone().unwrap_or_else(|| alike(cluster));
        platform = platform.with_node_cores(clusters.iter().flat_map(cores).collect())?;
    }
    if node_powers.iter().any(Option::is_some) {
        let alike = |group: usize| vec![powers[group]; clusters[group].ranks() as usize];
        let own = |(group, own): (usize, &Option<Vec<NodePower>>)| {
            own.as_ref().map_or_else(|| alike(group), |own| own.iter().copied().map(Some).collect())
        };
        platform = platform.with_node_powers(node_powers.iter().enumerate().flat_map(own).collect())?;
    }
    Ok(platform)
}

/// Whether what is drawn for a run fits the memory.
fn check_drawn(
    table: &Node,
    factors: &DrawnFactors,
    loads: &[Vec<(LoadSpec, Option<Availability>)>],
    clusters: &[ClusterSpec],
    tick: Tick,
) -> Result<(), Vec<Problem>> {
    let of_load = |(cluster, spec): (&ClusterSpec, &LoadSpec)| {
        let nodes = spec.nodes.as_ref().map_or(cluster.nodes as usize, Vec::len);
        nodes as f64 * spec.profile.values(tick)
    };
    let loads =
        clusters.iter().zip(loads).flat_map(|(cluster, loads)| loads.iter().map(move |(spec, _)| (cluster, spec)));
    let values = factors.values() + loads.map(of_load).sum::<f64>();
    if values <= MOST_DRAWN {
        return Ok(());
    }
    let message =
        format!("{values:.0} values would be drawn for each run, over all links and nodes; at most {MOST_DRAWN}");
    Err(vec![Problem::at(&table.place, message).with_help("choose a longer `every` or a shorter `period`")])
}

/// What is read of each cluster's table.
fn in_each<T>(
    table: &Node,
    clusters: &[ClusterSpec],
    read: impl Fn(&Node, &ClusterSpec) -> Result<T, Vec<Problem>>,
) -> Result<Vec<T>, Vec<Problem>> {
    table.entries().iter().zip(clusters).map(|(entry, cluster)| read(&entry.value, cluster)).collect()
}

fn deserialise<T: serde::de::DeserializeOwned>(node: &Node) -> Result<T, Vec<Problem>> {
    serde_json::from_value(node.to_json()).map_err(|error| vec![Problem::at(&node.place, error.to_string())])
}

/// The faults of each node; nothing where there is none, since a list a node takes memory.
fn read_node_faults(
    table: &Node,
    clusters: &[ClusterSpec],
    tick: Tick,
    context: &Context<'_>,
) -> Result<Vec<Vec<Fault>>, Vec<Problem>> {
    if clusters.iter().all(|cluster| cluster.fault.is_empty()) {
        return Ok(Vec::new());
    }
    let of_cluster = in_each(table, clusters, |table, cluster| {
        read_faults((table, "fault"), &cluster.fault, cluster, tick, context.sources)
    })?;
    Ok(of_cluster.into_iter().flatten().collect())
}

fn read_tick(table: &Node, tick: Seconds) -> Result<Tick, Vec<Problem>> {
    let picoseconds = tick.base() * 1e12;
    let whole = picoseconds.round();
    let valid = (picoseconds - whole).abs() <= whole * 4.0 * f64::EPSILON && (1.0..=1e12).contains(&whole);
    let tick = if valid { Tick::new(whole as u64) } else { None };
    tick.ok_or_else(|| {
        let place = table.get("tick").map_or(&table.place, |node| &node.place);
        vec![Problem::at(place, "`tick` must be a whole number of picoseconds, from 1ps to 1s")]
    })
}

/// The key and the message of a fault in each of some tables of the platform.
fn check_parts<const N: usize>(table: &Node, faults: [(&str, Option<(&str, String)>); N]) -> Result<(), Vec<Problem>> {
    let problem = |(part, fault): (&str, Option<(&str, String)>)| {
        let (key, message) = fault?;
        let place = table.at(&format!("{part}.{key}")).map_or(&table.place, |node| &node.place);
        Some(Problem::at(place, message))
    };
    let problems: Vec<Problem> = faults.into_iter().filter_map(problem).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn read_loopback(table: &Node, cluster: &ClusterSpec) -> Result<Option<Loopback>, Vec<Problem>> {
    let Some(spec) = &cluster.loopback else { return Ok(None) };
    if spec.bandwidth.base() <= 0.0 {
        let place = table.at("loopback.bandwidth").map_or(&table.place, |node| &node.place);
        return Err(vec![Problem::at(place, "`bandwidth` must be above zero")]);
    }
    Ok(Some(Loopback { latency: spec.latency.base(), bandwidth: spec.bandwidth.base() }))
}

fn read_cache(table: &Node, cluster: &ClusterSpec) -> Result<Option<Cache>, Vec<Problem>> {
    let alone = |key: &str, other: &str| {
        let place = table.get(key).map_or(&table.place, |node| &node.place);
        Err(vec![Problem::at(place, format!("`{key}` needs `{other}` beside it"))])
    };
    match (cluster.cache, cluster.speed_beyond_cache) {
        (Some(cache), Some(speed_beyond)) => Ok(Some(Cache { bytes: cache.count(), speed_beyond })),
        (None, None) => Ok(None),
        (Some(_), None) => alone("cache", "speed_beyond_cache"),
        (None, Some(_)) => alone("speed_beyond_cache", "cache"),
    }
}

/// Whether a list of nodes names nodes of the cluster, each once.
fn check_nodes(table: &Node, nodes: Option<&[u32]>, cluster: &ClusterSpec) -> Result<(), Vec<Problem>> {
    let Some(nodes) = nodes else { return Ok(()) };
    let mut seen = BTreeSet::new();
    let repeated = nodes.iter().find(|node| !seen.insert(**node));
    let message = if let Some(wrong) = nodes.iter().find(|&&node| node >= cluster.nodes) {
        format!("there is no node {wrong}: the cluster's nodes are 0 to {}", cluster.nodes - 1)
    } else if let Some(node) = repeated {
        format!("node {node} is named twice")
    } else if nodes.is_empty() {
        "no node is named; all are meant without `nodes`".to_owned()
    } else {
        return Ok(());
    };
    let place = table.get("nodes").map_or(&table.place, |node| &node.place);
    Err(vec![Problem::at(place, message)])
}

/// The faults of each node of a cluster, or of its link, as the key of the cluster's table says.
fn read_faults(
    (table, key): (&Node, &str),
    specs: &[FaultSpec],
    cluster: &ClusterSpec,
    tick: Tick,
    sources: &[Source],
) -> Result<Vec<Vec<Fault>>, Vec<Problem>> {
    let entries = table.get(key);
    let mut faults = vec![Vec::new(); cluster.ranks() as usize];
    for (index, spec) in specs.iter().enumerate() {
        let entry = entries.and_then(|node| node.at(&index.to_string())).unwrap_or(table);
        check_nodes(entry, spec.nodes.as_deref(), cluster)?;
        let fault = spec.profile.read(entry, tick, sources).map_err(|problem| vec![problem])?;
        match &spec.nodes {
            Some(nodes) => nodes.iter().for_each(|&node| faults[node as usize].push(fault.clone())),
            None => faults.iter_mut().for_each(|faults| faults.push(fault.clone())),
        }
    }
    let joined = faults.into_iter().map(joined).collect::<Result<_, _>>();
    joined.map_err(|error| vec![Problem::at(entries.map_or(&table.place, |node| &node.place), error.to_string())])
}

fn read_loads(
    table: &Node,
    cluster: &ClusterSpec,
    tick: Tick,
    sources: &[Source],
) -> Result<Vec<(LoadSpec, Option<Availability>)>, Vec<Problem>> {
    let nodes = table.get("load");
    cluster
        .load
        .iter()
        .enumerate()
        .map(|(index, load)| {
            let node = nodes.and_then(|node| node.at(&index.to_string())).unwrap_or(table);
            check_nodes(node, load.nodes.as_deref(), cluster)?;
            let fixed = load.profile.fixed(node, tick, sources).map_err(|problem| vec![problem])?;
            Ok((load.clone(), fixed))
        })
        .collect()
}
