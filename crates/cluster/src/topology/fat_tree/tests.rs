use proptest::prelude::*;

use super::super::tests::{OWN, check, every_channel_is_used, lengths, loads};
use super::super::{Parameters as Any, Topology};
use super::*;

fn parameters(down: &[u32], up: &[u32], parallel: &[u32]) -> FatTreeParameters {
    FatTreeParameters {
        down: down.to_vec(),
        up: up.to_vec(),
        parallel: Some(parallel.to_vec()),
        bandwidths: None,
        latencies: None,
        duplex: Duplex::Full,
        routing: Routing::Hetsim,
        first_number: 0,
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
        let parameters = FatTreeParameters { duplex, ..parameters(&down, &up, &parallel) };
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
    let names: Vec<String> = route.into_iter().map(|channel| topology.name(channel, 0)).collect();
    assert_eq!(
        names,
        ["node 1 to switch 1.0", "switch 1.0 to switch 2.0", "switch 2.0 to switch 1.1", "switch 1.1 to node 6"]
    );
}

/// Down from switch 2.0 there are two cables to each of its three children, in the order 0 1 2 0 1 2 of the children. A
/// message from an even number starts at the first of them, one from an odd number at the fourth; the search then goes
/// on among the two cables to each of two nodes, 0 1 0 1.
#[test]
fn simgrid_picks_cables_down_by_the_sender() {
    let parameters = FatTreeParameters { routing: Routing::Simgrid, ..parameters(&[2, 3], &[1, 1], &[2, 2]) };
    let names = |parameters: &FatTreeParameters, from, to| {
        let topology = Topology::new(&Any::FatTree(parameters.clone()), 6, OWN).unwrap();
        let mut route = Vec::new();
        topology.route(from, to, &mut route);
        route[2..].iter().map(|&channel| topology.name(channel, 0)).collect::<Vec<_>>()
    };
    let expected = ["switch 2.0 to switch 1.0 (cable 0)", "switch 1.0 to node 1 (cable 0)"];
    assert_eq!(names(&parameters, 2, 1), expected);
    // From the port after the first child's first, port 2 is the next to node 0: its second cable.
    assert_eq!(names(&parameters, 2, 0), [expected[0], "switch 1.0 to node 0 (cable 1)"]);
    // Port 3 is the second cable to child 0; no port of the next row is left, and the search starts at that of the
    // sender.
    let odd = ["switch 2.0 to switch 1.0 (cable 1)", "switch 1.0 to node 1 (cable 1)"];
    assert_eq!(names(&parameters, 3, 1), odd);
    // The second child's port is 1; from port 2 on node 3 is at port 3, and node 2 at port 2.
    assert_eq!(names(&parameters, 0, 3), ["switch 2.0 to switch 1.1 (cable 0)", "switch 1.1 to node 3 (cable 1)"]);
    // Numbered from 1, even senders are odd ones.
    assert_eq!(names(&FatTreeParameters { first_number: 1, ..parameters.clone() }, 2, 1), odd);
    let error = build(&FatTreeParameters { first_number: u32::MAX, ..parameters }, 6, OWN).unwrap_err();
    assert_eq!(error.key, "first_number");
}

#[test]
fn levels_have_links_of_their_own() {
    let parameters = FatTreeParameters {
        bandwidths: Some(["1GB/s", "4GB/s"].map(|text| text.parse().unwrap()).into()),
        latencies: Some(["1us", "2us"].map(|text| text.parse().unwrap()).into()),
        ..parameters(&[2, 2], &[1, 1], &[1, 2])
    };
    let topology = Topology::new(&Any::FatTree(parameters), 4, OWN).unwrap();
    let seen = [0, 7, 8, 15].map(|number| (topology.channel(number).bandwidth, topology.channel(number).latency));
    assert_eq!(seen, [(1e9, 1e-6), (1e9, 1e-6), (4e9, 2e-6), (4e9, 2e-6)]);
    assert_eq!(topology.name(10, 0), "switch 1.0 to switch 2.0 (cable 1)");
}

#[test]
fn what_is_wrong_is_said() {
    let refused = |parameters: &FatTreeParameters, nodes| {
        let error = build(parameters, nodes, OWN).unwrap_err();
        (error.key, error.message)
    };
    let (key, message) = refused(&parameters(&[4, 4], &[1, 2], &[1, 1]), 15);
    assert_eq!((key, &*message), ("down", "the product of `down` is 16, and must be 15"));
    assert_eq!(refused(&parameters(&[], &[], &[]), 1).0, "down");
    assert_eq!(refused(&parameters(&[4, 0], &[1, 2], &[1, 1]), 4).0, "down");
    assert_eq!(refused(&parameters(&[4, 4], &[1, 0], &[1, 1]), 16).0, "up");
    assert_eq!(refused(&parameters(&[4, 4], &[1, 2], &[1, 0]), 16).0, "parallel");
    assert_eq!(refused(&parameters(&[4, 4], &[1], &[1, 1]), 16).0, "up");
    let (key, message) = refused(&parameters(&[4, 4], &[1, 2], &[1]), 16);
    assert_eq!(key, "parallel");
    assert_eq!(message, "`parallel` must have 2 values, one for each of `down`, but has 1");
    let good = parameters(&[4, 4], &[1, 2], &[1, 1]);
    assert_eq!(refused(&FatTreeParameters { bandwidths: Some(vec![]), ..good.clone() }, 16).0, "bandwidths");
    assert_eq!(refused(&FatTreeParameters { latencies: Some(vec![]), ..good.clone() }, 16).0, "latencies");
    let zero = Some(vec!["0B/s".parse().unwrap(); 2]);
    assert_eq!(refused(&FatTreeParameters { bandwidths: zero, ..good }, 16).0, "bandwidths");
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
