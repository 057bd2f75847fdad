//! A fat tree of levels of switches, each switch with several parents (Leiserson, IEEE Transactions on Computers C-34,
//! 1985, in the family of the generalised trees of Öhring et al., IPPS 1995, with parallel cables).
//!
//! A message climbs to the nearest common ancestors of its two nodes and down again. Which parent and which of the
//! parallel cables it takes, the number of the destination says: D-mod-k routing (Zahavi, D-Mod-K routing providing
//! non-blocking traffic for shift permutations on real life fat trees, Technion, 2010). All messages to one node thus
//! come down the same way. Where a tree has as many cables up from each switch as down, they never meet in a shift, in
//! which each node i sends to node i + s.
//!
//! The gateway is above the top switches. A message leaves by the top switch at which those to its own sender come
//! down, and enters where those to its receiver do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{as_long, fault, positive, product};
use super::{Channel, Duplex, Ends, Point, Shape, TopologyError};
use crate::units::{BytesPerSecond, Seconds};

/// `kind = "fat_tree"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// How many children a switch has, for each level from the nodes up, such as `[4, 4]`: four nodes on a switch of
    /// the lowest level, four such switches below each of the next. Their product is the number of nodes.
    #[schemars(length(min = 1))]
    pub down: Vec<u32>,
    /// How many parents a node has in the first level, a switch of the first level in the second, and so on, such as
    /// `[1, 2]`.
    #[schemars(length(min = 1))]
    pub up: Vec<u32>,
    /// How many cables join a child to each of its parents, for each level from the nodes up; one if not given.
    #[serde(default)]
    pub parallel: Option<Vec<u32>>,
    /// Bandwidth of a cable, for each level from the nodes up; that of the network if not given.
    #[serde(default)]
    pub bandwidths: Option<Vec<BytesPerSecond>>,
    /// Latency of a cable, for each level from the nodes up; that of the network if not given.
    #[serde(default)]
    pub latencies: Option<Vec<Seconds>>,
    /// Whether a cable carries both directions at full bandwidth (`"full"`, if not given), or shares it (`"half"`).
    #[serde(default)]
    pub duplex: Duplex,
}

/// Cables run from a child to a parent. They are numbered by level, within it by child, parent and parallel cable.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FatTree {
    levels: Box<[Level]>,
    channels: u32,
    duplex: Duplex,
}

/// A level of switches, with the cables down to its children.
///
/// The switches of one level above the same nodes form a block, and so do the children. A child is numbered `block ×
/// width + place`; its parents have the places `place + width × 0, 1, …` in the block of the level above.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Level {
    /// Children of a switch, that is blocks of children below a block.
    children: u32,
    /// Parents of a child.
    parents: u32,
    /// Cables from a child to each parent.
    parallel: u32,
    /// How many nodes are below a child.
    below: u32,
    /// How many children a block of them has.
    width: u32,
    /// The first cable.
    first: u32,
    cable: Channel,
}

pub(super) fn build(parameters: &Parameters, nodes: u32, own: Channel) -> Result<FatTree, TopologyError> {
    let Parameters { down, up, parallel, .. } = parameters;
    positive("down", down)?;
    product("down", "the product of `down`", down, nodes)?;
    as_long("up", up.len(), "down", down.len())?;
    positive("up", up)?;
    if let Some(parallel) = parallel {
        as_long("parallel", parallel.len(), "down", down.len())?;
        positive("parallel", parallel)?;
    }
    let cables = cables(parameters, own)?;
    let (mut below, mut width, mut first) = (1u32, 1u32, 0u64);
    let mut levels = Vec::with_capacity(down.len());
    for (level, (&children, &parents)) in down.iter().zip(up).enumerate() {
        let parallel = parallel.as_ref().map_or(1, |parallel| parallel[level]);
        levels.push(Level { children, parents, parallel, below, width, first: first as u32, cable: cables[level] });
        let all = [nodes / below, width, parents, parallel];
        first = all.iter().fold(1u64, |cables, &factor| cables.saturating_mul(factor.into())).saturating_add(first);
        // Checked at each level, so that no number of a level is cut off.
        parameters.duplex.channels("up", first)?;
        (below, width) = (below * children, width * parents);
    }
    let channels = parameters.duplex.channels("up", first)?;
    Ok(FatTree { levels: levels.into(), channels, duplex: parameters.duplex })
}

/// A cable of each level.
fn cables(parameters: &Parameters, own: Channel) -> Result<Vec<Channel>, TopologyError> {
    let Parameters { down, bandwidths, latencies, .. } = parameters;
    as_long("bandwidths", bandwidths.as_ref().map_or(down.len(), Vec::len), "down", down.len())?;
    as_long("latencies", latencies.as_ref().map_or(down.len(), Vec::len), "down", down.len())?;
    let cable = |level: usize| {
        let bandwidth = bandwidths.as_ref().map(|bandwidths| bandwidths[level]);
        own.with("bandwidths", bandwidth, latencies.as_ref().map(|latencies| latencies[level]))
    };
    if down.is_empty() {
        return fault("down", "`down` must have at least one value");
    }
    (0..down.len()).map(cable).collect()
}

impl Level {
    /// The cable up from the child above `node` that messages to `destination` take.
    ///
    /// Zahavi's rule: from level l, take port ⌊d / w₁…w_l⌋ mod w_{l+1} p_{l+1}, ports being dealt out to the parents in
    /// turn. So the place of every switch on the way is d modulo the width of its block.
    fn cable(&self, node: u32, destination: u32) -> u32 {
        let child = node / self.below * self.width + destination % self.width;
        let port = destination / self.width % (self.parents * self.parallel);
        self.first + (child * self.parents + port % self.parents) * self.parallel + port / self.parents
    }

    /// The child and the parent that a cable joins, and which of their parallel cables it is.
    fn locate(&self, cable: u32) -> (u32, u32, u32) {
        let (pair, parallel) = ((cable - self.first) / self.parallel, (cable - self.first) % self.parallel);
        let (child, up) = (pair / self.parents, pair % self.parents);
        let (block, place) = (child / self.width, child % self.width);
        (child, block / self.children * self.width * self.parents + place + self.width * up, parallel)
    }
}

impl FatTree {
    /// The place of a channel's level, and the cable.
    fn locate(&self, number: u32) -> (usize, u32) {
        let cable = self.duplex.cable(number);
        (self.levels.partition_point(|level| level.first <= cable) - 1, cable)
    }

    fn climb(&self, levels: &[Level], from: u32, to: u32, route: &mut Vec<u32>) {
        route.extend(levels.iter().map(|level| self.duplex.forth(level.cable(from, to))));
    }

    fn descend(&self, levels: &[Level], to: u32, route: &mut Vec<u32>) {
        route.extend(levels.iter().rev().map(|level| self.duplex.back(level.cable(to, to))));
    }
}

impl Shape for FatTree {
    fn channels(&self) -> u32 {
        self.channels
    }

    fn channel(&self, number: u32) -> &Channel {
        &self.levels[self.locate(number).0].cable
    }

    fn ends(&self, number: u32) -> Ends {
        let (place, cable) = self.locate(number);
        let (child, parent, _) = self.levels[place].locate(cable);
        let level = place as u32;
        let child = if level == 0 { Point::Node(child) } else { Point::TreeSwitch { level, number: child } };
        self.duplex.ends(number, (child, Point::TreeSwitch { level: level + 1, number: parent }))
    }

    fn name(&self, number: u32) -> String {
        let (place, cable) = self.locate(number);
        let (ends, level) = (self.ends(number), &self.levels[place]);
        if level.parallel == 1 { ends.to_string() } else { format!("{ends} (cable {})", level.locate(cable).2) }
    }

    fn route(&self, from: u32, to: u32, route: &mut Vec<u32>) {
        // A message climbs as long as its two nodes are below different children.
        let height = self.levels.partition_point(|level| from / level.below != to / level.below);
        self.climb(&self.levels[..height], from, to, route);
        self.descend(&self.levels[..height], to, route);
    }

    fn leave(&self, from: u32, route: &mut Vec<u32>) {
        self.climb(&self.levels, from, from, route);
    }

    fn enter(&self, to: u32, route: &mut Vec<u32>) {
        self.descend(&self.levels, to, route);
    }

    fn own_channels(&self, node: u32, out: &mut Vec<u32>) {
        let level = &self.levels[0];
        let cables = level.parents * level.parallel;
        (node * cables..(node + 1) * cables).for_each(|cable| self.duplex.both(cable, out));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{OWN, check, every_channel_is_used, lengths, loads};
    use super::super::{Parameters as Any, Topology};
    use super::*;

    fn parameters(down: &[u32], up: &[u32], parallel: &[u32]) -> Parameters {
        Parameters {
            down: down.to_vec(),
            up: up.to_vec(),
            parallel: Some(parallel.to_vec()),
            bandwidths: None,
            latencies: None,
            duplex: Duplex::Full,
        }
    }

    fn tree(down: &[u32], up: &[u32], parallel: &[u32]) -> Topology {
        Topology::new(&Any::FatTree(parameters(down, up, parallel)), down.iter().product(), OWN).unwrap()
    }

    /// Twice the level of the lowest switches above both.
    fn distance(down: &[u32], (mut from, mut to): (u32, u32)) -> usize {
        let mut level = 0;
        while from != to {
            (from, to) = (from / down[level], to / down[level]);
            level += 1;
        }
        2 * level
    }

    proptest! {
        #[test]
        fn routes_meet_at_the_nearest_common_ancestor(
            levels in prop::collection::vec((1u32..5, 1u32..4, 1u32..3), 1..4), half: bool,
        ) {
            let list = |part: fn(&(u32, u32, u32)) -> u32| levels.iter().map(part).collect::<Vec<u32>>();
            let (down, up, parallel) = (list(|level| level.0), list(|level| level.1), list(|level| level.2));
            let duplex = if half { Duplex::Half } else { Duplex::Full };
            let parameters = Parameters { duplex, ..parameters(&down, &up, &parallel) };
            let topology = Topology::new(&Any::FatTree(parameters), down.iter().product(), OWN).unwrap();
            check(&topology);
            lengths(&topology, |from, to| distance(&down, (from, to)));
        }

        // Zahavi 2010: on trees of constant bisection, with one port a node, D-mod-k routes every shift without
        // contention.
        #[test]
        fn a_shift_never_meets_itself(
            splits in prop::collection::vec((1u32..4, 1u32..3), 1..3), first in 2u32..5,
        ) {
            // A switch with c cables down has c cables up: to c parents, or to c / p parents by p cables each.
            let (mut down, mut up, mut parallel) = (vec![first], vec![1], vec![1]);
            let mut ports = first;
            for (children, cables) in splits {
                let cables = if ports % cables == 0 { cables } else { 1 };
                down.push(children + 1);
                up.push(ports / cables);
                parallel.push(cables);
                ports = (children + 1) * cables;
            }
            let topology = tree(&down, &up, &parallel);
            let nodes = topology.nodes();
            for shift in 1..nodes {
                let most = loads(&topology, (0..nodes).map(|from| (from, (from + shift) % nodes))).into_iter().max();
                prop_assert_eq!(most, Some(1), "{:?} {:?} {:?} by {}", down, up, parallel, shift);
            }
        }
    }

    #[test]
    fn the_tree_of_the_paper_is_used_whole() {
        // XGFT(3; 4, 4, 4; 1, 4, 4): a 4-ary 3-tree with 64 nodes, 16 switches in each level, 64 cables between levels.
        let topology = tree(&[4, 4, 4], &[1, 4, 4], &[1, 1, 1]);
        assert_eq!(topology.channels(), 2 * 3 * 64);
        every_channel_is_used(&topology);
        every_channel_is_used(&tree(&[4, 4], &[1, 2], &[1, 2]));
        // From node 1 to node 6 of a slimmer tree: port ⌊6 / 1⌋ mod 2 of the first level leads to top switch 0.
        let topology = tree(&[4, 4], &[1, 2], &[1, 1]);
        let mut route = Vec::new();
        topology.route(1, 6, &mut route);
        let names: Vec<String> = route.into_iter().map(|channel| topology.name(channel)).collect();
        assert_eq!(
            names,
            ["node 1 to switch 1.0", "switch 1.0 to switch 2.0", "switch 2.0 to switch 1.1", "switch 1.1 to node 6"]
        );
    }

    #[test]
    fn levels_have_links_of_their_own() {
        let parameters = Parameters {
            bandwidths: Some(["1GB/s", "4GB/s"].map(|text| text.parse().unwrap()).into()),
            latencies: Some(["1us", "2us"].map(|text| text.parse().unwrap()).into()),
            ..parameters(&[2, 2], &[1, 1], &[1, 2])
        };
        let topology = Topology::new(&Any::FatTree(parameters), 4, OWN).unwrap();
        let seen = [0, 7, 8, 15].map(|number| (topology.channel(number).bandwidth, topology.channel(number).latency));
        assert_eq!(seen, [(1e9, 1e-6), (1e9, 1e-6), (4e9, 2e-6), (4e9, 2e-6)]);
        assert_eq!(topology.name(10), "switch 1.0 to switch 2.0 (cable 1)");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let refused = |parameters: &Parameters, nodes| {
            let error = build(parameters, nodes, OWN).unwrap_err();
            (error.key, error.message)
        };
        let (key, message) = refused(&parameters(&[4, 4], &[1, 2], &[1, 1]), 15);
        assert_eq!((key, &*message), ("down", "the product of `down` is 16, but the cluster has 15 nodes"));
        assert_eq!(refused(&parameters(&[], &[], &[]), 1).0, "down");
        assert_eq!(refused(&parameters(&[4, 0], &[1, 2], &[1, 1]), 4).0, "down");
        assert_eq!(refused(&parameters(&[4, 4], &[1, 0], &[1, 1]), 16).0, "up");
        assert_eq!(refused(&parameters(&[4, 4], &[1, 2], &[1, 0]), 16).0, "parallel");
        assert_eq!(refused(&parameters(&[4, 4], &[1], &[1, 1]), 16).0, "up");
        let (key, message) = refused(&parameters(&[4, 4], &[1, 2], &[1]), 16);
        assert_eq!(key, "parallel");
        assert_eq!(message, "`parallel` must have 2 values, one for each of `down`, but has 1");
        let good = parameters(&[4, 4], &[1, 2], &[1, 1]);
        assert_eq!(refused(&Parameters { bandwidths: Some(vec![]), ..good.clone() }, 16).0, "bandwidths");
        assert_eq!(refused(&Parameters { latencies: Some(vec![]), ..good.clone() }, 16).0, "latencies");
        let zero = Some(vec!["0B/s".parse().unwrap(); 2]);
        assert_eq!(refused(&Parameters { bandwidths: zero, ..good }, 16).0, "bandwidths");
        for up in [[1, u32::MAX], [u32::MAX, u32::MAX]] {
            assert_eq!(refused(&parameters(&[4, 4], &up, &[1, 1]), 16).0, "up");
        }
    }

    #[test]
    fn a_large_tree_is_small() {
        // 98 304 nodes.
        let tree = build(&parameters(&[32, 32, 96], &[1, 32, 32], &[1, 1, 1]), 98_304, OWN).unwrap();
        assert!(size_of::<Topology>() + size_of_val(&*tree.levels) < 1024);
        assert_eq!(tree.channels, 2 * 3 * 98_304);
    }
}
