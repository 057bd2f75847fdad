//! A fat tree of levels of switches, each switch with several parents (Leiserson, IEEE Transactions on Computers C-34,
//! 1985, in the family of the generalised trees of Öhring et al., IPPS 1995, with parallel cables).
//!
//! A message climbs to the nearest common ancestors of its two nodes and descends again. The number of the destination
//! selects the parents and the parallel cables: D-mod-k routing (Zahavi, D-Mod-K routing providing non-blocking traffic
//! for shift permutations on real life fat trees, Technion, 2010). All messages to one node thus descend on the same
//! path. If each switch of a tree has as many cables up as down, the messages of a shift, in which each node i sends to
//! node i + s, never meet. `routing` selects another rule for the cables down.
//!
//! The gateway is above the top switches. A message leaves by the top switch at which messages to its own sender
//! descend, and enters by the one at which messages to its receiver do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{as_long, fault, positive, product};
use super::{Channel, Duplex, Ends, Members, Point, Routing, Shape, TopologyError};
use hetsim_base::units::{BytesPerSecond, Seconds};

/// `kind = "fat_tree"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FatTreeParameters {
    /// The number of children of a switch, for each level from the nodes up. `[4, 4]`: four nodes on a switch of the
    /// lowest level, four such switches below each switch of the next. Their product is the number of nodes.
    #[schemars(length(min = 1))]
    pub down: Vec<u32>,
    /// The number of parents of a node in the first level, of a switch of the first level in the second, and so on,
    /// such as `[1, 2]`.
    #[schemars(length(min = 1))]
    pub up: Vec<u32>,
    /// The number of cables from a child to each of its parents, for each level from the nodes up; default one.
    #[serde(default)]
    pub parallel: Option<Vec<u32>>,
    /// Bandwidth of a cable, for each level from the nodes up. Default: that of the network.
    #[serde(default)]
    pub bandwidths: Option<Vec<BytesPerSecond>>,
    /// Latency of a cable, for each level from the nodes up. Default: that of the network.
    #[serde(default)]
    pub latencies: Option<Vec<Seconds>>,
    /// Whether a cable carries both directions at full bandwidth (`"full"`, the default), or shares it (`"half"`).
    #[serde(default)]
    pub duplex: Duplex,
    /// The choice among parallel cables on a message's path down: by the number of its receiver, so that all messages
    /// to a node descend on the same path (`"hetsim"`, the default); or by the number of its sender, as in SimGrid 4
    /// (`"simgrid"`, in platforms read from its XML).
    #[serde(default)]
    pub routing: Routing,
    /// The number of the first node where numbers select a path; default 0. SimGrid numbers the nodes of all fat trees
    /// of a platform consecutively.
    #[serde(default)]
    pub first_number: u32,
}

/// Cables run from a child to a parent. They are numbered by level, then by child, parent and parallel cable.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FatTree {
    levels: Box<[Level]>,
    channels: u32,
    duplex: Duplex,
    routing: Routing,
    first_number: u32,
}

/// A level of switches, with the cables down to its children.
///
/// The switches of one level above the same nodes form a block, and so do the children. A child is numbered `block ×
/// width + place`; its parents have the places `place + width × 0, 1, …` in the block of the level above.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Level {
    /// Children of a switch, which is the number of blocks of children below a block.
    children: u32,
    /// Parents of a child.
    parents: u32,
    /// Cables from a child to each parent.
    parallel: u32,
    /// The number of nodes below a child.
    below: u32,
    /// The number of children in a block.
    width: u32,
    /// The first cable.
    first: u32,
    cable: Channel,
}

pub(super) fn build(parameters: &FatTreeParameters, nodes: u32, own: Channel) -> Result<FatTree, TopologyError> {
    let FatTreeParameters { down, up, parallel, .. } = parameters;
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
        // Checked at each level, so that no number of a level overflows.
        parameters.duplex.channels("up", first)?;
        (below, width) = (below * children, width * parents);
    }
    let channels = parameters.duplex.channels("up", first)?;
    let FatTreeParameters { duplex, routing, first_number, .. } = *parameters;
    if first_number.checked_add(nodes).is_none() {
        return fault("first_number", format!("`first_number` and {nodes} nodes are more than {}", u32::MAX));
    }
    Ok(FatTree { levels: levels.into(), channels, duplex, routing, first_number })
}

/// A cable of each level.
fn cables(parameters: &FatTreeParameters, own: Channel) -> Result<Vec<Channel>, TopologyError> {
    let FatTreeParameters { down, bandwidths, latencies, .. } = parameters;
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

/// The numbers of the child and the parent that a cable connects, and its index among their parallel cables.
struct TreeCable {
    child: u32,
    parent: u32,
    parallel: u32,
}

impl Level {
    /// The cable up from the child above `node` for messages to the node numbered `destination`.
    ///
    /// Zahavi's rule: from level l, take port ⌊d / w₁…w_l⌋ mod w_{l+1} p_{l+1}, with ports assigned to the parents in
    /// turn. So the place of every switch on the path is d modulo the width of its block.
    fn cable(&self, node: u32, destination: u32) -> u32 {
        let port = destination / self.width % (self.parents * self.parallel);
        self.parallel_cable(node, destination, port / self.parents)
    }

    /// That cable, or the parallel cable number `place` beside it.
    fn parallel_cable(&self, node: u32, destination: u32, place: u32) -> u32 {
        let child = node / self.below * self.width + destination % self.width;
        let parent = destination / self.width % self.parents;
        self.first + (child * self.parents + parent) * self.parallel + place
    }

    /// What a cable connects.
    fn locate(&self, cable: u32) -> TreeCable {
        let (pair, parallel) = ((cable - self.first) / self.parallel, (cable - self.first) % self.parallel);
        let (child, up) = (pair / self.parents, pair % self.parents);
        let (block, place) = (child / self.width, child % self.width);
        let parent = block / self.children * self.width * self.parents + place + self.width * up;
        TreeCable { child, parent, parallel }
    }
}

impl FatTree {
    /// The index of a channel's level, and the cable.
    fn locate(&self, number: u32) -> (usize, u32) {
        let cable = self.duplex.cable(number);
        (self.levels.partition_point(|level| level.first <= cable) - 1, cable)
    }

    /// The number of a node where numbers select a path.
    const fn number(&self, node: u32) -> u32 {
        self.first_number + node
    }

    fn climb(&self, levels: &[Level], from: u32, to: u32, route: &mut Vec<u32>) {
        route.extend(levels.iter().map(|level| self.duplex.forth(level.cable(from, self.number(to)))));
    }

    /// Appends the channels down to a node for a message from `from`.
    fn descend(&self, levels: &[Level], from: u32, to: u32, route: &mut Vec<u32>) {
        match self.routing {
            Routing::Hetsim => {
                route.extend(levels.iter().rev().map(|level| self.duplex.back(level.cable(to, self.number(to)))));
            }
            Routing::Simgrid => self.descend_by_sender(levels, from, to, route),
        }
    }

    /// The path down in SimGrid 4. The ports down of a switch form a row: one port to each of its children, repeated
    /// for each parallel cable. The search for a port to the right child starts at the port of the sender's number, and
    /// continues from there at the next switch, unless its row has ended.
    fn descend_by_sender(&self, levels: &[Level], from: u32, to: u32, route: &mut Vec<u32>) {
        let mut next = None;
        for level in levels.iter().rev() {
            let Level { children, parallel, below, .. } = *level;
            let child = to / below % children;
            // The first port to the child at or after a port.
            let port_after = |port: u32| port + (children + child - port % children) % children;
            let port = next.map(port_after).filter(|port| port / children < parallel);
            let port = port.unwrap_or_else(|| port_after(self.number(from) % parallel * children));
            route.push(self.duplex.back(level.parallel_cable(to, self.number(to), port / children)));
            next = Some(port + 1);
        }
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
        let TreeCable { child, parent, .. } = self.levels[place].locate(cable);
        let level = place as u32;
        let child = if level == 0 { Point::Node(child) } else { Point::TreeSwitch { level, number: child } };
        self.duplex.ends(number, (child, Point::TreeSwitch { level: level + 1, number: parent }))
    }

    fn name(&self, number: u32, members: Members) -> String {
        let (place, cable) = self.locate(number);
        let (ends, level) = (self.ends(number).named(members), &self.levels[place]);
        if level.parallel == 1 { ends.to_string() } else { format!("{ends} (cable {})", level.locate(cable).parallel) }
    }

    fn route(&self, from: u32, to: u32, route: &mut Vec<u32>) {
        // A message climbs while its two nodes are below different children.
        let height = self.levels.partition_point(|level| from / level.below != to / level.below);
        self.climb(&self.levels[..height], from, to, route);
        self.descend(&self.levels[..height], from, to, route);
    }

    fn leave(&self, from: u32, route: &mut Vec<u32>) {
        self.climb(&self.levels, from, from, route);
    }

    fn enter(&self, to: u32, route: &mut Vec<u32>) {
        self.descend(&self.levels, to, to, route);
    }

    fn own_channels(&self, node: u32, out: &mut Vec<u32>) {
        let level = &self.levels[0];
        let cables = level.parents * level.parallel;
        (node * cables..(node + 1) * cables).for_each(|cable| self.duplex.both(cable, out));
    }
}

#[cfg(test)]
mod tests;
