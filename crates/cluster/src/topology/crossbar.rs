//! A crossbar: a link from each node to each other node, so that only messages between the same two nodes, in the same
//! direction, share a link. The nodes are at the gateway themselves: messages cross no link to or from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::numbered;
use super::{Channel, Ends, Point, Shape, TopologyError};

/// `kind = "crossbar"` has no keys of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrossbarParameters {}

/// The channels of a sender form a row, ordered by the receiver.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Crossbar {
    nodes: u32,
    channels: u32,
    link: Channel,
}

pub(super) fn build(_: &CrossbarParameters, nodes: u32, own: Channel) -> Result<Crossbar, TopologyError> {
    let channels = numbered("kind", u64::from(nodes) * u64::from(nodes.saturating_sub(1)))?;
    Ok(Crossbar { nodes, channels, link: own })
}

impl Crossbar {
    /// A sender has no channel to itself.
    fn number(&self, from: u32, to: u32) -> u32 {
        from * (self.nodes - 1) + to - u32::from(to > from)
    }
}

impl Shape for Crossbar {
    fn channels(&self) -> u32 {
        self.channels
    }

    fn channel(&self, _: u32) -> &Channel {
        &self.link
    }

    fn ends(&self, number: u32) -> Ends {
        let (from, place) = (number / (self.nodes - 1), number % (self.nodes - 1));
        let to = place + u32::from(place >= from);
        Ends { from: Point::Node(from), to: Point::Node(to), both_ways: false }
    }

    fn route(&self, from: u32, to: u32, route: &mut Vec<u32>) {
        route.push(self.number(from, to));
    }

    fn leave(&self, _: u32, _: &mut Vec<u32>) {}

    fn enter(&self, _: u32, _: &mut Vec<u32>) {}

    fn own_channels(&self, node: u32, out: &mut Vec<u32>) {
        for other in (0..self.nodes).filter(|&other| other != node) {
            out.extend([self.number(node, other), self.number(other, node)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::OWN;
    use super::*;

    #[test]
    fn too_many_pairs_are_refused() {
        // 65 536 × 65 535 is the largest product that fits into 32 bits.
        assert_eq!(build(&CrossbarParameters {}, 65_536, OWN).map(|crossbar| crossbar.channels), Ok(4_294_901_760));
        let error = build(&CrossbarParameters {}, 65_537, OWN).unwrap_err();
        assert_eq!(error.key, "kind");
        assert!(error.message.contains("4295032832 channels"), "{error}");
    }
}
