//! The common part of torus and mesh: nodes on a grid, connected to their neighbours, and routes along one dimension
//! after the other.

use std::cmp::Ordering;

use super::check::{positive, product};
use super::{Channel, Duplex, Ends, Members, Point, Routing, Shape, TopologyError};

/// Cables run from a node to the next one of a dimension. They are numbered by dimension, then by *line* (the nodes
/// that differ in this dimension only), then along the line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    dimensions: Box<[Dimension]>,
    channels: u32,
    duplex: Duplex,
    link: Channel,
    routing: Routing,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Dimension {
    /// The number of nodes in a line.
    size: u32,
    /// The difference between the numbers of two neighbours.
    stride: u32,
    /// The number of cables in a line: the number of nodes if the line is closed.
    cables: u32,
    /// The first cable.
    first: u32,
}

impl Grid {
    pub(super) fn new(
        sizes: &[u32],
        closed: bool,
        duplex: Duplex,
        nodes: u32,
        link: Channel,
    ) -> Result<Self, TopologyError> {
        const KEY: &str = "dimensions";
        positive(KEY, sizes)?;
        product(KEY, "the product of `dimensions`", sizes, nodes)?;
        // A cable from the second of two nodes back to the first is already there.
        let cables = |size: u32| if closed && size > 2 { size } else { size - 1 };
        let all = sizes.iter().map(|&size| u64::from(nodes / size) * u64::from(cables(size))).sum();
        let channels = duplex.channels(KEY, all)?;
        let (mut stride, mut first) = (1, 0);
        let dimensions = sizes.iter().map(|&size| {
            let dimension = Dimension { size, stride, cables: cables(size), first };
            stride *= size;
            first += nodes / size * dimension.cables;
            dimension
        });
        Ok(Self { dimensions: dimensions.collect(), channels, duplex, link, routing: Routing::Hetsim })
    }

    /// The same grid with another rule for equally long directions.
    pub(super) fn with_routing(self, routing: Routing) -> Self {
        Self { routing, ..self }
    }

    /// The dimension of a channel, and the two nodes that its cable connects.
    fn locate(&self, number: u32) -> (usize, [u32; 2]) {
        let cable = self.duplex.cable(number);
        // If several dimensions start with the same cable, all but the last are empty.
        let place = self.dimensions.partition_point(|dimension| dimension.first <= cable) - 1;
        (place, self.dimensions[place].joined(cable))
    }
}

impl Dimension {
    fn coordinate(&self, node: u32) -> u32 {
        node / self.stride % self.size
    }

    fn is_closed(&self) -> bool {
        self.cables == self.size
    }

    /// The cable from the node at `coordinate` of `node`'s line to the next.
    fn cable(&self, node: u32, coordinate: u32) -> u32 {
        let line = node / self.stride / self.size * self.stride + node % self.stride;
        self.first + line * self.cables + coordinate
    }

    /// The two nodes that a cable connects.
    fn joined(&self, cable: u32) -> [u32; 2] {
        let (line, coordinate) = ((cable - self.first) / self.cables, (cable - self.first) % self.cables);
        let start = line / self.stride * self.stride * self.size + line % self.stride;
        [coordinate, (coordinate + 1) % self.size].map(|coordinate| start + coordinate * self.stride)
    }

    /// Appends the channels along the line of `node`, from its coordinate to that of `to`.
    fn walk(&self, node: u32, to: u32, grid: &Grid, route: &mut Vec<u32>) {
        let (duplex, routing) = (grid.duplex, grid.routing);
        let (mut at, to) = (self.coordinate(node), self.coordinate(to));
        let ahead = if to >= at { to - at } else { self.size - at + to };
        let rising = match ahead.cmp(&(self.size - ahead)) {
            _ if !self.is_closed() => to >= at,
            // SimGrid 4 tests whether the sender is beyond the middle of the line, but not whether it is at the middle.
            Ordering::Equal => routing == Routing::Hetsim || to > 0,
            order => order.is_lt(),
        };
        while at != to {
            if rising {
                route.push(duplex.forth(self.cable(node, at)));
                at = (at + 1) % self.size;
            } else {
                at = if at == 0 { self.size - 1 } else { at - 1 };
                route.push(duplex.back(self.cable(node, at)));
            }
        }
    }
}

impl Shape for Grid {
    fn channels(&self) -> u32 {
        self.channels
    }

    fn channel(&self, _: u32) -> &Channel {
        &self.link
    }

    fn ends(&self, number: u32) -> Ends {
        let (_, [first, second]) = self.locate(number);
        self.duplex.ends(number, (Point::Node(first), Point::Node(second)))
    }

    fn name(&self, number: u32, members: Members) -> String {
        format!("{} (dimension {})", self.ends(number).named(members), self.locate(number).0)
    }

    fn route(&self, from: u32, to: u32, route: &mut Vec<u32>) {
        let mut at = from;
        for dimension in &self.dimensions {
            dimension.walk(at, to, self, route);
            at = at - dimension.coordinate(at) * dimension.stride + dimension.coordinate(to) * dimension.stride;
        }
    }

    fn leave(&self, from: u32, route: &mut Vec<u32>) {
        self.route(from, 0, route);
    }

    fn enter(&self, to: u32, route: &mut Vec<u32>) {
        self.route(0, to, route);
    }

    /// A reflected Gray code: a line is walked back where the number of the line is odd.
    fn along(&self, node: u32) -> u32 {
        self.dimensions.iter().rev().fold(0, |line, dimension| {
            let at = dimension.coordinate(node);
            line * dimension.size + if line % 2 == 0 { at } else { dimension.size - 1 - at }
        })
    }

    fn own_channels(&self, node: u32, out: &mut Vec<u32>) {
        for dimension in &self.dimensions {
            let at = dimension.coordinate(node);
            if at < dimension.cables {
                self.duplex.both(dimension.cable(node, at), out);
            }
            if at > 0 {
                self.duplex.both(dimension.cable(node, at - 1), out);
            } else if dimension.is_closed() {
                self.duplex.both(dimension.cable(node, dimension.size - 1), out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{OWN, check, every_channel_is_used, lengths, route};
    use super::super::{Parameters, Topology, mesh, torus};
    use super::*;

    fn grid(dimensions: &[u32], closed: bool, duplex: Duplex) -> Topology {
        let dimensions = dimensions.to_vec();
        let nodes = dimensions.iter().product();
        let parameters = if closed {
            Parameters::Torus(torus::TorusParameters { dimensions, duplex, routing: Routing::Hetsim })
        } else {
            Parameters::Mesh(mesh::MeshParameters { dimensions, duplex })
        };
        Topology::new(&parameters, nodes, OWN).unwrap()
    }

    /// The sum over dimensions of the distance, in the shorter direction if the line is closed.
    fn distance(dimensions: &[u32], closed: bool, (mut from, mut to): (u32, u32)) -> usize {
        let mut sum = 0;
        for &size in dimensions {
            let apart = (from % size).abs_diff(to % size);
            sum += if closed { apart.min(size - apart) } else { apart };
            (from, to) = (from / size, to / size);
        }
        sum as usize
    }

    proptest! {
        #[test]
        fn routes_are_as_long_as_the_grid_is_wide(
            dimensions in prop::collection::vec(1u32..6, 1..4), closed: bool, half: bool,
        ) {
            let duplex = if half { Duplex::Half } else { Duplex::Full };
            let topology = grid(&dimensions, closed, duplex);
            check(&topology);
            every_channel_is_used(&topology);
            lengths(&topology, |from, to| distance(&dimensions, closed, (from, to)));
        }
    }

    proptest! {
        /// Every node once, each beside the one before; the last beside the first where the last dimension closes and is even.
        #[test]
        fn nodes_along_the_grid_are_neighbours(
            dimensions in prop::collection::vec(1u32..6, 1..7), closed: bool, group in 1u32..4,
        ) {
            let nodes = dimensions.iter().product::<u32>();
            prop_assume!(nodes <= 2000);
            let topology = grid(&dimensions, closed, Duplex::Full);
            let mut order: Vec<u32> = (0..nodes).collect();
            order.sort_by_key(|&node| topology.along(node));
            prop_assert!((0..nodes).all(|place| topology.along(order[place as usize]) == place));
            for pair in order.windows(2) {
                prop_assert_eq!(distance(&dimensions, closed, (pair[0], pair[1])), 1);
            }
            let last = dimensions.iter().copied().rfind(|&size| size > 1).unwrap_or(1);
            if closed && last % 2 == 0 {
                prop_assert_eq!(distance(&dimensions, true, (order[0], order[nodes as usize - 1])), 1);
            }
            // Of groups of nodes, those of a group stay together.
            let parameters = Parameters::Torus(torus::TorusParameters {
                dimensions, duplex: Duplex::Full, routing: Routing::Hetsim,
            });
            let groups = Topology::of_groups(&parameters, nodes * group, group, OWN).unwrap();
            let torus = (0..nodes * group).map(|node| (node, topology.along(node / group) * group + node % group));
            prop_assert!(torus.clone().all(|(node, along)| groups.along(node) == along));
        }
    }

    #[test]
    fn the_first_dimension_comes_first_and_ties_rise() {
        // Nodes 0 1 2 3 form the first row. From 0 to 6, at (2, 1): two steps in either direction, so the rising one.
        let topology = grid(&[4, 3], true, Duplex::Full);
        let names: Vec<String> = route(&topology, 0, 6).into_iter().map(|channel| topology.name(channel, 0)).collect();
        assert_eq!(
            names,
            ["node 0 to node 1 (dimension 0)", "node 1 to node 2 (dimension 0)", "node 2 to node 6 (dimension 1)"]
        );
        // A 2 × 2 × 2 torus is a cube: 12 edges, one cable each.
        assert_eq!(grid(&[2, 2, 2], true, Duplex::Half).channels(), 12);
        // A k-ary n-cube with k > 2 has n cables per node; a mesh has one less in each line.
        assert_eq!(grid(&[5, 5], true, Duplex::Full).channels(), 2 * 2 * 25);
        assert_eq!(grid(&[5, 5], false, Duplex::Full).channels(), 2 * 2 * 20);
    }

    #[test]
    fn ties_of_simgrid_fall_from_the_middle_to_the_start() {
        let torus = |routing| {
            let dimensions = vec![6, 2, 3];
            let parameters = Parameters::Torus(torus::TorusParameters { dimensions, duplex: Duplex::Full, routing });
            Topology::new(&parameters, 36, OWN).unwrap()
        };
        let (own, simgrid) = (torus(Routing::Hetsim), torus(Routing::Simgrid));
        check(&simgrid);
        lengths(&simgrid, |from, to| route(&own, from, to).len());
        for from in 0..36 {
            for to in (0..36).filter(|&to| to != from) {
                let ways = [&own, &simgrid].map(|topology| route(topology, from, to));
                assert_eq!(ways[0] != ways[1], (from % 6, to % 6) == (3, 0), "from {from} to {to}");
            }
        }
        let names: Vec<String> = route(&simgrid, 3, 0).into_iter().map(|channel| simgrid.name(channel, 0)).collect();
        assert_eq!(names[0], "node 3 to node 2 (dimension 0)");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let new = |sizes: &[u32], nodes| Grid::new(sizes, true, Duplex::Full, nodes, OWN);
        let error = new(&[4, 4], 15).unwrap_err();
        assert_eq!(error.key, "dimensions");
        assert_eq!(error.message, "the product of `dimensions` is 16, and must be 15");
        assert!(new(&[4, 0], 4).unwrap_err().message.contains("at least 1"));
        assert!(new(&[], 4).unwrap_err().message.contains("is 1, and must be 4"));
        assert!(new(&[u32::MAX; 3], 4).unwrap_err().message.contains("is above 18446744073709551615"));
        // 3 dimensions × 2 channels × 1000³ nodes.
        assert!(new(&[1000; 3], 1_000_000_000).unwrap_err().message.contains("6000000000 channels"));
    }

    #[test]
    fn a_large_torus_is_small() {
        let torus = Grid::new(&[50, 50, 40], true, Duplex::Full, 100_000, OWN).unwrap();
        assert!(size_of::<Topology>() + size_of_val(&*torus.dimensions) < 1024);
        assert_eq!(torus.channels, 600_000);
    }
}
