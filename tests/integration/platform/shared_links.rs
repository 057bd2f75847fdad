//! Links that messages share, topology by topology: closed forms where there are any, and what holds always.
//!
//! m is the length of a message, n the number of nodes, B the bandwidth and L the latency of a link. Messages that
//! start together and meet on a link get equal parts of it (max–min fairness), so k equal ones take k m / B there.

use std::collections::HashMap;

use hetsim::cluster::Platform;
use hetsim::cluster::topology::Topology;
use hetsim::record::{Record, Table, Value};
use proptest::prelude::*;

use crate::support::read;

/// The latency and the bandwidth of every link where a test says nothing else, and the length of a message.
pub(super) const L: f64 = 1e-6;
pub(super) const B: f64 = 1e9;
pub(super) const M: f64 = 1e6;

/// A run with its platform.
pub(super) struct Run {
    pub(super) record: Record,
    platform: Platform,
    text: String,
}

impl Run {
    /// Traffic with these keys on a platform with these tables.
    #[track_caller]
    pub(super) fn on(platform: &str, traffic: &str) -> Self {
        let text = format!(
            "version = 1\n{platform}\n[workload]\nkind = \"traffic\"\n{traffic}\n[output]\ntables = [\"links\", \"messages\"]\n"
        );
        let scenario = read(&text);
        let record = scenario.run(0, 0).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Self { record, platform: scenario.first_platform().unwrap().clone(), text }
    }

    #[track_caller]
    fn completion(&self) -> f64 {
        self.record.get("completion_s").and_then(Value::number).expect("a completion")
    }

    fn table(&self, name: &str) -> &Table {
        self.record.tables.iter().find(|table| table.name == name).expect("a table that was asked for")
    }

    fn arrivals(&self) -> Vec<f64> {
        self.table("messages").rows.iter().filter_map(|row| row[4].number()).collect()
    }
}

/// A cluster with a topology, whose links take `L` and `B`.
pub(super) fn cluster(nodes: u32, topology: &str) -> String {
    cluster_with(nodes, topology, "1us")
}

fn cluster_with(nodes: u32, topology: &str, latency: &str) -> String {
    format!(
        "[platform.cluster.net]\nnodes = {nodes}\n\
         network = {{ model = \"fair\", latency = \"{latency}\", bandwidth = \"1GB/s\", topology = {topology} }}"
    )
}

/// A pattern of messages of `M` bytes.
pub(super) fn pattern(keys: &str) -> String {
    format!("pattern = {{ {keys} }}\nsize = \"1MB\"")
}

#[track_caller]
pub(super) fn takes(run: &Run, expected: f64) {
    let found = run.completion();
    assert!((found - expected).abs() <= 1e-9 * expected, "{found} is not {expected}:\n{}", run.text);
}

/// The link of the one node carries all n - 1 messages, wherever nodes have one link and nothing else is in the way.
#[test]
fn one_node_and_all_others() {
    for (nodes, topology) in [
        (2, "{ kind = \"star\" }"),
        (9, "{ kind = \"star\" }"),
        (64, "{ kind = \"star\", duplex = \"half\" }"),
        (16, "{ kind = \"fat_tree\", down = [4, 4], up = [1, 4] }"),
        (24, "{ kind = \"dragonfly\", groups = 3, chassis = 1, routers = 4, nodes_per_router = 2 }"),
        (20, "{ kind = \"random_regular\", degree = 3, nodes_per_switch = 2 }"),
        (10, "{ kind = \"backbone\", backbone_bandwidth = \"1GB/s\" }"),
    ] {
        for kind in ["incast", "outcast"] {
            // Without latency all start to flow together, and share the one link to the end.
            let run = Run::on(&cluster_with(nodes, topology, "0s"), &pattern(&format!("kind = \"{kind}\"")));
            takes(&run, f64::from(nodes - 1) * M / B);
            let arrivals = run.arrivals();
            assert!(
                arrivals.iter().all(|&arrival| (arrival - run.completion()).abs() < 1e-9 * arrival),
                "{arrivals:?}"
            );
        }
    }
    for nodes in [2, 5, 100] {
        takes(
            &Run::on(&cluster(nodes, "{ kind = \"star\" }"), &pattern("kind = \"incast\", to = 1")),
            2.0 * L + f64::from(nodes - 1) * M / B,
        );
    }
}

/// On a star every link up and every link down carries n - 1 messages; on one of half duplex twice as many.
#[test]
fn all_to_all_on_a_star() {
    for nodes in [2, 3, 16, 40] {
        let all = f64::from(nodes - 1) * M / B;
        for (duplex, times) in [("full", 1.0), ("half", 2.0)] {
            let topology = format!("{{ kind = \"star\", duplex = \"{duplex}\" }}");
            takes(&Run::on(&cluster(nodes, &topology), &pattern("kind = \"all_to_all\"")), 2.0 * L + times * all);
        }
    }
}

/// A backbone that is the bottleneck carries everything, one message after the other or all at once.
#[test]
fn a_backbone_carries_everything() {
    for nodes in [2, 8, 20] {
        let topology = "{ kind = \"backbone\", backbone_bandwidth = \"100MB/s\", backbone_latency = \"5us\" }";
        let total = f64::from(nodes * (nodes - 1)) * M;
        let run = Run::on(&cluster(nodes, topology), &pattern("kind = \"all_to_all\""));
        takes(&run, 2.0 * L + 5e-6 + total / 1e8);
        let most = run.record.get("most_used_link").map(ToString::to_string);
        assert_eq!(most.as_deref(), Some("net backbone"));
        // A bus is a backbone without links.
        let bus = Run::on(&cluster(nodes, "{ kind = \"backbone\", links = false }"), &pattern("kind = \"ring\""));
        takes(&bus, L + f64::from(nodes) * M / B);
    }
}

/// A crossbar has a link for each pair: nothing meets.
#[test]
fn nothing_meets_on_a_crossbar() {
    for nodes in [2, 7, 16] {
        for keys in ["kind = \"all_to_all\"", "kind = \"incast\"", "kind = \"permutation\"", "kind = \"ring\""] {
            takes(&Run::on(&cluster(nodes, "{ kind = \"crossbar\" }"), &pattern(keys)), L + M / B);
        }
    }
}

/// D-mod-k routing keeps the messages of a shift apart where a fat tree has as many cables up as down (Zahavi 2010).
#[test]
fn shifts_never_meet_in_a_full_fat_tree() {
    for (nodes, tree, levels) in [
        (16, "down = [4, 4], up = [1, 4]", 2),
        (27, "down = [3, 3, 3], up = [1, 3, 3]", 3),
        (8, "down = [4, 2], up = [1, 2], parallel = [1, 2]", 2),
    ] {
        for shift in 1..nodes {
            let keys = format!("kind = \"ring\", shift = {shift}");
            let run = Run::on(&cluster(nodes, &format!("{{ kind = \"fat_tree\", {tree} }}")), &pattern(&keys));
            // Some message of each shift goes over the top.
            takes(&run, f64::from(2 * levels) * L + M / B);
        }
    }
    // With half the cables a message that leaves its switch meets one other: four nodes, two cables.
    let run = Run::on(
        &cluster(16, "{ kind = \"fat_tree\", down = [4, 4], up = [1, 2] }"),
        &pattern("kind = \"ring\", shift = 4"),
    );
    takes(&run, 4.0 * L + 2.0 * M / B);
}

/// On a ring of nodes a shift by s goes s links on, and each link carries the s messages that start behind it; beyond
/// half the ring the other way is shorter.
#[test]
fn shifts_on_a_ring() {
    for nodes in [3, 8, 11] {
        let torus = format!("{{ kind = \"torus\", dimensions = [{nodes}] }}");
        for shift in 1..nodes {
            let far = f64::from(shift.min(nodes - shift));
            let run = Run::on(&cluster(nodes, &torus), &pattern(&format!("kind = \"ring\", shift = {shift}")));
            takes(&run, far * L + far * M / B);
        }
    }
}

/// On a ring of odd n every link carries, each way, 1 + 2 + … + (n - 1)/2 = (n² - 1)/8 messages of an all-to-all. On a
/// torus of two equal dimensions k each message crosses k times as many of each.
#[test]
fn all_to_all_on_tori() {
    for side in [3, 5, 7] {
        let each = f64::from(side * side - 1) / 8.0;
        let ring = cluster_with(side, &format!("{{ kind = \"torus\", dimensions = [{side}] }}"), "0s");
        takes(&Run::on(&ring, &pattern("kind = \"all_to_all\"")), each * M / B);
        let square = cluster_with(side * side, &format!("{{ kind = \"torus\", dimensions = [{side}, {side}] }}"), "0s");
        takes(&Run::on(&square, &pattern("kind = \"all_to_all\"")), f64::from(side) * each * M / B);
    }
}

/// Neighbours in the order of the numbers: at the end of a row of a torus the message goes round the row and on to the
/// next.
#[test]
fn a_ring_of_neighbours_on_a_torus() {
    let run = Run::on(&cluster(16, "{ kind = \"torus\", dimensions = [4, 4] }"), &pattern("kind = \"ring\""));
    takes(&run, 2.0 * L + M / B);
}

/// All pairs send over the one link between the clusters, which is narrower than those of the nodes together.
#[test]
fn pairs_of_clusters_share_what_joins_them() {
    let network = "network = { model = \"fair\", latency = \"1us\", bandwidth = \"1GB/s\" }";
    for (nodes, between) in [(4, 2e9), (8, 1e8), (2, 1e10)] {
        let platform = format!(
            "[platform.cluster.a]\nnodes = {nodes}\n{network}\n[platform.cluster.b]\nnodes = {nodes}\n{network}\n\
             [platform.between]\nnetwork = {{ model = \"fair\", latency = \"100us\", bandwidth = \"{between}B/s\" }}"
        );
        let share = (between / f64::from(nodes)).min(B);
        takes(&Run::on(&platform, &pattern("kind = \"pairs\"")), 100e-6 + M / share);
    }
}

/// The links of a second cluster name its nodes by their numbers on the platform, whatever its topology, as the table of
/// nodes and the charts do.
#[test]
fn links_name_nodes_as_the_platform_numbers_them() {
    let fair = "model = \"fair\", latency = \"1us\", bandwidth = \"1GB/s\"";
    let platform = |keys: &str| {
        format!(
            "[platform.cluster.a]\nnodes = 3\nnetwork = {{ {fair} }}\n\
             [platform.cluster.b]\nnodes = 8\nnetwork = {{ {fair}{keys} }}\n\
             [platform.between]\nnetwork = {{ {fair} }}"
        )
    };
    for topology in [
        "",
        ", topology = { kind = \"star\" }",
        ", topology = { kind = \"star\", duplex = \"half\" }",
        ", topology = { kind = \"backbone\" }",
        ", topology = { kind = \"crossbar\" }",
        ", topology = { kind = \"fat_tree\", down = [4, 2], up = [1, 2] }",
        ", topology = { kind = \"torus\", dimensions = [4, 2] }",
        ", topology = { kind = \"mesh\", dimensions = [4, 2] }",
        ", topology = { kind = \"dragonfly\", groups = 2, chassis = 1, routers = 2, nodes_per_router = 2 }",
        ", topology = { kind = \"random_regular\", degree = 3, nodes_per_switch = 2 }",
        ", topology = { kind = \"cells\", sizes = [5, 1] }",
    ] {
        let run = Run::on(&platform(topology), &pattern("kind = \"all_to_all\""));
        let mut nodes: Vec<(String, u32)> = Vec::new();
        for row in &run.table("links").rows {
            let name = row[0].to_string();
            let words: Vec<&str> = name.split(' ').collect();
            let named = words.windows(2).filter(|pair| pair[0] == "node");
            nodes.extend(named.map(|pair| (words[0].to_owned(), pair[1].parse().unwrap())));
        }
        nodes.sort();
        nodes.dedup();
        let expected = (0..11).map(|node| (if node < 3 { "a" } else { "b" }.to_owned(), node));
        assert_eq!(nodes, expected.collect::<Vec<_>>(), "{topology}");
    }
    let run = Run::on(&platform(""), &pattern("kind = \"incast\", to = 4"));
    assert_eq!(run.record.get("most_used_link").map(ToString::to_string).as_deref(), Some("b node 4 down"));
}

/// Groups of four inside a cluster: the four messages that leave a group share its link to the network around it.
#[test]
fn levels_share_what_joins_them() {
    let platform = "[platform.cluster.net]\nnodes = 16\n\
                    network = { model = \"fair\", latency = \"10us\", bandwidth = \"2GB/s\" }\n\
                    [[platform.cluster.net.level]]\nsize = 4\n\
                    network = { model = \"fair\", latency = \"1us\", bandwidth = \"1GB/s\" }";
    takes(&Run::on(platform, &pattern("kind = \"ring\", shift = 4")), 10e-6 + 4.0 * M / 2e9);
    // One of each four leaves its group, and is bound by its node's link.
    takes(&Run::on(platform, &pattern("kind = \"ring\"")), 10e-6 + M / B);
}

/// A node alone sends nothing, whatever the topology; a broadcast among one is done at once.
#[test]
fn a_node_alone() {
    for topology in ["star", "backbone", "crossbar"] {
        let platform = cluster(1, &format!("{{ kind = \"{topology}\" }}"));
        let keys = "kind = \"broadcast\"\nalgorithm = \"binomial\"\nsize = \"1MB\"";
        let record = read(&format!("version = 1\n{platform}\n[workload]\n{keys}\n")).run(0, 0).unwrap();
        assert_eq!(record.get("completion_s").and_then(Value::number), Some(0.0), "{topology}");
    }
}

#[track_caller]
pub(super) fn alike(one: &Run, other: &Run) {
    let (a, b) = (one.arrivals(), other.arrivals());
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b) {
        assert!((a - b).abs() <= 1e-9 * a, "{a} is not {b}:\n{}\n{}", one.text, other.text);
    }
}

/// Traffic that tells two platforms apart.
pub(super) const UNEVEN: &str = "pattern = { kind = \"random\", messages = 200 }\n\
                      sizes = { distribution = \"uniform\", from = \"1B\", to = \"1MB\" }\ngap = \"50us\"";

/// A star laid link by link is the star.
#[test]
fn a_star_made_by_hand() {
    let nodes = 9;
    let names: Vec<String> = (0..nodes).map(|node| format!("\"n{node}\"")).collect();
    for transport in
        ["", "[platform.transport]\ncalibration = \"lv08\"\n", "[platform.transport]\nsends = \"in_turn\"\n"]
    {
        let wire = |node| format!("[platform.wire.w{node}]\nbandwidth = \"1GB/s\"\nlatency = \"1us\"\n");
        let route = |node| {
            let keys = format!("from = \"n{node}\"\nto = \"switch\"\nwires = [\"w{node}\"]");
            format!("[[platform.cluster.net.network.route]]\n{keys}\n")
        };
        let made = format!(
            "{transport}{}[platform.cluster.net]\nnodes = {nodes}\n[platform.cluster.net.network]\nmodel = \"routes\"\n\
             nodes = [{}]\nrouters = [\"switch\"]\nchoose = \"fewest_links\"\n{}",
            (0..nodes).map(wire).collect::<String>(),
            names.join(", "),
            (0..nodes).map(route).collect::<String>(),
        );
        let star = format!("{transport}{}", cluster(nodes, "{ kind = \"star\" }"));
        alike(&Run::on(&made, UNEVEN), &Run::on(&star, UNEVEN));
    }
}

/// Two clusters in a zone, joined by a wire, are two clusters with a link between them.
#[test]
fn a_zone_of_two_clusters_is_two_clusters_with_a_link() {
    let network =
        "network = { model = \"fair\", latency = \"1us\", bandwidth = \"1GB/s\", topology = { kind = \"star\" } }";
    let clusters = format!("[platform.cluster.a]\nnodes = 5\n{network}\n[platform.cluster.b]\nnodes = 3\n{network}\n");
    for transport in ["", "[platform.transport]\ncalibration = \"lv08\"\n"] {
        let zone = format!(
            "{transport}{clusters}[platform.wire.trunk]\nbandwidth = \"500MB/s\"\nlatency = \"100us\"\n\
             [platform.zone.all]\nmembers = [\"a\", \"b\"]\nroute = [{{ from = \"a\", to = \"b\", wires = [\"trunk\"] }}]\n"
        );
        let between = format!(
            "{transport}{clusters}[platform.between]\nnetwork = {{ model = \"fair\", latency = \"100us\", bandwidth = \"500MB/s\" }}\n"
        );
        alike(&Run::on(&zone, UNEVEN), &Run::on(&between, UNEVEN));
    }
}

/// The broadcasts of `scenarios/simgrid.toml` by their closed forms, with L = 50 us and B = 125 MB/s: what SimGrid 4.1
/// prints.
#[test]
fn broadcasts_take_what_simgrid_prints() {
    let completion = |nodes: u32, algorithm: &str, transport: &str| {
        let scenario = read(&format!(
            "version = 1\n[platform.transport]\n{transport}\n[platform.cluster.net]\nnodes = {nodes}\n\
             network = {{ model = \"fair\", latency = \"50us\", bandwidth = \"125MB/s\", topology = {{ kind = \"star\" }} }}\n\
             [workload]\nkind = \"broadcast\"\nalgorithm = \"{algorithm}\"\nsize = \"1MB\"\nsegment = \"62500B\"\n"
        ));
        scenario.run(0, 0).unwrap().get("completion_s").and_then(Value::number).unwrap()
    };
    let (hop, piece) = (1e-4 + 1e6 / 125e6, 1e-4 + 62_500.0 / 125e6);
    let near =
        |found: f64, expected: f64| assert!((found - expected).abs() <= 1e-9 * expected, "{found} is not {expected}");
    for nodes in [2u32, 3, 64, 1000] {
        let (others, rounds) = (f64::from(nodes - 1), f64::from(nodes.next_power_of_two().ilog2()));
        near(completion(nodes, "linear", "sends = \"in_turn\""), others * hop);
        near(completion(nodes, "linear", "sends = \"at_once\""), 1e-4 + others * 8e-3);
        near(completion(nodes, "binomial", "sends = \"in_turn\""), rounds * hop);
        near(completion(nodes, "pipeline", "sends = \"in_turn\""), (others + 15.0) * piece);
    }
    near(completion(10_000, "binomial", "sends = \"in_turn\""), 14.0 * hop);
    near(completion(2, "linear", "calibration = \"lv08\""), 13.01 * 1e-4 + 1e6 / (0.97 * 125e6));
}

/// Topologies with their numbers of nodes.
fn topologies() -> impl Strategy<Value = (u32, String)> {
    let star = (2..24u32, prop_oneof!["full", "half"])
        .prop_map(|(nodes, duplex)| (nodes, format!("{{ kind = \"star\", duplex = \"{duplex}\" }}")));
    let backbone = (2..24u32, any::<bool>(), 1..3000u32).prop_map(|(nodes, links, wide)| {
        (nodes, format!("{{ kind = \"backbone\", links = {links}, backbone_bandwidth = \"{wide}MB/s\" }}"))
    });
    let crossbar = (2..16u32).prop_map(|nodes| (nodes, "{ kind = \"crossbar\" }".to_owned()));
    let fat_tree = (2..5u32, 1..5u32, 1..4u32, 1..3u32).prop_map(|(below, switches, parents, parallel)| {
        let keys = format!("down = [{below}, {switches}], up = [1, {parents}], parallel = [1, {parallel}]");
        (below * switches, format!("{{ kind = \"fat_tree\", {keys} }}"))
    });
    let grid = (prop_oneof!["torus", "mesh"], 2..6u32, 1..4u32, 1..3u32, prop_oneof!["full", "half"]).prop_map(
        |(kind, x, y, z, duplex)| {
            (x * y * z, format!("{{ kind = \"{kind}\", dimensions = [{x}, {y}, {z}], duplex = \"{duplex}\" }}"))
        },
    );
    let dragonfly = (2..4u32, 1..3u32, 1..4u32, 1..3u32).prop_map(|(groups, chassis, routers, nodes)| {
        let keys = format!("groups = {groups}, chassis = {chassis}, routers = {routers}, nodes_per_router = {nodes}");
        (groups * chassis * routers * nodes, format!("{{ kind = \"dragonfly\", {keys} }}"))
    });
    let random = (2..6u32, 1..4u32, 0..9u32).prop_map(|(pairs, nodes, seed)| {
        let keys = format!("degree = 3, nodes_per_switch = {nodes}, seed = {seed}");
        (2 * pairs * nodes, format!("{{ kind = \"random_regular\", {keys} }}"))
    });
    let cells = (2..40u32, prop::collection::vec(1..9u32, 1..4)).prop_map(|(nodes, sizes)| {
        (nodes, format!("{{ kind = \"cells\", sizes = {sizes:?}, cell_bandwidth = \"300MB/s\" }}"))
    });
    prop_oneof![star, backbone, crossbar, fat_tree, grid, dragonfly, random, cells]
}

/// Keys of traffic, for any number of nodes.
fn traffic() -> impl Strategy<Value = String> {
    let pattern = prop_oneof![
        (1..80u32).prop_map(|messages| format!("kind = \"random\", messages = {messages}")),
        Just("kind = \"incast\", to = 1".to_owned()),
        Just("kind = \"outcast\"".to_owned()),
        Just("kind = \"all_to_all\"".to_owned()),
        Just("kind = \"ring\"".to_owned()),
        Just("kind = \"permutation\"".to_owned()),
    ];
    let sizes = prop_oneof![
        Just("size = \"100kB\"".to_owned()),
        Just("sizes = { distribution = \"uniform\", from = \"1B\", to = \"2MB\" }".to_owned()),
    ];
    let gap = prop_oneof![Just(""), Just("gap = \"20us\"\n")];
    (pattern, sizes, gap, 1..3u32)
        .prop_map(|(pattern, sizes, gap, rounds)| format!("pattern = {{ {pattern} }}\n{sizes}\n{gap}rounds = {rounds}"))
}

/// The channels of a way by name.
fn way(topology: &Topology, from: u32, to: u32) -> Vec<u32> {
    let mut way = Vec::new();
    topology.route(from, to, &mut way);
    way
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// On every topology, under every pattern and calibration: each link carries the bytes of the messages whose way it
    /// is on, and no more than its bandwidth; a run is no shorter than what its busiest link has to carry, and no
    /// message faster than alone.
    #[test]
    fn bytes_are_kept_and_links_never_overfull(
        (nodes, topology) in topologies(),
        traffic in traffic(),
        transport in prop_oneof![Just(""), Just("sends = \"in_turn\""), Just("calibration = \"cm02\""), Just("calibration = \"lv08\"")],
    ) {
        let platform = format!("[platform.transport]\n{transport}\n{}", cluster(nodes, &topology));
        let run = Run::on(&platform, &traffic);
        let topology = run.platform.connection(0, 0).model.topology().expect("a topology");
        let mut expected: HashMap<u32, f64> = HashMap::new();
        for row in &run.table("messages").rows {
            let cells: Vec<f64> = row.iter().filter_map(Value::number).collect();
            let [from, to, bytes, start, arrival, slowdown] = cells[..] else { panic!("a row has six numbers") };
            prop_assert!(slowdown >= 1.0 - 1e-9, "{slowdown}");
            prop_assert!(arrival > start);
            for channel in way(topology, from as u32, to as u32) {
                *expected.entry(channel).or_default() += bytes;
            }
        }
        let links = run.table("links");
        let by_name: HashMap<String, &Vec<Value>> = links.rows.iter().map(|row| (row[0].to_string(), row)).collect();
        let mut busiest: f64 = 0.0;
        for (&channel, &bytes) in &expected {
            let name = format!("net {}", topology.name(channel, 0));
            let row = by_name[&name];
            prop_assert_eq!(row[1].number(), Some(bytes), "{}", name);
            if let Some(used) = row[2].number() {
                prop_assert!(used <= 1.0 + 1e-9, "{name}: {used}");
                busiest = busiest.max(bytes / topology.channel(channel).bandwidth);
            }
        }
        // Links of answers carry no bytes of messages.
        let idle = links.rows.iter().filter(|row| row[1].number() == Some(0.0)).count();
        prop_assert_eq!(links.rows.len(), expected.len() + idle);
        let least = if topology.channels() > 0 { L } else { 0.0 };
        prop_assert!(run.completion() >= (busiest + least) * (1.0 - 1e-9), "{} {busiest}", run.completion());
    }

    /// Where no two messages meet, shared links are Hockney's network with α = Σ L and β = 1/B: trees in which every
    /// node gets from one, and sends in turn.
    #[test]
    fn trees_that_send_in_turn_are_hockneys(
        nodes in 1..70u32,
        algorithm in prop_oneof![
            "linear", "chain", "pipeline", "binary", "segmented_binary", "binomial", "segmented_binomial", "binomial_mpich",
            "k_nomial"
        ],
        bytes in 1..1_000_000u32,
        segment in 1000..100_000u32,
        root in any::<prop::sample::Index>(),
    ) {
        let root = root.index(nodes as usize);
        let completion = |network: &str| {
            let scenario = read(&format!(
                "version = 1\n[platform.transport]\nsends = \"in_turn\"\n[platform.cluster.net]\nnodes = {nodes}\n{network}\n\
                 [workload]\nkind = \"broadcast\"\nalgorithm = \"{algorithm}\"\nsize = \"{bytes}B\"\nsegment = \"{segment}B\"\n\
                 root = {root}\n"
            ));
            let record = scenario.run(0, 0).unwrap();
            (record.get("completion_s").and_then(Value::number).unwrap(), record.get("messages").and_then(Value::number).unwrap())
        };
        let (hockney, messages) =
            completion("network = { model = \"hockney\", latency = \"100us\", bandwidth = \"123456789B/s\" }");
        let (fair, _) = completion(
            "network = { model = \"fair\", latency = \"50us\", bandwidth = \"123456789B/s\", topology = { kind = \"star\" } }",
        );
        // A tick is a picosecond; no message waits for more others than there are.
        prop_assert!((fair - hockney).abs() <= messages * 1e-12, "{fair} is not {hockney}");
    }
}
