//! The keys of `[platform]`.

mod between;
mod factor;
mod wired;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) use between::{BetweenSpec, LinkSpec, SiteSpec};
pub use factor::Factor;
pub(super) use wired::{TransportSpec, WireSharingSpec, WireSpec, ZoneRouteSpec, ZoneSpec};

use super::power::{LinkPowerSpec, NodePowerSpec};
use crate::cluster::network::Parameters;
use crate::cluster::speeds::Family;
use crate::scenario::fault::FaultSpec;
use crate::scenario::load::LoadSpec;
use crate::scenario::steps::StepsSpec;
use crate::units::{Bytes, BytesPerSecond, OperationsPerSecond, Quantity, Seconds};

/// The machine: clusters of nodes and the network between them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlatformSpec {
    /// A TOML file with the keys of this table, or an XML file with a platform of SimGrid; keys given here go over those of
    /// the file.
    #[serde(default)]
    #[schemars(extend("format" = "file"))]
    pub include: Option<String>,
    /// The resolution of simulated time: a whole number of picoseconds. Lengths are rounded up to it; `check` and runs
    /// warn where that makes a message a thousandth longer or more.
    #[serde(default = "one_picosecond")]
    pub tick: Seconds,
    /// Whether a node has one port for all messages (`single`), or one for its cluster and another for what leaves it
    /// (`per_level`), so that sending near and sending far overlap; likewise one for each `level` inside its cluster and
    /// one for its site.
    #[serde(default)]
    pub ports: PortsSpec,
    /// Whether a core runs one computation at a time (`one_at_a_time`), or all computations of a node share its cores
    /// (`processor`). Tasks of a graph then start as soon as their data are there, whatever the order of a schedule.
    #[serde(default)]
    pub sharing: SharingSpec,
    /// Gives the nodes speeds of exactly this diversity `d_conf` (Bazterra et al. 2005, Eq. 10).
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub diversity: Option<f64>,
    /// How the speeds are spread to reach `diversity`.
    #[serde(default = "uniform")]
    pub diversity_family: Family,
    /// The clusters whose nodes `diversity` concerns, all together; every cluster where none are named.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub diversity_over: Option<Vec<String>>,
    /// Whether the fastest node is as fast as its cluster says (`fastest`, the default; the nodes must then be alike
    /// before), or the nodes have together the speed that their clusters say (`total`).
    #[serde(default)]
    pub diversity_keeps: Option<KeepsSpec>,
    /// The speed of the slowest node over that of the fastest, together with exactly the `diversity`.
    #[serde(default)]
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub diversity_slowest: Option<f64>,
    /// The clusters by name, in the order in which their nodes are numbered.
    #[schemars(with = "BTreeMap<String, ClusterSpec>", extend("x-ordered" = true))]
    pub cluster: serde_json::Map<String, serde_json::Value>,
    /// Sites by name: clusters that are nearer to each other than to the rest.
    #[serde(default)]
    pub site: BTreeMap<String, SiteSpec>,
    /// What holds between any two clusters, unless their `site` or a `link` says otherwise.
    #[serde(default)]
    pub between: Option<BetweenSpec>,
    /// Single pairs of clusters, put over `between` (or what their site says) key by key.
    #[serde(default)]
    pub link: Vec<LinkSpec>,
    /// How messages flow over links that they share, under `fair` and `routes`.
    #[serde(default)]
    pub transport: TransportSpec,
    /// Links by name, which the routes of clusters (`model = "routes"`) and of zones lead over.
    #[serde(default)]
    pub wire: BTreeMap<String, WireSpec>,
    /// Zones by name: clusters, and zones of clusters, that are joined by routes over named links, instead of `between`. One
    /// zone holds all others.
    #[serde(default)]
    pub zone: BTreeMap<String, ZoneSpec>,
}

/// One cluster.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ClusterSpec {
    /// How many nodes it has.
    #[schemars(range(min = 1))]
    pub nodes: u32,
    /// Cores of each node.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub cores: u32,
    /// Cores node by node, instead of one number for all.
    #[serde(default)]
    #[schemars(inner(range(min = 1)))]
    pub node_cores: Option<Vec<u32>>,
    /// Speed of a core of each node.
    #[serde(default = "one_gop")]
    pub speed: OperationsPerSecond,
    /// Speeds node by node, instead of one for all.
    #[serde(default)]
    pub speeds: Option<Vec<OperationsPerSecond>>,
    /// A distribution of factors on `speed`, drawn for each node from the seed.
    #[serde(default)]
    pub speed_factor: Option<Factor>,
    /// The size of each node's cache: a working set that does not fit is computed more slowly. Only with
    /// `speed_beyond_cache`.
    #[serde(default)]
    pub cache: Option<Bytes>,
    /// A factor on the speed while the working set does not fit `cache`.
    #[serde(default)]
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub speed_beyond_cache: Option<f64>,
    /// External load on its nodes; where several apply to a node, the last one counts.
    #[serde(default)]
    pub load: Vec<LoadSpec>,
    /// Faults of its nodes.
    #[serde(default)]
    pub fault: Vec<FaultSpec>,
    /// What each of its nodes draws.
    #[serde(default)]
    pub power: Option<NodePowerSpec>,
    /// The same node by node, instead of one for all.
    #[serde(default)]
    pub node_power: Option<Vec<NodePowerSpec>>,
    /// Faults of the links that join its nodes to the network, up and down together: what crosses one waits until it is
    /// up. Only where all networks that its messages take are `fair`.
    #[serde(default)]
    pub link_fault: Vec<FaultSpec>,
    /// The network between its nodes, or, where there are levels, between those that no level joins.
    pub network: Parameters,
    /// What the messages take that a node sends to itself; free without it. Where its cluster's `routes` say a way for them,
    /// they go there.
    #[serde(default)]
    pub loopback: Option<LoopbackSpec>,
    /// Levels inside the cluster, the outermost first: each cuts it into groups of consecutive nodes with a network of
    /// their own. The link of two nodes is that of the innermost level that holds both.
    #[serde(default)]
    #[schemars(length(max = 4))]
    pub level: Vec<LevelSpec>,
    /// What each one-way link of this network draws, in use or not: of the `topology`, or the links up and down of the nodes (or
    /// of the groups of a level) that it joins. Only with `fair`; the links of `routes` have a `power` of their own.
    #[serde(default)]
    pub network_power: Option<LinkPowerSpec>,
    /// A factor on the latency, over time.
    #[serde(default)]
    pub latency_factor: Option<StepsSpec>,
    /// A factor on the bandwidth, over time.
    #[serde(default)]
    pub bandwidth_factor: Option<StepsSpec>,
    /// Standard deviation of a factor on each message's flight, log-normal with mean 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3.0))]
    pub jitter: f64,
}

/// What the messages take that a node sends to itself: the latency and their bytes at the bandwidth, any number at once.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LoopbackSpec {
    /// The latency.
    #[serde(default)]
    pub latency: Seconds,
    /// The bandwidth of each message.
    pub bandwidth: BytesPerSecond,
}

/// Groups of consecutive nodes inside a cluster, such as the racks of a cluster or, where each core is a node of its own,
/// the SMP machines.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LevelSpec {
    /// How many nodes are in each group; it divides the size of the level above, and the first one the cluster's `nodes`.
    #[schemars(range(min = 1))]
    pub size: u32,
    /// The network inside each group, between nodes that no further level joins.
    pub network: Parameters,
    /// What each one-way link of this network draws, in use or not: of the `topology`, or the links up and down of the nodes (or
    /// of the groups of a level) that it joins. Only with `fair`; the links of `routes` have a `power` of their own.
    #[serde(default)]
    pub network_power: Option<LinkPowerSpec>,
    /// A factor on the latency, over time.
    #[serde(default)]
    pub latency_factor: Option<StepsSpec>,
    /// A factor on the bandwidth, over time.
    #[serde(default)]
    pub bandwidth_factor: Option<StepsSpec>,
    /// Standard deviation of a factor on each message's flight, log-normal with mean 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3.0))]
    pub jitter: f64,
}

/// What speeds of a given diversity have in common with those that the clusters say.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeepsSpec {
    /// The speed of the fastest node.
    #[default]
    Fastest,
    /// The speed of all nodes together.
    Total,
}

/// How many ports a node has.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PortsSpec {
    /// One for all messages.
    #[default]
    Single,
    /// One for its cluster, one for what leaves it, one for each further level.
    PerLevel,
}

/// How computations use cores.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SharingSpec {
    /// One computation at a time a core.
    #[default]
    OneAtATime,
    /// All share the cores.
    Processor,
}

const fn one() -> u32 {
    1
}

fn one_gop() -> OperationsPerSecond {
    OperationsPerSecond::from_base(1e9).unwrap_or_default()
}

fn one_picosecond() -> Seconds {
    Seconds::from_base(1e-12).unwrap_or_default()
}

const fn uniform() -> Family {
    Family::Uniform
}
