//! Cells: groups of nodes of any sizes, with a bundle of cables between any two of them, as a job sees a dragonfly+
//! (Shpiner et al., HiPINEB 2017) or a dragonfly whose groups never fill inside.
//!
//! Each node has a link to the switch of its cell. The cables between two cells share their load, as adaptive routing
//! makes them, so a bundle is one channel of their bandwidths together. The gateway is the switch of the first cell.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{fault, positive};
use super::star::Star;
use super::{Channel, Duplex, Ends, Members, Point, Shape, TopologyError};
use hetsim_base::units::{BytesPerSecond, Seconds};

/// `kind = "cells"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellsParameters {
    /// The number of nodes of each cell, such as `[51, 46, 38]`. Nodes fill the cells in order; if they are more, the
    /// last size repeats.
    #[schemars(length(min = 1), inner(range(min = 1)))]
    pub sizes: Vec<u32>,
    /// The number of cables between any two cells, which share their load; default 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub cell_links: u32,
    /// Bandwidth of a cable between cells. Default: that of the network.
    #[serde(default)]
    pub cell_bandwidth: Option<BytesPerSecond>,
    /// Latency of a cable between cells. Default: that of the network.
    #[serde(default)]
    pub cell_latency: Option<Seconds>,
    /// Whether a link carries both directions at full bandwidth (`"full"`, the default), or shares it (`"half"`).
    #[serde(default)]
    pub duplex: Duplex,
}

const fn one() -> u32 {
    1
}

/// The links of the nodes as in a star, then the bundles: of cells (0, 1), (0, 2), (1, 2), (0, 3) and so on, each from
/// the lower cell to the higher.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cells {
    links: Star,
    /// The first node of each cell of a size of its own, and of the first of the equal ones at the end.
    starts: Box<[u32]>,
    /// The number of nodes of each of the cells at the end.
    last: u32,
    count: u32,
    duplex: Duplex,
    bundle: Channel,
}

pub(super) fn build(parameters: &CellsParameters, nodes: u32, own: Channel) -> Result<Cells, TopologyError> {
    let CellsParameters { sizes, cell_links, cell_bandwidth, cell_latency, duplex } = parameters;
    positive("sizes", sizes)?;
    positive("cell_links", &[*cell_links])?;
    let Some((&last, own_sizes)) = sizes.split_last() else {
        return fault("sizes", "`sizes` must have at least one value");
    };
    let mut starts = vec![0u32];
    for size in own_sizes {
        match starts[starts.len() - 1].checked_add(*size).filter(|start| *start < nodes) {
            Some(start) => starts.push(start),
            None => break,
        }
    }
    // Where the sizes are more than the nodes fill, the cell of the last node is the last.
    let of_equal = nodes.saturating_sub(starts[starts.len() - 1]).div_ceil(last).max(1);
    let (last, of_equal) = if starts.len() == sizes.len() { (last, of_equal) } else { (nodes.max(1), 1) };
    let count = starts.len() as u32 - 1 + of_equal;
    let links = Star::new(*duplex, nodes, own)?;
    let bundles = u64::from(count) * u64::from(count - 1) / 2;
    duplex.channels("sizes", u64::from(nodes) + bundles)?;
    let cable = own.with("cell_bandwidth", *cell_bandwidth, *cell_latency)?;
    let bundle = Channel { bandwidth: cable.bandwidth * f64::from(*cell_links), ..cable };
    Ok(Cells { links, starts: starts.into(), last, count, duplex: *duplex, bundle })
}

impl Cells {
    /// The cell of a node.
    fn cell(&self, node: u32) -> u32 {
        let cell = self.starts.partition_point(|start| *start <= node) - 1;
        let is_equal = cell + 1 == self.starts.len();
        cell as u32 + if is_equal { (node - self.starts[cell]) / self.last } else { 0 }
    }

    /// The channel from one cell to another.
    fn between(&self, from: u32, to: u32) -> u32 {
        let (low, high) = (from.min(to), from.max(to));
        self.links.channels() + self.duplex.either(high * (high - 1) / 2 + low, from < to)
    }

    /// Appends the channel from one cell to another, if they differ.
    fn cross(&self, from: u32, to: u32, route: &mut Vec<u32>) {
        if from != to {
            route.push(self.between(from, to));
        }
    }

    /// The number of a channel among those of the bundles, if it is one.
    fn of_bundles(&self, number: u32) -> Option<u32> {
        number.checked_sub(self.links.channels())
    }
}

impl Shape for Cells {
    fn channels(&self) -> u32 {
        let bundles = self.count * (self.count - 1) / 2;
        self.links.channels() + self.duplex.forth(bundles)
    }

    fn channel(&self, number: u32) -> &Channel {
        if self.of_bundles(number).is_some() { &self.bundle } else { self.links.channel(number) }
    }

    fn ends(&self, number: u32) -> Ends {
        let Some(channel) = self.of_bundles(number) else {
            let ends = self.links.ends(number);
            let at_cell = |point: Point| match point {
                Point::Switch(_) => Point::Switch(self.cell(self.duplex.cable(number))),
                other => other,
            };
            return Ends { from: at_cell(ends.from), to: at_cell(ends.to), ..ends };
        };
        let bundle = self.duplex.cable(channel);
        // The greatest h for which h (h − 1) / 2 bundles come before.
        let high = (1 + (1 + 8 * u64::from(bundle)).isqrt()) as u32 / 2;
        let low = bundle - high * (high - 1) / 2;
        self.duplex.ends(channel, (Point::Switch(low), Point::Switch(high)))
    }

    fn name(&self, number: u32, members: Members) -> String {
        if self.of_bundles(number).is_none() {
            return self.links.name(number, members);
        }
        match self.ends(number) {
            Ends { from: Point::Switch(from), to: Point::Switch(to), both_ways } => {
                format!("cell {from} {} cell {to}", if both_ways { "and" } else { "to" })
            }
            other => other.to_string(),
        }
    }

    fn route(&self, from: u32, to: u32, route: &mut Vec<u32>) {
        self.links.leave(from, route);
        self.cross(self.cell(from), self.cell(to), route);
        self.links.enter(to, route);
    }

    fn leave(&self, from: u32, route: &mut Vec<u32>) {
        self.links.leave(from, route);
        self.cross(self.cell(from), 0, route);
    }

    fn enter(&self, to: u32, route: &mut Vec<u32>) {
        self.cross(0, self.cell(to), route);
        self.links.enter(to, route);
    }

    fn own_channels(&self, node: u32, out: &mut Vec<u32>) {
        self.links.own_channels(node, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{OWN, check, every_channel_is_used, lengths, route};
    use super::super::{Parameters as Any, Topology};
    use super::*;

    fn parameters(sizes: &[u32], duplex: Duplex) -> CellsParameters {
        let cell_bandwidth = "2GB/s".parse().ok();
        CellsParameters { sizes: sizes.to_vec(), cell_links: 3, cell_bandwidth, cell_latency: None, duplex }
    }

    fn cells(sizes: &[u32], nodes: u32, duplex: Duplex) -> Topology {
        Topology::new(&Any::Cells(parameters(sizes, duplex)), nodes, OWN).unwrap()
    }

    #[test]
    fn what_holds_for_all_topologies_holds() {
        for duplex in [Duplex::Full, Duplex::Half] {
            for sizes in [&[1][..], &[3], &[4, 1, 2], &[5, 2], &[100]] {
                for nodes in 1..12 {
                    let topology = cells(sizes, nodes, duplex);
                    check(&topology);
                    every_channel_is_used(&topology);
                }
            }
        }
    }

    #[test]
    fn cells_are_filled_in_order_and_the_last_size_repeats() {
        let cell_of = [0, 0, 0, 0, 1, 2, 2, 3, 3, 4];
        let topology = cells(&[4, 1, 2], 10, Duplex::Full);
        lengths(&topology, |from, to| if cell_of[from as usize] == cell_of[to as usize] { 2 } else { 3 });
        assert_eq!(topology.channels(), 2 * (10 + 10));
        assert_eq!(route(&topology, 5, 0), [10, 20 + 2 + 1, 1]);
        assert_eq!(topology.name(23, 0), "cell 2 to cell 0");
        assert_eq!(topology.name(route(&topology, 9, 7)[1], 0), "cell 4 to cell 3");
        // Two cells hold all of six nodes, and six cells one node each.
        assert_eq!(cells(&[5, 9], 6, Duplex::Full).channels(), 2 * (6 + 1));
        assert_eq!(cells(&[1], 6, Duplex::Full).channels(), 2 * (6 + 15));
    }

    #[test]
    fn a_bundle_has_the_bandwidth_of_its_cables() {
        let topology = cells(&[2], 4, Duplex::Full);
        let bundle = topology.channel(route(&topology, 0, 3)[1]);
        assert_eq!((bundle.bandwidth, bundle.latency, bundle.shared), (6e9, OWN.latency, true));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let key = |parameters: CellsParameters, nodes| build(&parameters, nodes, OWN).map(|_| ()).map_err(|e| e.key);
        let good = || parameters(&[2], Duplex::Full);
        assert_eq!(key(parameters(&[], Duplex::Full), 4), Err("sizes"));
        assert_eq!(key(parameters(&[2, 0], Duplex::Full), 4), Err("sizes"));
        assert_eq!(key(CellsParameters { cell_links: 0, ..good() }, 4), Err("cell_links"));
        assert_eq!(key(CellsParameters { cell_bandwidth: "0B/s".parse().ok(), ..good() }, 4), Err("cell_bandwidth"));
        assert_eq!(key(parameters(&[1], Duplex::Full), 100_000), Err("sizes"));
        assert_eq!(key(good(), 4), Ok(()));
    }
}
