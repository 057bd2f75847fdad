//! `[platform]`: clusters, the links between them, speeds and loads; and the machine made of them.

use std::collections::BTreeMap;

use rand::RngExt;
use rand_distr::Distribution as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::load::{LoadSpec, StepsSpec};
use super::node::Node;
use super::problem::{Problem, Source, suggest};
use crate::cluster::network::{Model, Parameters};
use crate::cluster::speeds::{Family, with_diversity};
use crate::cluster::{Availability, Group, Link, Platform, Ports, Sharing};
use crate::engine::Streams;
use crate::units::{OperationsPerSecond, Quantity, Seconds, Tick};

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
    /// (`per_level`), so that sending near and sending far overlap.
    #[serde(default)]
    pub ports: PortsSpec,
    /// Whether a core runs one computation at a time (`one_at_a_time`), or all computations of a node share its cores
    /// (`processor`).
    #[serde(default)]
    pub sharing: SharingSpec,
    /// Gives the nodes speeds of exactly this diversity `d_conf` (Bazterra et al. 2005, Eq. 10), the fastest as fast as
    /// its cluster says.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub diversity: Option<f64>,
    /// How the speeds are spread to reach `diversity`.
    #[serde(default = "uniform")]
    pub diversity_family: Family,
    /// The clusters by name, in the order in which their nodes are numbered.
    #[schemars(with = "BTreeMap<String, ClusterSpec>", extend("x-ordered" = true))]
    pub cluster: serde_json::Map<String, serde_json::Value>,
    /// What holds between any two clusters, unless a `link` says otherwise.
    #[serde(default)]
    pub between: Option<BetweenSpec>,
    /// Single pairs of clusters, put over `between` key by key.
    #[serde(default)]
    pub link: Vec<LinkSpec>,
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
    /// External load on its nodes; where several apply to a node, the last one counts.
    #[serde(default)]
    pub load: Vec<LoadSpec>,
    /// The network between its nodes.
    pub network: Parameters,
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
    /// The network's keys, put over those of `platform.between`.
    #[serde(default)]
    pub network: PartialNetwork,
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

/// How many ports a node has.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PortsSpec {
    /// One for all messages.
    #[default]
    Single,
    /// One for its cluster, one for what leaves it.
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
    /// The factor of node `node`, from its own stream.
    fn draw(&self, streams: &Streams, node: u32) -> f64 {
        let mut stream = streams.stream("speed", u64::from(node));
        // The schema has checked every parameter's range, so the distributions can be made.
        let mut draw = || match self {
            Self::Uniform(f) => Some(f.from + (f.to - f.from) * stream.random::<f64>()),
            Self::Normal(f) => rand_distr::Normal::new(f.mean, f.deviation).ok().map(|d| d.sample(&mut stream)),
            Self::LogNormal(f) => rand_distr::LogNormal::new(f.mean, f.deviation).ok().map(|d| d.sample(&mut stream)),
            Self::Gamma(f) => rand_distr::Gamma::new(f.shape, f.scale).ok().map(|d| d.sample(&mut stream)),
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

/// A machine whose random parts are still to be drawn for a seed and a replica.
#[derive(Debug, Clone)]
pub struct PlatformPlan {
    platform: Platform,
    clusters: Vec<ClusterSpec>,
    loads: Vec<Vec<(LoadSpec, Option<Availability>)>>,
    diversity: Option<(f64, Family)>,
    /// Whether a machine must be drawn for each run.
    random: bool,
}

/// What the reading of a platform needs besides its own table.
pub struct Context<'a> {
    /// The texts, for file names.
    pub sources: &'a [Source],
    /// Checks a table that was put together from several places, and gives what is wrong with it.
    pub check_network: &'a dyn Fn(&Node) -> Vec<Problem>,
}

impl PlatformPlan {
    /// Reads a table that has passed the schema.
    ///
    /// # Errors
    /// Everything that the schema can't see: unknown clusters in links, missing links, wrong lengths.
    pub fn read(table: &Node, context: &Context<'_>) -> Result<Self, Vec<Problem>> {
        let spec: PlatformSpec = deserialise(table)?;
        let tick = read_tick(table, spec.tick)?;
        let cluster_table = table.get("cluster").ok_or_else(|| vec![Problem::at(&table.place, "no clusters")])?;
        if cluster_table.entries().is_empty() {
            return Err(vec![Problem::at(&cluster_table.place, "a platform needs at least one cluster")]);
        }
        let mut clusters = Vec::new();
        let mut groups = Vec::new();
        for entry in cluster_table.entries() {
            let cluster: ClusterSpec = deserialise(&entry.value)?;
            check_speeds(&entry.value, &cluster)?;
            groups.push(Group { name: entry.key.clone(), nodes: cluster.nodes, cores: cluster.cores });
            clusters.push(cluster);
        }
        let total: u64 = groups.iter().map(|group| u64::from(group.nodes)).sum();
        if total > u64::from(u32::MAX) {
            return Err(vec![Problem::at(
                &cluster_table.place,
                format!("{total} nodes are too many; at most {}", u32::MAX),
            )]);
        }
        let links = read_links(table, cluster_table, &clusters, tick, context)?;
        let ports = match spec.ports {
            PortsSpec::Single => Ports::Single,
            PortsSpec::PerLevel => Ports::PerLevel,
        };
        let sharing = match spec.sharing {
            SharingSpec::OneAtATime => Sharing::OneAtATime,
            SharingSpec::Processor => Sharing::Processor,
        };
        let mut loads = Vec::new();
        for (entry, cluster) in cluster_table.entries().iter().zip(&clusters) {
            loads.push(read_loads(&entry.value, cluster, tick, context.sources)?);
        }
        let random = spec.diversity.is_some()
            || clusters.iter().any(|c| c.speed_factor.is_some())
            || loads.iter().flatten().any(|(_, fixed)| fixed.is_none());
        let mut plan = Self {
            platform: Platform::new(tick, groups, links).with_ports(ports).with_sharing(sharing),
            clusters,
            loads,
            diversity: spec.diversity.map(|diversity| (diversity, spec.diversity_family)),
            random,
        };
        // Drawn once here, so that a diversity out of reach is found before any run.
        plan.platform = plan.draw(&Streams::new(0, 0)).map_err(|message| {
            let place = table.get("diversity").map_or(&table.place, |node| &node.place);
            vec![Problem::at(place, message)]
        })?;
        Ok(plan)
    }

    /// The machine as far as it is the same for every seed.
    #[must_use]
    pub const fn platform(&self) -> &Platform {
        &self.platform
    }

    /// The machine of a seed and a replica; nothing where it is the same for all.
    ///
    /// # Errors
    /// Where the draws do not allow the diversity.
    pub fn drawn(&self, streams: &Streams) -> Result<Option<Platform>, String> {
        if self.random { self.draw(streams).map(Some) } else { Ok(None) }
    }

    /// The speed of each node, in operations a second.
    fn draw_speeds(&self, streams: &Streams) -> Result<Vec<f64>, String> {
        let mut speeds = Vec::with_capacity(self.platform.nodes() as usize);
        for (group, cluster) in self.clusters.iter().enumerate() {
            for (index, node) in self.platform.members(group).enumerate() {
                let listed = cluster.speeds.as_ref().map_or(cluster.speed, |speeds| speeds[index]);
                let factor = cluster.speed_factor.as_ref().map_or(1.0, |factor| factor.draw(streams, node));
                speeds.push(listed.base() * factor);
            }
        }
        if let Some((diversity, family)) = self.diversity {
            let draws: Vec<f64> =
                (0..speeds.len() as u64).map(|node| streams.stream("diversity", node).random()).collect();
            let relative = with_diversity(family, diversity, &draws).map_err(|error| error.to_string())?;
            for (speed, factor) in speeds.iter_mut().zip(relative) {
                *speed *= factor;
            }
        }
        Ok(speeds)
    }

    fn draw(&self, streams: &Streams) -> Result<Platform, String> {
        let platform = self.platform.clone();
        let differ = |cluster: &ClusterSpec| cluster.speeds.is_some() || cluster.speed_factor.is_some();
        let platform = if self.diversity.is_some() || self.clusters.iter().any(differ) {
            platform.with_speeds(&self.draw_speeds(streams)?)
        } else {
            let speeds: Vec<f64> = self.clusters.iter().map(|cluster| cluster.speed.base()).collect();
            platform.with_group_speeds(&speeds)
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
                    loads[node as usize] = match fixed {
                        Some(fixed) => fixed.clone(),
                        None => spec.profile.random(streams.stream("load", u64::from(node)), self.platform.tick()),
                    };
                }
            }
        }
        Ok(platform.with_loads(loads))
    }
}

fn deserialise<T: serde::de::DeserializeOwned>(node: &Node) -> Result<T, Vec<Problem>> {
    serde_json::from_value(node.to_json()).map_err(|error| vec![Problem::at(&node.place, error.to_string())])
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

fn check_speeds(table: &Node, cluster: &ClusterSpec) -> Result<(), Vec<Problem>> {
    let problem = |key: &str, message: String| {
        let place = table.get(key).map_or(&table.place, |node| &node.place);
        Err(vec![Problem::at(place, message)])
    };
    if let Some(speeds) = &cluster.speeds {
        if speeds.len() != cluster.nodes as usize {
            let message = format!("`speeds` has {} values for {} nodes", speeds.len(), cluster.nodes);
            return problem("speeds", message);
        }
        if speeds.iter().any(|speed| speed.base() <= 0.0) {
            return problem("speeds", "every speed must be above zero".to_owned());
        }
    }
    if cluster.speed.base() <= 0.0 {
        return problem("speed", "`speed` must be above zero".to_owned());
    }
    Ok(())
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
            if let Some(&wrong) = load.nodes.iter().flatten().find(|&&n| n >= cluster.nodes) {
                let place = node.get("nodes").map_or(&node.place, |node| &node.place);
                let message = format!("there is no node {wrong}: the cluster's nodes are 0 to {}", cluster.nodes - 1);
                return Err(vec![Problem::at(place, message)]);
            }
            let fixed = load.profile.fixed(node, tick, sources).map_err(|problem| vec![problem])?;
            Ok((load.clone(), fixed))
        })
        .collect()
}

/// The links from each cluster to each, row by row.
fn read_links(
    table: &Node,
    cluster_table: &Node,
    clusters: &[ClusterSpec],
    tick: Tick,
    context: &Context<'_>,
) -> Result<Vec<Link>, Vec<Problem>> {
    let names: Vec<&str> = cluster_table.entries().iter().map(|entry| entry.key.as_str()).collect();
    let links = table.get("link");
    let mut overlays: BTreeMap<(usize, usize), Node> = BTreeMap::new();
    let mut problems = Vec::new();
    let mut overlay = |pair: (usize, usize), node: &Node| {
        let below = overlays.remove(&pair);
        overlays.insert(pair, below.map_or_else(|| node.clone(), |below| below.overlaid(node)));
    };
    for node in links.into_iter().flat_map(|links| match &links.value {
        super::node::Value::Array(items) => items.as_slice(),
        _ => &[],
    }) {
        let (from, to) = match read_pair(node, &names) {
            Ok(pair) => pair,
            Err(found) => {
                problems.extend(found);
                continue;
            }
        };
        overlay((from, to), node);
        if node.get("one_way").is_none_or(|one_way| one_way.value != super::node::Value::Boolean(true)) {
            overlay((to, from), node);
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let between = table.get("between");
    let latencies = read_latencies(between, &names, context.sources)?;
    // Pairs of clusters often share everything: a table is checked and read once.
    let mut read: Vec<(Node, Link)> = Vec::new();
    let mut all = Vec::with_capacity(names.len() * names.len());
    for from in 0..names.len() {
        for to in 0..names.len() {
            let link = if from == to {
                let spec = &clusters[from];
                let node = &cluster_table.entries()[from].value;
                let spec = (&spec.network, spec.latency_factor.as_ref(), spec.bandwidth_factor.as_ref(), spec.jitter);
                make_link(node, spec, tick, context.sources)?
            } else {
                let latency = latencies.as_ref().map(|matrix| &matrix[from * names.len() + to]);
                let Some(merged) = merge(between, latency, overlays.get(&(from, to))) else {
                    let message = format!("there is no link from `{}` to `{}`", names[from], names[to]);
                    let help = "add a [[platform.link]] for the pair, or [platform.between] for all pairs";
                    let problem = Problem::at(&cluster_table.entries()[to].place, message);
                    return Err(vec![problem.labelled("not reached").with_help(help)]);
                };
                if let Some((_, link)) = read.iter().find(|(node, _)| *node == merged) {
                    link.clone()
                } else {
                    let link = read_link(&merged, tick, context).map_err(|mut problems| {
                        for problem in &mut problems {
                            let message = std::mem::take(&mut problem.message);
                            problem.message =
                                format!("{message}, on the link from `{}` to `{}`", names[from], names[to]);
                        }
                        problems
                    })?;
                    read.push((merged, link.clone()));
                    link
                }
            };
            all.push(link);
        }
    }
    Ok(all)
}

fn read_pair(node: &Node, names: &[&str]) -> Result<(usize, usize), Vec<Problem>> {
    let end = |index: &str| {
        let name = node.at(&format!("between.{index}"))?;
        let text = name.text().unwrap_or_default();
        Some(names.iter().position(|known| *known == text).ok_or_else(|| {
            let message = format!("there is no cluster `{text}`");
            vec![Problem::at(&name.place, message).with_help(suggest(text, names))]
        }))
    };
    match (end("0"), end("1")) {
        (Some(from), Some(to)) => {
            let pair = (from?, to?);
            if pair.0 == pair.1 {
                let place = node.get("between").map_or(&node.place, |between| &between.place);
                let help = format!("what holds inside `{0}` is [platform.cluster.{0}.network]", names[pair.0]);
                return Err(vec![Problem::at(place, "a link joins two different clusters").with_help(help)]);
            }
            Ok(pair)
        }
        _ => Err(vec![Problem::at(&node.place, "a link needs the names of two clusters in `between`")]),
    }
}

/// The matrix of latencies, as nodes with their places.
fn read_latencies(
    between: Option<&Node>,
    names: &[&str],
    sources: &[Source],
) -> Result<Option<Vec<Node>>, Vec<Problem>> {
    let Some(matrix) = between.and_then(|between| between.get("latency")) else { return Ok(None) };
    if let Some(file) = matrix.text() {
        return super::csv::read_matrix(&super::check::resolve_file(sources, matrix, file), matrix, names).map(Some);
    }
    let super::node::Value::Array(rows) = &matrix.value else { return Ok(None) };
    let wrong = |place, what: &str, found: usize| {
        let message = format!("the matrix needs {} {what}, one a cluster, and has {found}", names.len());
        Err(vec![Problem::at(place, message)])
    };
    if rows.len() != names.len() {
        return wrong(&matrix.place, "rows", rows.len());
    }
    let mut all = Vec::new();
    for row in rows {
        let super::node::Value::Array(cells) = &row.value else { continue };
        if cells.len() != names.len() {
            return wrong(&row.place, "columns", cells.len());
        }
        all.extend(cells.iter().cloned());
    }
    Ok(Some(all))
}

/// The table of one pair: `between`, then the matrix, then the pair's own keys.
fn merge(between: Option<&Node>, latency: Option<&Node>, overlay: Option<&Node>) -> Option<Node> {
    let mut merged = match (between, overlay) {
        (Some(between), Some(overlay)) => between.overlaid(overlay),
        (Some(only), None) | (None, Some(only)) => only.clone(),
        (None, None) => return None,
    };
    let own = overlay.and_then(|overlay| overlay.at("network.latency")).is_some();
    if let (Some(latency), false) = (latency, own) {
        merged.set("network.latency", latency.clone()).ok()?;
    }
    // What tells the pairs apart does not matter any more.
    if let super::node::Value::Table(entries) = &mut merged.value {
        entries.retain(|entry| !matches!(entry.key.as_str(), "between" | "one_way" | "latency"));
    }
    Some(merged)
}

fn read_link(merged: &Node, tick: Tick, context: &Context<'_>) -> Result<Link, Vec<Problem>> {
    /// The keys of a link, whole.
    #[derive(Deserialize)]
    struct Whole {
        network: Parameters,
        latency_factor: Option<StepsSpec>,
        bandwidth_factor: Option<StepsSpec>,
        #[serde(default)]
        jitter: f64,
    }
    let Some(network) = merged.get("network") else {
        return Err(vec![Problem::at(&merged.place, "`network` is missing in this link")]);
    };
    let problems = (context.check_network)(network);
    if !problems.is_empty() {
        return Err(problems);
    }
    let whole: Whole = deserialise(merged)?;
    let spec = (&whole.network, whole.latency_factor.as_ref(), whole.bandwidth_factor.as_ref(), whole.jitter);
    make_link(merged, spec, tick, context.sources)
}

fn make_link(
    node: &Node,
    (network, latency, bandwidth, jitter): (&Parameters, Option<&StepsSpec>, Option<&StepsSpec>, f64),
    tick: Tick,
    sources: &[Source],
) -> Result<Link, Vec<Problem>> {
    let model = Model::new(network, tick).map_err(|message| {
        let place = node.get("network").map_or(&node.place, |node| &node.place);
        vec![Problem::at(place, message)]
    })?;
    let profile = |key: &str, spec: Option<&StepsSpec>| {
        let place = node.get(key).unwrap_or(node);
        spec.map(|spec| spec.profile(place, tick, sources)).transpose().map_err(|problem| vec![problem])
    };
    let latency = profile("latency_factor", latency)?;
    let bandwidth = profile("bandwidth_factor", bandwidth)?;
    Ok(Link { model, latency, bandwidth, jitter })
}
