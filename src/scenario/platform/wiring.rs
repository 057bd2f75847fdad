//! `[platform.wire]`, `[platform.zone]` and the routes of clusters: named links and the ways over them.

use std::collections::BTreeMap;

use super::Context;
use super::power::read_link_power;
use super::spec::{ClusterSpec, PlatformSpec, WireSharingSpec, WireSpec, ZoneRouteSpec, ZoneSpec};
use super::varying::read_link_faults;
use crate::cluster::network::{Parameters, routed};
use crate::cluster::{Passing, Point, Route, Routes, Wire, WireSharing, Wiring, Zone, ZoneMember, ZoneRoute};
use crate::scenario::node::{Entry, Node};
use crate::scenario::problem::{Problem, suggest};
use crate::scenario::steps::{Course, Drawn, StepsSpec};
use crate::units::{Quantity, Tick};

/// The tables that the ways are made of.
pub(super) struct Tables<'a> {
    table: &'a Node,
    spec: &'a PlatformSpec,
    clusters: &'a [ClusterSpec],
    names: Vec<&'a str>,
    wires: Vec<Wire>,
    wire_specs: Vec<&'a WireSpec>,
}

/// A named link, and those of its factors that are drawn for each run.
#[derive(Debug, Clone)]
pub(super) struct WirePlan {
    pub(super) wire: Wire,
    pub(super) latency: Option<Drawn>,
    pub(super) bandwidth: Option<Drawn>,
}

/// The named links.
pub(super) fn read_wires(
    table: &Node,
    spec: &PlatformSpec,
    tick: Tick,
    context: &Context<'_>,
) -> Result<Vec<WirePlan>, Vec<Problem>> {
    let entries = table.get("wire").map_or(&[][..], Node::entries);
    entries.iter().map(|entry| read_wire(entry, &spec.wire[&entry.key], tick, context)).collect()
}

/// Named links, routes inside clusters, and zones; nothing where no network needs them.
///
/// # Errors
/// Unknown names, routes that join nothing, clusters that no zone joins, pairs without a way.
pub(super) fn read_wiring(
    table: &Node,
    spec: &PlatformSpec,
    clusters: &[ClusterSpec],
    names: &[&str],
    wires: &[WirePlan],
) -> Result<Option<Wiring>, Vec<Problem>> {
    let is_routed = clusters.iter().any(|cluster| matches!(cluster.network, Parameters::Routed(_)));
    if !is_routed && spec.zone.is_empty() && wires.is_empty() {
        return Ok(None);
    }
    let wires: Vec<Wire> = wires.iter().map(|plan| plan.wire.clone()).collect();
    let wire_specs = wires.iter().map(|wire: &Wire| &spec.wire[&wire.name]).collect();
    let tables = Tables { table, spec, clusters, names: names.to_vec(), wires, wire_specs };
    let routes = (0..clusters.len()).map(|cluster| tables.routes(cluster)).collect::<Result<Vec<_>, _>>()?;
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
    Ok(Some(Wiring::new(tables.wires, routes, zones)))
}

fn read_wire(entry: &Entry, spec: &WireSpec, tick: Tick, context: &Context<'_>) -> Result<WirePlan, Vec<Problem>> {
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
    let wire = Wire {
        name: entry.key.clone(),
        bandwidth: spec.bandwidth.base(),
        latency: spec.latency.base(),
        sharing: match spec.sharing {
            WireSharingSpec::FullDuplex | WireSharingSpec::SplitDuplex => WireSharing::Duplex,
            WireSharingSpec::Shared => WireSharing::Shared,
            WireSharingSpec::Unshared => WireSharing::Unshared,
        },
        latency_factor,
        bandwidth_factor,
        faults: read_link_faults(faults, &spec.fault, tick, context.sources)?,
        power: read_link_power(&entry.value, "power", spec.power.as_ref())?,
    };
    Ok(WirePlan { wire, latency, bandwidth })
}

/// The same links the other way.
fn reversed(wires: &[Passing]) -> Vec<Passing> {
    wires.iter().rev().map(|passing| Passing { back: !passing.back, ..*passing }).collect()
}

impl Tables<'_> {
    fn network(&self, cluster: Option<usize>) -> &Node {
        let table = cluster.and_then(|cluster| self.table.at("cluster")?.get(self.names[cluster]));
        table.and_then(|table| table.get("network")).unwrap_or(self.table)
    }

    /// The links that a route names.
    fn passings(&self, names: &[String], node: &Node) -> Result<Vec<Passing>, Vec<Problem>> {
        let find = |name: &str| self.wires.iter().position(|wire| wire.name == name);
        let passing = |(index, name): (usize, &String)| {
            let place = node.at(&format!("wires.{index}")).unwrap_or(node);
            let directed = [(".up", false), (".down", true)];
            let directed = directed.into_iter().find_map(|(end, back)| Some((find(name.strip_suffix(end)?)?, back)));
            match (find(name), directed) {
                (Some(wire), _) if self.wire_specs[wire].sharing == WireSharingSpec::SplitDuplex => {
                    let message = format!("`{name}` has two directions: say `{name}.up` or `{name}.down`");
                    Err(vec![Problem::at(&place.place, message)])
                }
                (Some(wire), _) => Ok(Passing { wire: wire as u32, back: false }),
                (None, Some((wire, back))) => Ok(Passing { wire: wire as u32, back }),
                (None, None) => {
                    let known: Vec<&str> = self.wires.iter().map(|wire| wire.name.as_str()).collect();
                    let message = format!("there is no link `{name}` in [platform.wire]");
                    Err(vec![Problem::at(&place.place, message).with_help(suggest(name, &known))])
                }
            }
        };
        names.iter().enumerate().map(passing).collect()
    }

    /// The routes of a cluster whose network is `routes`.
    fn routes(&self, cluster: usize) -> Result<Option<Routes>, Vec<Problem>> {
        let Parameters::Routed(keys) = &self.clusters[cluster].network else { return Ok(None) };
        let network = self.network(Some(cluster));
        let nodes = self.clusters[cluster].nodes;
        if keys.nodes.len() != nodes as usize {
            let place = network.get("nodes").unwrap_or(network);
            let message = format!("{} names for {nodes} nodes", keys.nodes.len());
            return Err(vec![Problem::at(&place.place, message)]);
        }
        let points = Self::points(keys, network)?;
        let (mut routes, mut bypass) = (Vec::new(), Vec::new());
        for (index, route) in keys.route.iter().enumerate() {
            let node = network.at(&format!("route.{index}")).unwrap_or(network);
            let point = |key: &str, name: &str| {
                points.get(name).copied().ok_or_else(|| {
                    let known: Vec<&str> = points.keys().copied().collect();
                    let place = node.get(key).unwrap_or(node);
                    let message = format!("`{name}` is neither a node nor a router of this cluster");
                    vec![Problem::at(&place.place, message).with_help(suggest(name, &known))]
                })
            };
            let (from, to) = (point("from", &route.from)?, point("to", &route.to)?);
            let wires = self.passings(&route.wires, node)?;
            let list = if route.bypass { &mut bypass } else { &mut routes };
            if !route.one_way && from != to {
                list.push(Route { from: to, to: from, wires: reversed(&wires) });
            }
            list.push(Route { from, to, wires });
        }
        let place = network.get("route").unwrap_or(network);
        let routes = Routes::new(points.len() as u32, routes, bypass, keys.choose, &self.wires)
            .map_err(|error| vec![Problem::at(&place.place, error.to_string())])?;
        if let Some((one, other)) = routes.missing(nodes) {
            let name = |node: u32| &keys.nodes[node as usize];
            let message = format!("the routes lead nowhere from `{}` to `{}`", name(one), name(other));
            return Err(vec![Problem::at(&place.place, message)]);
        }
        Ok(Some(routes))
    }

    /// The points of a cluster of routes by name: its nodes, then its routers.
    fn points<'k>(keys: &'k routed::Parameters, network: &Node) -> Result<BTreeMap<&'k str, u32>, Vec<Problem>> {
        let mut points = BTreeMap::new();
        let lists = [("nodes", &keys.nodes), ("routers", &keys.routers)];
        let all = lists.into_iter().flat_map(|(key, names)| names.iter().enumerate().map(move |(i, n)| (key, i, n)));
        for (number, (key, index, name)) in (0..).zip(all) {
            if points.insert(name.as_str(), number).is_some() {
                let place = network.at(&format!("{key}.{index}")).unwrap_or(network);
                return Err(vec![Problem::at(&place.place, format!("there are two points `{name}`"))]);
            }
        }
        Ok(points)
    }

    /// The zones, which hold each cluster once.
    fn zones(&self) -> Result<Vec<Zone>, Vec<Problem>> {
        let entries = self.table.get("zone").map_or(&[][..], Node::entries);
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        for key in ["between", "link", "site"] {
            if let Some(node) = self.table.get(key) {
                let message = format!("`{key}` says nothing where zones join the clusters");
                return Err(vec![Problem::at(&node.place, message)]);
            }
        }
        let members = self.members(entries)?;
        (0..entries.len()).map(|zone| self.zone(entries, zone, &members)).collect()
    }

    /// What each zone holds.
    fn members(&self, entries: &[Entry]) -> Result<Vec<Vec<ZoneMember>>, Vec<Problem>> {
        let mut holder: BTreeMap<&str, &str> = BTreeMap::new();
        let mut all = Vec::new();
        for entry in entries {
            if self.names.contains(&entry.key.as_str()) {
                let message = format!("`{}` is the name of a cluster already", entry.key);
                return Err(vec![Problem::at(&entry.place, message)]);
            }
            let mut members = Vec::new();
            for (index, name) in self.spec.zone[&entry.key].members.iter().enumerate() {
                let place = &entry.value.at(&format!("members.{index}")).unwrap_or(&entry.value).place;
                let cluster =
                    self.names.iter().position(|known| known == name).map(|group| ZoneMember::Group(group as u32));
                let zone =
                    || entries.iter().position(|other| other.key == *name).map(|zone| ZoneMember::Zone(zone as u32));
                let Some(member) = cluster.or_else(zone) else {
                    let known: Vec<&str> =
                        self.names.iter().copied().chain(entries.iter().map(|e| e.key.as_str())).collect();
                    let message = format!("there is no cluster or zone `{name}`");
                    return Err(vec![Problem::at(place, message).with_help(suggest(name, &known))]);
                };
                if let Some(other) = holder.insert(name, &entry.key) {
                    return Err(vec![Problem::at(place, format!("`{name}` is in zone `{other}` already"))]);
                }
                members.push(member);
            }
            all.push(members);
        }
        // One zone that nothing holds, and everything in it: then no zone can hold itself either.
        let tops: Vec<&Entry> = entries.iter().filter(|entry| !holder.contains_key(entry.key.as_str())).collect();
        if let Some(name) = self.names.iter().find(|name| !holder.contains_key(*name)) {
            let place = &self.table.at("cluster").and_then(|clusters| clusters.get(name)).unwrap_or(self.table).place;
            return Err(vec![Problem::at(place, format!("cluster `{name}` is in no zone"))]);
        }
        match tops.as_slice() {
            [_] if is_tree(&all) => Ok(all),
            [_, second, ..] => {
                Err(vec![Problem::at(&second.place, "one zone has to hold all others").labelled("in no zone")])
            }
            _ => Err(vec![Problem::at(&entries[0].place, "the zones hold each other: one has to hold all others")]),
        }
    }

    fn zone(&self, entries: &[Entry], number: usize, members: &[Vec<ZoneMember>]) -> Result<Zone, Vec<Problem>> {
        let entry = &entries[number];
        let spec: &ZoneSpec = &self.spec.zone[&entry.key];
        let own = &members[number];
        let read = |key: &str, specs: &[ZoneRouteSpec]| {
            let mut routes = Vec::new();
            for (index, route) in specs.iter().enumerate() {
                let node = entry.value.at(&format!("{key}.{index}")).unwrap_or(&entry.value);
                let route_read = self.zone_route(route, node, spec, own, members)?;
                if !route.one_way {
                    routes.push(ZoneRoute {
                        from: route_read.to,
                        to: route_read.from,
                        from_gateway: route_read.to_gateway,
                        to_gateway: route_read.from_gateway,
                        wires: reversed(&route_read.wires),
                    });
                }
                routes.push(route_read);
            }
            Ok::<_, Vec<Problem>>(routes)
        };
        let (routes, bypass) = (read("route", &spec.route)?, read("bypass", &spec.bypass)?);
        let place = &entry.value.get("route").unwrap_or(&entry.value).place;
        let zone = Zone::new(own.clone(), routes, bypass, spec.choose, &self.wires)
            .map_err(|error| vec![Problem::at(place, error.to_string())])?;
        if let Some((one, other)) = zone.missing() {
            let name = |place: u32| &spec.members[place as usize];
            let message = format!("the routes lead nowhere from `{}` to `{}`", name(one), name(other));
            return Err(vec![Problem::at(place, message)]);
        }
        Ok(zone)
    }

    fn zone_route(
        &self,
        route: &ZoneRouteSpec,
        node: &Node,
        spec: &ZoneSpec,
        own: &[ZoneMember],
        members: &[Vec<ZoneMember>],
    ) -> Result<ZoneRoute, Vec<Problem>> {
        let place = |key: &str| &node.get(key).unwrap_or(node).place;
        let member = |key: &str, name: &str| {
            spec.members.iter().position(|member| member == name).ok_or_else(|| {
                let known: Vec<&str> = spec.members.iter().map(String::as_str).collect();
                let message = format!("`{name}` is no member of this zone");
                vec![Problem::at(place(key), message).with_help(suggest(name, &known))]
            })
        };
        let (from, to) = (member("from", &route.from)?, member("to", &route.to)?);
        if from == to {
            return Err(vec![Problem::at(place("to"), "a route joins two different members")]);
        }
        let gateway = |key: &str, given: Option<&String>, at: usize| {
            let name = given.map_or(spec.members[at].as_str(), String::as_str);
            let place = if given.is_some() { place(key) } else { &node.place };
            let point = self.gateway(name, place)?;
            if holds(own[at], point.group, members) {
                Ok(point)
            } else {
                Err(vec![Problem::at(place, format!("`{name}` is not in `{}`", spec.members[at]))])
            }
        };
        Ok(ZoneRoute {
            from: from as u32,
            to: to as u32,
            from_gateway: gateway("from_gateway", route.from_gateway.as_ref(), from)?,
            to_gateway: gateway("to_gateway", route.to_gateway.as_ref(), to)?,
            wires: self.passings(&route.wires, node)?,
        })
    }

    /// The point that a gateway names: a cluster's way out, or after a colon one of its points.
    fn gateway(&self, text: &str, place: &crate::scenario::Place) -> Result<Point, Vec<Problem>> {
        let fault = |message: String| vec![Problem::at(place, message)];
        let named = |name: &&str| text == *name || text.strip_prefix(*name).is_some_and(|rest| rest.starts_with(':'));
        let Some(group) =
            (0..self.names.len()).filter(|&group| named(&self.names[group])).max_by_key(|&g| self.names[g].len())
        else {
            let help = "a gateway is `CLUSTER`, its way out, or `CLUSTER:POINT`, one of its nodes or routers";
            return Err(vec![Problem::at(place, format!("`{text}` names no cluster")).with_help(help)]);
        };
        let point = text.get(self.names[group].len() + 1..);
        let local = match (&self.clusters[group].network, point) {
            (Parameters::Routed(keys), Some(point)) => {
                let mut all = keys.nodes.iter().chain(&keys.routers);
                let number = all.position(|name| name == point);
                number.ok_or_else(|| {
                    fault(format!("`{point}` is neither a node nor a router of `{}`", self.names[group]))
                })? as u32
            }
            (Parameters::Routed(_), None) => {
                return Err(fault(format!("say which point of `{text}` is the gateway: `{text}:POINT`")));
            }
            (_, None) => Point::EXIT,
            (_, Some(point)) => {
                let nodes = self.clusters[group].nodes;
                let number = point.parse().ok().filter(|number| *number < nodes);
                number.ok_or_else(|| {
                    fault(format!("`{point}` is no node of `{}`: they are 0 to {}", self.names[group], nodes - 1))
                })?
            }
        };
        Ok(Point { group: group as u32, local })
    }
}

/// Whether a member of a zone is a group, or a zone that holds it.
fn holds(member: ZoneMember, group: u32, members: &[Vec<ZoneMember>]) -> bool {
    match member {
        ZoneMember::Group(own) => own == group,
        ZoneMember::Zone(zone) => members[zone as usize].iter().any(|inner| holds(*inner, group, members)),
    }
}

/// Whether no zones hold each other in a circle; each is held at most once.
fn is_tree(members: &[Vec<ZoneMember>]) -> bool {
    let mut left: Vec<bool> = vec![true; members.len()];
    loop {
        let is_free = |zone: usize, left: &[bool]| {
            members[zone].iter().all(|member| !matches!(member, ZoneMember::Zone(inner) if left[*inner as usize]))
        };
        let Some(zone) = (0..members.len()).find(|&zone| left[zone] && is_free(zone, &left)) else {
            return left.iter().all(|left| !left);
        };
        left[zone] = false;
    }
}
