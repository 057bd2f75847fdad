//! The keys of `[platform]`.

use std::collections::BTreeMap;

use rand::RngExt;
use rand_distr::Distribution as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::power::{LinkPowerSpec, NodePowerSpec};
use crate::cluster::Transport;
use crate::cluster::network::Parameters;
use crate::cluster::speeds::Family;
use crate::cluster::topology::Choose;
use crate::engine::Stream;
use crate::scenario::fault::{FaultProfile, FaultSpec};
use crate::scenario::load::LoadSpec;
use crate::scenario::steps::StepsSpec;
use crate::units::{Bytes, BytesPerSecond, OperationsPerSecond, Quantity, Seconds};

/// The machine: clusters of nodes and the network between them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlatformSpec {
    /// A TOML file with the keys of this table; keys given here go over those of the file.
    #[serde(default)]
    #[schemars(extend("format" = "file"))]
    pub include: Option<String>,
    /// The resolution of simulated time: a whole number of picoseconds.
    #[serde(default = "one_picosecond")]
    pub tick: Seconds,
    /// Whether a node has one port for all messages (`single`), or one for its cluster and another for what leaves it
    /// (`per_level`), so that sending near and sending far overlap; likewise one for each `level` inside its cluster and
    /// one for its site.
    #[serde(default)]
    pub ports: PortsSpec,
    /// Whether a core runs one computation at a time (`one_at_a_time`), or all computations of a node share its cores
    /// (`processor`).
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

/// How messages flow over links that they share.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransportSpec {
    /// `raw`: the latency, then the bytes at a fair rate, nothing else. `lv08` and `cm02`: as SimGrid's models of these
    /// names, which stand for TCP: the latency times 13.01 and 0.97 of the bandwidth (`lv08` only), at most a window under way
    /// in a round trip, links shared by the inverse of round-trip times, and answers on the way back.
    #[serde(default)]
    pub calibration: CalibrationSpec,
    /// The most bytes under way in a round trip, instead of what the calibration says.
    #[serde(default)]
    pub window: Option<Bytes>,
    /// Whether answers take 5 % of a flow's rate of the links of the way back, instead of what the calibration says.
    #[serde(default)]
    pub cross_traffic: Option<bool>,
    /// Whether a node sends all its messages `at_once`, so that they share its links, or `in_turn`: the next one when the one
    /// before has arrived, as a program does whose sends block.
    #[serde(default)]
    pub sends: SendsSpec,
}

/// When a node's next message may leave.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SendsSpec {
    /// When it is handed over.
    #[default]
    AtOnce,
    /// When the one before has arrived.
    InTurn,
}

/// By what the flow model has been calibrated.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CalibrationSpec {
    /// By nothing.
    #[default]
    Raw,
    /// By Casanova and Marchal (2002).
    Cm02,
    /// By Legrand and Velho (2008).
    Lv08,
}

impl TransportSpec {
    /// The protocol.
    pub(super) fn transport(&self) -> Transport {
        let mut transport = match self.calibration {
            CalibrationSpec::Raw => Transport::RAW,
            CalibrationSpec::Cm02 => Transport::CM02,
            CalibrationSpec::Lv08 => Transport::LV08,
        };
        if let Some(window) = self.window {
            transport.window = Some(window.base());
        }
        match self.cross_traffic {
            Some(true) => transport.reverse_share = Transport::CM02.reverse_share,
            Some(false) => transport.reverse_share = 0.0,
            None => {}
        }
        transport.sends_in_turn = self.sends == SendsSpec::InTurn;
        transport
    }
}

/// A link with a name.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireSpec {
    /// Its bandwidth; of each direction where it has two.
    pub bandwidth: BytesPerSecond,
    /// Its latency.
    #[serde(default)]
    pub latency: Seconds,
    /// Who shares the bandwidth: the messages of each direction (`full_duplex`; `split_duplex`, where routes have to say
    /// which direction they mean), all messages (`shared`), or nobody, so that it bounds each message by itself (`unshared`).
    #[serde(default)]
    pub sharing: WireSharingSpec,
    /// A factor on the latency, over time.
    #[serde(default)]
    pub latency_factor: Option<StepsSpec>,
    /// A factor on the bandwidth, over time.
    #[serde(default)]
    pub bandwidth_factor: Option<StepsSpec>,
    /// What it draws: each direction, or the whole link where both share one bandwidth.
    #[serde(default)]
    pub power: Option<LinkPowerSpec>,
    /// When it is down: what crosses it waits until it is up.
    #[serde(default)]
    pub fault: Vec<FaultProfile>,
}

/// Who shares the bandwidth of a link.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WireSharingSpec {
    /// The messages of each direction; a route leads up, and the way back down.
    #[default]
    FullDuplex,
    /// The same, and routes name `….up` or `….down`.
    SplitDuplex,
    /// All messages.
    Shared,
    /// Nobody.
    Unshared,
}

/// Clusters and zones that are joined by routes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZoneSpec {
    /// The clusters and zones in it.
    #[schemars(length(min = 1))]
    pub members: Vec<String>,
    /// Whether only the routes that are `given` join their ends, or the way with the `fewest_links` or of the
    /// `least_latency` is found over all of them.
    #[serde(default)]
    pub choose: Choose,
    /// The routes between its members.
    #[serde(default)]
    pub route: Vec<ZoneRouteSpec>,
    /// Routes that go before whatever `choose` finds between their ends.
    #[serde(default)]
    pub bypass: Vec<ZoneRouteSpec>,
}

/// A route between two members of a zone.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZoneRouteSpec {
    /// The member that it starts in.
    pub from: String,
    /// The member that it ends in.
    pub to: String,
    /// Where it leaves the first: `CLUSTER`, the cluster's way out (the default where the member is a cluster), or
    /// `CLUSTER:POINT`, one of its nodes by number or, in a cluster of `routes`, a node or a router by name.
    #[serde(default)]
    pub from_gateway: Option<String>,
    /// Where it enters the second, likewise.
    #[serde(default)]
    pub to_gateway: Option<String>,
    /// The links that it leads over in between, in order, by their names in `[platform.wire]`; `name.up` and `name.down` are
    /// the directions of one that has two.
    #[serde(default)]
    pub wires: Vec<String>,
    /// Whether the way back is another one. Otherwise it leads over the same links, in reverse.
    #[serde(default)]
    pub one_way: bool,
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
    /// Faults of the links that join its nodes to the network, up and down together: what crosses one waits until it is
    /// up. Only where all networks that its messages take are `fair`.
    #[serde(default)]
    pub link_fault: Vec<FaultSpec>,
    /// The network between its nodes, or, where there are levels, between those that no level joins.
    pub network: Parameters,
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

/// Clusters that are nearer to each other than to the rest.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteSpec {
    /// Its clusters; a cluster belongs to one site at most.
    #[schemars(length(min = 1))]
    pub clusters: Vec<String>,
    /// The network between any two of them, instead of that of `platform.between` (its matrix included).
    pub network: Parameters,
    /// What the link from one cluster to another draws, of each ordered pair. Only with `fair`.
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
    /// When the links between any two of them are down: what crosses one waits until it is up. Each link has faults of
    /// its own. Only under `fair`.
    #[serde(default)]
    pub fault: Vec<FaultProfile>,
}

/// What holds between any two clusters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BetweenSpec {
    /// The network; keys that every `link` or a matrix gives may be left out.
    pub network: PartialNetwork,
    /// Latencies from each cluster (row) to each cluster (column) in their order; the diagonal is not read. Or the
    /// name of a CSV file with the clusters' names in its first row and first column.
    #[serde(default)]
    pub latency: Option<Matrix>,
    /// What the link from one cluster to another draws, of each ordered pair. Only with `fair`.
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
    /// When links between clusters are down: what crosses one waits until it is up. Each link has faults of its own. Only
    /// under `fair`.
    #[serde(default)]
    pub fault: Vec<FaultProfile>,
}

/// One pair of clusters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// The two clusters, in both directions unless `one_way`.
    #[schemars(length(min = 2, max = 2))]
    pub between: Vec<String>,
    /// Whether only the direction from the first to the second is meant.
    #[serde(default)]
    pub one_way: bool,
    /// The network's keys, put over those of `platform.between` or of the site that both are in.
    #[serde(default)]
    pub network: PartialNetwork,
    /// What the link from one cluster to another draws, of each ordered pair. Only with `fair`.
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
    pub jitter: Option<f64>,
    /// When the link is down, instead of what `platform.between` or the site says. Only under `fair`.
    #[serde(default)]
    pub fault: Vec<FaultProfile>,
}

/// Some of a network model's keys.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct PartialNetwork(pub serde_json::Map<String, serde_json::Value>);

impl JsonSchema for PartialNetwork {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PartialNetwork".into()
    }

    /// The keys of all models, none of them required and none with a default (left out, a key is that of the table
    /// below): a key that means different things has all its forms. Which keys go together is checked when the parts
    /// have been put together.
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let whole = Parameters::json_schema(generator).to_value();
        let mut forms: BTreeMap<String, Vec<Json>> = BTreeMap::new();
        for model in whole["oneOf"].as_array().into_iter().flatten() {
            for (key, form) in model["properties"].as_object().into_iter().flatten() {
                let known = forms.entry(key.clone()).or_default();
                if !known.iter().any(|other| same_form(other, form)) {
                    let mut form = form.clone();
                    form.as_object_mut().and_then(|form| form.remove("default"));
                    known.push(form);
                }
            }
        }
        let names: Vec<&Json> = forms.get("model").into_iter().flatten().map(|form| &form["const"]).collect();
        let model = serde_json::json!({ "enum": names, "description": "The network model." });
        let mut properties: serde_json::Map<String, Json> = forms
            .into_iter()
            .map(|(key, mut forms)| {
                if forms.len() == 1 {
                    return (key, forms.remove(0));
                }
                let about: Vec<&str> = forms.iter().filter_map(|form| form["description"].as_str()).collect();
                let about = about.join(" Or: ");
                (key, serde_json::json!({ "anyOf": forms, "description": about }))
            })
            .collect();
        properties.insert("model".to_owned(), model);
        schemars::json_schema!({ "type": "object", "properties": properties, "additionalProperties": false })
    }
}

/// Whether two schemas take the same values, whatever they say about them.
fn same_form(a: &Json, b: &Json) -> bool {
    let form = |schema: &Json| -> BTreeMap<String, Json> {
        let keys = schema.as_object().into_iter().flatten();
        let about = ["description", "default", "examples", "title"];
        keys.filter(|(key, _)| !about.contains(&key.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect()
    };
    form(a) == form(b)
}

/// A matrix over the clusters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Matrix {
    /// Row by row.
    Rows(Vec<Vec<Seconds>>),
    /// A CSV file.
    File(#[schemars(extend("format" = "file"))] String),
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

crate::registry! {
    /// A distribution of factors.
    pub enum Factor by "distribution" {
        "uniform" => Uniform(UniformFactor): "Uniform between two bounds.",
        "normal" => Normal(NormalFactor): "Normal, redrawn until it is above zero.",
        "log_normal" => LogNormal(LogNormalFactor): "Log-normal, by the mean and deviation of the logarithm.",
        "gamma" => Gamma(GammaFactor): "Gamma, by shape and scale.",
    }
}

/// `distribution = "uniform"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniformFactor {
    /// The least factor.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub from: f64,
    /// The greatest factor.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub to: f64,
}

/// `distribution = "normal"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NormalFactor {
    /// The mean.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub mean: f64,
    /// The standard deviation.
    #[schemars(range(min = 0.0))]
    pub deviation: f64,
}

/// `distribution = "log_normal"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogNormalFactor {
    /// The mean of the logarithm.
    pub mean: f64,
    /// The standard deviation of the logarithm.
    #[schemars(range(min = 0.0))]
    pub deviation: f64,
}

/// `distribution = "gamma"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GammaFactor {
    /// The shape k.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub shape: f64,
    /// The scale θ.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub scale: f64,
}

impl Factor {
    /// The next factor of a stream.
    pub(in crate::scenario) fn draw(&self, stream: &mut Stream) -> f64 {
        // The schema has checked every parameter's range, so the distributions can be made.
        let mut draw = || match self {
            Self::Uniform(f) => Some(f.from + (f.to - f.from) * stream.random::<f64>()),
            Self::Normal(f) => rand_distr::Normal::new(f.mean, f.deviation).ok().map(|d| d.sample(stream)),
            Self::LogNormal(f) => rand_distr::LogNormal::new(f.mean, f.deviation).ok().map(|d| d.sample(stream)),
            Self::Gamma(f) => rand_distr::Gamma::new(f.shape, f.scale).ok().map(|d| d.sample(stream)),
        };
        std::iter::repeat_with(&mut draw).flatten().find(|factor| *factor > 0.0).unwrap_or(1.0)
    }
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
