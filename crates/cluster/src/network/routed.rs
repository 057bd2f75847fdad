//! Named links and the routes over them: a network that no formula describes.
//!
//! The keys name the nodes and routers of a cluster and the routes between them; the links are those of
//! `[platform.wire]`. Messages share the links fairly, as under [`fair`](super::fair), and may cost as there.

use schemars::JsonSchema;
use serde::Deserialize;

use super::costs::Costs;
use super::protocol::ProtocolParameters;
use super::{Class, Delivery, Model, NetworkError, NetworkModel};
use crate::topology::Choose;
use hetsim_base::units::{Tick, Time};

/// `model = "routes"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutedParameters {
    /// The names of the cluster's nodes, in order.
    #[schemars(length(min = 1))]
    pub nodes: Vec<String>,
    /// The names of routers: further ends of routes, without computation.
    #[serde(default)]
    pub routers: Vec<String>,
    /// Whether only the `given` routes connect their ends, or a path with the `fewest_links` or the `least_latency` is
    /// found over all of them. `simgrid_floyd` and `simgrid_dijkstra` also find the fewest links, and among equal paths
    /// the one that SimGrid 4 takes under the routing of that name.
    #[serde(default)]
    pub choose: Choose,
    /// The routes; a single node needs none.
    #[serde(default)]
    pub route: Vec<RouteKeys>,
    /// What messages of the nodes cost besides, as under `fair`.
    #[serde(default)]
    pub costs: Option<ProtocolParameters>,
}

/// A route between two nodes or routers of a cluster.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RouteKeys {
    /// The start.
    pub from: String,
    /// The end. A route from a node to itself serves the messages that the node sends to itself, which are free
    /// otherwise.
    pub to: String,
    /// The links of the route, in order, by their names in `[platform.wire]`; `name.up` and `name.down` are the
    /// directions of a link whose `sharing` is `split_duplex`.
    pub wires: Vec<String>,
    /// Whether the route has no reverse. Otherwise the reverse route uses the same links in reverse order.
    #[serde(default)]
    pub one_way: bool,
    /// Whether the route takes precedence over the path that `choose` finds between its ends.
    #[serde(default)]
    pub bypass: bool,
}

/// The model. Its links are in the platform's [routing tables](crate::RoutingTables).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Routed {
    costs: Costs,
}

impl Routed {
    pub(super) fn new(parameters: &RoutedParameters, tick: Tick) -> Result<Self, NetworkError> {
        Costs::new(parameters.costs.as_ref(), tick).map(Self::from)
    }

    /// The same links, over which messages cost as under a closed model, in addition to the links' latencies.
    ///
    /// # Errors
    /// If the model is not [closed](Class::Closed).
    pub fn with_costs(costs: Model) -> Result<Self, NetworkError> {
        Costs::of(costs).map(Self::from)
    }
}

impl From<Costs> for Routed {
    fn from(costs: Costs) -> Self {
        Self { costs }
    }
}

impl NetworkModel for Routed {
    fn tick(&self) -> Option<Tick> {
        self.costs.tick()
    }

    #[inline]
    fn delivery(&self, bytes: u64) -> Delivery {
        self.costs.delivery(Time::ZERO, bytes)
    }

    fn class(&self) -> Class {
        Class::Flow
    }

    fn constant_receive_overhead(&self) -> Option<Time> {
        if self.costs.any() { None } else { Some(Time::ZERO) }
    }

    fn costs(&self) -> Option<&Costs> {
        Some(&self.costs)
    }
}
