//! `[platform.zone]`: nested zones of clusters and routers, and the routes between them.

use std::collections::BTreeMap;

use super::{Tables, reversed, routes_problem};
use crate::platform::spec::{ZoneRouteSpec, ZoneSpec};
use hetsim_cluster::network::Parameters;
use hetsim_cluster::topology::Choose;
use hetsim_cluster::{ClusterPoint, Zone, ZoneMember, ZoneRoute};
use hetsim_text::{Node, Place, Problem, suggest};

impl Tables<'_> {
    /// The zones, which contain each cluster once.
    pub(super) fn zones(&self) -> Result<Vec<Zone>, Vec<Problem>> {
        if self.spec.zone.is_empty() {
            return Ok(Vec::new());
        }
        for key in ["between", "link", "site"] {
            if let Some(node) = self.table.get(key) {
                let message = format!("`{key}` has no effect if zones join the clusters");
                return Err(vec![Problem::at(&node.place, message)]);
            }
        }
        let members = self.members()?;
        (0..self.zones.len()).map(|zone| self.zone(zone, &members)).collect()
    }

    /// Clusters, and zones that contain only routers.
    fn leaves(&self) -> impl Iterator<Item = &str> {
        self.names.iter().copied().chain(self.routers.iter().map(|entry| entry.key.as_str()))
    }

    /// The members of each zone.
    fn members(&self) -> Result<Vec<Vec<ZoneMember>>, Vec<Problem>> {
        let mut holder: BTreeMap<&str, &str> = BTreeMap::new();
        let mut all = Vec::new();
        for entry in self.routers.iter().chain(&self.zones) {
            if self.names.contains(&entry.key.as_str()) {
                let message = format!("`{}` is already the name of a cluster", entry.key);
                return Err(vec![Problem::at(&entry.place, message)]);
            }
            let spec = &self.spec.zone[&entry.key];
            if spec.members.is_empty() == spec.routers.is_empty() {
                return Err(vec![Problem::at(&entry.place, "a zone has either `members` or `routers`")]);
            }
        }
        for entry in &self.zones {
            let mut members = Vec::new();
            for (index, name) in self.spec.zone[&entry.key].members.iter().enumerate() {
                let place = &entry.value.at(&format!("members.{index}")).unwrap_or(&entry.value).place;
                let leaf = self.leaves().position(|known| known == name).map(|group| ZoneMember::Cluster(group as u32));
                let zone =
                    || self.zones.iter().position(|other| other.key == *name).map(|zone| ZoneMember::Zone(zone as u32));
                let Some(member) = leaf.or_else(zone) else {
                    let known: Vec<&str> = self.leaves().chain(self.zones.iter().map(|e| e.key.as_str())).collect();
                    let message = format!("there is no cluster or zone `{name}`");
                    return Err(vec![Problem::at(place, message).with_help(suggest(name, &known))]);
                };
                if let Some(other) = holder.insert(name, &entry.key) {
                    return Err(vec![Problem::at(place, format!("`{name}` is already in zone `{other}`"))]);
                }
                members.push(member);
            }
            all.push(members);
        }
        // If there is exactly one root zone and everything is in a zone, no zone can contain itself.
        let entries = self.zones.iter().chain(&self.routers);
        let tops: Vec<_> = entries.filter(|entry| !holder.contains_key(entry.key.as_str())).collect();
        if let Some(name) = self.names.iter().find(|name| !holder.contains_key(*name)) {
            let place = &self.table.at("cluster").and_then(|clusters| clusters.get(name)).unwrap_or(self.table).place;
            return Err(vec![Problem::at(place, format!("cluster `{name}` is in no zone"))]);
        }
        match tops.as_slice() {
            [_] if is_tree(&all) => Ok(all),
            [_, second, ..] => {
                Err(vec![Problem::at(&second.place, "one zone must contain all others").labelled("in no zone")])
            }
            _ => Err(vec![Problem::at(&self.table.place, "the zones contain each other: one must contain all others")]),
        }
    }

    fn zone(&self, number: usize, members: &[Vec<ZoneMember>]) -> Result<Zone, Vec<Problem>> {
        let entry = self.zones[number];
        let spec: &ZoneSpec = &self.spec.zone[&entry.key];
        let own = &members[number];
        let read = |key: &str, specs: &[ZoneRouteSpec]| {
            let mut routes = Vec::new();
            for (index, route) in specs.iter().enumerate() {
                let node = entry.value.at(&format!("{key}.{index}")).unwrap_or(&entry.value);
                let route_read = self.zone_route(route, node, spec, own, members)?;
                let first = routes.len();
                if !route.one_way {
                    routes.push(ZoneRoute {
                        from: route_read.to,
                        to: route_read.from,
                        from_gateway: route_read.to_gateway,
                        to_gateway: route_read.from_gateway,
                        links: reversed(&route_read.links),
                    });
                }
                routes.push(route_read);
                if spec.choose == Choose::SimgridDijkstra {
                    // For bypasses the order of the ends matters.
                    routes[first..].reverse();
                }
            }
            Ok::<_, Vec<Problem>>(routes)
        };
        let (routes, bypass) = (read("route", &spec.route)?, read("bypass", &spec.bypass)?);
        let table = entry.value.get("route").unwrap_or(&entry.value);
        let name = |place: u32| spec.members[place as usize].as_str();
        let zone = Zone::new(own.clone(), routes, bypass, spec.choose, &self.links)
            .map_err(|error| vec![routes_problem(&error, table, name)])?;
        if let Some((one, other)) = zone.missing() {
            return Err(vec![self.missing_route(name(one), name(other), table)]);
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
                let message = format!("`{name}` is not a member of this zone");
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
            if holds(own[at], point.cluster, members) {
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
            links: self.directed_links(&route.wires, node)?,
        })
    }

    /// The point of a gateway: a cluster's exit, or after a colon a point of it or of a zone of routers.
    fn gateway(&self, text: &str, place: &Place) -> Result<ClusterPoint, Vec<Problem>> {
        let fault = |message: String| vec![Problem::at(place, message)];
        let named = |name: &&str| text == *name || text.strip_prefix(*name).is_some_and(|rest| rest.starts_with(':'));
        let leaves = self.leaves().enumerate().filter(|(_, name)| named(name));
        let Some((group, name)) = leaves.max_by_key(|(_, name)| name.len()) else {
            let help = "a gateway is `CLUSTER`, the cluster's exit, or `CLUSTER:POINT`, one of its nodes or routers";
            return Err(vec![Problem::at(place, format!("`{text}` is not the name of a cluster")).with_help(help)]);
        };
        let listed: Option<(&[String], &[String])> = match self.clusters.get(group).map(|cluster| &cluster.network) {
            Some(Parameters::Routed(keys)) => Some((&keys.nodes, &keys.routers)),
            Some(_) => None,
            None => Some((&[], &self.spec.zone[name].routers)),
        };
        let local = match (listed, text.get(name.len() + 1..)) {
            (Some((nodes, routers)), Some(point)) => {
                let number = nodes.iter().chain(routers).position(|name| name == point);
                number.ok_or_else(|| fault(format!("`{point}` is neither a node nor a router of `{name}`")))? as u32
            }
            (Some(_), None) => {
                return Err(fault(format!("give the point of `{text}` that is the gateway: `{text}:POINT`")));
            }
            (None, None) => ClusterPoint::EXIT,
            (None, Some(point)) => {
                let nodes = self.clusters[group].ranks();
                let number = point.parse().ok().filter(|number| *number < nodes);
                number.ok_or_else(|| {
                    fault(format!("`{point}` is not a node of `{name}`: its nodes are 0 to {}", nodes - 1))
                })?
            }
        };
        Ok(ClusterPoint { cluster: group as u32, local })
    }
}

/// Whether a member of a zone is a group, or a zone that contains it.
fn holds(member: ZoneMember, group: u32, members: &[Vec<ZoneMember>]) -> bool {
    match member {
        ZoneMember::Cluster(own) => own == group,
        ZoneMember::Zone(zone) => members[zone as usize].iter().any(|inner| holds(*inner, group, members)),
    }
}

/// Whether the zones form a tree, given that each is in at most one zone.
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
