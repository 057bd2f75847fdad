//! Switches connected at random, each to the same number of others: a random regular graph (Jellyfish: Singla et al.,
//! NSDI 2012).
//!
//! The graph is drawn from `seed` and connected. Messages take a shortest path. If there are several, each switch picks
//! the next one by a hash of the receiver and itself, so that all messages from one switch to one node take the same
//! path. The gateway is switch 0.
//!
//! This topology holds tables: two bytes per pair of switches, and eight per cable between them. Building it takes a
//! time proportional to the number of switches times the number of cables between them.

mod graph;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{fault, positive};
use super::{Channel, Duplex, Ends, Point, Shape, TopologyError, hash};
use graph::Graph;

/// The maximum number of switches: their distances alone take 32 MiB.
const MOST_SWITCHES: u32 = 4096;

/// `kind = "random_regular"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomRegularParameters {
    /// The number of other switches to which each switch is connected. It must be below the number of switches, and
    /// even if that is odd.
    #[schemars(range(min = 1))]
    pub degree: u32,
    /// The number of nodes at each switch; default 1. It must divide the number of nodes; at most 4096 switches are
    /// allowed.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub nodes_per_switch: u32,
    /// The seed of the graph; default 0. It is separate from the seed of the runs, which all have the same graph.
    #[serde(default)]
    pub seed: u64,
    /// Whether a link carries both directions at full bandwidth (`"full"`, the default), or shares it (`"half"`).
    #[serde(default)]
    pub duplex: Duplex,
}

const fn one() -> u32 {
    1
}

/// The cables of the nodes come first, from the node to its switch; then the cables between switches, from the lower
/// number to the higher.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RandomRegular {
    nodes: u32,
    nodes_per_switch: u32,
    graph: Graph,
    channels: u32,
    duplex: Duplex,
    link: Channel,
}

pub(super) fn build(
    parameters: &RandomRegularParameters,
    nodes: u32,
    own: Channel,
) -> Result<RandomRegular, TopologyError> {
    let &RandomRegularParameters { degree, nodes_per_switch, seed, duplex } = parameters;
    positive("degree", &[degree])?;
    positive("nodes_per_switch", &[nodes_per_switch])?;
    if !nodes.is_multiple_of(nodes_per_switch) {
        let message = format!("`nodes_per_switch` is {nodes_per_switch}, which does not divide the {nodes} nodes");
        return fault("nodes_per_switch", message);
    }
    let switches = nodes / nodes_per_switch;
    if switches > MOST_SWITCHES {
        let message = format!("that would be {switches} switches; at most {MOST_SWITCHES} are allowed");
        return fault("nodes_per_switch", message);
    }
    if degree >= switches {
        return fault("degree", format!("`degree` must be below the number of switches, which is {switches}"));
    }
    if (degree * switches) % 2 == 1 {
        return fault("degree", format!("`degree` must be even, since the number of switches, {switches}, is odd"));
    }
    if degree == 1 && switches > 2 {
        return fault("degree", format!("`degree` must be at least 2 for {switches} switches to be connected"));
    }
    let cables = u64::from(nodes) + u64::from(degree) * u64::from(switches) / 2;
    let channels = duplex.channels("nodes_per_switch", cables)?;
    Ok(RandomRegular {
        nodes,
        nodes_per_switch,
        graph: Graph::draw(switches, degree, seed),
        channels,
        duplex,
        link: own,
    })
}

impl RandomRegular {
    /// Appends the channels from one switch to another on the path to or from a node.
    fn between(&self, from: u32, to: u32, node: u32, route: &mut Vec<u32>) {
        let mut at = from;
        while at != to {
            let next = self.graph.next(at, to, hash(node, at));
            let cable = self.nodes + self.graph.edge(at, next);
            route.push(self.duplex.either(cable, at < next));
            at = next;
        }
    }

    fn switch(&self, node: u32) -> u32 {
        node / self.nodes_per_switch
    }
}

impl Shape for RandomRegular {
    fn channels(&self) -> u32 {
        self.channels
    }

    fn channel(&self, _: u32) -> &Channel {
        &self.link
    }

    fn ends(&self, number: u32) -> Ends {
        let cable = self.duplex.cable(number);
        let joined = if cable < self.nodes {
            (Point::Node(cable), Point::Switch(self.switch(cable)))
        } else {
            let (low, high) = self.graph.joined(cable - self.nodes);
            (Point::Switch(low), Point::Switch(high))
        };
        self.duplex.ends(number, joined)
    }

    fn route(&self, from: u32, to: u32, route: &mut Vec<u32>) {
        route.push(self.duplex.forth(from));
        self.between(self.switch(from), self.switch(to), to, route);
        route.push(self.duplex.back(to));
    }

    fn leave(&self, from: u32, route: &mut Vec<u32>) {
        route.push(self.duplex.forth(from));
        self.between(self.switch(from), 0, from, route);
    }

    fn enter(&self, to: u32, route: &mut Vec<u32>) {
        self.between(0, self.switch(to), to, route);
        route.push(self.duplex.back(to));
    }

    fn own_channels(&self, node: u32, out: &mut Vec<u32>) {
        self.duplex.both(node, out);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::super::tests::{OWN, check, every_channel_is_used, lengths};
    use super::super::{Parameters as Any, Topology};
    use super::*;

    /// Distances between switches, computed from the ends of the channels alone.
    fn breadth_first(topology: &Topology, switches: u32, start: u32) -> Vec<usize> {
        let mut distances = vec![usize::MAX; switches as usize];
        let mut waiting = VecDeque::from([start]);
        distances[start as usize] = 0;
        while let Some(at) = waiting.pop_front() {
            for ends in (0..topology.channels()).map(|number| topology.ends(number)) {
                if let (Point::Switch(a), Point::Switch(b)) = (ends.from, ends.to) {
                    for (here, next) in [(a, b), (b, a)] {
                        if here == at && distances[next as usize] == usize::MAX {
                            distances[next as usize] = distances[at as usize] + 1;
                            waiting.push_back(next);
                        }
                    }
                }
            }
        }
        distances
    }

    proptest! {
        #[test]
        fn routes_are_shortest_paths_of_a_simple_regular_graph(
            switches in 2u32..24, degree in 1u32..8, nodes_per_switch in 1u32..3, seed: u64, half: bool,
        ) {
            let duplex = if half { Duplex::Half } else { Duplex::Full };
            let parameters = Any::RandomRegular(RandomRegularParameters { degree, nodes_per_switch, seed, duplex });
            let possible = degree < switches && degree * switches % 2 == 0 && (degree > 1 || switches == 2);
            let built = Topology::new(&parameters, switches * nodes_per_switch, OWN);
            prop_assert_eq!(built.is_ok(), possible);
            let Ok(topology) = built else { return Ok(()) };
            check(&topology);
            every_channel_is_used(&topology);
            let mut degrees = vec![0; switches as usize];
            for number in 0..topology.channels() {
                let ends = topology.ends(number);
                if let (Point::Switch(a), Point::Switch(b)) = (ends.from, ends.to) {
                    prop_assert_ne!(a, b);
                    degrees[a as usize] += 1;
                    if half {
                        degrees[b as usize] += 1;
                    }
                }
            }
            prop_assert!(degrees.iter().all(|&found| found == degree));
            let distances: Vec<_> = (0..switches).map(|start| breadth_first(&topology, switches, start)).collect();
            lengths(&topology, |from, to| {
                2 + distances[(from / nodes_per_switch) as usize][(to / nodes_per_switch) as usize]
            });
        }
    }

    #[test]
    fn equal_paths_are_shared_out_among_the_receivers() {
        // Six switches of degree 4: each is connected to all but one, to which four paths of two steps lead.
        let parameters = RandomRegularParameters { degree: 4, nodes_per_switch: 64, seed: 0, duplex: Duplex::Full };
        let topology = build(&parameters, 6 * 64, OWN).unwrap();
        let path = |to| {
            let mut route = Vec::new();
            topology.route(0, to, &mut route);
            route
        };
        let far: Vec<_> = (64..6 * 64).map(path).filter(|route| route.len() == 4).collect();
        assert_eq!(far.len(), 64);
        let mut first: Vec<u32> = far.iter().map(|route| route[1]).collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 4);
    }

    #[test]
    fn the_seed_decides() {
        let draw = |seed| {
            let parameters = RandomRegularParameters { degree: 4, nodes_per_switch: 10, seed, duplex: Duplex::Full };
            build(&parameters, 1000, OWN).unwrap()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let refused = |degree, nodes_per_switch, nodes| {
            let parameters = RandomRegularParameters { degree, nodes_per_switch, seed: 0, duplex: Duplex::Full };
            let error = build(&parameters, nodes, OWN).unwrap_err();
            (error.key, error.message)
        };
        assert_eq!(refused(0, 1, 8).0, "degree");
        assert_eq!(refused(3, 0, 8).0, "nodes_per_switch");
        let (key, message) = refused(3, 3, 8);
        assert_eq!(
            (key, &*message),
            ("nodes_per_switch", "`nodes_per_switch` is 3, which does not divide the 8 nodes")
        );
        assert!(refused(3, 1, 4097).1.contains("4097 switches; at most 4096"));
        assert!(refused(8, 1, 8).1.contains("below the number of switches, which is 8"));
        assert!(refused(3, 1, 7).1.contains("must be even"));
        assert!(refused(1, 1, 4).1.contains("at least 2"));
        assert_eq!(refused(1, 1 << 30, 1 << 31).0, "nodes_per_switch");
    }

    #[test]
    fn a_large_one_holds_its_switches_only() {
        let parameters = RandomRegularParameters { degree: 16, nodes_per_switch: 100, seed: 0, duplex: Duplex::Full };
        let topology = build(&parameters, 100_000, OWN).unwrap();
        assert_eq!(topology.graph.heap(), 2 * 1000 * 1000 + 8 * 1000 * 16 / 2);
        assert!(size_of::<Topology>() < 1024);
    }
}
