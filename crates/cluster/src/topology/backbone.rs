//! A backbone: one channel that every message crosses, between the uplink of its sender and the downlink of its
//! receiver. Messages to and from other clusters cross it too; the gateway is behind it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{fault, numbered};
use super::star::Star;
use super::{Channel, Duplex, Ends, Members, Point, Shape, TopologyError};
use hetsim_base::units::{BytesPerSecond, Seconds};

hetsim_base::registry::names! {
    /// Whether the messages on a channel share its bandwidth.
    "sharing": BackboneSharing {
        #[default]
        Shared "shared" = "the messages on it share its bandwidth",
        Unshared "unshared" = "its bandwidth bounds each message on its own",
    }
}

/// `kind = "backbone"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackboneParameters {
    /// Bandwidth of the backbone. Default: that of the network.
    #[serde(default)]
    pub backbone_bandwidth: Option<BytesPerSecond>,
    /// Latency of the backbone. Default: that of the network.
    #[serde(default)]
    pub backbone_latency: Option<Seconds>,
    /// Whether the messages on the backbone share its bandwidth (`"shared"`, the default), or the bandwidth bounds each
    /// message on its own (`"unshared"`).
    #[serde(default)]
    pub backbone_sharing: BackboneSharing,
    /// Whether each node has a link of its own to the backbone (default true). Without them the backbone is the only
    /// link, as on a bus.
    #[serde(default = "yes")]
    pub links: bool,
    /// Whether the links of the nodes carry both directions at full bandwidth (`"full"`, the default), or share it
    /// (`"half"`). The backbone always carries both directions.
    #[serde(default)]
    pub duplex: Duplex,
}

const fn yes() -> bool {
    true
}

/// The links of the nodes as in a star, if they have any, followed by the backbone.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Backbone {
    links: Option<Star>,
    backbone: Channel,
}

pub(super) fn build(parameters: &BackboneParameters, nodes: u32, own: Channel) -> Result<Backbone, TopologyError> {
    if !parameters.links && parameters.duplex == Duplex::Half {
        return fault("duplex", "`duplex` applies to the links of the nodes, but `links` is false");
    }
    let links = parameters.links.then(|| Star::new(parameters.duplex, nodes, own)).transpose()?;
    numbered("kind", links.as_ref().map_or(0, |links| u64::from(links.channels())) + 1)?;
    let own = Channel { shared: parameters.backbone_sharing == BackboneSharing::Shared, ..own };
    let backbone = own.with("backbone_bandwidth", parameters.backbone_bandwidth, parameters.backbone_latency)?;
    Ok(Backbone { links, backbone })
}

impl Backbone {
    fn number(&self) -> u32 {
        self.links.as_ref().map_or(0, Shape::channels)
    }

    /// The links of the nodes, if `number` is one of their channels.
    fn link(&self, number: u32) -> Option<&Star> {
        self.links.as_ref().filter(|links| number < links.channels())
    }
}

impl Shape for Backbone {
    fn channels(&self) -> u32 {
        self.number() + 1
    }

    fn channel(&self, number: u32) -> &Channel {
        self.link(number).map_or(&self.backbone, |links| links.channel(number))
    }

    /// The backbone leads back to the switch at which the links of the nodes meet.
    fn ends(&self, number: u32) -> Ends {
        let backbone = Ends { from: Point::Switch(0), to: Point::Switch(0), both_ways: true };
        self.link(number).map_or(backbone, |links| links.ends(number))
    }

    fn name(&self, number: u32, members: Members) -> String {
        self.link(number).map_or_else(|| "backbone".to_owned(), |links| links.name(number, members))
    }

    fn route(&self, from: u32, to: u32, route: &mut Vec<u32>) {
        self.leave(from, route);
        if let Some(links) = &self.links {
            links.enter(to, route);
        }
    }

    fn leave(&self, from: u32, route: &mut Vec<u32>) {
        if let Some(links) = &self.links {
            links.leave(from, route);
        }
        route.push(self.number());
    }

    fn enter(&self, to: u32, route: &mut Vec<u32>) {
        route.push(self.number());
        if let Some(links) = &self.links {
            links.enter(to, route);
        }
    }

    fn own_channels(&self, node: u32, out: &mut Vec<u32>) {
        if let Some(links) = &self.links {
            links.own_channels(node, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{OWN, route};
    use super::super::{Parameters as Any, Topology};
    use super::*;

    fn parameters() -> BackboneParameters {
        BackboneParameters {
            backbone_bandwidth: None,
            backbone_latency: None,
            backbone_sharing: BackboneSharing::Unshared,
            links: true,
            duplex: Duplex::Full,
        }
    }

    #[test]
    fn every_message_crosses_the_backbone_once() {
        let topology = Topology::new(&Any::Backbone(parameters()), 3, OWN).unwrap();
        assert_eq!(route(&topology, 0, 2), [0, 6, 5]);
        assert_eq!(topology.name(6, 0), "backbone");
        assert!(!topology.channel(6).shared && topology.channel(5).shared);
        let (mut out, mut back) = (Vec::new(), Vec::new());
        topology.leave(1, &mut out);
        topology.enter(1, &mut back);
        assert_eq!((out, back), (vec![2, 6], vec![6, 3]));
    }

    #[test]
    fn a_bus_is_a_backbone_without_links() {
        let topology =
            Topology::new(&Any::Backbone(BackboneParameters { links: false, ..parameters() }), 3, OWN).unwrap();
        assert_eq!((topology.channels(), route(&topology, 0, 2)), (1, vec![0]));
        let mut own = Vec::new();
        topology.own_channels(1, &mut own);
        assert!(own.is_empty());
    }

    #[test]
    fn what_is_wrong_is_said() {
        let key = |parameters, nodes| build(&parameters, nodes, OWN).map(|_| ()).map_err(|error| error.key);
        let zero = "0B/s".parse().ok();
        assert_eq!(key(BackboneParameters { backbone_bandwidth: zero, ..parameters() }, 3), Err("backbone_bandwidth"));
        assert_eq!(key(BackboneParameters { links: false, duplex: Duplex::Half, ..parameters() }, 3), Err("duplex"));
        assert_eq!(key(parameters(), 1 << 31), Err("kind"));
        assert_eq!(key(BackboneParameters { duplex: Duplex::Half, ..parameters() }, u32::MAX), Err("kind"));
        assert_eq!(key(BackboneParameters { duplex: Duplex::Half, ..parameters() }, u32::MAX - 1), Ok(()));
    }
}
