//! What holds for every topology, to be checked by the tests of each.

use std::collections::HashSet;

use super::*;

pub(super) const OWN: Channel = Channel { bandwidth: 1.25e9, latency: 1e-6, shared: true };

pub(super) fn route(topology: &Topology, from: u32, to: u32) -> Vec<u32> {
    let mut route = Vec::new();
    topology.route(from, to, &mut route);
    route
}

fn pairs(nodes: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..nodes).flat_map(move |from| (0..nodes).filter(move |&to| to != from).map(move |to| (from, to)))
}

/// Follows a route; the point where it ends.
fn walk(topology: &Topology, start: Point, route: &[u32]) -> Point {
    route.iter().fold(start, |at, &number| {
        let ends = topology.ends(number);
        match ends {
            Ends { from, to, .. } if from == at => to,
            Ends { from, to, both_ways: true } if to == at => from,
            _ => panic!("{} does not start at {at}", topology.name(number, 0)),
        }
    })
}

/// Routes are walks from the sender to the receiver that cross no channel twice and are as long as the way back; the
/// ways out and in meet; names differ; a node's own channels are those that touch it.
pub(super) fn check(topology: &Topology) {
    let nodes = topology.nodes();
    for (from, to) in pairs(nodes) {
        let route = route(topology, from, to);
        assert!(route.iter().all(|&number| number < topology.channels()));
        assert_eq!(walk(topology, Point::Node(from), &route), Point::Node(to));
        assert_eq!(route.iter().collect::<HashSet<_>>().len(), route.len(), "{route:?} crosses a channel twice");
        let back = self::route(topology, to, from);
        assert_eq!(route.len(), back.len());
        for (number, answers) in route.iter().filter_map(|&number| Some((number, topology.back_of(number)?))) {
            assert!(back.contains(&answers) && topology.back_of(answers) == Some(number));
        }
    }
    let all = || (0..topology.channels()).map(|number| (number, topology.ends(number)));
    for node in 0..nodes {
        let (mut out, mut back, mut own) = (Vec::new(), Vec::new(), Vec::new());
        topology.leave(node, &mut out);
        topology.enter(node, &mut back);
        let gateway = walk(topology, Point::Node(node), &out);
        assert_eq!(walk(topology, gateway, &back), Point::Node(node));
        topology.own_channels(node, &mut own);
        own.sort_unstable();
        let touching = all().filter(|(_, ends)| [ends.from, ends.to].contains(&Point::Node(node)));
        assert_eq!(own, touching.map(|(number, _)| number).collect::<Vec<_>>());
    }
    let names: HashSet<String> = all().map(|(number, _)| topology.name(number, 0)).collect();
    assert_eq!(names.len(), topology.channels() as usize);
}

/// How many of the messages cross each channel.
pub(super) fn loads(topology: &Topology, messages: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut loads = vec![0; topology.channels() as usize];
    for number in messages.flat_map(|(from, to)| route(topology, from, to)) {
        loads[number as usize] += 1;
    }
    loads
}

/// Where each node sends to each other, no channel is idle, but for the links of a node that is alone.
pub(super) fn every_channel_is_used(topology: &Topology) {
    if topology.nodes() > 1 {
        let loads = loads(topology, pairs(topology.nodes()));
        let idle: Vec<_> = (0u32..).zip(loads).filter(|&(_, load)| load == 0).map(|(number, _)| number).collect();
        assert!(idle.is_empty(), "nothing crosses {:?}", idle.iter().map(|&n| topology.name(n, 0)).collect::<Vec<_>>());
    }
}

/// Routes are as long as a closed form says.
pub(super) fn lengths(topology: &Topology, expected: impl Fn(u32, u32) -> usize) {
    for (from, to) in pairs(topology.nodes()) {
        assert_eq!(route(topology, from, to).len(), expected(from, to), "from node {from} to node {to}");
    }
}

fn read(text: &str) -> Parameters {
    toml::from_str(text).unwrap()
}

#[test]
fn small_topologies_hold_what_all_do() {
    for (text, length) in [
        ("kind = 'star'", 2),
        ("kind = 'star'\nduplex = 'half'", 2),
        ("kind = 'backbone'", 3),
        ("kind = 'backbone'\nduplex = 'half'", 3),
        ("kind = 'crossbar'", 1),
    ] {
        for nodes in 1..7 {
            let topology = Topology::new(&read(text), nodes, OWN).unwrap();
            check(&topology);
            every_channel_is_used(&topology);
            lengths(&topology, |_, _| length);
        }
    }
}

#[test]
fn a_star_has_two_channels_a_node() {
    let star = Topology::new(&read("kind = 'star'"), 100_000, OWN).unwrap();
    assert_eq!((star.channels(), route(&star, 3, 7)), (200_000, vec![6, 15]));
    assert_eq!([6, 7].map(|number| star.name(number, 0)), ["node 3 up", "node 3 down"]);
    assert!(size_of::<Topology>() < 1024);
    let error = Topology::new(&read("kind = 'star'"), 1 << 31, OWN).unwrap_err();
    assert_eq!(error.key, "kind");
    assert_eq!(error.message, "that would be 4294967296 channels or more; at most 4294967295 can be numbered");
    let half = Topology::new(&read("kind = 'star'\nduplex = 'half'"), u32::MAX, OWN).unwrap();
    assert_eq!((half.channels(), half.name(3, 0)), (u32::MAX, "node 3 up and down".to_owned()));
}

#[test]
fn tables_are_read_with_their_defaults() {
    assert_eq!(
        read("kind = 'fat_tree'\ndown = [4, 4]\nup = [1, 2]"),
        Parameters::FatTree(fat_tree::FatTreeParameters {
            down: vec![4, 4],
            up: vec![1, 2],
            parallel: None,
            bandwidths: None,
            latencies: None,
            duplex: Duplex::Full,
            routing: Routing::Hetsim,
            first_number: 0,
        })
    );
    for (text, nodes, channels) in [
        ("kind = 'fat_tree'\ndown = [4, 4]\nup = [1, 2]\nbandwidths = ['10Gbit/s', '40Gbit/s']", 16, 2 * (16 + 8)),
        ("kind = 'torus'\ndimensions = [8, 8, 8]", 512, 2 * 3 * 512),
        ("kind = 'mesh'\ndimensions = [4, 3]\nduplex = 'half'", 12, 9 + 8),
        ("kind = 'dragonfly'\ngroups = 3\nchassis = 2\nrouters = 2\nnodes_per_router = 2", 24, 2 * (24 + 6 + 6 + 3)),
        ("kind = 'random_regular'\ndegree = 3", 10, 2 * (10 + 15)),
        ("kind = 'backbone'\nbackbone_bandwidth = '1GB/s'\nbackbone_sharing = 'unshared'\nlinks = false", 9, 1),
    ] {
        assert_eq!(Topology::new(&read(text), nodes, OWN).map(|topology| topology.channels()), Ok(channels), "{text}");
    }
    assert!(toml::from_str::<Parameters>("kind = 'torus'\ndimensions = [8]\nsize = 3").is_err());
}

// Overflow is checked in tests, and tables of so many nodes would not fit.
#[test]
fn numbers_near_the_largest_are_right() {
    for (text, nodes) in [
        ("kind = 'star'\nduplex = 'half'", u32::MAX),
        ("kind = 'backbone'", (1 << 31) - 1),
        ("kind = 'crossbar'", 65_536),
        ("kind = 'torus'\ndimensions = [1000, 1000, 700]", 700_000_000),
        ("kind = 'mesh'\ndimensions = [16, 16, 16, 16, 16, 16, 16]\nduplex = 'half'", 1 << 28),
        ("kind = 'fat_tree'\ndown = [1000, 1000, 700]\nup = [1, 1000, 1000]", 700_000_000),
        ("kind = 'fat_tree'\ndown = [5, 1, 3]\nup = [3, 5, 7]\nparallel = [1, 2, 90000]\nduplex = 'half'", 15),
        ("kind = 'dragonfly'\ngroups = 60000\nchassis = 2\nrouters = 3\nnodes_per_router = 100", 36_000_000),
        ("kind = 'dragonfly'\ngroups = 1\nchassis = 60000\nrouters = 1\nnodes_per_router = 1000", 60_000_000),
        (
            "kind = 'dragonfly'\ngroups = 1\nchassis = 1\nrouters = 92000\nnodes_per_router = 600\nduplex = 'half'",
            55_200_000,
        ),
    ] {
        let topology = Topology::new(&read(text), nodes, OWN).unwrap();
        let some = [0, 1, nodes / 3, nodes / 2, nodes - 2, nodes - 1];
        for (from, to) in some.iter().flat_map(|&from| some.map(|to| (from, to))).filter(|(from, to)| from != to) {
            assert_eq!(walk(&topology, Point::Node(from), &route(&topology, from, to)), Point::Node(to), "{text}");
        }
        for node in some {
            let (mut out, mut back, mut own) = (Vec::new(), Vec::new(), Vec::new());
            topology.leave(node, &mut out);
            topology.enter(node, &mut back);
            let gateway = walk(&topology, Point::Node(node), &out);
            assert_eq!(walk(&topology, gateway, &back), Point::Node(node), "{text}");
            topology.own_channels(node, &mut own);
            assert!(own.into_iter().all(|number| {
                let ends = topology.ends(number);
                [ends.from, ends.to].contains(&Point::Node(node))
            }));
        }
        let last = topology.ends(topology.channels() - 1);
        assert_eq!(last.both_ways, text.contains("half") || text.contains("backbone"), "{text}");
    }
}

#[test]
fn every_kind_has_a_schema() {
    let schema = schemars::schema_for!(Parameters);
    let text = schema.as_value().to_string();
    for (name, _) in Parameters::ALL {
        assert!(text.contains(&format!("\"const\":\"{name}\"")), "{name}");
    }
}
