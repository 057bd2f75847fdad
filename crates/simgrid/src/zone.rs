//! `zone`: hosts and the routes between them as a cluster, or other zones and the routes between those.

use super::Word;
use super::part::{Part, Platform, Route, Routing, Zone};
use super::route::{RouteEnds, Seen};
use super::star;
use super::write::node_profiles;
use hetsim_text::{Node, Place, Problem};

impl<'e> Zone<'e> {
    /// The cluster of a zone of hosts.
    ///
    /// # Errors
    /// Content without an exact counterpart.
    pub(super) fn write_hosts(&self, part: &Part<'e>, platform: &Platform<'e>) -> Result<Node, Problem> {
        let place = part.place;
        if self.hosts.is_empty() && self.routers.is_empty() {
            return Err(self.element.fault("the zone holds no hosts, no routers and no zones"));
        }
        if let Some(route) = self.routes.iter().find(|route| route.gateways.is_some()) {
            return Err(route.element.fault("a zone of hosts has routes between hosts, not between zones"));
        }
        let mut entries = vec![("nodes", Node::integer(self.hosts.len() as u32, place))];
        entries.extend(self.cores(place));
        entries.extend(self.speeds(place));
        let network = if self.routing == Routing::Hub {
            star::network(self, part, platform)?
        } else {
            self.network(part, platform)?
        };
        entries.push(("network", Node::table(network, place)));
        entries.extend(node_profiles(part)?);
        entries.extend(self.powers(place));
        Ok(Node::table(entries, place))
    }

    /// Whether a zone only has routers.
    pub(super) fn is_of_routers(&self) -> bool {
        self.members.is_empty() && self.hosts.is_empty() && !self.routers.is_empty()
    }

    /// The zone of routers of a zone without hosts.
    ///
    /// # Errors
    /// Content without an exact counterpart.
    pub(super) fn write_routers(&self, part: &Part<'e>, platform: &Platform<'e>) -> Result<Node, Problem> {
        if let Some(route) = self.routes.iter().find(|route| route.bypass || route.gateways.is_some()) {
            let message = "a zone of routers has routes between routers only, and none that bypass others";
            return Err(route.element.fault(message));
        }
        if self.routing == Routing::Hub {
            return Err(self.element.fault("a zone with the routing Cluster needs hosts"));
        }
        let network = self.network(part, platform)?;
        let keys = network.into_iter().filter(|(key, _)| !matches!(*key, "model" | "nodes"));
        Ok(Node::table(keys, part.place))
    }

    /// The zone of a zone of zones.
    ///
    /// # Errors
    /// Content without an exact counterpart.
    pub(super) fn write_members(&self, number: usize, platform: &Platform<'e>) -> Result<Node, Problem> {
        let part = &platform.parts[number];
        part.not_mixed()?;
        let place = part.place;
        if self.routing == Routing::Hub || self.routing == Routing::None && self.members.len() > 1 {
            return Err(self
                .element
                .fault("the zones in a zone need routes between them: expected the routing Full or Floyd"));
        }
        let members = self.members.iter().map(|&member| platform.parts[member].id.value());
        let mut entries = vec![("members", Node::array(members, place)), ("choose", self.choose(place))];
        let (mut routes, mut bypasses) = (Vec::new(), Vec::new());
        let mut seen = Seen::new();
        for route in &self.routes {
            let Some(gateways) = route.gateways else {
                return Err(route.element.fault("a zone of zones has routes between zones, not between hosts"));
            };
            let ends = ends(route, gateways, number, platform)?;
            let list = if route.bypass { &mut bypasses } else { &mut routes };
            list.extend(route.write(ends, &platform.links, &mut seen)?);
        }
        for (key, list) in [("route", routes), ("bypass", bypasses)] {
            if !list.is_empty() {
                entries.push((key, Node::array(list, place)));
            }
        }
        Ok(Node::table(entries, place))
    }

    /// The table of a network of routes.
    fn network(&self, part: &Part<'e>, platform: &Platform<'e>) -> Result<Vec<(&'static str, Node)>, Problem> {
        let place = part.place;
        if let Some(way) = self.host_links.first() {
            return Err(way.element.fault("only a zone with the routing Cluster has `host_link`"));
        }
        if let Some(link) = self.backbone {
            return Err(platform.links.all[link]
                .element
                .fault("only a zone with the routing Cluster has a `backbone`"));
        }
        if self.routing == Routing::None && (self.hosts.len() + self.routers.len() > 1 || !self.routes.is_empty()) {
            return Err(self
                .element
                .fault("the hosts of a zone need routes between them, which the routing None does not have"));
        }
        let mut routes = Vec::new();
        let mut seen = Seen::new();
        for route in &self.routes {
            for end in [route.from, route.to] {
                platform.inside(end, part)?;
            }
            let ends = RouteEnds { from: route.from.value(), to: route.to.value(), gateways: None };
            routes.extend(route.write(ends, &platform.links, &mut seen)?);
        }
        Ok(self.table(self.routers.iter().map(|router| router.value()).collect(), routes, place))
    }

    /// The keys of a network of routes between the hosts and the routers `between`.
    pub(super) fn table(&self, between: Vec<Node>, routes: Vec<Node>, place: &Place) -> Vec<(&'static str, Node)> {
        let nodes = Node::array(self.hosts.iter().map(|host| host.id.value()), place);
        let mut entries = vec![("model", Node::string("routes", place)), ("nodes", nodes)];
        if !between.is_empty() {
            entries.push(("routers", Node::array(between, place)));
        }
        entries.push(("choose", self.choose(place)));
        if !routes.is_empty() {
            entries.push(("route", Node::array(routes, place)));
        }
        entries
    }

    /// The routing: Floyd and Dijkstra both count links. Routes over a hub are unique.
    fn choose(&self, place: &Place) -> Node {
        let choose = match self.routing {
            Routing::Full | Routing::None => "given",
            Routing::Hub => "fewest_links",
            Routing::Floyd => "simgrid_floyd",
            Routing::Dijkstra => "simgrid_dijkstra",
        };
        Node::string(choose, place)
    }

    /// The cores of the nodes, if there are nodes.
    fn cores(&self, place: &Place) -> Option<(&'static str, Node)> {
        let first = self.hosts.first()?;
        if self.hosts.iter().all(|host| host.cores == first.cores) {
            return Some(("cores", Node::integer(first.cores, &first.element.place)));
        }
        let all = self.hosts.iter().map(|host| Node::integer(host.cores, &host.element.place));
        Some(("node_cores", Node::array(all, place)))
    }

    /// The speeds of the nodes, if there are nodes.
    fn speeds(&self, place: &Place) -> Option<(&'static str, Node)> {
        let first = self.hosts.first()?;
        if self.hosts.iter().all(|host| host.speed.quantity.value == first.speed.quantity.value) {
            return Some(("speed", first.speed.value()));
        }
        Some(("speeds", Node::array(self.hosts.iter().map(|host| host.speed.value()), place)))
    }

    /// The power of the nodes, if any has one; an empty table for a node without.
    fn powers(&self, place: &Place) -> Option<(&'static str, Node)> {
        let first = self.hosts.first()?;
        if self.hosts.iter().all(|host| host.power == first.power) {
            return first.power.as_ref().map(|power| ("power", power.write(first.element)));
        }
        let all = self.hosts.iter().map(|host| match &host.power {
            Some(power) => power.write(host.element),
            // SimGrid counts no energy for it.
            None => Node::table([("idle", Node::string("0W", &host.element.place))], &host.element.place),
        });
        Some(("node_power", Node::array(all, place)))
    }
}

/// The ends of a route between zones.
fn ends<'e>(
    route: &Route<'e>,
    gateways: (Word<'e>, Word<'e>),
    number: usize,
    platform: &Platform<'e>,
) -> Result<RouteEnds, Problem> {
    let member = |name: Word<'e>| {
        let member = platform.names.find_part(name)?;
        let parent = platform.parts[member].parent;
        // Only a bypass may lead deeper.
        let mut outer = std::iter::successors(parent, |&part| platform.parts[part].parent);
        if parent == Some(number) || route.bypass && outer.any(|part| part == number) {
            return Ok(member);
        }
        Err(name.fault(format!("{:?} is not in the zone of this route", name.text)))
    };
    let (from, to) = (member(route.from)?, member(route.to)?);
    if from == to {
        return Err(route.to.fault("expected a route from a zone to another"));
    }
    let gateways = (platform.gateway(gateways.0, from)?, platform.gateway(gateways.1, to)?);
    Ok(RouteEnds { from: route.from.value(), to: route.to.value(), gateways: Some(gateways) })
}
