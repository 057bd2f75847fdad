//! A dragonfly (Kim et al., ISCA 2008), with groups as in the Cray Cascade (Faanes et al., SC 2012).
//!
//! A group is a grid of routers, arranged in chassis. All routers of a chassis are connected pairwise, and so are those
//! with the same number in the chassis of a group. Any two groups are connected directly. If the routers of a group are
//! numbered chassis by chassis, from 0, the connection from group i to group j starts at router j of group i and ends
//! at router i of group j; if there are more groups than routers in a group, the numbers wrap around.
//!
//! Routes are minimal: to the router with the connection to the other group, across, and on to the receiver's router;
//! within a group first to the right position in the chassis, then to the right chassis (`routing` selects another
//! rule). If several parallel cables connect two routers, a hash of the two nodes picks one. The gateway is router 0.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{positive, product};
use super::{Channel, Duplex, Ends, Members, Point, Routing, Shape, TopologyError, hash};
use hetsim_base::units::{BytesPerSecond, Seconds};

/// `kind = "dragonfly"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DragonflyParameters {
    /// The number of groups. `groups` × `chassis` × `routers` × `nodes_per_router` is the number of nodes.
    #[schemars(range(min = 1))]
    pub groups: u32,
    /// The number of chassis in a group.
    #[schemars(range(min = 1))]
    pub chassis: u32,
    /// The number of routers in a chassis.
    #[schemars(range(min = 1))]
    pub routers: u32,
    /// The number of nodes at a router, each with a link of its own to it.
    #[schemars(range(min = 1))]
    pub nodes_per_router: u32,
    /// The number of parallel cables between two groups; default 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub group_links: u32,
    /// The number of parallel cables between two routers of different chassis; default 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub chassis_links: u32,
    /// The number of parallel cables between two routers of a chassis; default 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub router_links: u32,
    /// Bandwidth of a cable between groups. Default: that of the network.
    #[serde(default)]
    pub group_bandwidth: Option<BytesPerSecond>,
    /// Bandwidth of a cable between chassis. Default: that of the network.
    #[serde(default)]
    pub chassis_bandwidth: Option<BytesPerSecond>,
    /// Bandwidth of a cable within a chassis. Default: that of the network.
    #[serde(default)]
    pub router_bandwidth: Option<BytesPerSecond>,
    /// Latency of a cable between groups. Default: that of the network.
    #[serde(default)]
    pub group_latency: Option<Seconds>,
    /// Latency of a cable between chassis. Default: that of the network.
    #[serde(default)]
    pub chassis_latency: Option<Seconds>,
    /// Latency of a cable within a chassis. Default: that of the network.
    #[serde(default)]
    pub router_latency: Option<Seconds>,
    /// Whether a cable carries both directions at full bandwidth (`"full"`, the default), or shares it (`"half"`).
    #[serde(default)]
    pub duplex: Duplex,
    /// The path of a message from a router to another one of the group: first to the right position in the chassis,
    /// then to the right chassis (`"hetsim"`, the default); or as in SimGrid 4 (`"simgrid"`, in platforms read from its
    /// XML), which assumes that the message is in chassis 0 once it has changed its position, and continues from there.
    #[serde(default)]
    pub routing: Routing,
}

const fn one() -> u32 {
    1
}

/// Cables are numbered by class, and within a class by the pair that they connect. They run from a node to its router,
/// elsewhere from the lower number to the higher.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dragonfly {
    chassis: u32,
    routers: u32,
    nodes_per_router: u32,
    /// In the order of [`Class`].
    cables: [Cables; 4],
    channels: u32,
    duplex: Duplex,
    routing: Routing,
}

/// The ends of cables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A node and its router.
    Node,
    /// Two routers of a chassis.
    Router,
    /// Two chassis of a group.
    Chassis,
    /// Two groups.
    Group,
}

impl Class {
    const ALL: [Self; 4] = [Self::Node, Self::Router, Self::Chassis, Self::Group];
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Cables {
    first: u32,
    parallel: u32,
    cable: Channel,
}

/// The position of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    group: u32,
    chassis: u32,
    router: u32,
}

impl From<Place> for Point {
    fn from(Place { group, chassis, router }: Place) -> Self {
        Self::Router { group, chassis, router }
    }
}

/// The number of pairs of `count` things.
fn pairs(count: u32) -> u64 {
    u64::from(count) * u64::from(count.saturating_sub(1)) / 2
}

/// The number of a pair: pairs are ordered by their higher member, then by their lower one.
fn pair(a: u32, b: u32) -> u32 {
    pairs(a.max(b)) as u32 + a.min(b)
}

/// The lower and the higher member of the pair with this number.
fn unpair(number: u32) -> (u32, u32) {
    let high = (u64::from(number) * 8 + 1).isqrt().midpoint(1) as u32;
    (number - pairs(high) as u32, high)
}

pub(super) fn build(parameters: &DragonflyParameters, nodes: u32, own: Channel) -> Result<Dragonfly, TopologyError> {
    let p = parameters;
    let sizes = [p.groups, p.chassis, p.routers, p.nodes_per_router];
    let links = [p.group_links, p.chassis_links, p.router_links];
    let size_keys = ["groups", "chassis", "routers", "nodes_per_router"];
    let link_keys = ["group_links", "chassis_links", "router_links"];
    for (key, value) in size_keys.into_iter().zip(sizes).chain(link_keys.into_iter().zip(links)) {
        positive(key, &[value])?;
    }
    product("groups", "`groups` × `chassis` × `routers` × `nodes_per_router`", &sizes, nodes)?;
    let (groups, chassis, routers) = (u64::from(p.groups), u64::from(p.chassis), u64::from(p.routers));
    let classes = [
        ("nodes_per_router", u64::from(nodes), 1, own),
        (
            "router_links",
            (groups * chassis).saturating_mul(pairs(p.routers)),
            p.router_links,
            own.with("router_bandwidth", p.router_bandwidth, p.router_latency)?,
        ),
        (
            "chassis_links",
            (groups * routers).saturating_mul(pairs(p.chassis)),
            p.chassis_links,
            own.with("chassis_bandwidth", p.chassis_bandwidth, p.chassis_latency)?,
        ),
        (
            "group_links",
            pairs(p.groups),
            p.group_links,
            own.with("group_bandwidth", p.group_bandwidth, p.group_latency)?,
        ),
    ];
    let mut cables = [Cables { first: 0, parallel: 1, cable: own }; 4];
    let (mut all, mut channels) = (0u64, 0);
    for (place, (key, pairs, parallel, cable)) in cables.iter_mut().zip(classes) {
        *place = Cables { first: all as u32, parallel, cable };
        all = pairs.saturating_mul(parallel.into()).saturating_add(all);
        channels = p.duplex.channels(key, all)?;
    }
    let DragonflyParameters { chassis, routers, nodes_per_router, duplex, routing, .. } = *p;
    Ok(Dragonfly { chassis, routers, nodes_per_router, cables, channels, duplex, routing })
}

impl Dragonfly {
    fn router(&self, node: u32) -> Place {
        let number = node / self.nodes_per_router;
        let (rest, router) = (number / self.routers, number % self.routers);
        Place { group: rest / self.chassis, chassis: rest % self.chassis, router }
    }

    /// The router of `group` with the cables to the group `other`.
    fn towards(&self, group: u32, other: u32) -> Place {
        let number = other % (self.chassis * self.routers);
        Place { group, chassis: number / self.routers, router: number % self.routers }
    }

    fn cable(&self, class: Class, pair: u32, pick: u32) -> u32 {
        let cables = self.cables[class as usize];
        cables.first + pair * cables.parallel + pick % cables.parallel
    }

    /// Appends the channels between two routers of a group.
    fn within(&self, from: Place, to: Place, pick: u32, route: &mut Vec<u32>) {
        self.within_chassis(from, to, pick, route);
        self.across_chassis(from, to, pick, route);
    }

    /// Appends the channel to the position of another router in the chassis.
    fn within_chassis(&self, from: Place, to: Place, pick: u32, route: &mut Vec<u32>) {
        if from.router != to.router {
            let first = (from.group * self.chassis + from.chassis) * pairs(self.routers) as u32;
            let cable = self.cable(Class::Router, first + pair(from.router, to.router), pick);
            route.push(self.duplex.either(cable, from.router < to.router));
        }
    }

    /// Appends the channel from another chassis to a router.
    fn across_chassis(&self, from: Place, to: Place, pick: u32, route: &mut Vec<u32>) {
        if from.chassis != to.chassis {
            let first = (from.group * self.routers + to.router) * pairs(self.chassis) as u32;
            let cable = self.cable(Class::Chassis, first + pair(from.chassis, to.chassis), pick);
            route.push(self.duplex.either(cable, from.chassis < to.chassis));
        }
    }

    /// Appends the channels of a message that stays in its group.
    fn within_one_group(&self, from: Place, to: Place, pick: u32, route: &mut Vec<u32>) {
        self.within_chassis(from, to, pick, route);
        // SimGrid 4 looks up the router with the right position, but always that of the first chassis.
        let is_lost = self.routing == Routing::Simgrid && from.router != to.router;
        let at = if is_lost { Place { chassis: 0, ..from } } else { from };
        self.across_chassis(at, to, pick, route);
    }

    /// Appends the channels between two routers.
    fn between(&self, from: Place, to: Place, pick: u32, route: &mut Vec<u32>) {
        if from.group == to.group {
            return self.within_one_group(from, to, pick, route);
        }
        self.within(from, self.towards(from.group, to.group), pick, route);
        let cable = self.cable(Class::Group, pair(from.group, to.group), pick);
        route.push(self.duplex.either(cable, from.group < to.group));
        self.within(self.towards(to.group, from.group), to, pick, route);
    }

    /// The class of a channel, the number of its pair, and which of the parallel cables it is.
    fn locate(&self, number: u32) -> (Class, u32, u32) {
        let cable = self.duplex.cable(number);
        // If several classes start with the same cable, all but the last are empty.
        let place = self.cables.partition_point(|cables| cables.first <= cable) - 1;
        let Cables { first, parallel, .. } = self.cables[place];
        (Class::ALL[place], (cable - first) / parallel, (cable - first) % parallel)
    }
}

impl Shape for Dragonfly {
    fn channels(&self) -> u32 {
        self.channels
    }

    fn channel(&self, number: u32) -> &Channel {
        &self.cables[self.locate(number).0 as usize].cable
    }

    fn ends(&self, number: u32) -> Ends {
        let (class, index, _) = self.locate(number);
        let joined = match class {
            Class::Node => (Point::Node(index), self.router(index).into()),
            Class::Router => {
                let each = pairs(self.routers) as u32;
                let ((low, high), place) = (unpair(index % each), index / each);
                let at = |router| Place { group: place / self.chassis, chassis: place % self.chassis, router }.into();
                (at(low), at(high))
            }
            Class::Chassis => {
                let each = pairs(self.chassis) as u32;
                let ((low, high), place) = (unpair(index % each), index / each);
                let at = |chassis| Place { group: place / self.routers, chassis, router: place % self.routers }.into();
                (at(low), at(high))
            }
            Class::Group => {
                let (low, high) = unpair(index);
                (self.towards(low, high).into(), self.towards(high, low).into())
            }
        };
        self.duplex.ends(number, joined)
    }

    fn name(&self, number: u32, members: Members) -> String {
        let (class, _, cable) = self.locate(number);
        let ends = self.ends(number).named(members);
        if self.cables[class as usize].parallel == 1 { ends.to_string() } else { format!("{ends} (cable {cable})") }
    }

    fn route(&self, from: u32, to: u32, route: &mut Vec<u32>) {
        route.push(self.duplex.forth(from));
        self.between(self.router(from), self.router(to), hash(from, to), route);
        route.push(self.duplex.back(to));
    }

    fn leave(&self, from: u32, route: &mut Vec<u32>) {
        route.push(self.duplex.forth(from));
        self.between(self.router(from), self.router(0), hash(from, from), route);
    }

    fn enter(&self, to: u32, route: &mut Vec<u32>) {
        self.between(self.router(0), self.router(to), hash(to, to), route);
        route.push(self.duplex.back(to));
    }

    fn own_channels(&self, node: u32, out: &mut Vec<u32>) {
        self.duplex.both(node, out);
    }
}

#[cfg(test)]
mod tests;
