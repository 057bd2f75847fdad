//! Named links and the routes over them: a network that no formula describes.
//!
//! The keys name the nodes and routers of a cluster and the routes between them; the links are those of
//! `[platform.wire]`. Messages share the links fairly, as under [`fair`](super::fair).

use schemars::JsonSchema;
use serde::Deserialize;

use crate::cluster::topology::Choose;

/// `model = "routes"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutedParameters {
    /// The names of the cluster's nodes, in order.
    #[schemars(length(min = 1))]
    pub nodes: Vec<String>,
    /// The names of routers: further ends of routes, that compute nothing.
    #[serde(default)]
    pub routers: Vec<String>,
    /// Whether only the routes that are `given` join their ends, or the way with the `fewest_links` or of the
    /// `least_latency` is found over all of them. `simgrid_floyd` and `simgrid_dijkstra` find the fewest links too,
    /// and of equal ways that which SimGrid 4 takes under the routing of that name.
    #[serde(default)]
    pub choose: Choose,
    /// The routes; a single node needs none.
    #[serde(default)]
    pub route: Vec<RouteKeys>,
}

/// A route between two nodes or routers of a cluster.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RouteKeys {
    /// Where it starts.
    pub from: String,
    /// Where it ends; a route from a node to itself is for the messages that it sends to itself, which are free otherwise.
    pub to: String,
    /// The links that it leads over, in order, by their names in `[platform.wire]`; `name.up` and `name.down` are the
    /// directions of one whose `sharing` is `split_duplex`.
    pub wires: Vec<String>,
    /// Whether the way back is another one. Otherwise it leads over the same links, in reverse.
    #[serde(default)]
    pub one_way: bool,
    /// Whether it goes before whatever `choose` finds between its ends.
    #[serde(default)]
    pub bypass: bool,
}

/// The model: what there is to know stands in the platform's [wiring](crate::cluster::RoutingTables).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Routed;
