//! Several ranks on each node: where they are by each mapping, what they share, and what their collectives take.

use std::fmt::Write as _;

use hetsim::cli::check::description;
use hetsim::cluster::{NodeId, Platform};
use hetsim::workload::communication::Placement;
use proptest::prelude::*;

use crate::support::{column, here, metric, near, read, read_in, refused, run, try_read};

/// Nodes of two sockets of two cores: 1 µs inside a socket, 10 µs between sockets, 100 µs between nodes.
fn two_nodes(keys: &str, workload: &str) -> String {
    format!(
        r#"version = 1
[platform.cluster.lab]
nodes = 2
{keys}
network = {{ model = "hockney", latency = "100us", bandwidth = "1GB/s" }}
[[platform.cluster.lab.level]]
domain = "node"
size = 4
network = {{ model = "hockney", latency = "10us", bandwidth = "2GB/s" }}
[[platform.cluster.lab.level]]
domain = "socket"
size = 2
network = {{ model = "hockney", latency = "1us", bandwidth = "4GB/s" }}
[workload]
{workload}
"#
    )
}

const BARRIER: &str = "kind = \"collective\"\noperation = \"barrier\"\nalgorithm = \"dissemination\"";

fn completion(text: &str) -> f64 {
    metric(&run(text), "completion_s")
}

fn mapped(map_by: &str, workload: &str) -> f64 {
    completion(&two_nodes(&format!("ranks_per_node = 4\nmap_by = \"{map_by}\""), workload))
}

/// Ranks 2, 3, 5 and 1 are the longest path of a binomial tree from rank 2.
#[test]
fn a_binomial_broadcast_follows_the_mapping() {
    let workload = "kind = \"broadcast\"\nalgorithm = \"binomial\"\nsize = \"4kB\"\nroot = 2";
    // A hop between nodes, between sockets, inside one.
    let (far, near_by, inside) = (104e-6, 12e-6, 2e-6);
    near(mapped("core", workload), inside + far + far);
    near(mapped("node", workload), far + near_by + near_by);
    near(mapped("socket", workload), near_by + far + far);
}

/// A round each at distance 1, 2 and 4, with twice the bytes of the one before.
#[test]
fn recursive_doubling_follows_the_mapping() {
    let workload =
        "kind = \"collective\"\noperation = \"all_gather\"\nalgorithm = \"recursive_doubling\"\nsize = \"4kB\"";
    near(mapped("core", workload), 2e-6 + (10e-6 + 4e-6) + (100e-6 + 16e-6));
    near(mapped("node", workload), 104e-6 + (1e-6 + 2e-6) + (10e-6 + 8e-6));
    near(mapped("socket", workload), 12e-6 + (1e-6 + 2e-6) + (100e-6 + 16e-6));
}

/// Seven messages leave a node one after the other; or, where neighbours are on different nodes, those of all four ranks
/// share its card in each of seven rounds.
#[test]
fn a_ring_shares_the_card_of_a_node_by_the_mapping() {
    let workload = "kind = \"collective\"\noperation = \"all_gather\"\nalgorithm = \"ring\"\nsize = \"1MB\"";
    let ring = |map_by: &str| {
        let text = two_nodes(&format!("ranks_per_node = 4\nmap_by = \"{map_by}\""), workload);
        completion(&text.replace("hockney", "fair"))
    };
    assert!((ring("core") - (100e-6 + 7.0 * 1e-3)).abs() < 1e-8);
    assert!((ring("node") - 7.0 * (100e-6 + 4e-3)).abs() < 1e-8);
}

/// How long an empty message takes from rank 0 to rank 1, in µs.
fn to_rank_1(map_by: &str, ranks: u32) -> f64 {
    let text = two_nodes(&format!("ranks_per_node = {ranks}\nmap_by = \"{map_by}\""), BARRIER);
    let scenario = read(&text);
    let platform = scenario.first_platform().unwrap();
    let nodes = Placement::default().nodes(platform);
    platform.tick().seconds(platform.transfer(nodes[0], nodes[1], 0).hop()) * 1e6
}

#[test]
fn ranks_of_a_node_go_to_its_domains_in_turn() {
    for (map_by, ranks, micros) in [("core", 2, 1.0), ("socket", 2, 10.0), ("node", 2, 100.0), ("socket", 1, 100.0)] {
        near(to_rank_1(map_by, ranks), micros);
    }
}

#[test]
fn every_rank_has_the_speed_of_its_node() {
    let speeds = |keys: &str| -> Vec<f64> {
        let scenario = read(&two_nodes(
            keys,
            "kind = \"independent\"\ntasks = 1\ntask = { distribution = \"constant\", operations = \"1Gop\" }",
        ));
        let platform = scenario.first_platform().unwrap();
        (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node))).collect()
    };
    let listed = speeds("ranks_per_node = 2\nspeeds = [\"1Gop/s\", \"3Gop/s\"]");
    listed.iter().zip([1e9, 1e9, 3e9, 3e9]).for_each(|(found, expected)| near(*found, expected));
    let drawn = |ranks: u32| {
        speeds(&format!(
            "ranks_per_node = {ranks}\nspeed_factor = {{ distribution = \"uniform\", from = 0.5, to = 1.5 }}"
        ))
    };
    let (one, four) = (drawn(1), drawn(4));
    assert_ne!(one[0], one[1]);
    assert_eq!(four, [one[0], one[0], one[0], one[0], one[1], one[1], one[1], one[1]]);
}

/// Nodes with unequal numbers of ranks: what is counted, who is on which, and what `hetsim check` says of it.
#[test]
fn nodes_have_unequal_numbers_of_ranks() {
    let listed = |ranks: &str, map_by: &str| {
        two_nodes(
            &format!("ranks_per_node = {ranks}\nmap_by = \"{map_by}\"\nspeeds = [\"1Gop/s\", \"3Gop/s\"]"),
            BARRIER,
        )
    };
    let ranks = |map_by: &str| -> Vec<f64> {
        let scenario = read(&listed("[3, 2]", map_by));
        let platform = scenario.first_platform().unwrap();
        let speeds = Placement::default().nodes(platform);
        speeds.into_iter().map(|node| (platform.speed_per_second(node) / 1e9).round()).collect()
    };
    assert_eq!(ranks("core"), [1.0, 1.0, 1.0, 3.0, 3.0]);
    assert_eq!(ranks("socket"), [1.0, 1.0, 1.0, 3.0, 3.0]);
    assert_eq!(ranks("node"), [1.0, 3.0, 1.0, 3.0, 1.0]);
    let said = description(&read(&listed("[3, 2]", "core"))).unwrap();
    assert!(said.starts_with("Platform: 2 nodes with 5 ranks in 1 cluster\n"), "{said}");
    assert!(said.contains("\n lab           1        2          2 to 3 "), "{said}");
    assert!(said.contains("\n lab           2        3          1 to 2 "), "{said}");
    // However it is written, it is the same; and a list of equal numbers is the number.
    let five = read(&listed("[3, 2]", "core")).run(0, 0).unwrap().metrics;
    for counted in ["[\"1 of 3\", 2]", "[3, \"1 of 2\"]", "[\"3\", \"2\"]"] {
        assert_eq!(read(&listed(counted, "core")).run(0, 0).unwrap().metrics, five, "{counted}");
    }
    let metrics = |ranks: &str| read(&listed(ranks, "core")).run(0, 0).unwrap().metrics;
    assert_eq!(metrics("[\"2 of 3\"]"), metrics("3"));
    // Runs that are stored tell counts apart.
    let ids = ["[\"1 of 3\", \"3 of 2\"]", "[\"2 of 3\", \"2 of 2\"]"].map(|ranks| {
        let four = listed(ranks, "core").replacen("nodes = 2", "nodes = 4", 1).replacen(
            "speeds = [\"1Gop/s\", \"3Gop/s\"]",
            "",
            1,
        );
        read(&four).fingerprint(0)
    });
    assert_ne!(ids[0], ids[1]);
}

/// The ranks of the other node share its card, however many they are.
#[test]
fn a_card_carries_what_the_ranks_of_its_node_send() {
    let gather = "kind = \"collective\"\noperation = \"gather\"\nalgorithm = \"linear\"\nsize = \"1MB\"";
    let of = |ranks: &str, network: &str| {
        let text = two_nodes(&format!("ranks_per_node = {ranks}"), gather).replace("\"hockney\"", "\"fair\"");
        completion(&text.replacen("bandwidth = \"1GB/s\"", network, 1))
    };
    for (ranks, others) in [("[1, 4]", 4.0), ("[2, 3]", 3.0), ("[3, 2]", 2.0)] {
        let expected = 100e-6 + others * 1e-3;
        for network in ["bandwidth = \"1GB/s\"", "bandwidth = \"1GB/s\", topology = { kind = \"crossbar\" }"] {
            let found = of(ranks, network);
            assert!((found - expected).abs() < 1e-8, "{ranks} on {network}: {found}, not {expected}");
        }
    }
}

/// A kernel that takes 1 to 4 s on the processors of two nodes.
#[test]
fn ranks_compute_on_the_processor_that_they_are_mapped_to() {
    let folder = here(&[("slow.csv", "node,cpu,slow\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n")]);
    let slowest = |keys: &str| {
        let call = "kind = \"phases\"\n[[workload.phase]]\ncall = { kernel = \"wait\" }";
        let kernel = "[platform.kernel.wait]\nseconds = \"slow\"\nfile = \"slow.csv\"\n[workload]";
        let text = two_nodes(keys, call).replacen("[workload]", kernel, 1);
        metric(&read_in(folder.path(), &text).run(0, 0).expect("a run"), "completion_s")
    };
    // Where the nodes are in a machine makes no difference.
    near(slowest("ranks_per_node = 2\nmap_by = \"socket\"\nallocation = { of = 9, at = [3, 7] }"), 4.0);
    for (ranks, map_by, seconds) in [
        ("2", "core", 3.0),
        ("2", "socket", 4.0),
        ("[2, 1]", "socket", 3.0),
        ("[1, 3]", "core", 4.0),
        ("[4, 2]", "node", 3.0),
    ] {
        near(slowest(&format!("ranks_per_node = {ranks}\nmap_by = \"{map_by}\"")), seconds);
    }
}

/// A farm on full nodes: the ranks are its workers.
#[test]
fn ranks_are_workers_of_a_farm() {
    let farm = "kind = \"independent\"\ntasks = 14\nfarm = { policy = \"static_equal\" }\n\
        task = { distribution = \"constant\", operations = \"1Gop\" }";
    let record = run(&format!("{}[output]\ntables = [\"nodes\"]\n", two_nodes("ranks_per_node = 4", farm)));
    // Two tasks of a second for each rank but the server.
    assert_eq!(column(&record, "nodes", "node"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let completion = metric(&record, "completion_s");
    assert!((2.0..2.01).contains(&completion), "{completion}");
}

/// What `hetsim check` says of them: nodes of the file, and ranks.
#[test]
fn nodes_and_ranks_are_told_apart() {
    let said = |keys: &str| description(&read(&two_nodes(keys, BARRIER))).unwrap();
    let full = said("ranks_per_node = 4");
    assert!(
        full.starts_with("Platform: 2 nodes with 8 ranks in 1 cluster\n cluster   nodes   ranks   cores "),
        "{full}"
    );
    assert!(full.contains("\n lab           2       8       1 ") && full.contains(" ranks of each "), "{full}");
    let one_each = said("ranks_per_node = 1");
    assert!(one_each.starts_with("Platform: 2 nodes in 1 cluster\n") && !one_each.contains("ranks"), "{one_each}");
}

#[test]
fn mappings_and_ranks_can_be_swept() {
    let sweep = "[sweep]\n\"platform.cluster.lab.map_by\" = [\"core\", \"socket\", \"node\"]\n\
        \"platform.cluster.lab.ranks_per_node\" = [1, 2, 4]";
    let text = two_nodes("ranks_per_node = 1", BARRIER) + sweep;
    let scenario = read(&text);
    let ranks: Vec<u32> = (0..9).map(|point| scenario.drawn_platform(point, 0).unwrap().nodes()).collect();
    assert_eq!(ranks, [2, 4, 8, 2, 4, 8, 2, 4, 8]);
}

#[test]
fn what_full_nodes_cannot_be_is_refused() {
    for (keys, message) in [
        ("ranks_per_node = 5", "5 ranks do not fit on a node of 4 cores"),
        ("ranks_per_node = [4, 5]", "5 ranks do not fit on a node of 4 cores"),
        ("ranks_per_node = [4]", "`ranks_per_node` has 1 value for 2 nodes"),
        ("ranks_per_node = [\"3 of 4\"]", "`ranks_per_node` has 3 values for 2 nodes"),
        ("ranks_per_node = [4, \"1 of four\"]", "\"1 of four\" is no number of ranks"),
        ("ranks_per_node = [4, 0]", "1"),
        ("ranks_per_node = \"4\"", "a whole number or an array"),
        ("ranks_per_node = [1, 2]\ncores = 8", "`cores` is not possible with 2 ranks on a node"),
        ("ranks_per_node = 2\nmap_by = \"numa\"", "no `level` has the `domain` \"numa\""),
        ("map_by = \"socket\"", "`map_by` needs `ranks_per_node` beside it"),
        ("ranks_per_node = 2\ncores = 8", "`cores` is not possible with 2 ranks on a node"),
        ("ranks_per_node = 2\npower = { idle = \"10W\", active = \"20W\" }", "`power` is not possible with 2 ranks"),
        (
            "ranks_per_node = 2\nload = [{ profile = { kind = \"constant\", tasks = 1 } }]",
            "`load` is not possible with 2 ranks",
        ),
        ("ranks_per_node = 2\nspeeds = [\"1Gop/s\"]", "`speeds` has 1 value for 2 nodes"),
        ("ranks_per_node = 0", "1"),
        ("ranks_per_node = 100000000", "200000000 nodes are too many"),
    ] {
        refused(&two_nodes(keys, BARRIER), message);
    }
    let one_core =
        two_nodes("ranks_per_node = 2", BARRIER).replace("size = 4", "size = 1").replace("size = 2", "size = 1");
    refused(&one_core, "2 ranks do not fit on a node of 1 core");
    let racks = "[[platform.cluster.lab.level]]\nsize = 8\nnetwork = { model = \"ideal\" }\n[[";
    let racks = two_nodes("ranks_per_node = 2", BARRIER).replacen("[[", racks, 1).replace("size = 4", "size = 64");
    refused(&racks, "groups of 64 do not divide the 8 cores of each group of the level above");
    let help = "with `domain`, all sizes count cores: 8 nodes of 64 are 512";
    assert!(try_read(&racks).unwrap_err().contains(help), "{racks}");
    let whole = racks.replace("size = 8", "size = 512");
    assert!(try_read(&whole).is_ok(), "eight nodes of 64 cores");
    let diverse =
        two_nodes("ranks_per_node = 2", BARRIER).replacen("version = 1", "version = 1\n[platform]\ndiversity = 0.1", 1);
    refused(&diverse, "`diversity` is not possible with several ranks on a node");
    let flat = two_nodes("ranks_per_node = 2", BARRIER);
    let (head, tail) = (flat.find("[[").unwrap(), flat.find("[workload]").unwrap());
    refused(&format!("{}{}", &flat[..head], &flat[tail..]), "the platform has no `level` for 2 ranks on a node");
    // What one rank a node means is what it was.
    for keys in ["cores = 8", "power = { idle = \"10W\", active = \"20W\" }"] {
        assert!(try_read(&two_nodes(&format!("ranks_per_node = 1\n{keys}"), BARRIER)).is_ok(), "{keys}");
    }
}

/// A node: how many groups each domain has inside the one around it, and which domains are levels.
#[derive(Debug, Clone)]
struct Machine {
    nodes: u32,
    factors: [u32; 4],
    are_levels: [bool; 3],
    racks: bool,
}

const DOMAINS: [&str; 4] = ["node", "socket", "numa", "l3"];

impl Machine {
    /// The cores of a group of each domain.
    fn sizes(&self) -> [u32; 4] {
        let [sockets, numas, caches, cores] = self.factors;
        [sockets * numas * caches * cores, numas * caches * cores, caches * cores, cores]
    }

    /// The levels inside: what they are and their size.
    fn domains(&self) -> Vec<(&'static str, u32)> {
        let is_level = |place: usize| place == 0 || self.are_levels[place - 1];
        (0..4).filter(|&place| is_level(place)).map(|place| (DOMAINS[place], self.sizes()[place])).collect()
    }

    /// Its platform, with these keys of its cluster.
    fn text(&self, keys: &str) -> String {
        let network = |latency: u32| {
            format!("network = {{ model = \"hockney\", latency = \"{latency}ns\", bandwidth = \"1GB/s\" }}\n")
        };
        let mut text = format!("version = 1\n[platform.cluster.lab]\n{keys}\n{}", network(1));
        if self.racks {
            let rack = 2 * self.sizes()[0];
            write!(text, "[[platform.cluster.lab.level]]\nsize = {rack}\n{}", network(2)).unwrap();
        }
        for (place, (domain, size)) in self.domains().into_iter().enumerate() {
            let latency = network(place as u32 + 3);
            write!(text, "[[platform.cluster.lab.level]]\ndomain = \"{domain}\"\nsize = {size}\n{latency}").unwrap();
        }
        text + "[workload]\nkind = \"collective\"\noperation = \"all_gather\"\nalgorithm = \"ring\"\nsize = \"1kB\"\n"
    }

    /// The core of each rank, counted over all nodes, as mpirun finds it for the slots of each node: a rank goes to the
    /// next object that has a free core, and takes the first. None where there is no such domain.
    fn cores_of_ranks(&self, map_by: &str, slots: &[u32]) -> Option<Vec<u32>> {
        let cores = self.sizes()[0];
        let mut taken = vec![false; (self.nodes * cores) as usize];
        let mut first_free = |objects: std::ops::Range<u32>| {
            let core = objects.into_iter().find(|&core| !taken[core as usize])?;
            taken[core as usize] = true;
            Some(core)
        };
        let mut found = Vec::new();
        if map_by == "node" {
            for round in 0..cores {
                for (node, _) in (0..).zip(slots).filter(|(_, slots)| **slots > round) {
                    found.push(first_free(node * cores..(node + 1) * cores)?);
                }
            }
            return Some(found);
        }
        let size = match map_by {
            "core" => 1,
            _ => self.domains().iter().find(|(domain, _)| *domain == map_by)?.1,
        };
        for (node, slots) in (0..).zip(slots) {
            let mut object = 0;
            for _ in 0..*slots {
                found.push(loop {
                    let first = node * cores + object % (cores / size) * size;
                    object += 1;
                    if let Some(core) = first_free(first..first + size) {
                        break core;
                    }
                });
            }
        }
        Some(found)
    }

    /// Whether all groups of a node that have ranks have equally many, on each level.
    fn is_even(&self, cores: &[u32]) -> bool {
        self.domains().iter().all(|(_, size)| {
            let mut counts = std::collections::BTreeMap::new();
            for core in cores {
                *counts.entry(core / size).or_insert(0) += 1;
            }
            let first = counts.values().next();
            counts.values().all(|count| Some(count) == first)
        })
    }

    /// The latency between two cores, in nanoseconds.
    fn latency(&self, one: u32, other: u32) -> u64 {
        let inner = self.domains().iter().rposition(|(_, size)| one / size == other / size);
        let rack = 2 * self.sizes()[0];
        let outside = if self.racks && one / rack == other / rack { 2 } else { 1 };
        inner.map_or(outside, |place| place as u64 + 3)
    }
}

fn machines() -> impl Strategy<Value = Machine> {
    let flags = (prop::array::uniform3(any::<bool>()), any::<bool>());
    (2u32..6, prop::array::uniform4(1u32..4), flags).prop_map(|(nodes, factors, (are_levels, racks))| {
        let racks = racks && !are_levels.iter().all(|is_level| *is_level);
        Machine { nodes, factors, are_levels, racks }
    })
}

fn latency_between(platform: &Platform, one: NodeId, other: NodeId) -> u64 {
    (platform.tick().seconds(platform.transfer(one, other, 0).hop()) * 1e9).round() as u64
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Each rank is on a core of its own, with so many on each node, and two ranks are as far apart as their cores.
    /// Only where a domain is missing there is no such platform.
    #[test]
    fn ranks_are_where_mpirun_puts_them(
        machine in machines(), wanted in prop::collection::vec(1u32..100, 5), alike in any::<bool>(),
        map_by in prop::sample::select(vec!["core", "l3", "numa", "socket", "node"]),
        gaps in prop::collection::vec(0u32..3, 5),
    ) {
        let wanted = |node: u32| wanted[if alike { 0 } else { node as usize }];
        let slots: Vec<u32> = (0..machine.nodes).map(|node| 1 + wanted(node) % machine.sizes()[0]).collect();
        let ranks = if alike { slots[0].to_string() } else { format!("{slots:?}") };
        // The nodes are somewhere in a machine.
        let at: Vec<u32> = (0..machine.nodes).map(|node| node + gaps[..=node as usize].iter().sum::<u32>()).collect();
        let text = machine.text(&format!(
            "nodes = {}\nallocation = {{ of = 20, at = {at:?} }}\nranks_per_node = {ranks}\nmap_by = \"{map_by}\"",
            machine.nodes
        ));
        let on_nodes = machine.sizes()[0];
        let moved = |core: u32| at[(core / on_nodes) as usize] * on_nodes + core % on_nodes;
        let cores = machine.cores_of_ranks(map_by, &slots);
        let cores = cores.map(|cores| cores.into_iter().map(moved).collect::<Vec<_>>());
        let scenario = match (try_read(&text), &cores) {
            (Ok(scenario), Some(_)) => scenario,
            (Err(_), None) => return Ok(()),
            (Ok(_), None) => panic!("{machine:?}: there is no {map_by}"),
            (Err(message), Some(_)) => panic!("{machine:?}: {message}"),
        };
        let cores = cores.unwrap();
        let platform = scenario.first_platform().unwrap();
        let nodes = Placement::default().nodes(platform);
        let mut numbers: Vec<u32> = nodes.iter().map(|node| node.0).collect();
        numbers.sort_unstable();
        prop_assert_eq!(numbers, (0..slots.iter().sum()).collect::<Vec<_>>());
        for (one, other) in (0..nodes.len()).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let found = latency_between(platform, nodes[one], nodes[other]);
            prop_assert_eq!(found, machine.latency(cores[one], cores[other]), "ranks {} and {}", other, one);
        }
        let mut by_number: Vec<(NodeId, u32)> = nodes.iter().zip(&cores).map(|(node, core)| (*node, *core)).collect();
        by_number.sort_unstable();
        prop_assert!(by_number.is_sorted_by_key(|(_, core)| *core), "nodes stand core by core");
    }

    /// Ranks that are all nodes, in groups whose sizes count them, have the same results.
    #[test]
    fn full_nodes_by_core_are_the_levels_written_by_hand(machine in machines(), wanted in 1u32..100) {
        let ranks = 1 + wanted % machine.sizes()[0];
        let cores = machine.cores_of_ranks("core", &vec![ranks; machine.nodes as usize]);
        prop_assume!(cores.is_some_and(|cores| machine.is_even(&cores)));
        let mapped = read(&machine.text(&format!("nodes = {}\nranks_per_node = {ranks}", machine.nodes)));
        let platform = mapped.first_platform().unwrap();
        let mut by_hand = format!("version = 1\n[platform.cluster.lab]\nnodes = {}\n", platform.nodes());
        by_hand += "network = { model = \"hockney\", latency = \"1ns\", bandwidth = \"1GB/s\" }\n";
        for (size, link) in platform.levels(0) {
            let latency = (platform.tick().seconds(link.model.transfer(0).hop()) * 1e9).round();
            write!(
                by_hand,
                "[[platform.cluster.lab.level]]\nsize = {size}\n\
                 network = {{ model = \"hockney\", latency = \"{latency}ns\", bandwidth = \"1GB/s\" }}\n"
            )
            .unwrap();
        }
        by_hand += "[workload]\nkind = \"collective\"\noperation = \"all_gather\"\nalgorithm = \"ring\"\nsize = \"1kB\"\n";
        let record = |scenario: &hetsim::scenario::Scenario| {
            let mut record = serde_json::to_value(scenario.run(0, 0).unwrap()).unwrap();
            record.as_object_mut().unwrap().remove("timings");
            record.as_object_mut().unwrap().remove("id");
            record.to_string()
        };
        prop_assert_eq!(record(&mapped), record(&read(&by_hand)));
    }
}
