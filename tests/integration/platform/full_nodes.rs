//! Several ranks on each node: where they are by each mapping, what they share, and what their collectives take.

use std::fmt::Write as _;

use hetsim::cli::check::description;
use hetsim::cluster::{NodeId, Platform};
use hetsim::workload::communication::Placement;
use proptest::prelude::*;

use crate::support::{column, metric, near, read, refused, run, try_read};

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
        ("ranks_per_node = 3", "3 ranks on a node do not fill its groups of 2 cores"),
        ("ranks_per_node = 3\nmap_by = \"socket\"", "3 ranks do not go to the 2 groups `socket` of a node evenly"),
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

    /// The core of each rank, counted over all nodes, as mpirun finds it: a rank goes to the next object that has a free
    /// core, and takes the first. None where there is no such domain.
    fn cores_of_ranks(&self, map_by: &str, ranks: u32) -> Option<Vec<u32>> {
        let cores = self.sizes()[0];
        let mut taken = vec![false; (self.nodes * cores) as usize];
        let mut first_free = |objects: std::ops::Range<u32>| {
            let core = objects.into_iter().find(|&core| !taken[core as usize])?;
            taken[core as usize] = true;
            Some(core)
        };
        let mut found = Vec::new();
        if map_by == "node" {
            for rank in 0..self.nodes * ranks {
                let node = rank % self.nodes;
                found.push(first_free(node * cores..(node + 1) * cores)?);
            }
            return Some(found);
        }
        let size = match map_by {
            "core" => 1,
            _ => self.domains().iter().find(|(domain, _)| *domain == map_by)?.1,
        };
        for node in 0..self.nodes {
            let mut object = 0;
            for _ in 0..ranks {
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
    (1u32..3, prop::array::uniform4(1u32..4), flags).prop_map(|(pairs, factors, (are_levels, racks))| {
        let racks = racks && !are_levels.iter().all(|is_level| *is_level);
        Machine { nodes: 2 * pairs, factors, are_levels, racks }
    })
}

fn latency_between(platform: &Platform, one: NodeId, other: NodeId) -> u64 {
    (platform.tick().seconds(platform.transfer(one, other, 0).hop()) * 1e9).round() as u64
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Each rank is on a core of its own, with so many on each node, and two ranks are as far apart as their cores.
    /// Only where a domain is missing or has unequal numbers of ranks there is no such platform.
    #[test]
    fn ranks_are_where_mpirun_puts_them(
        machine in machines(), wanted in 1u32..100,
        map_by in prop::sample::select(vec!["core", "l3", "numa", "socket", "node"]),
    ) {
        let ranks = 1 + wanted % machine.sizes()[0];
        let text = machine.text(&format!("nodes = {}\nranks_per_node = {ranks}\nmap_by = \"{map_by}\"", machine.nodes));
        let cores = machine.cores_of_ranks(map_by, ranks).filter(|cores| machine.is_even(cores));
        let scenario = match (try_read(&text), &cores) {
            (Ok(scenario), Some(_)) => scenario,
            (Err(_), None) => return Ok(()),
            (Ok(_), None) => panic!("{machine:?}: {ranks} ranks by {map_by} are uneven"),
            (Err(message), Some(_)) => panic!("{machine:?}: {message}"),
        };
        let cores = cores.unwrap();
        let platform = scenario.first_platform().unwrap();
        let nodes = Placement::default().nodes(platform);
        let mut numbers: Vec<u32> = nodes.iter().map(|node| node.0).collect();
        numbers.sort_unstable();
        prop_assert_eq!(numbers, (0..machine.nodes * ranks).collect::<Vec<_>>());
        for (one, other) in (0..nodes.len()).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let found = latency_between(platform, nodes[one], nodes[other]);
            prop_assert_eq!(found, machine.latency(cores[one], cores[other]), "ranks {} and {}", other, one);
            prop_assert_eq!(nodes[one].0 / ranks == nodes[other].0 / ranks, found > 2, "a node is consecutive");
        }
    }

    /// Ranks that are all nodes, in groups whose sizes count them, have the same results.
    #[test]
    fn full_nodes_by_core_are_the_levels_written_by_hand(machine in machines(), wanted in 1u32..100) {
        let ranks = 1 + wanted % machine.sizes()[0];
        let Ok(mapped) = try_read(&machine.text(&format!("nodes = {}\nranks_per_node = {ranks}", machine.nodes))) else {
            return Ok(());
        };
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
