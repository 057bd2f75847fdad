//! Whole files and their TOML.

use std::collections::{BTreeMap, VecDeque};

use super::{CABINETS, HOSTS, SAMPLES, STAR, ZONES, at, parse, toml, with};
use crate::{says, to_toml};
use hetsim_text::{Node, Place, Value};

#[test]
fn cabinets_on_a_backbone() {
    let expected = r#"[transport]
calibration = "cm02"
window = "4194304B"

[wire.backbone]
bandwidth = "1.25GB/s"
latency = "24us"
sharing = "unshared"

[cluster.cab1]
nodes = 32
cores = 4
speed = "286.087Mop/s"
network = { model = "fair", latency = "24us", bandwidth = "125MB/s", topology = { kind = "backbone", backbone_bandwidth = "1.25GB/s", backbone_latency = "0s", backbone_sharing = "shared" } }

[cluster.cab2]
nodes = 28
cores = 1
speed = "286.087Mop/s"
network = { model = "fair", latency = "24us", bandwidth = "125MB/s", topology = { kind = "backbone", backbone_bandwidth = "1.25GB/s", backbone_latency = "0s", backbone_sharing = "unshared" } }

[cluster.cab3]
nodes = 32
cores = 1
speed = "286.087Mop/s"
network = { model = "fair", latency = "24us", bandwidth = "125MB/s", topology = { kind = "star", duplex = "half" } }
power = { idle = "95W", active = "120W", per_core = "80W", off = "10W" }

[zone.site]
members = ["cab1", "cab2", "cab3"]
choose = "given"
route = [
    { from = "cab1", to = "cab2", from_gateway = "cab1", to_gateway = "cab2", wires = ["backbone"] },
    { from = "cab2", to = "cab3", from_gateway = "cab2", to_gateway = "cab3", wires = ["backbone"] },
    { from = "cab1", to = "cab3", from_gateway = "cab1:29", to_gateway = "cab3:31", wires = ["backbone"], one_way = true },
]
"#;
    assert_eq!(toml(CABINETS), expected);
}

#[test]
fn hosts_links_and_profiles() {
    let expected = r#"[transport]
calibration = "lv08"

[wire.lan]
bandwidth = "100MiB/s"
latency = "10us"
sharing = "shared"
bandwidth_factor = { steps = [{ from = "2s", value = 0.5 }, { from = "4s", value = 0.25 }] }
power = { idle = "10.3W", full = "30W" }

[wire.b]
bandwidth = "50MB/s"
latency = "1ms"
sharing = "split_duplex"

[wire.self]
bandwidth = "498MB/s"
latency = "15us"
sharing = "unshared"

[cluster.lab]
nodes = 2
node_cores = [2, 1]
speeds = ["2Gop/s", "1Gop/s"]
network = { model = "routes", nodes = ["Ada Lovelace", "bob"], routers = ["r1"], choose = "simgrid_dijkstra", route = [
    { from = "Ada Lovelace", to = "r1", wires = ["lan"] },
    { from = "r1", to = "bob", wires = ["b.down"] },
    { from = "bob", to = "bob", wires = ["self"] },
    { from = "bob", to = "Ada Lovelace", wires = ["b.up", "lan"], one_way = true, bypass = true },
] }
load = [{ nodes = [0], profile = { kind = "trace", steps = [{ from = "0s", value = 1.0 }, { from = "4s", value = 0.5 }], period = "8s" } }]
fault = [{ nodes = [1], profile = { kind = "at", from = "1s", until = "3s", period = "10s" } }]
"#;
    assert_eq!(toml(HOSTS), expected);
}

#[test]
fn zones_in_zones() {
    let expected = r#"[transport]
calibration = "lv08"

[wire.up]
bandwidth = "1GB/s"
latency = "5us"
sharing = "shared"

[wire.sea]
bandwidth = "10MB/s"
latency = "40ms"
sharing = "shared"

[wire.sky]
bandwidth = "1MB/s"
latency = "300ms"
sharing = "shared"

[cluster.l1]
nodes = 4
cores = 1
speed = "1Gop/s"
network = { model = "fair", latency = "50us", bandwidth = "125MB/s", topology = { kind = "star" } }

[cluster.right]
nodes = 1
cores = 1
speed = "1Gop/s"
network = { model = "routes", nodes = ["alone"], choose = "given" }

[zone.world]
members = ["left", "right"]
choose = "simgrid_floyd"
route = [
    { from = "left", to = "right", from_gateway = "gate:gate-router", to_gateway = "right:alone", wires = ["sea"] },
]
bypass = [
    { from = "l1", to = "right", from_gateway = "l1:2", to_gateway = "right:alone", wires = ["sky"], one_way = true },
]

[zone.left]
members = ["l1", "gate"]
choose = "given"
route = [
    { from = "l1", to = "gate", from_gateway = "l1", to_gateway = "gate:gate-router", wires = ["up"] },
]

[zone.gate]
routers = ["gate-router"]
choose = "given"
"#;
    assert_eq!(toml(ZONES), expected);
}

#[test]
fn topologies_of_clusters() {
    let topology = |nodes: u32, kind: &str, parameters: &str| {
        let text = format!(
            r#"<platform version="4.1"><zone id="outer" routing="Full"><cluster id="c" prefix="" suffix="" radical="1-{nodes}"
                speed="1Gf" bw="1MBps" lat="1us" topology="{kind}" topo_parameters="{parameters}"/></zone></platform>"#
        );
        let text = toml(&text);
        let at = text.find("topology = ").expect("a topology");
        text[at + 11..].trim_end().strip_suffix(" }").expect("the end of the network").to_owned()
    };
    assert_eq!(topology(32, "TORUS", "4,4,2"), r#"{ kind = "torus", dimensions = [4, 4, 2], routing = "simgrid" }"#);
    assert_eq!(
        topology(16, "FAT_TREE", "2;4,4;1,2;1,2"),
        r#"{ kind = "fat_tree", down = [4, 4], up = [1, 2], parallel = [1, 2], routing = "simgrid" }"#
    );
    assert_eq!(
        topology(54, "DRAGONFLY", "3,4;3,2;3,1;2"),
        r#"{ kind = "dragonfly", groups = 3, group_bandwidth = "4MB/s", chassis = 3, chassis_bandwidth = "2MB/s", routers = 3, nodes_per_router = 2, routing = "simgrid" }"#
    );
}

/// A loopback of SimGrid limits each message separately; one without bandwidth and latency is omitted.
#[test]
fn loopbacks_of_clusters() {
    let cluster = |loopback: &str| {
        let text = format!(
            r#"<platform version="4.1"><cluster id="c" prefix="" suffix="" radical="1-2" speed="1Gf" bw="1MBps" lat="1us" {loopback}/></platform>"#
        );
        let text = toml(&text);
        text.lines().find(|line| line.starts_with("loopback")).map(str::to_owned)
    };
    let both = cluster(r#"loopback_bw="6GBps" loopback_lat="100ns""#);
    assert_eq!(both.as_deref(), Some(r#"loopback = { latency = "100ns", bandwidth = "6GB/s" }"#));
    assert_eq!(cluster(r#"loopback_bw="1Gbps""#).as_deref(), Some(r#"loopback = { bandwidth = "125MB/s" }"#));
    assert_eq!(cluster(r#"loopback_bw="0" loopback_lat="0""#), None);
}

/// SimGrid's reversed route uses the other half of a link that is named with a direction, and the same half of one that
/// is named as that half.
#[test]
fn the_way_back() {
    let link = r#"<link id="l" bandwidth="1MBps"/><link id="d" bandwidth="1MBps" sharing_policy="SPLITDUPLEX"/>
        <link id="e" bandwidth="1MBps" sharing_policy="FULLDUPLEX"/>"#;
    let route = |first: &str| {
        let text = toml(&with(&format!(r#"{link}<route src="a" dst="b">{first}<link_ctn id="l"/></route>"#)));
        let lines =
            text.lines().filter(|line| line.trim_start().starts_with("{ from")).map(|line| line.trim().to_owned());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(route(r#"<link_ctn id="d" direction="UP"/>"#), [r#"{ from = "a", to = "b", wires = ["d.up", "l"] },"#]);
    assert_eq!(
        route(r#"<link_ctn id="d_UP"/><link_ctn id="e" direction="DOWN"/>"#),
        [
            r#"{ from = "a", to = "b", wires = ["d.up", "e.down", "l"], one_way = true },"#,
            r#"{ from = "b", to = "a", wires = ["l", "e.up", "d.up"], one_way = true },"#
        ]
    );
}

fn texts(value: &Value) -> Vec<String> {
    let Value::Array(items) = value else { panic!("{value:?} is no list") };
    let text = |item: &Node| match &item.value {
        Value::Text(text) => text.clone(),
        other => panic!("{other:?} is no text"),
    };
    items.iter().map(text).collect()
}

/// The path with the fewest links between two points: an exhaustive search for tables of a few routes.
fn way(network: &Node, from: &str, to: &str) -> Vec<String> {
    let Value::Array(routes) = at(network, &["route"]) else { panic!("no routes") };
    let mut edges: Vec<(String, String, Vec<String>)> = Vec::new();
    for route in routes {
        let end = |key: &str| match at(route, &[key]) {
            Value::Text(text) => text.clone(),
            other => panic!("{other:?} is no name"),
        };
        let Value::Table(entries) = &route.value else { panic!("no table") };
        let wires = texts(at(route, &["wires"]));
        edges.push((end("from"), end("to"), wires.clone()));
        if entries.iter().all(|entry| entry.key != "one_way") {
            edges.push((end("to"), end("from"), wires.into_iter().rev().collect()));
        }
    }
    if from == to {
        return edges.into_iter().find(|edge| edge.0 == from && edge.1 == to).map(|edge| edge.2).unwrap_or_default();
    }
    let mut best: BTreeMap<String, Vec<String>> = BTreeMap::from([(from.to_owned(), Vec::new())]);
    let mut open = VecDeque::from([from.to_owned()]);
    while let Some(point) = open.pop_front() {
        for (_, next, wires) in edges.iter().filter(|edge| edge.0 == point) {
            let longer = [best[&point].clone(), wires.clone()].concat();
            if best.get(next).is_none_or(|known| known.len() > longer.len()) {
                best.insert(next.clone(), longer);
                open.push_back(next.clone());
            }
        }
    }
    best.remove(to).unwrap_or_default()
}

/// In such a zone a message passes the up link, the backbone and the down link, and no link twice; a router has no
/// link.
#[test]
fn a_hub_has_the_routes_of_simgrid() {
    let links = [("a", "la.up", "la.down"), ("b", "lb", "lb"), ("c", "up", "down"), ("exit", "", "")];
    for (backbone, router) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut text = STAR.to_owned();
        if !backbone {
            text = text.replace(r#"<backbone id="bb" bandwidth="1GBps" latency="2us"/>"#, "");
        }
        if !router {
            text = text.replace(r#"<router id="exit"/>"#, "");
        }
        let table = parse(&text).expect("it can be read");
        let network = Node::new(at(&table, &["cluster", "star", "network"]).clone(), &Place::default());
        let points = if router { &links[..] } else { &links[..3] };
        for (from, up, _) in points {
            for (to, _, down) in points {
                if from == to && from == &"exit" {
                    continue;
                }
                let mut expected: Vec<&str> = vec![up, if backbone { "bb" } else { "" }, down];
                expected.retain(|wire| !wire.is_empty());
                expected.dedup();
                if from == to {
                    expected = expected.into_iter().fold(Vec::new(), |mut once, wire| {
                        if !once.contains(&wire) {
                            once.push(wire);
                        }
                        once
                    });
                }
                assert_eq!(way(&network, from, to), expected, "{from} to {to}, {backbone} {router}");
            }
        }
    }
}

#[test]
fn a_hub_refuses_what_is_no_shortest_path() {
    let cases = [
        (r#"down="down""#, r#"down="lb""#, "a link that is up for one host and down for another has no counterpart"),
        (r#"<host_link id="b" up="lb" down="lb"/>"#, "", "the host \"b\" has no `host_link`"),
        (r#"id="c" up"#, r#"id="b" up"#, "there are two `host_link` of \"b\""),
        (r#"up="up""#, r#"up="bb""#, "a backbone that is also the link of a host has no counterpart"),
        (
            r#"<router id="exit"/>"#,
            r#"<router id="exit"/><router id="r"/>"#,
            "expected at most one router in a zone with the routing Cluster",
        ),
        (r#"id="exit""#, r#"id="star_in""#, "the name \"star_in\" is needed for the hub of this zone"),
    ];
    for (from, to, message) in cases {
        assert!(STAR.contains(from), "{from}");
        assert_eq!(super::refusal(&STAR.replace(from, to)).0, message);
    }
}

/// Nodes are found by their names without a list of them, whatever digits surround the number.
#[test]
fn nodes_by_name() {
    let text = |gateway: &str| {
        CABINETS
            .replace(
                r#"prefix="n-" suffix=".site" radical="61-92""#,
                r#"prefix="x1" suffix="2y" radical="7,10-12,300""#,
            )
            .replace(r#"gw_src="r2" gw_dst="n-cab3_router.site""#, &format!(r#"gw_src="r2" gw_dst="{gateway}""#))
            .replace("n-92.site", "x172y")
    };
    for (gateway, point) in [("x172y", "cab3:0"), ("x1102y", "cab3:1"), ("x1122y", "cab3:3"), ("x13002y", "cab3:4")] {
        assert!(
            toml(&text(gateway)).contains(&format!("to_gateway = \"{point}\", wires = [\"backbone\"] }},")),
            "{gateway}"
        );
    }
    for gateway in ["x182y", "x1072y", "x12y", "x1132y"] {
        assert_eq!(super::refusal(&text(gateway)).0, format!("there is no host or router {gateway:?}"));
    }
}

#[test]
fn toml_says_all_that_was_read() {
    let odd = with(r#"<link id="a &quot;b&quot;&#10;\ ü.1" bandwidth="1MBps"/>"#);
    for text in SAMPLES.into_iter().chain([odd.as_str()]) {
        let table = parse(text).expect("it can be read");
        let read = to_toml(&table);
        assert!(says(&read, &table), "{read}");
        // Another number, another name, and additional or missing keys are detected.
        for (from, to) in [(" = 1\n", " = 2\n"), ("\"", "\"x"), ("\n[", "\nmore = 1\n["), ("bandwidth", "width")] {
            let other = read.replacen(from, to, 1);
            assert!(other == read || !says(&other, &table), "{other}");
        }
        assert!(!says(&format!("{read}["), &table));
    }
}

#[test]
fn places_are_those_of_the_values() {
    let table = parse(CABINETS).expect("it can be read");
    let Value::Table(entries) = &table.value else { panic!("no table") };
    let clusters = entries.iter().find(|entry| entry.key == "cluster").expect("clusters");
    let Value::Table(clusters) = &clusters.value.value else { panic!("no table") };
    let Value::Table(first) = &clusters[0].value.value else { panic!("no table") };
    let speed = first.iter().find(|entry| entry.key == "speed").expect("a speed");
    assert_eq!(&CABINETS[speed.value.place.span.clone()], "286.087Mf");
    assert!(CABINETS[clusters[0].value.place.span.clone()].starts_with("<cluster id=\"cab1\""));
}
