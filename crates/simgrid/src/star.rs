//! `zone routing="Cluster"`: each host has an up link and a down link, with an optional backbone between them.
//!
//! A message passes its sender's up link, the backbone and its receiver's down link, even if both are the same link.
//! This equals a search for the fewest links over two routers joined by the backbone, or over one router without a
//! backbone. A router of the zone has no links of its own: its messages pass one link of the host and the backbone.

use std::collections::HashMap;

use super::Word;
use super::link::DirectedLink;
use super::part::{Hop, Host, HostLink, Part, Platform, Zone};
use super::route::{RouteEnds, RouteMark, Seen, entry};
use hetsim_text::{Node, Place, Problem};

/// The links of a host to the hub and back.
struct Spoke<'e> {
    up: DirectedLink<'e>,
    down: DirectedLink<'e>,
    host: Word<'e>,
    place: &'e Place,
}

/// The hub that joins the spokes.
struct Hub<'e> {
    /// The router at which messages arrive.
    arrive: String,
    /// The router from which messages leave.
    leave: String,
    /// The link between the two routers, if there are two.
    backbone: Option<DirectedLink<'e>>,
    /// The zone's own router.
    router: Option<&'e str>,
    /// The position of the zone.
    place: &'e Place,
}

/// The table of the network.
///
/// # Errors
/// The routes of the zone are not shortest paths, or a host has no link.
pub(super) fn network<'e>(
    zone: &Zone<'e>,
    part: &Part<'e>,
    platform: &Platform<'e>,
) -> Result<Vec<(&'static str, Node)>, Problem> {
    let spokes = spokes(zone, part, platform)?;
    let hub = Hub::new(zone, part, platform)?;
    distinct(&spokes, hub.backbone)?;
    let mut routes = hub.inner();
    routes.extend(spokes.iter().flat_map(|spoke| hub.outer(spoke)));
    routes.extend(loops(zone, part, platform, &spokes, hub.backbone)?);
    let mut between: Vec<&str> = hub.router.into_iter().chain([hub.arrive.as_str(), hub.leave.as_str()]).collect();
    between.dedup();
    Ok(zone.table(between.into_iter().map(|name| Node::string(name, part.place)).collect(), routes, part.place))
}

impl<'e> Hub<'e> {
    fn new(zone: &Zone<'e>, part: &Part<'e>, platform: &Platform<'e>) -> Result<Self, Problem> {
        if let [_, second, ..] = zone.routers.as_slice() {
            return Err(second.fault("expected at most one router in a zone with the routing Cluster"));
        }
        let router = zone.routers.first().map(|router| router.text);
        let backbone =
            zone.backbone.map(|link| platform.links.passing(whole(platform.links.all[link].id))).transpose()?;
        let own = |end: &str| {
            let name = format!("{}_{end}", part.id.text);
            match platform.names.look_up(&name) {
                None => Ok(name),
                Some(_) => Err(part.id.fault(format!("the name {name:?} is needed for the hub of this zone"))),
            }
        };
        let (arrive, leave) = match (backbone, router) {
            (Some(_), _) => (own("in")?, own("out")?),
            (None, Some(router)) => (router.to_owned(), router.to_owned()),
            (None, None) => (own("hub")?, own("hub")?),
        };
        Ok(Self { arrive, leave, backbone, router, place: part.place })
    }

    fn ends(&self, from: &str, to: &str) -> RouteEnds {
        RouteEnds { from: Node::string(from, self.place), to: Node::string(to, self.place), gateways: None }
    }

    /// The routes over the backbone.
    fn inner(&self) -> Vec<Node> {
        let Some(backbone) = self.backbone else { return Vec::new() };
        let (arrive, leave) = (self.arrive.as_str(), self.leave.as_str());
        let own = self.router.into_iter().flat_map(|router| [(arrive, router), (router, leave)]);
        let pairs = std::iter::once((arrive, leave)).chain(own);
        pairs.map(|(from, to)| entry(self.ends(from, to), &[backbone], RouteMark::OneWay, self.place)).collect()
    }

    /// The routes between a host and the hub.
    fn outer(&self, spoke: &Spoke<'_>) -> Vec<Node> {
        let Spoke { up, down, host, place } = spoke;
        let arrive = self.ends(host.text, &self.arrive);
        if self.backbone.is_none() && up.back().same(*down) {
            return vec![entry(arrive, &[*up], RouteMark::BothWays, place)];
        }
        let leave = self.ends(&self.leave, host.text);
        vec![entry(arrive, &[*up], RouteMark::OneWay, place), entry(leave, &[*down], RouteMark::OneWay, place)]
    }
}

/// The links of each host.
fn spokes<'e>(zone: &Zone<'e>, part: &Part<'e>, platform: &Platform<'e>) -> Result<Vec<Spoke<'e>>, Problem> {
    let mut ways = vec![None; zone.hosts.len()];
    for way in &zone.host_links {
        let place = platform.inside(way.host, part)?.and_then(|host| ways.get_mut(host));
        let Some(place) = place else { return Err(way.host.fault("expected a host, not a router")) };
        if place.replace(way).is_some() {
            return Err(way.element.fault(format!("there are two `host_link` of {:?}", way.host.text)));
        }
    }
    let spoke = |(host, way): (&Host<'e>, Option<&HostLink<'e>>)| {
        let way = way.ok_or_else(|| host.id.fault(format!("the host {:?} has no `host_link`", host.id.text)))?;
        let up = platform.links.passing(whole(way.up))?;
        let down = platform.links.passing(whole(way.down))?;
        Ok(Spoke { up, down, host: host.id, place: &way.element.place })
    };
    zone.hosts.iter().zip(ways).map(spoke).collect()
}

/// Refuses links that a route would pass twice, since SimGrid passes them once.
fn distinct(spokes: &[Spoke<'_>], backbone: Option<DirectedLink<'_>>) -> Result<(), Problem> {
    // The only host that a link leads down to; `None` if there are several.
    let mut down = HashMap::new();
    for (number, spoke) in spokes.iter().enumerate() {
        down.entry(spoke.down.name()).and_modify(|host| *host = None).or_insert(Some(number));
    }
    for (number, spoke) in spokes.iter().enumerate() {
        let fault = |message| Err(Problem::at(spoke.place, message));
        if down.get(&spoke.up.name()).is_some_and(|host| *host != Some(number)) {
            return fault("a link that is up for one host and down for another has no counterpart");
        }
        if backbone.is_some_and(|backbone| spoke.up.same(backbone) || spoke.down.same(backbone)) {
            return fault("a backbone that is also the link of a host has no counterpart");
        }
    }
    Ok(())
}

/// The routes of hosts to themselves.
fn loops<'e>(
    zone: &Zone<'e>,
    part: &Part<'e>,
    platform: &Platform<'e>,
    spokes: &[Spoke<'e>],
    backbone: Option<DirectedLink<'e>>,
) -> Result<Vec<Node>, Problem> {
    let mut seen = Seen::new();
    let mut routes = Vec::new();
    for route in &zone.routes {
        platform.inside(route.from, part)?;
        if route.from.text != route.to.text || route.bypass {
            return Err(route
                .element
                .fault("a zone with the routing Cluster has only routes from hosts to themselves"));
        }
        let ends = RouteEnds { from: route.from.value(), to: route.to.value(), gateways: None };
        routes.extend(route.write(ends, &platform.links, &mut seen)?);
    }
    for Spoke { up, down, host, place } in spokes {
        if !seen.contains(&(host.text, host.text, false)) {
            let down = (!up.same(*down)).then_some(*down);
            let way: Vec<_> = std::iter::once(*up).chain(backbone).chain(down).collect();
            let ends = RouteEnds { from: host.value(), to: host.value(), gateways: None };
            routes.push(entry(ends, &way, RouteMark::BothWays, place));
        }
    }
    Ok(routes)
}

/// A link as a whole, or its named half.
fn whole(link: Word<'_>) -> Hop<'_> {
    Hop { link, direction: None }
}
