//! The links of a platform, merged from `between`, a matrix and single `link` tables.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::link_faults::read_pair_faults;
use super::power::{LinkPowerSpec, read_network_power};
use super::sites::{Sites, numbers};
use super::spec::ClusterSpec;
use super::{Context, deserialise};
use crate::csv;
use crate::fault::FaultProfile;
use crate::file_name::resolve_file;
use crate::steps::{Course, Drawn, StepsSpec};
use hetsim_base::units::{Quantity, Tick};
use hetsim_cluster::network::Costs;
use hetsim_cluster::network::routed::Routed;
use hetsim_cluster::network::{Model, Parameters, fitted};
use hetsim_cluster::topology::{Channel, Topology};
use hetsim_cluster::{Connection, Kinds};
use hetsim_text::{Node, Problem, Source, Value, suggest};

/// A link, with those of its factors that are drawn for each run.
#[derive(Debug, Clone)]
pub(super) struct LinkPlan {
    pub(super) link: Connection,
    /// The name of its network model.
    pub(super) name: &'static str,
    pub(super) latency: Option<Drawn>,
    pub(super) bandwidth: Option<Drawn>,
}

impl LinkPlan {
    pub(super) const fn is_drawn(&self) -> bool {
        self.latency.is_some() || self.bandwidth.is_some()
    }
}

/// The links from each cluster to each, row by row.
#[derive(Debug)]
pub(super) struct LinkPlans {
    /// A link of each kind.
    pub(super) all: Vec<LinkPlan>,
    /// The kind of each link.
    pub(super) kinds: Kinds,
}

impl LinkPlans {
    /// The link with a number.
    pub(super) fn get(&self, number: usize) -> &LinkPlan {
        &self.all[self.kinds.of(number)]
    }
}

/// The kinds of the tables that were read, by what they say.
#[derive(Default)]
struct Known(FxHashMap<String, Vec<(Node, u32)>>);

impl Known {
    /// The kind of a table, which is made where none says the same.
    fn kind<E>(&mut self, node: &Node, make: impl FnOnce() -> Result<u32, E>) -> Result<u32, E> {
        let alike = self.0.entry(node.to_json().to_string()).or_default();
        if let Some((_, kind)) = alike.iter().find(|(known, _)| known.says_as(node)) {
            return Ok(*kind);
        }
        let kind = make()?;
        alike.push((node.clone(), kind));
        Ok(kind)
    }
}

/// Reads the links from each cluster to each.
pub(super) fn read_links(
    table: &Node,
    cluster_table: &Node,
    clusters: &[ClusterSpec],
    sites: &Sites<'_>,
    tick: Tick,
    context: &Context<'_>,
) -> Result<LinkPlans, Vec<Problem>> {
    let names: Vec<&str> = cluster_table.entries().iter().map(|entry| entry.key.as_str()).collect();
    let overlays = read_overlays(table, &names)?;
    let between = table.get("between");
    let latencies = read_latencies(between, &names, context.sources)?;
    let has_zones = !table.get("zone").map_or(&[][..], Node::entries).is_empty();
    let mut all = Vec::new();
    let mut add = |plan: LinkPlan| {
        all.push(plan);
        (all.len() - 1) as u32
    };
    let mut zoned = None;
    // Clusters and pairs of them often have equal tables, which are merged, checked and read once.
    let mut usual: FxHashMap<Option<u32>, u32> = FxHashMap::default();
    let (mut own, mut read) = (Known::default(), Known::default());
    let mut kind = |from: usize, to: usize| -> Result<u32, Vec<Problem>> {
        let entry = |number: usize| &cluster_table.entries()[number];
        if from == to {
            let node = &entry(from).value;
            return own.kind(node, || read_own(node, &clusters[from], tick, context).map(&mut add));
        }
        if has_zones {
            // Routes over named links join the clusters.
            if let Some((_, kind)) = zoned.filter(|(known, _)| *known == from) {
                return Ok(kind);
            }
            let routed = Routed::from(costs_of(&clusters[from], &entry(from).value, tick)?);
            let link = Model::Routed(routed).into();
            let kind = add(LinkPlan { link, name: "routes", latency: None, bandwidth: None });
            zoned = Some((from, kind));
            return Ok(kind);
        }
        let site = sites.shared(from, to);
        let overlay = overlays.get(&(from, to));
        // The matrix belongs to `between`, which a site replaces.
        let matrix = latencies.as_ref().filter(|_| site.is_none());
        let is_usual = overlay.is_none() && matrix.is_none();
        if let Some(&kind) = usual.get(&site).filter(|_| is_usual) {
            return Ok(kind);
        }
        let latency = matrix.map(|matrix| &matrix[from * names.len() + to]);
        let Some(merged) = merge(site.and_then(|site| sites.table(site)).or(between), latency, overlay) else {
            let message = format!("there is no link from `{}` to `{}`", names[from], names[to]);
            let help = "add a [[platform.link]] for the pair, or [platform.between] for all pairs";
            let problem = Problem::at(&entry(to).place, message);
            return Err(vec![problem.labelled("not reached").with_help(help)]);
        };
        let kind = read.kind(&merged, || {
            read_link(&merged, tick, context).map(&mut add).map_err(|mut problems| {
                for problem in &mut problems {
                    let message = std::mem::take(&mut problem.message);
                    problem.message = format!("{message}, on the link from `{}` to `{}`", names[from], names[to]);
                }
                problems
            })
        })?;
        if is_usual {
            usual.insert(site, kind);
        }
        Ok(kind)
    };
    let pairs = (0..names.len()).flat_map(|from| (0..names.len()).map(move |to| (from, to)));
    let kinds = pairs.map(|(from, to)| kind(from, to)).collect::<Result<_, Vec<Problem>>>()?;
    Ok(LinkPlans { all, kinds })
}

/// The tables of single links by the numbers of their clusters, in both directions unless they are one way.
fn read_overlays(table: &Node, names: &[&str]) -> Result<BTreeMap<(usize, usize), Node>, Vec<Problem>> {
    let numbers = numbers(names);
    let links = table.get("link");
    let mut overlays: BTreeMap<(usize, usize), Node> = BTreeMap::new();
    let mut problems = Vec::new();
    let mut overlay = |pair: (usize, usize), node: &Node| {
        let below = overlays.remove(&pair);
        overlays.insert(pair, below.map_or_else(|| node.clone(), |below| below.overlaid(node)));
    };
    for node in links.into_iter().flat_map(|links| match &links.value {
        Value::Array(items) => items.as_slice(),
        _ => &[],
    }) {
        let (from, to) = match read_pair(node, names, &numbers) {
            Ok(pair) => pair,
            Err(found) => {
                problems.extend(found);
                continue;
            }
        };
        overlay((from, to), node);
        if node.get("one_way").is_none_or(|one_way| one_way.value != Value::Boolean(true)) {
            overlay((to, from), node);
        }
    }
    if problems.is_empty() { Ok(overlays) } else { Err(problems) }
}

/// Reads the network inside a cluster.
fn read_own(node: &Node, spec: &ClusterSpec, tick: Tick, context: &Context<'_>) -> Result<LinkPlan, Vec<Problem>> {
    refuse_beside_routes(node, spec)?;
    let keys = LinkKeys {
        network: &spec.network,
        latency_factor: spec.latency_factor.as_ref(),
        bandwidth_factor: spec.bandwidth_factor.as_ref(),
        jitter: spec.jitter,
        network_power: spec.network_power.as_ref(),
    };
    let plan = make_link(node, &keys, tick, context)?;
    Ok(LinkPlan { link: with_topology(plan.link, node, spec)?, ..plan })
}

/// What messages from a cluster cost over the routes of zones: as inside it.
fn costs_of(cluster: &ClusterSpec, node: &Node, tick: Tick) -> Result<Costs, Vec<Problem>> {
    let costs = match &cluster.network {
        Parameters::Routed(keys) => keys.costs.as_ref(),
        Parameters::Fair(keys) => keys.costs.as_ref(),
        _ => None,
    };
    let place = &node.get("network").unwrap_or(node).place;
    Costs::new(costs, tick).map_err(|error| vec![Problem::at(place, error.to_string())])
}

fn read_pair(node: &Node, names: &[&str], numbers: &FxHashMap<&str, usize>) -> Result<(usize, usize), Vec<Problem>> {
    let end = |index: &str| {
        let name = node.at(&format!("between.{index}"))?;
        let text = name.text().unwrap_or_default();
        Some(numbers.get(text).copied().ok_or_else(|| {
            let message = format!("there is no cluster `{text}`");
            vec![Problem::at(&name.place, message).with_help(suggest(text, names))]
        }))
    };
    match (end("0"), end("1")) {
        (Some(from), Some(to)) => {
            let pair = (from?, to?);
            if pair.0 == pair.1 {
                let place = node.get("between").map_or(&node.place, |between| &between.place);
                let help = format!("the network inside `{0}` is [platform.cluster.{0}.network]", names[pair.0]);
                return Err(vec![Problem::at(place, "a link joins two different clusters").with_help(help)]);
            }
            Ok(pair)
        }
        _ => Err(vec![Problem::at(&node.place, "a link needs the names of two clusters in `between`")]),
    }
}

/// The matrix of latencies, as nodes with their positions.
fn read_latencies(
    between: Option<&Node>,
    names: &[&str],
    sources: &[Source],
) -> Result<Option<Vec<Node>>, Vec<Problem>> {
    let Some(matrix) = between.and_then(|between| between.get("latency")) else { return Ok(None) };
    if let Some(file) = matrix.text() {
        return csv::read_matrix(&resolve_file(sources, matrix, file), matrix, names).map(Some);
    }
    let Value::Array(rows) = &matrix.value else { return Ok(None) };
    let wrong = |place, what: &str, found: usize| {
        let message = format!("the matrix needs {} {what}, one per cluster, and has {found}", names.len());
        Err(vec![Problem::at(place, message)])
    };
    if rows.len() != names.len() {
        return wrong(&matrix.place, "rows", rows.len());
    }
    let mut all = Vec::new();
    for row in rows {
        let Value::Array(cells) = &row.value else { continue };
        if cells.len() != names.len() {
            return wrong(&row.place, "columns", cells.len());
        }
        all.extend(cells.iter().cloned());
    }
    Ok(Some(all))
}

/// The merged table of a pair: `between`, then the matrix, then the pair's own keys.
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
    // The keys that identify the pair are no longer needed.
    if let Value::Table(entries) = &mut merged.value {
        entries.retain(|entry| !matches!(entry.key.as_str(), "between" | "one_way" | "latency" | "clusters"));
    }
    Some(merged)
}

fn read_link(merged: &Node, tick: Tick, context: &Context<'_>) -> Result<LinkPlan, Vec<Problem>> {
    /// The complete keys of a link.
    #[derive(Deserialize)]
    struct Whole {
        network: Parameters,
        latency_factor: Option<StepsSpec>,
        bandwidth_factor: Option<StepsSpec>,
        #[serde(default)]
        jitter: f64,
        #[serde(default)]
        fault: Vec<FaultProfile>,
        network_power: Option<LinkPowerSpec>,
    }
    let Some(network) = merged.get("network") else {
        return Err(vec![Problem::at(&merged.place, "`network` is missing in this link")]);
    };
    let problems = (context.check_network)(network);
    if !problems.is_empty() {
        return Err(problems);
    }
    let whole: Whole = deserialise(merged)?;
    refuse_topology(merged, &whole.network)?;
    let keys = LinkKeys {
        network: &whole.network,
        latency_factor: whole.latency_factor.as_ref(),
        bandwidth_factor: whole.bandwidth_factor.as_ref(),
        jitter: whole.jitter,
        network_power: whole.network_power.as_ref(),
    };
    let mut plan = make_link(merged, &keys, tick, context)?;
    plan.link.faults = read_pair_faults(merged, &whole.fault, (&plan.link.model, plan.name), tick, context.sources)?;
    Ok(plan)
}

/// A cluster's own link with the topology of its network.
fn with_topology(link: Connection, node: &Node, spec: &ClusterSpec) -> Result<Connection, Vec<Problem>> {
    let (Model::Fair(fair), Parameters::Fair(keys)) = (&link.model, &spec.network) else { return Ok(link) };
    let Some(topology) = &keys.topology else { return Ok(link) };
    let table = node.at("network.topology").unwrap_or(node);
    let group = spec.level.first().map_or(1, |level| level.size.max(1));
    let own = Channel { bandwidth: keys.bandwidth.base(), latency: keys.latency.base(), shared: true };
    let topology = Topology::of_groups(topology, spec.all_places(), group, own).map_err(|error| {
        let place = &table.get(error.key).unwrap_or(table).place;
        let joined = match group {
            1 => format!("{} nodes", spec.all_places()),
            _ => format!("{} groups of {group} nodes, those of its first `level`", spec.all_places().div_ceil(group)),
        };
        vec![Problem::at(place, error.message).with_help(format!("it joins the cluster's {joined}"))]
    })?;
    Ok(Connection { model: Model::Fair(fair.clone().with_topology(topology)), ..link })
}

/// Refuses keys beside `routes`: only named links vary or fail there, and levels do not exist.
fn refuse_beside_routes(node: &Node, spec: &ClusterSpec) -> Result<(), Vec<Problem>> {
    if !matches!(spec.network, Parameters::Routed(_)) {
        return Ok(());
    }
    let keys = ["latency_factor", "bandwidth_factor", "jitter", "link_fault", "level", "allocation"];
    let Some(found) = keys.iter().find_map(|key| Some((key, node.get(key)?))) else { return Ok(()) };
    let (key, value) = found;
    let message = format!("`{key}` has no effect with the network `routes`");
    let help = "the links of [platform.wire] have such keys of their own";
    Err(vec![Problem::at(&value.place, message).with_help(help)])
}

/// Refuses a topology anywhere except for the network inside a cluster.
pub(super) fn refuse_topology(node: &Node, network: &Parameters) -> Result<(), Vec<Problem>> {
    let message = match network {
        Parameters::Fair(keys) if keys.topology.is_some() => "only the network inside a cluster can have a `topology`",
        Parameters::Routed(_) => {
            "only the network inside a cluster can be `routes`; [platform.zone] joins clusters by routes"
        }
        _ => return Ok(()),
    };
    let place = node.at("network.topology").or_else(|| node.get("network")).unwrap_or(node);
    Err(vec![Problem::at(&place.place, message)])
}

/// The parameters of a network, completed by the formula file that they name.
fn with_formula<'a>(
    node: &Node,
    network: &'a Parameters,
    context: &Context<'_>,
) -> Result<Cow<'a, Parameters>, Vec<Problem>> {
    let Parameters::Fitted(keys) = network else { return Ok(Cow::Borrowed(network)) };
    let at = |key: &str| node.get("network").map_or(node, |network| network.get(key).unwrap_or(network));
    let given = context.files.formulas.read(at("formula"), context.sources).map_err(|problem| vec![problem])?;
    let keys = fitted::FittedNetworkParameters { given: Some(given), ..keys.clone() };
    keys.time().map_err(|error| vec![Problem::at(&at(error.key).place, error.message)])?;
    Ok(Cow::Owned(Parameters::Fitted(keys)))
}

/// The keys of a link that every table with a network has.
pub(super) struct LinkKeys<'a> {
    /// The network model with its parameters.
    pub(super) network: &'a Parameters,
    /// The factor on the latency over time.
    pub(super) latency_factor: Option<&'a StepsSpec>,
    /// The factor on the bandwidth over time.
    pub(super) bandwidth_factor: Option<&'a StepsSpec>,
    /// The standard deviation of the flight time's factor.
    pub(super) jitter: f64,
    /// The power of its links.
    pub(super) network_power: Option<&'a LinkPowerSpec>,
}

/// The link of a table `node` with these keys.
pub(super) fn make_link(
    node: &Node,
    keys: &LinkKeys<'_>,
    tick: Tick,
    context: &Context<'_>,
) -> Result<LinkPlan, Vec<Problem>> {
    let sources = context.sources;
    let network = with_formula(node, keys.network, context)?;
    let model = Model::new(&network, tick).map_err(|error| {
        let table = node.get("network").unwrap_or(node);
        let place = error.key().and_then(|key| table.get(key)).unwrap_or(table);
        vec![Problem::at(&place.place, error.to_string())]
    })?;
    let read = |key: &str, spec: Option<&StepsSpec>| {
        let place = node.get(key).unwrap_or(node);
        spec.map(|spec| spec.read(place, tick, sources)).transpose().map_err(|problem| vec![problem])
    };
    let mut plan = LinkPlan { link: model.into(), name: network.name(), latency: None, bandwidth: None };
    plan.link.jitter = keys.jitter;
    plan.link.power = read_network_power(&plan.link.model, node, keys.network_power)?;
    match read("latency_factor", keys.latency_factor)? {
        Some(Course::Fixed(profile)) => plan.link.latency = Some(profile),
        Some(Course::Drawn(drawn)) => plan.latency = Some(drawn),
        None => {}
    }
    match read("bandwidth_factor", keys.bandwidth_factor)? {
        Some(Course::Fixed(profile)) => plan.link.bandwidth = Some(profile),
        Some(Course::Drawn(drawn)) => plan.bandwidth = Some(drawn),
        None => {}
    }
    Ok(plan)
}
