//! The keys of `[platform]`.

mod allocation;
mod between;
mod calibration;
mod counted;
mod kernel;
mod memory;
mod ranks;
mod routing;
mod seating;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) use allocation::AllocationSpec;
pub(super) use between::{BetweenSpec, LinkSpec, SiteSpec};
pub use calibration::CalibrationSpec;
pub(super) use counted::PerNode;
pub(super) use kernel::KernelSpec;
pub(super) use memory::MemorySpec;
pub(super) use ranks::{EqualNodes, RanksPerNode};
pub(super) use routing::{TransportSpec, WireSharingSpec, WireSpec, ZoneRouteSpec, ZoneSpec};
pub(super) use seating::{Places, Seating};

use super::power::{LinkPowerSpec, NodePowerSpec};
use crate::factor::Factor;
use crate::fault::FaultSpec;
use crate::load::LoadSpec;
use crate::steps::StepsSpec;
use hetsim_base::units::{Bytes, BytesPerSecond, OperationsPerSecond, Quantity, Seconds};
use hetsim_cluster::Barrier;
use hetsim_cluster::network::Parameters;
use hetsim_cluster::speeds::Family;

/// The platform: clusters of nodes and the network between them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlatformSpec {
    /// A TOML file with the keys of this table, or an XML platform file of SimGrid; keys given here override those of
    /// the file.
    #[serde(default)]
    #[schemars(extend("format" = "file"))]
    pub include: Option<String>,
    /// The resolution of simulated time: a whole number of picoseconds. Durations are rounded up to it; `check` and
    /// runs warn if that makes a message at least one thousandth longer, or a task one hundredth.
    #[serde(default = "one_picosecond")]
    pub tick: Seconds,
    /// Whether a node has one port for all messages (`single`), or separate ports for messages within its cluster and
    /// beyond (`per_level`), so that near and far messages overlap. With `per_level` there is also a port for each
    /// `level` inside the cluster and for its site.
    #[serde(default)]
    pub ports: PortsSpec,
    /// Whether a core runs one computation at a time (`one_at_a_time`), or all computations of a node share its cores
    /// (`processor`). With `processor`, tasks of a graph start as soon as their data have arrived, regardless of the
    /// order of a schedule.
    #[serde(default)]
    pub sharing: SharingSpec,
    /// The exact diversity `d_conf` of the nodes' speeds (Bazterra et al. 2005, Eq. 10).
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub diversity: Option<f64>,
    /// The distribution of the speeds that reaches `diversity`.
    #[serde(default)]
    pub diversity_family: Family,
    /// The clusters to whose nodes, taken together, `diversity` applies; all clusters by default.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub diversity_over: Option<Vec<String>>,
    /// Whether the fastest node keeps the speed of its cluster (`fastest`, the default, which requires equal speeds),
    /// or all nodes keep their total speed (`total`).
    #[serde(default)]
    pub diversity_keeps: Option<KeepsSpec>,
    /// The ratio of the slowest to the fastest speed, in combination with the exact `diversity`.
    #[serde(default)]
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub diversity_slowest: Option<f64>,
    /// The clusters by name, in the order in which their nodes are numbered.
    #[schemars(with = "BTreeMap<String, ClusterSpec>", extend("x-ordered" = true))]
    pub cluster: serde_json::Map<String, serde_json::Value>,
    /// Sites by name: groups of clusters that are nearer to each other than to the rest.
    #[serde(default)]
    pub site: BTreeMap<String, SiteSpec>,
    /// The link between any two clusters, unless their `site` or a `link` overrides it.
    #[serde(default)]
    pub between: Option<BetweenSpec>,
    /// Links of single pairs of clusters; their keys override those of `between` or of the site.
    #[serde(default)]
    pub link: Vec<LinkSpec>,
    /// The transport protocol of messages over shared links, for `fair` and `routes`.
    #[serde(default)]
    pub transport: TransportSpec,
    /// By which algorithm ranks meet before a measured collective (`timing = "barrier"`).
    #[serde(default)]
    pub barrier: Barrier,
    /// How far apart ranks leave that barrier besides: each at an instant drawn between zero and this.
    #[serde(default)]
    pub barrier_skew: Seconds,
    /// What a message-passing library's work in memory costs on a node.
    #[serde(default)]
    pub memory: MemorySpec,
    /// By which measurements the platform was calibrated, and how far off it is.
    #[serde(default)]
    pub calibration: Option<CalibrationSpec>,
    /// Named links, used by the routes of clusters (`model = "routes"`) and of zones.
    #[serde(default)]
    pub wire: BTreeMap<String, WireSpec>,
    /// What calls of routines take, by the routine's name, such as `dgemm`: for programs that call kernels.
    #[serde(default)]
    pub kernel: BTreeMap<String, KernelSpec>,
    /// Zones by name: clusters and nested zones joined by routes over named links, instead of `between`. One zone
    /// contains all others.
    #[serde(default)]
    pub zone: BTreeMap<String, ZoneSpec>,
}

/// A cluster.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ClusterSpec {
    /// The number of nodes.
    #[schemars(range(min = 1))]
    pub nodes: u32,
    /// The number of ranks on each node, such as processes of an MPI program, joined by a `level`: the one whose `domain` is
    /// `node`, or else the innermost. Each rank is a core with the node's `speed`, and what workloads call a node. Nodes
    /// with unequal numbers have a list, in which equal ones beside each other may be counted: `["15 of 32", 20]`. Beside
    /// several ranks, what they would share is refused: `cores`, `cache`, `load`, `fault`, `link_fault` and `power`. Without
    /// this key each node is one rank.
    #[serde(default)]
    pub ranks_per_node: Option<RanksPerNode>,
    /// How ranks go to the cores of nodes, as by Open MPI's `mpirun --map-by`: core after core (`core`, the default), to the
    /// domains `l3`, `numa` or `socket` of a node in turn, or to the nodes in turn (`node`). Collectives and other programs
    /// of ranks number them so. Requires `ranks_per_node`.
    #[serde(default)]
    pub map_by: Option<MapBy>,
    /// Which nodes of a larger machine the cluster has. By default it is the whole machine. Requires a `topology` or a `level`.
    #[serde(default)]
    pub allocation: Option<AllocationSpec>,
    /// The place of each node in the machine; empty if these are the first ones, or drawn.
    #[serde(skip)]
    pub allocated: Vec<u32>,
    /// The nodes by their numbers of ranks.
    #[serde(skip)]
    pub runs: Vec<EqualNodes>,
    /// The places for ranks on each node, and which of them the ranks have.
    #[serde(skip)]
    pub places: Places,
    #[serde(skip)]
    pub seating: Seating,
    /// The number of cores per node.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub cores: u32,
    /// The number of cores of each node, instead of one number for all.
    #[serde(default)]
    #[schemars(inner(range(min = 1)))]
    pub node_cores: Option<Vec<u32>>,
    /// The speed of each core.
    #[serde(default = "one_gop")]
    pub speed: OperationsPerSecond,
    /// The speed of each node's cores, instead of one speed for all. Equal ones beside each other may be counted:
    /// `["8 of 1Gop/s", "2Gop/s"]`.
    #[serde(default)]
    pub speeds: Option<PerNode<OperationsPerSecond>>,
    /// A distribution of factors on `speed`, drawn for each node from the seed.
    #[serde(default)]
    pub speed_factor: Option<Factor>,
    /// The cache size of each node: a working set that does not fit is computed more slowly. Requires
    /// `speed_beyond_cache`.
    #[serde(default)]
    pub cache: Option<Bytes>,
    /// A factor on the speed while the working set does not fit into `cache`.
    #[serde(default)]
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0))]
    pub speed_beyond_cache: Option<f64>,
    /// External load on the nodes; if several apply to a node, the last one counts.
    #[serde(default)]
    pub load: Vec<LoadSpec>,
    /// Faults of the nodes.
    #[serde(default)]
    pub fault: Vec<FaultSpec>,
    /// The power of each node.
    #[serde(default)]
    pub power: Option<NodePowerSpec>,
    /// The power of each node, node by node.
    #[serde(default)]
    pub node_power: Option<Vec<NodePowerSpec>>,
    /// Faults of the links between the nodes and the network, up and down together: messages on a failed link wait
    /// until it is up. Requires that all networks of the messages are `fair`.
    #[serde(default)]
    pub link_fault: Vec<FaultSpec>,
    /// The network between the nodes or, with levels, between nodes that share no level.
    pub network: Parameters,
    /// The cost of messages from a node to itself; free by default. If `routes` contain a route from a node to itself,
    /// such messages use it.
    #[serde(default)]
    pub loopback: Option<LoopbackSpec>,
    /// Levels inside the cluster, outermost first: each divides it into groups of consecutive nodes with their own
    /// network. Two nodes communicate over the innermost level that contains both.
    #[serde(default)]
    #[schemars(length(max = 4))]
    pub level: Vec<LevelSpec>,
    /// The power of each one-way link of this network, whether in use or not: of the `topology`, or the up and down
    /// links of its nodes (or groups of a level). Only with `fair`; the links of `routes` have a `power` of their own.
    #[serde(default)]
    pub network_power: Option<LinkPowerSpec>,
    /// A factor on the latency over time.
    #[serde(default)]
    pub latency_factor: Option<StepsSpec>,
    /// A factor on the bandwidth over time.
    #[serde(default)]
    pub bandwidth_factor: Option<StepsSpec>,
    /// The standard deviation of a factor on each message's flight time, log-normal with mean 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3.0))]
    pub jitter: f64,
}

/// The cost of messages from a node to itself: the latency, and the bytes at the bandwidth, for any number of messages
/// at once.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LoopbackSpec {
    /// The latency.
    #[serde(default)]
    pub latency: Seconds,
    /// The bandwidth of each message.
    pub bandwidth: BytesPerSecond,
}

hetsim_base::registry::names! {
    /// What the groups of a level are in the hardware of a node.
    "domain": Domain {
        #[default]
        Node "node" = "a node",
        Socket "socket" = "a processor",
        Numa "numa" = "cores with a memory controller of their own",
        L3 "l3" = "cores that share a last-level cache",
    }
}

hetsim_base::registry::names! {
    /// How ranks are mapped to the nodes of a cluster.
    "mapping": MapBy {
        #[default]
        Core "core" = "they fill the cores of a node in order, then those of the next node",
        L3 "l3" = "those of a node go to its L3 caches in turn, node after node",
        Numa "numa" = "those of a node go to its NUMA domains in turn, node after node",
        Socket "socket" = "those of a node go to its processors in turn, node after node",
        Node "node" = "they go to the nodes in turn",
    }
}

/// Groups of consecutive nodes inside a cluster, such as racks or, if each core is a node, SMP machines.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LevelSpec {
    /// The number of nodes per group, a divisor of the size of the level above. The last group has as many as are left.
    /// With `ranks_per_node` it counts cores where levels say their `domain`; else the innermost level is a node,
    /// whatever its size, and those around it keep their number of nodes.
    #[schemars(range(min = 1))]
    pub size: u32,
    /// What the groups are in hardware, if `size` counts cores: `ranks_per_node` ranks take cores of each node as `map_by`
    /// says. `hetsim validate`, `calibrate` and `advise` set their number. Without it each core is a node of the cluster.
    #[serde(default)]
    pub domain: Option<Domain>,
    /// The number of links that join each group to the network around it, such as network cards: a divisor of `size`.
    /// Each has that network's `bandwidth`, and serves as many consecutive nodes. Requires that the network around is
    /// `fair`, without a `topology`.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub cards: u32,
    /// The bandwidth of the memory that the nodes of a group share, as they do if a node is a core: bytes read and
    /// written, as STREAM counts them. Copies, combinations and messages that exceed the `memory.cache` pass it: a copy
    /// reads and writes each byte, a combination reads two and writes one, a message is read at its sender and written
    /// at its receiver. New pages are written, too. With several levels that have one, the innermost counts. Default: each node has its own.
    #[serde(default)]
    pub memory_bandwidth: Option<BytesPerSecond>,
    /// The rate at which the operating system provides new pages to all nodes of a group together. Default: as fast as
    /// they are written to the memory, each node's at `memory.allocate_bandwidth` at most.
    #[serde(default)]
    pub allocate_bandwidth: Option<BytesPerSecond>,
    /// The place of this level among those of the file.
    #[serde(skip)]
    pub number: usize,
    /// The network inside each group, between nodes that share no further level.
    pub network: Parameters,
    /// The power of each one-way link of this network, whether in use or not: of the `topology`, or the up and down
    /// links of its nodes (or groups of a level). Only with `fair`; the links of `routes` have a `power` of their own.
    #[serde(default)]
    pub network_power: Option<LinkPowerSpec>,
    /// A factor on the latency over time.
    #[serde(default)]
    pub latency_factor: Option<StepsSpec>,
    /// A factor on the bandwidth over time.
    #[serde(default)]
    pub bandwidth_factor: Option<StepsSpec>,
    /// The standard deviation of a factor on each message's flight time, log-normal with mean 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3.0))]
    pub jitter: f64,
}

/// The quantity that stays the same when speeds get a given diversity.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeepsSpec {
    /// The speed of the fastest node.
    #[default]
    Fastest,
    /// The speed of all nodes together.
    Total,
}

/// The number of ports per node.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PortsSpec {
    /// One port for all messages.
    #[default]
    Single,
    /// One port for the cluster, one for messages beyond it, and one for each further level.
    PerLevel,
}

/// The use of cores by computations.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SharingSpec {
    /// One computation at a time per core.
    #[default]
    OneAtATime,
    /// All computations share the cores.
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
