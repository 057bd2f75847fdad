//! A star: each node has an uplink and a downlink to a switch that never fills. The gateway is the switch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Channel, Duplex, Ends, Members, Point, Shape, TopologyError};

/// `kind = "star"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StarParameters {
    /// Whether a node sends and receives at full bandwidth at once (`"full"`, the default), or shares it (`"half"`).
    #[serde(default)]
    pub duplex: Duplex,
}

/// One cable per node, from the node to the switch, numbered as the nodes are.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Star {
    channels: u32,
    duplex: Duplex,
    link: Channel,
}

pub(super) fn build(parameters: &StarParameters, nodes: u32, own: Channel) -> Result<Star, TopologyError> {
    Star::new(parameters.duplex, nodes, own)
}

impl Star {
    pub(super) fn new(duplex: Duplex, nodes: u32, link: Channel) -> Result<Self, TopologyError> {
        Ok(Self { channels: duplex.channels("kind", u64::from(nodes))?, duplex, link })
    }
}

impl Shape for Star {
    fn channels(&self) -> u32 {
        self.channels
    }

    fn channel(&self, _: u32) -> &Channel {
        &self.link
    }

    fn ends(&self, number: u32) -> Ends {
        self.duplex.ends(number, (Point::Node(self.duplex.cable(number)), Point::Switch(0)))
    }

    fn name(&self, number: u32, members: Members) -> String {
        let ends = self.ends(number).named(members);
        match (ends.both_ways, ends.to) {
            (true, _) => format!("{} up and down", ends.from),
            (false, Point::Node(_) | Point::Group { .. }) => format!("{} down", ends.to),
            (false, _) => format!("{} up", ends.from),
        }
    }

    fn route(&self, from: u32, to: u32, route: &mut Vec<u32>) {
        self.leave(from, route);
        self.enter(to, route);
    }

    fn leave(&self, from: u32, route: &mut Vec<u32>) {
        route.push(self.duplex.forth(from));
    }

    fn enter(&self, to: u32, route: &mut Vec<u32>) {
        route.push(self.duplex.back(to));
    }

    fn own_channels(&self, node: u32, out: &mut Vec<u32>) {
        self.duplex.both(node, out);
    }
}
