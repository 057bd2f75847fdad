//! Routing tables from `[platform.wire]`, `[platform.zone]` and the routes of clusters: named links and the paths over
//! them.

mod zones;

use std::collections::BTreeMap;

use super::Context;
use super::link_faults::read_link_faults;
use super::power::read_link_power;
use super::spec::{ClusterSpec, PlatformSpec, WireSharingSpec, WireSpec};
use crate::simgrid;
use crate::steps::{Course, Drawn, StepsSpec};
use hetsim_base::units::{Quantity, Tick};
use hetsim_cluster::network::Parameters;
use hetsim_cluster::topology::{Choose, PathsError};
use hetsim_cluster::{DirectedLink, Link, LinkSharing, Route, Routes, RoutingTables};
use hetsim_text::{Entry, Node, Problem, Source, suggest};

/// The tables that define named links and routes.
pub(super) struct Tables<'a> {
    table: &'a Node,
    spec: &'a PlatformSpec,
    clusters: &'a [ClusterSpec],
    names: Vec<&'a str>,
    /// Zones that contain only routers, numbered after the clusters.
    routers: Vec<&'a Entry>,
    /// All other zones.
    zones: Vec<&'a Entry>,
    links: Vec<Link>,
    link_specs: Vec<&'a WireSpec>,
    sources: &'a [Source],
}

/// A named link, with those of its factors that are drawn for each run.
#[derive(Debug, Clone)]
pub(super) struct NamedLinkPlan {
    pub(super) link: Link,
    pub(super) latency: Option<Drawn>,
    pub(super) bandwidth: Option<Drawn>,
}

/// Reads the named links.
pub(super) fn read_named_links(
    table: &Node,
    spec: &PlatformSpec,
    tick: Tick,
    context: &Context<'_>,
) -> Result<Vec<NamedLinkPlan>, Vec<Problem>> {
    let entries = table.get("wire").map_or(&[][..], Node::entries);
    entries.iter().map(|entry| read_named_link(entry, &spec.wire[&entry.key], tick, context)).collect()
}

/// Reads the named links, the routes inside clusters and the zones; `None` if no network needs them.
///
/// # Errors
/// Unknown names, routes that join nothing, clusters outside all zones, or pairs without a path.
pub(super) fn read_routing(
    table: &Node,
    spec: &PlatformSpec,
    clusters: &[ClusterSpec],
    names: &[&str],
    plans: &[NamedLinkPlan],
    sources: &[Source],
) -> Result<Option<RoutingTables>, Vec<Problem>> {
    let is_routed = clusters.iter().any(|cluster| matches!(cluster.network, Parameters::Routed(_)));
    if !is_routed && spec.zone.is_empty() && plans.is_empty() {
        return Ok(None);
    }
    let links: Vec<Link> = plans.iter().map(|plan| plan.link.clone()).collect();
    let link_specs = links.iter().map(|link: &Link| &spec.wire[&link.name]).collect();
    let entries = table.get("zone").map_or(&[][..], Node::entries).iter();
    let (of_routers, zones) = entries.partition(|entry| !spec.zone[&entry.key].routers.is_empty());
    let names = names.to_vec();
    let tables = Tables { table, spec, clusters, names, routers: of_routers, zones, links, link_specs, sources };
    let mut routes = (0..clusters.len()).map(|cluster| tables.routes(cluster)).collect::<Result<Vec<_>, _>>()?;
    for entry in &tables.routers {
        routes.push(Some(tables.router_routes(entry)?));
    }
    if is_routed && spec.zone.is_empty() && clusters.len() > 1 {
        let place = tables.network(clusters.iter().position(|c| matches!(c.network, Parameters::Routed(_))));
        let help = "[platform.zone.NAME] joins clusters by routes between their points";
        return Err(vec![
            Problem::at(&place.place, "a cluster of `routes` is joined to others by a zone").with_help(help),
        ]);
    }
    let zones = tables.zones()?;
    if !is_routed && zones.is_empty() {
        return Ok(None);
    }
    let made = RoutingTables::new(tables.links, routes, zones);
    made.map(Some).map_err(|error| vec![Problem::at(&table.place, error.to_string())])
}

fn read_named_link(
    entry: &Entry,
    spec: &WireSpec,
    tick: Tick,
    context: &Context<'_>,
) -> Result<NamedLinkPlan, Vec<Problem>> {
    if spec.bandwidth.base() <= 0.0 {
        let place = entry.value.get("bandwidth").map_or(&entry.place, |node| &node.place);
        return Err(vec![Problem::at(place, "`bandwidth` must be above zero")]);
    }
    let profile = |key: &str, steps: Option<&StepsSpec>| {
        let node = entry.value.get(key).unwrap_or(&entry.value);
        let course = steps.map(|steps| steps.read(node, tick, context.sources)).transpose();
        Ok::<_, Vec<Problem>>(match course.map_err(|problem| vec![problem])? {
            Some(Course::Fixed(profile)) => (Some(profile), None),
            Some(Course::Drawn(drawn)) => (None, Some(drawn)),
            None => (None, None),
        })
    };
    let (latency_factor, latency) = profile("latency_factor", spec.latency_factor.as_ref())?;
    let (bandwidth_factor, bandwidth) = profile("bandwidth_factor", spec.bandwidth_factor.as_ref())?;
    let faults = entry.value.get("fault").unwrap_or(&entry.value);
    let link = Link {
        name: entry.key.clone(),
        bandwidth: spec.bandwidth.base(),
        latency: spec.latency.base(),
        sharing: match spec.sharing {
            WireSharingSpec::FullDuplex | WireSharingSpec::SplitDuplex => LinkSharing::Duplex,
            WireSharingSpec::Shared => LinkSharing::Shared,
            WireSharingSpec::Unshared => LinkSharing::Unshared,
        },
        latency_factor,
        bandwidth_factor,
        faults: read_link_faults(faults, &spec.fault, tick, context.sources)?,
        power: read_link_power(&entry.value, "power", spec.power.as_ref())?,
    };
    Ok(NamedLinkPlan { link, latency, bandwidth })
}

/// The same links in the reverse direction and order.
fn reversed(links: &[DirectedLink]) -> Vec<DirectedLink> {
    links.iter().rev().map(|passing| DirectedLink { back: !passing.back, ..*passing }).collect()
}

impl Tables<'_> {
    fn network(&self, cluster: Option<usize>) -> &Node {
        let table = cluster.and_then(|cluster| self.table.at("cluster")?.get(self.names[cluster]));
        table.and_then(|table| table.get("network")).unwrap_or(self.table)
    }

    /// The links of a route.
    fn directed_links(&self, names: &[String], node: &Node) -> Result<Vec<DirectedLink>, Vec<Problem>> {
        let find = |name: &str| self.links.iter().position(|link| link.name == name);
        let passing = |(index, name): (usize, &String)| {
            let place = node.at(&format!("wires.{index}")).unwrap_or(node);
            let directed = [(".up", false), (".down", true)];
            let directed = directed.into_iter().find_map(|(end, back)| Some((find(name.strip_suffix(end)?)?, back)));
            match (find(name), directed) {
                (Some(link), _) if self.link_specs[link].sharing == WireSharingSpec::SplitDuplex => {
                    let message = format!("`{name}` has two directions: use `{name}.up` or `{name}.down`");
                    Err(vec![Problem::at(&place.place, message)])
                }
                (Some(link), _) => Ok(DirectedLink { link: link as u32, back: false }),
                (None, Some((link, back))) => Ok(DirectedLink { link: link as u32, back }),
                (None, None) => {
                    let known: Vec<&str> = self.links.iter().map(|link| link.name.as_str()).collect();
                    let message = format!("there is no link `{name}` in [platform.wire]");
                    Err(vec![Problem::at(&place.place, message).with_help(suggest(name, &known))])
                }
            }
        };
        names.iter().enumerate().map(passing).collect()
    }

    /// The routes of a cluster with the network `routes`.
    fn routes(&self, cluster: usize) -> Result<Option<Routes>, Vec<Problem>> {
        let Parameters::Routed(keys) = &self.clusters[cluster].network else { return Ok(None) };
        let network = self.network(Some(cluster));
        let nodes = self.clusters[cluster].nodes;
        if keys.nodes.len() != nodes as usize {
            let place = network.get("nodes").unwrap_or(network);
            let message = format!("{} names for {nodes} nodes", keys.nodes.len());
            return Err(vec![Problem::at(&place.place, message)]);
        }
        let points = points(&[("nodes", &keys.nodes), ("routers", &keys.routers)], network)?;
        let (mut routes, mut bypass) = (Vec::new(), Vec::new());
        for (index, route) in keys.route.iter().enumerate() {
            let node = network.at(&format!("route.{index}")).unwrap_or(network);
            let list = if route.bypass { &mut bypass } else { &mut routes };
            let ends = (point(&points, (node, "from"), &route.from)?, point(&points, (node, "to"), &route.to)?);
            push_route(list, keys.choose, ends, self.directed_links(&route.wires, node)?, route.one_way);
        }
        let place = network.get("route").unwrap_or(network);
        let routes = Routes::new(points.len() as u32, routes, bypass, keys.choose, &self.links)
            .map_err(|error| vec![routes_problem(&error, place, |point| name_of(&points, point))])?;
        match routes.missing(nodes) {
            Some((one, other)) => {
                let name = |node: u32| keys.nodes[node as usize].as_str();
                Err(vec![self.missing_route(name(one), name(other), place)])
            }
            None => Ok(Some(routes)),
        }
    }

    /// An error: no routes join a pair.
    fn missing_route(&self, one: &str, other: &str, place: &Node) -> Problem {
        let source = self.sources.get(place.place.source);
        let choose = if source.is_some_and(|source| simgrid::is_platform(&source.text)) {
            "take `routing=\"Floyd\"` or `routing=\"Dijkstra\"`"
        } else {
            "add `choose = \"fewest_links\"`"
        };
        let help = format!(
            "any two nodes may send to each other: give a route from `{one}` to `{other}`, or {choose} if a sequence of \
             routes leads there"
        );
        Problem::at(&place.place, format!("the routes lead nowhere from `{one}` to `{other}`")).with_help(help)
    }

    /// The routes between the routers of a zone that contains only routers.
    fn router_routes(&self, entry: &Entry) -> Result<Routes, Vec<Problem>> {
        let spec = &self.spec.zone[&entry.key];
        let points = points(&[("routers", &spec.routers)], &entry.value)?;
        if let Some(bypass) = entry.value.get("bypass") {
            let message = "`bypass` has no effect in a zone of routers, where no message starts or ends";
            return Err(vec![Problem::at(&bypass.place, message)]);
        }
        let mut routes = Vec::new();
        for (index, route) in spec.route.iter().enumerate() {
            let node = entry.value.at(&format!("route.{index}")).unwrap_or(&entry.value);
            if let Some(gateway) = node.get("from_gateway").or_else(|| node.get("to_gateway")) {
                return Err(vec![Problem::at(&gateway.place, "a route between routers has no gateways")]);
            }
            let ends = (point(&points, (node, "from"), &route.from)?, point(&points, (node, "to"), &route.to)?);
            push_route(&mut routes, spec.choose, ends, self.directed_links(&route.wires, node)?, route.one_way);
        }
        let place = entry.value.get("route").unwrap_or(&entry.value);
        Routes::new(points.len() as u32, routes, Vec::new(), spec.choose, &self.links)
            .map_err(|error| vec![routes_problem(&error, place, |point| name_of(&points, point))])
    }
}

/// The name of a point.
fn name_of<'k>(points: &BTreeMap<&'k str, u32>, point: u32) -> &'k str {
    points.iter().find(|(_, number)| **number == point).map_or("", |(name, _)| name)
}

/// An error about routes that do not form a network; `name` gives the names of their ends.
fn routes_problem<'n>(error: &PathsError, routes: &Node, name: impl Fn(u32) -> &'n str) -> Problem {
    let PathsError::GivenTwice { from, to } = *error else { return Problem::at(&routes.place, error.to_string()) };
    let message = format!("there are two routes from `{}` to `{}`", name(from), name(to));
    let help = "a route holds for both directions unless it is `one_way`";
    Problem::at(&routes.place, message).with_help(help)
}

/// The points of a cluster or a zone of routers by name, in the order of the name lists under their keys.
fn points<'k>(lists: &[(&str, &'k Vec<String>)], table: &Node) -> Result<BTreeMap<&'k str, u32>, Vec<Problem>> {
    let mut points = BTreeMap::new();
    let all = lists.iter().flat_map(|&(key, names)| names.iter().enumerate().map(move |(i, n)| (key, i, n)));
    for (number, (key, index, name)) in (0..).zip(all) {
        if points.insert(name.as_str(), number).is_some() {
            let place = table.at(&format!("{key}.{index}")).unwrap_or(table);
            return Err(vec![Problem::at(&place.place, format!("there are two points `{name}`"))]);
        }
    }
    Ok(points)
}

/// The point with this name, from a key of a route's table.
fn point(points: &BTreeMap<&str, u32>, (route, key): (&Node, &str), name: &str) -> Result<u32, Vec<Problem>> {
    points.get(name).copied().ok_or_else(|| {
        let known: Vec<&str> = points.keys().copied().collect();
        let place = route.get(key).unwrap_or(route);
        let message = format!("`{name}` is not a node or router here");
        vec![Problem::at(&place.place, message).with_help(suggest(name, &known))]
    })
}

/// Appends a route, and its reverse if that uses the same links.
fn push_route(
    routes: &mut Vec<Route>,
    choose: Choose,
    (from, to): (u32, u32),
    links: Vec<DirectedLink>,
    one_way: bool,
) {
    let first = routes.len();
    if !one_way && from != to {
        routes.push(Route { from: to, to: from, links: reversed(&links) });
    }
    routes.push(Route { from, to, links });
    if choose == Choose::SimgridDijkstra {
        // For bypasses the order of the ends matters.
        routes[first..].reverse();
    }
}
