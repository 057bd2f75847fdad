//! More than two levels: which link joins two nodes, what messages cost on each, and broadcasts that use them all.

use hetsim::batch::identity::RunId;
use hetsim::cluster::network::{Model, Parameters as Network};
use hetsim::cluster::{Cluster, Connection, Context, Level, NodeId, Platform, Ports, Program, Simulation};
use hetsim::engine::Streams;
use hetsim::record::Value;
use hetsim::units::Tick;
use hetsim::workload::broadcast::BroadcastParameters;
use hetsim::workload::communication::Placement;
use hetsim::workload::{Prepared, Workload};
use miette::Diagnostic;
use proptest::prelude::*;

use crate::support::{read, try_read, try_read_in};

const NANOSECOND: Tick = match Tick::new(1000) {
    Some(tick) => tick,
    None => unreachable!(),
};

fn link(toml: &str) -> Connection {
    let parameters: Network = toml::from_str(toml).expect("valid parameters");
    Model::new(&parameters, NANOSECOND).expect("a valid model").into()
}

fn delay(latency: u64) -> Connection {
    link(&format!("model='delay'\nlatency='{latency}ns'\nbandwidth='1GB/s'"))
}

/// Clusters of these sizes with these levels, two clusters a site; a latency tells which link it is.
fn platform(clusters: &[(u32, Vec<u32>)], make: impl Fn(u64) -> Connection) -> Platform {
    let group = |&(nodes, _): &(u32, Vec<u32>)| Cluster { name: format!("of {nodes}"), nodes, cores: 1 };
    let count = clusters.len();
    let between = |from: usize, to: usize| match () {
        () if from == to => 1000,
        () if from / 2 == to / 2 => 10_000,
        () => 100_000,
    };
    let links = (0..count * count).map(|number| make(between(number / count, number % count)));
    let inside = clusters.iter().map(|(_, sizes)| {
        let level = |(number, &size): (usize, &u32)| Level::new(size, make(100 / 10u64.pow(number as u32)));
        sizes.iter().enumerate().map(level).collect()
    });
    Platform::new(NANOSECOND, clusters.iter().map(group).collect(), links.collect())
        .expect("a platform")
        .with_levels(inside.collect())
        .expect("a platform")
        .with_sites((0..count as u32).map(|cluster| Some(cluster / 2)).collect())
        .expect("a platform")
}

/// Messages that are sent at the start, and when and where each is heard.
#[derive(Default)]
struct Sends {
    sends: Vec<(u32, u32, u64)>,
    heard: Vec<(u64, u32)>,
}

impl Program for Sends {
    type Message = ();

    fn start(&mut self, context: &mut impl Context<()>) {
        for &(from, to, bytes) in &self.sends {
            context.send(NodeId(from), NodeId(to), bytes, ());
        }
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, (): (), context: &mut impl Context<()>) {
        self.heard.push((context.now().0, at.0));
    }
}

fn heard(platform: &Platform, sends: &[(u32, u32, u64)]) -> Vec<(u64, u32)> {
    let mut program = Sends { sends: sends.to_vec(), ..Sends::default() };
    Simulation::new(platform, 1).run(&mut program).expect("the run ends");
    program.heard
}

/// 8 nodes in groups of 4 in groups of 2; 4 nodes beside them; 2 nodes far away.
fn three() -> Vec<(u32, Vec<u32>)> {
    vec![(8, vec![4, 2]), (4, vec![]), (2, vec![])]
}

#[test]
fn a_message_costs_what_its_innermost_level_says() {
    let platform = platform(&three(), delay);
    for (to, latency) in [(1, 10), (2, 100), (3, 100), (4, 1000), (7, 1000), (8, 10_000), (12, 100_000)] {
        assert_eq!(heard(&platform, &[(0, to, 5)]), [(latency + 5, to)]);
        assert_eq!(platform.transfer(NodeId(to), NodeId(0), 5).hop().0, latency + 5);
    }
    assert_eq!(heard(&platform, &[(8, 11, 5)]), [(1005, 11)], "a cluster without levels");
    assert_eq!(heard(&platform, &[(3, 3, 5)]), [(0, 3)], "to itself");
}

#[test]
fn each_level_may_have_a_port_of_its_own() {
    let make = |_| link("model='plogp'\nlatency='5ns'\ngap={'1B'='10ns'}");
    let sends = [(0, 12, 1), (0, 8, 1), (0, 7, 1), (0, 2, 1), (0, 1, 1)];
    let single = platform(&three(), make);
    assert_eq!(heard(&single, &sends), [(15, 12), (25, 8), (35, 7), (45, 2), (55, 1)]);
    let per_level = single.with_ports(Ports::PerLevel);
    assert_eq!(heard(&per_level, &sends), [(15, 12), (15, 8), (15, 7), (15, 2), (15, 1)]);
    assert_eq!(heard(&per_level, &[(0, 4, 1), (0, 5, 1)]), [(15, 4), (25, 5)], "one level, one port");
}

/// Two cores of an SMP node share its link to the cluster's network; inside they have their own.
#[test]
fn groups_share_their_link_to_the_network_around_them() {
    let fair =
        |bandwidth: &str, latency: &str| link(&format!("model='fair'\nlatency='{latency}'\nbandwidth='{bandwidth}'"));
    let group = Cluster { name: "test".to_owned(), nodes: 4, cores: 1 };
    let inner = vec![vec![Level::new(2, fair("4GB/s", "1ns"))]];
    let platform = Platform::new(NANOSECOND, vec![group], vec![fair("1GB/s", "10ns")])
        .expect("a platform")
        .with_levels(inner)
        .expect("a platform");
    assert_eq!(heard(&platform, &[(0, 1, 100)]), [(26, 1)]);
    assert_eq!(heard(&platform, &[(0, 2, 100)]), [(110, 2)]);
    assert_eq!(heard(&platform, &[(0, 2, 100), (1, 3, 100)]), [(210, 2), (210, 3)]);
    // What stays inside takes nothing of it: 36 bytes at 4 B/ns until 10 ns, then 64 at the 3 B/ns that node 2 has
    // left.
    assert_eq!(heard(&platform, &[(0, 2, 100), (3, 2, 100)]), [(32, 2), (110, 2)]);
}

fn broadcast(algorithm: &str, more: &str) -> BroadcastParameters {
    toml::from_str(&format!("algorithm='{algorithm}'\n{more}")).expect("valid parameters")
}

fn run(parameters: &BroadcastParameters, platform: &Platform) -> (Option<f64>, Option<f64>, Option<f64>) {
    let record = parameters.prepare(platform).unwrap().record(platform, Streams::new(1, 0), &[]).unwrap();
    let metric = |name: &str| record.get(name).and_then(Value::number);
    (metric("completion_s"), metric("predicted_s"), metric("messages"))
}

/// One message a level and its coordinators: 100 + 10 + 1 + 0.1 + 0.01 µs and five times 1 µs for 1000 bytes at 1 GB/s.
#[test]
fn a_broadcast_on_all_levels_by_hand() {
    let hockney = |latency| link(&format!("model='hockney'\nlatency='{latency}ns'\nbandwidth='1GB/s'"));
    let clusters: Vec<_> = (0..4).map(|_| (8, vec![4, 2])).collect();
    let platform = platform(&clusters, hockney);
    let all = broadcast("flat+binomial", "size='1000B'\nroot=13\nlevels='all'");
    let (completion, predicted, messages) = run(&all, &platform);
    assert_eq!((completion, predicted, messages), (Some(116_110e-9), Some(116_110e-9), Some(31.0)));
}

fn clusters() -> impl Strategy<Value = Vec<(u32, Vec<u32>)>> {
    let cluster = (1u32..4, prop::collection::vec(1u32..4, 0..4)).prop_map(|(most, factors)| {
        let mut sizes = vec![1];
        for factor in factors {
            sizes.push(sizes[sizes.len() - 1] * factor);
        }
        sizes.remove(0);
        sizes.reverse();
        (most * sizes.first().copied().unwrap_or(3), sizes)
    });
    prop::collection::vec(cluster, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// The link is that of the smallest unit that holds both nodes, as a search through all units finds it.
    #[test]
    fn the_link_is_that_of_the_innermost_common_level(clusters in clusters()) {
        let platform = platform(&clusters, delay);
        let mut units: Vec<(Vec<u32>, u64)> = vec![((0..platform.nodes()).collect(), 100_000)];
        for pair in (0..clusters.len()).step_by(2) {
            let both = (pair..clusters.len().min(pair + 2)).flat_map(|cluster| platform.members(cluster));
            units.push((both.collect(), 10_000));
        }
        for (number, (_, sizes)) in clusters.iter().enumerate() {
            let nodes: Vec<u32> = platform.members(number).collect();
            units.push((nodes.clone(), 1000));
            for (level, &size) in sizes.iter().enumerate() {
                units.extend(nodes.chunks(size as usize).map(|unit| (unit.to_vec(), 100 / 10u64.pow(level as u32))));
            }
        }
        for (a, b) in (0..platform.nodes()).flat_map(|a| (0..platform.nodes()).map(move |b| (a, b))) {
            // Of units of the same nodes the inner one, which comes later.
            let holding = units.iter().rev().filter(|(nodes, _)| nodes.contains(&a) && nodes.contains(&b));
            let (_, latency) = holding.min_by_key(|(nodes, _)| nodes.len()).expect("the whole platform");
            prop_assert_eq!(platform.connection_of(NodeId(a), NodeId(b)), &delay(*latency));
        }
    }

    /// On all levels everyone gets the message, once, and the prediction is what the events give.
    #[test]
    fn broadcasts_on_all_levels_are_simulated(
        clusters in clusters(), root in 0u32..200, message in 1u64..3000, per_level: bool, plogp: bool,
        heuristic in prop::sample::select(vec!["flat", "ecef", "bottom_up", "mst"]),
        inside in prop::sample::select(vec!["linear", "binomial", "pipeline", "binary", "scatter_ring", "split_binary", "best"]),
    ) {
        let make = |latency: u64| if plogp {
            link(&format!("model='plogp'\nlatency='{latency}ns'\ngap={{'1B'='7ns','1000B'='{}ns'}}", latency + 90))
        } else {
            link(&format!("model='hockney'\nlatency='{latency}ns'\nbandwidth='1GB/s'"))
        };
        let ports = if per_level { Ports::PerLevel } else { Ports::Single };
        let platform = platform(&clusters, make).with_ports(ports);
        let keys = format!("size='{message}B'\nsegment='300B'\nlevels='all'\nroot={}", root % platform.nodes());
        let (completion, predicted, messages) = run(&broadcast(&format!("{heuristic}+{inside}"), &keys), &platform);
        let whole = ["linear", "binomial", "binary"].contains(&inside);
        prop_assert!(!whole || predicted.is_some());
        prop_assert!(!whole || messages == Some(f64::from(platform.nodes() - 1)));
        if predicted.is_some() {
            prop_assert_eq!(completion, predicted);
        }
    }

    /// Without further levels, all levels are the two. (With the root in the first cluster: heuristics break ties by
    /// the order of clusters, which begins with the root's here.)
    #[test]
    fn two_levels_are_all_where_there_are_two(
        sizes in prop::collection::vec(1u32..9, 1..5), root in 0u32..40,
        algorithm in prop::sample::select(vec!["ecef+binomial", "flat+pipeline", "mst+scatter_ring", "ecef+best"]),
    ) {
        let clusters: Vec<_> = sizes.iter().map(|&nodes| (nodes, vec![])).collect();
        let make = |latency| link(&format!("model='hockney'\nlatency='{latency}ns'\nbandwidth='1GB/s'"));
        let platform = platform(&clusters, make).with_sites(vec![None; clusters.len()]).expect("a platform");
        let keys = format!("size='2000B'\nsegment='300B'\nroot={}", root % sizes[0]);
        let two = broadcast(algorithm, &keys);
        let all = broadcast(algorithm, &format!("{keys}\nlevels='all'"));
        prop_assert_eq!(run(&two, &platform), run(&all, &platform));
    }

    /// Every node has one rank, and neighbouring ranks are as far apart as they can be.
    #[test]
    fn ranks_are_spread_over_all_levels(clusters in clusters()) {
        let platform = platform(&clusters, delay);
        let mut nodes: Vec<u32> = Placement::Spread.nodes(&platform).iter().map(|node| node.0).collect();
        nodes.sort_unstable();
        prop_assert_eq!(nodes, (0..platform.nodes()).collect::<Vec<_>>());
    }
}

#[test]
fn spread_ranks_take_turns_on_every_level() {
    let platform = platform(&[(4, vec![2]), (4, vec![2]), (4, vec![2])], delay);
    let nodes: Vec<u32> = Placement::Spread.nodes(&platform).iter().map(|node| node.0).collect();
    assert_eq!(nodes, [0, 8, 4, 10, 2, 9, 6, 11, 1, 5, 3, 7]);
}

const GRID: &str = r#"version = 1
[platform.cluster.a]
nodes = 8
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[[platform.cluster.a.level]]
size = 4
network = { model = "hockney", latency = "5us", bandwidth = "1Gbit/s" }
[[platform.cluster.a.level]]
size = 2
network = { model = "hockney", latency = "1us", bandwidth = "1Gbit/s" }
[platform.cluster.b]
nodes = 2
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[platform.cluster.c]
nodes = 2
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[platform.site.here]
clusters = ["a", "b"]
network = { model = "hockney", latency = "200us", bandwidth = "1Gbit/s" }
[platform.site.there]
clusters = ["c"]
network = { model = "ideal" }
[platform.between]
network = { model = "hockney", latency = "5ms", bandwidth = "1Gbit/s" }
[workload]
kind = "broadcast"
size = "1KiB"
algorithm = "ecef+binomial"
"#;

#[test]
fn a_scenario_says_its_levels() {
    let scenario = read(GRID);
    let platform = scenario.first_platform().unwrap();
    let latency = |from, to| platform.tick().seconds(platform.transfer(NodeId(from), NodeId(to), 0).hop()) * 1e6;
    for (to, micros) in [(1, 1.0), (2, 5.0), (4, 50.0), (8, 200.0), (10, 5000.0)] {
        assert!((latency(0, to) - micros).abs() < 1e-9 && (latency(to, 0) - micros).abs() < 1e-9, "{to}");
    }
    // A link goes over what the site says, key by key.
    let link =
        "[[platform.link]]\nbetween = [\"a\", \"b\"]\none_way = true\nnetwork = { latency = \"7us\" }\n[workload]";
    let scenario = read(&GRID.replace("[workload]", link));
    let platform = scenario.first_platform().unwrap();
    let hop = |from, to| platform.transfer(NodeId(from), NodeId(to), 0).hop().0;
    assert_eq!((hop(0, 8), hop(8, 0)), (7_000_000, 200_000_000));
}

#[test]
fn the_last_group_has_the_nodes_that_are_left() {
    let whole = read(GRID);
    for nodes in 1..8 {
        let scenario = read(&GRID.replacen("nodes = 8", &format!("nodes = {nodes}"), 1));
        let (part, whole) = (scenario.first_platform().unwrap(), whole.first_platform().unwrap());
        for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (NodeId(from), NodeId(to)))) {
            assert_eq!(
                part.transfer(from, to, 1).hop(),
                whole.transfer(from, to, 1).hop(),
                "{from:?} to {to:?} of {nodes}"
            );
        }
        assert!(scenario.run(0, 0).is_ok());
    }
}

#[test]
fn levels_left_out_are_no_news() {
    let id = |text: &str| RunId::of(&read(text), 0, 0);
    let plain = GRID.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    let (start, end) = (plain.find("[[platform").expect("levels"), plain.find("[platform.cluster.b]").expect("b"));
    let (site, between) =
        (plain.find("[platform.site.here]").expect("sites"), plain.find("[platform.between]").expect("between"));
    let plain = format!("{}{}{}\n", &plain[..start], &plain[end..site], &plain[between..]);
    let written = plain.replacen("nodes = 8", "nodes = 8\nlevel = []", 1) + "levels = \"clusters\"\n";
    assert_eq!(id(&plain), id(&written));
    assert_ne!(id(&plain), id(GRID));
    assert_ne!(id(GRID), id(&GRID.replace("size = 4", "size = 8")));
}

#[test]
fn what_is_wrong_with_levels_is_underlined() {
    for (old, new, at, says) in [
        ("size = 2", "size = 3", "3", "groups of 3 do not divide the 4 nodes of each group of the level above"),
        ("clusters = [\"c\"]", "clusters = [\"d\"]", "\"d\"", "there is no cluster `d`"),
        ("clusters = [\"c\"]", "clusters = [\"c\", \"b\"]", "\"b\"", "cluster `b` already belongs to site `here`"),
        ("clusters = [\"c\"]", "clusters = [\"c\", \"c\"]", "\"c\"", "cluster `c` is named twice"),
    ] {
        let text = GRID.replace(old, new);
        let problems = try_read_in(".", &text, &[]).expect_err(new);
        let report = &problems.reports()[0];
        assert_eq!((problems.reports().len(), report.to_string().as_str()), (1, says));
        let label = report.labels().and_then(|mut labels| labels.next()).expect("a label");
        assert_eq!(&text[label.offset()..label.offset() + label.len()], at);
    }
    let five = "[[platform.cluster.b.level]]\nsize = 1\nnetwork = { model = \"ideal\" }\n".repeat(5);
    assert!(try_read(&GRID.replace("[platform.cluster.c]", &format!("{five}[platform.cluster.c]"))).is_err());
    assert!(try_read(&GRID.replace("size = 2", "size = 0")).is_err());
}
