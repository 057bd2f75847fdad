use proptest::prelude::*;

use super::super::tests::{OWN, check, every_channel_is_used, lengths, route};
use super::super::{Parameters as Any, Topology};
use super::*;

fn parameters([groups, chassis, routers, nodes_per_router]: [u32; 4]) -> DragonflyParameters {
    DragonflyParameters {
        groups,
        chassis,
        routers,
        nodes_per_router,
        group_links: 1,
        chassis_links: 1,
        router_links: 1,
        group_bandwidth: None,
        chassis_bandwidth: None,
        router_bandwidth: None,
        group_latency: None,
        chassis_latency: None,
        router_latency: None,
        duplex: Duplex::Full,
        routing: Routing::Hetsim,
    }
}

fn dragonfly(parameters: DragonflyParameters) -> Topology {
    let nodes = parameters.groups * parameters.chassis * parameters.routers * parameters.nodes_per_router;
    Topology::new(&Any::Dragonfly(parameters), nodes, OWN).unwrap()
}

/// By the description at the top of the file: two links of nodes, one between groups, and within a group one for a
/// change of the place in a chassis and one for a change of chassis.
fn distance([_, chassis, routers, per_router]: [u32; 4], (from, to): (u32, u32)) -> usize {
    let group = chassis * routers;
    let within = |a: u32, b: u32| usize::from(a % routers != b % routers) + usize::from(a / routers != b / routers);
    let at = |node: u32| (node / per_router / group, node / per_router % group);
    let ((from_group, from), (to_group, to)) = (at(from), at(to));
    if from_group == to_group {
        return 2 + within(from, to);
    }
    3 + within(from, to_group % group) + within(from_group % group, to)
}

proptest! {
    #[test]
    fn routes_are_minimal(
        sizes in (1u32..6, 1u32..4, 1u32..4, 1u32..3), links in (1u32..3, 1u32..3, 1u32..3), half: bool,
    ) {
        let sizes: [u32; 4] = sizes.into();
        let topology = dragonfly(DragonflyParameters {
            group_links: links.0,
            chassis_links: links.1,
            router_links: links.2,
            duplex: if half { Duplex::Half } else { Duplex::Full },
            ..parameters(sizes)
        });
        check(&topology);
        lengths(&topology, |from, to| distance(sizes, (from, to)));
        if links == (1, 1, 1) {
            every_channel_is_used(&topology);
        }
    }

    #[test]
    fn pairs_are_numbered_without_gaps(count in 2u32..2000, number: u32) {
        let number = number % pairs(count) as u32;
        let (low, high) = unpair(number);
        prop_assert!(low < high && high < count);
        prop_assert_eq!(pair(high, low), number);
    }
}

#[test]
fn the_last_pair_has_its_number() {
    // 92 682 × 92 681 / 2 is the largest such number below 2³².
    assert_eq!(pairs(92_682), 4_294_930_221);
    assert_eq!(unpair(4_294_930_220), (92_680, 92_681));
    assert_eq!(unpair(4_294_930_221), (0, 92_682));
}

#[test]
fn parallel_cables_are_all_used() {
    let links = DragonflyParameters { group_links: 3, chassis_links: 2, router_links: 2, ..parameters([3, 2, 2, 4]) };
    let topology = dragonfly(links);
    every_channel_is_used(&topology);
    assert_eq!(topology.channels(), 2 * (48 + 2 * 6 + 2 * 6 + 3 * 3));
}

#[test]
fn a_message_takes_the_way_of_the_groups() {
    // From group 0 to group 3: router 3 of group 0 (chassis 1, place 1) is joined to router 0 of group 3.
    let topology = dragonfly(parameters([4, 2, 2, 1]));
    let names: Vec<String> = route(&topology, 0, 14).into_iter().map(|channel| topology.name(channel, 0)).collect();
    let expected = [
        "node 0 to router 0.0.0",
        "router 0.0.0 to router 0.0.1",
        "router 0.0.1 to router 0.1.1",
        "router 0.1.1 to router 3.0.0",
        "router 3.0.0 to router 3.1.0",
        "router 3.1.0 to node 14",
    ];
    assert_eq!(names, expected);
}

/// Group 0 has chassis 0 to 2 of routers 0 to 3, one node each. A message that changes its place in chassis 1 goes on
/// as if that were chassis 0; one that keeps its place, that starts in chassis 0 or goes to another group takes the
/// usual way.
#[test]
fn simgrid_takes_a_message_to_be_in_the_first_chassis() {
    let [own, simgrid] = [Routing::Hetsim, Routing::Simgrid]
        .map(|routing| dragonfly(DragonflyParameters { routing, ..parameters([2, 3, 4, 1]) }));
    let names = |from, to| {
        let inner: Vec<String> = route(&simgrid, from, to).into_iter().map(|number| simgrid.name(number, 0)).collect();
        inner[1..inner.len() - 1].to_vec()
    };
    assert_eq!(names(4, 2), ["router 0.1.0 to router 0.1.2"]);
    assert_eq!(names(4, 6), ["router 0.1.0 to router 0.1.2", "router 0.0.2 to router 0.1.2"]);
    assert_eq!(names(4, 10), ["router 0.1.0 to router 0.1.2", "router 0.0.2 to router 0.2.2"]);
    for (from, to) in [(4, 8), (0, 10), (1, 3), (9, 14), (9, 22), (14, 9)] {
        assert_eq!(route(&simgrid, from, to), route(&own, from, to), "from {from} to {to}");
    }
}

#[test]
fn classes_have_links_of_their_own() {
    let topology = dragonfly(DragonflyParameters {
        router_bandwidth: "2GB/s".parse().ok(),
        chassis_latency: "3us".parse().ok(),
        group_bandwidth: "4GB/s".parse().ok(),
        group_latency: "5us".parse().ok(),
        ..parameters([2, 2, 2, 1])
    });
    let seen = |number| (topology.channel(number).bandwidth, topology.channel(number).latency);
    // 8 cables of nodes, 4 chassis of one pair, 4 pairs of chassis, 1 pair of groups.
    assert_eq!([0, 15].map(seen), [(OWN.bandwidth, OWN.latency); 2]);
    assert_eq!([16, 23].map(seen), [(2e9, OWN.latency); 2]);
    assert_eq!([24, 31].map(seen), [(OWN.bandwidth, 3e-6); 2]);
    assert_eq!([32, 33].map(seen), [(4e9, 5e-6); 2]);
}

#[test]
fn what_is_wrong_is_said() {
    let refused = |parameters: DragonflyParameters, nodes| {
        let error = build(&parameters, nodes, OWN).unwrap_err();
        (error.key, error.message)
    };
    let good = parameters([3, 2, 2, 2]);
    let (key, message) = refused(good.clone(), 25);
    assert_eq!(key, "groups");
    assert_eq!(message, "`groups` × `chassis` × `routers` × `nodes_per_router` is 24, and must be 25");
    for (place, key) in ["groups", "chassis", "routers", "nodes_per_router"].into_iter().enumerate() {
        let mut sizes = [3, 2, 2, 2];
        sizes[place] = 0;
        assert_eq!(refused(parameters(sizes), 24), (key, format!("`{key}` must be at least 1")));
    }
    assert_eq!(refused(DragonflyParameters { group_links: 0, ..good.clone() }, 24).0, "group_links");
    assert_eq!(refused(DragonflyParameters { chassis_links: 0, ..good.clone() }, 24).0, "chassis_links");
    assert_eq!(refused(DragonflyParameters { router_links: 0, ..good.clone() }, 24).0, "router_links");
    let zero = "0B/s".parse().ok();
    assert_eq!(refused(DragonflyParameters { group_bandwidth: zero, ..good.clone() }, 24).0, "group_bandwidth");
    assert_eq!(refused(DragonflyParameters { chassis_bandwidth: zero, ..good.clone() }, 24).0, "chassis_bandwidth");
    assert_eq!(refused(DragonflyParameters { router_bandwidth: zero, ..good.clone() }, 24).0, "router_bandwidth");
    // Too many channels, each time of the class that is too much.
    assert_eq!(refused(parameters([1, 1, 1, u32::MAX]), u32::MAX).0, "nodes_per_router");
    assert_eq!(refused(parameters([1, 1, u32::MAX / 3, 1]), u32::MAX / 3).0, "router_links");
    assert_eq!(refused(DragonflyParameters { router_links: u32::MAX, ..good.clone() }, 24).0, "router_links");
    assert_eq!(refused(DragonflyParameters { chassis_links: u32::MAX, ..good.clone() }, 24).0, "chassis_links");
    assert_eq!(refused(DragonflyParameters { group_links: u32::MAX, ..good }, 24).0, "group_links");
}

#[test]
fn a_large_dragonfly_is_small() {
    let large = parameters([25, 10, 16, 25]);
    assert_eq!(dragonfly(large).nodes(), 100_000);
    assert!(size_of::<Topology>() < 1024);
}
