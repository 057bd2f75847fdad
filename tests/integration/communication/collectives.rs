//! Collectives through the event engine: closed forms to the tick, on an uneven grid, and inside other programs.

use hetsim::cluster::network::{Model, Parameters};
use hetsim::cluster::{Context, Embedded, NodeId, Platform, Program, Scope, Simulation, TimerId, WorkId};
use hetsim::communication::{Algorithm, Collective as Planned, Operation};
use hetsim::record::Value;
use hetsim::units::{Tick, Time};
use hetsim::workload::communication::{Part, Steps};

use super::machines::{TWO_BY_TWO, text};
use crate::support::{metric, near, refused, run_replica};

/// Whether no closed form is exact.
fn has_none(operation: Operation, algorithm: Algorithm) -> bool {
    use Algorithm::{
        Binary, BineRemap, BineTree, BineTwoBlocks, InOrderBinary, KNomial, LinearNonblocking, LinearSynchronised,
        Pipeline, SegmentedBinary,
    };
    match operation {
        Operation::Gather | Operation::Scatter => matches!(algorithm, BineTree | KNomial | LinearSynchronised),
        Operation::Reduce => {
            matches!(algorithm, Binary | InOrderBinary | KNomial | LinearNonblocking | Pipeline | SegmentedBinary)
        }
        Operation::AllReduce | Operation::ReduceScatter | Operation::Scan if algorithm == LinearNonblocking => true,
        _ => algorithm == BineTwoBlocks || (algorithm == BineRemap && operation == Operation::AllGather),
    }
}

/// Every algorithm for every operation: where a closed form is given, the simulation meets it to the tick, and for
/// powers of two that divide the size one always is, unless there is nothing to send. The plan's messages are all sent,
/// and no others.
#[test]
fn simulations_meet_the_closed_forms() {
    for &operation in Operation::ALL {
        for algorithm in operation.algorithms() {
            for (ranks, size) in
                [(1, 100), (2, 64), (3, 50), (4, 4096), (5, 777), (8, 1024), (8, 0), (12, 1200), (16, 160), (32, 320)]
            {
                let Ok(plan) = algorithm.plan(&Planned::new(operation, ranks, size)) else {
                    // Some need an even number of ranks, or a power of two.
                    assert!(!ranks.is_power_of_two(), "{operation} {algorithm} {ranks}");
                    continue;
                };
                let plan = plan.into_steps();
                // Combining a byte takes less than sending it, then more.
                for reduction in ["3op", "50op"] {
                    let keys = format!(
                        "kind = \"collective\"\noperation = \"{operation}\"\nalgorithm = \"{algorithm}\"\nsize = \"{size}B\"\n\
                         reduction = \"{reduction}\""
                    );
                    let record = run_replica(&text(ranks, &keys), 0);
                    assert_eq!(metric(&record, "messages") as u64, plan.messages(), "{operation} {algorithm} {ranks}");
                    let predicted = record.get("predicted_s").and_then(Value::number);
                    assert!(
                        predicted.is_some() || !ranks.is_power_of_two() || size == 0 || has_none(operation, algorithm),
                        "{operation} {algorithm} {ranks}"
                    );
                    if let Some(predicted) = predicted {
                        let simulated = metric(&record, "completion_s");
                        assert!(
                            (simulated - predicted).abs() < 1e-13,
                            "{operation} {algorithm} {ranks}: {simulated} {predicted}"
                        );
                    }
                }
            }
        }
    }
}

/// Worked by hand: 16 ranks, 1 KiB, γ = 1 ns/B: recursive doubling 4(20 + 8.192 + 1.024) µs.
#[test]
fn an_all_reduce_by_hand() {
    let keys = "kind = \"collective\"\noperation = \"all_reduce\"\nalgorithm = \"recursive_doubling\"\nsize = \"1KiB\"\nreduction = \"1op\"";
    let record = run_replica(&text(16, keys), 0);
    near(metric(&record, "completion_s"), 116.864e-6);
    near(metric(&record, "combined_bytes"), 16.0 * 4.0 * 1024.0);
}

#[test]
fn a_barrier_of_ten_thousand_ranks() {
    let record =
        run_replica(&text(10_000, "kind = \"collective\"\noperation = \"barrier\"\nalgorithm = \"dissemination\""), 0);
    near(metric(&record, "completion_s"), 14.0 * 20e-6);
    assert_eq!(metric(&record, "messages"), 140_000.0);
}

/// Nobody leaves a barrier before the last has come, whatever the network, and everything ends under jitter on two
/// clusters, from any root.
#[test]
fn everything_ends_on_an_uneven_grid() {
    for &operation in Operation::ALL {
        for algorithm in operation.algorithms() {
            let root = if operation.has_root() { 5 } else { 0 };
            if algorithm.plan(&Planned::new(operation, 12, 1)).is_err() {
                continue;
            }
            let text = format!(
                "version = 1\nreplicas = 9\n[platform.cluster.north]\nnodes = 7\nspeed = \"2Gop/s\"\n\
                 network = {{ model = \"loggp\", latency = \"20us\", overhead = \"3us\", gap = \"5us\", gap_per_byte = \"8ns/B\"}}\njitter = 0.5\n\
                 [platform.cluster.south]\nnodes = 5\nspeed = \"1Gop/s\"\n\
                 network = {{ model = \"delay\", latency = \"50us\", bandwidth = \"1Gbit/s\"}}\njitter = 0.5\n\
                 [platform.between]\nnetwork = {{ model = \"hockney\", latency = \"5ms\", bandwidth = \"1Gbit/s\"}}\njitter = 0.5\n\
                 [workload]\nkind = \"collective\"\noperation = \"{operation}\"\nalgorithm = \"{algorithm}\"\nsize = \"1000B\"\n\
                 reduction = \"1op\"\nplacement = \"round_robin\"\nskew = \"100ms\"\nroot = {root}\n[output]\ntables = [\"ranks\"]\n"
            );
            for replica in 0..3 {
                let record = run_replica(&text, replica);
                assert_eq!(record.get("predicted_s"), Some(&Value::Blank));
                if operation == Operation::Barrier {
                    // The last of twelve draws of up to 100 ms: all end within the few steps that follow it.
                    let table = record.tables.iter().find(|table| table.name == "ranks").unwrap();
                    let ends: Vec<f64> = table.rows.iter().filter_map(|row| row[3].number()).collect();
                    let (first, last) = (ends.iter().copied().fold(1.0, f64::min), metric(&record, "completion_s"));
                    assert_eq!(ends.len(), 12);
                    assert!(first > 0.03 && last - first < 0.12, "{algorithm}: {first} to {last}");
                }
            }
        }
    }
}

/// A program that computes for a second on every node, then has some of them all-reduce, and ends when they have.
struct Host {
    inside: Embedded<Steps, fn(Part) -> Part>,
    rank_of: Vec<Option<u32>>,
    left: usize,
    ended: Vec<(NodeId, Time)>,
}

const INSIDE: Scope = Scope(1);

impl Host {
    fn pass_on(&mut self, context: &mut impl Context<Part>) {
        while let Some(node) = self.inside.next_completed() {
            self.ended.push((node, context.now()));
            context.complete(node);
        }
    }

    fn rank(&self, node: NodeId) -> NodeId {
        NodeId(self.rank_of[node.index()].unwrap())
    }
}

impl Program for Host {
    type Message = Part;

    fn start(&mut self, context: &mut impl Context<Part>) {
        for node in 0..context.nodes() {
            context.compute(NodeId(node), 1e9);
        }
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, part: Part, context: &mut impl Context<Part>) {
        let (at, from) = (self.rank(at), self.rank(from));
        self.inside.on_message(at, from, part, context);
        self.pass_on(context);
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<Part>) {
        if self.inside.owns(work.scope()) {
            let at = self.rank(at);
            self.inside.on_computed(at, work, context);
        } else {
            self.left -= 1;
            if self.left == 0 {
                self.inside.start(context);
            }
        }
        self.pass_on(context);
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<Part>) {
        let at = self.rank(at);
        self.inside.on_timer(at, timer, context);
        self.pass_on(context);
    }
}

/// Intracluster another program, on every second of its nodes, a collective takes what it takes alone; with ranks that
/// come later too.
#[test]
fn a_collective_inside_another_program() {
    let network: Parameters =
        serde_json::from_str(r#"{ "model": "hockney", "latency": "20us", "bandwidth": "1Gbit/s" }"#).unwrap();
    let model = || Model::new(&network, Tick::default()).unwrap();
    for delays in [Vec::new(), (0..6).map(|rank| Time(rank * 1_000_000_000)).collect()] {
        for algorithm in Operation::AllReduce.algorithms() {
            let collective = Planned::new(Operation::AllReduce, 6, 600);
            let plan = algorithm.plan(&collective).unwrap().into_steps();
            let platform = Platform::uniform(6, model()).unwrap().with_speeds(&[1e9; 6]).unwrap();
            let mut simulation = Simulation::new(&platform, 1);
            simulation.run(&mut Steps::new(plan.clone(), 2.0).with_delays(delays.clone())).unwrap();
            let alone = simulation.completion().unwrap();
            assert_eq!(simulation.completed(), 6);

            let platform = Platform::uniform(12, model()).unwrap().with_speeds(&[1e9; 12]).unwrap();
            let members: Vec<NodeId> = (0..6).map(|rank| NodeId(2 * rank + 1)).collect();
            let inner = Steps::new(plan, 2.0).with_delays(delays.clone());
            let mut host = Host {
                inside: Embedded::new(inner, INSIDE, members, std::convert::identity),
                rank_of: (0..12).map(|node| (node % 2 == 1).then_some(node / 2)).collect(),
                left: 12,
                ended: Vec::new(),
            };
            let mut simulation = Simulation::new(&platform, 1);
            simulation.run(&mut host).unwrap();
            assert_eq!(host.ended.len(), 6);
            let last = host.ended.iter().map(|(_, at)| *at).max().unwrap();
            assert_eq!(last, alone + Time(1_000_000_000_000), "{algorithm}");
        }
    }
}

/// On two levels each operation is one inside the clusters and one between their coordinators, by hand.
#[test]
fn operations_on_two_levels_by_hand() {
    let inside = |bytes: f64| 20e-6 + 8e-9 * bytes;
    let between = |bytes: f64| 1e-3 + 80e-9 * bytes;
    for (operation, algorithm, expected) in [
        ("broadcast", "linear+linear", between(1e3) + inside(1e3)),
        ("scatter", "linear+binomial", between(2e3) + inside(1e3)),
        ("gather", "binomial+linear", inside(1e3) + between(2e3)),
        ("reduce", "binomial+binomial", inside(1e3) + between(1e3)),
        ("all_reduce", "recursive_doubling+binomial", 2.0 * inside(1e3) + between(1e3)),
        ("all_gather", "ring+binomial", inside(1e3) + between(2e3) + inside(4e3)),
        ("barrier", "dissemination+linear", 2.0 * inside(1e3) + between(1e3)),
    ] {
        let roots = if ["all_reduce", "all_gather", "barrier"].contains(&operation) { 0..1 } else { 0..4 };
        for (root, placement) in roots.flat_map(|root| [(root, "cluster"), (root, "round_robin"), (root, "spread")]) {
            for levels in ["clusters", "all"] {
                let text = format!(
                    "{TWO_BY_TWO}[workload]\nkind = \"collective\"\noperation = \"{operation}\"\n\
                     algorithm = \"{algorithm}\"\nsize = \"1kB\"\nroot = {root}\nplacement = \"{placement}\"\n\
                     levels = \"{levels}\"\n"
                );
                near(metric(&run_replica(&text, 0), "completion_s"), expected);
            }
        }
    }
    let all_to_all = format!(
        "{TWO_BY_TWO}[workload]\nkind = \"collective\"\noperation = \"all_to_all\"\n\
         algorithm = \"linear+linear\"\nsize = \"1kB\"\n"
    );
    refused(&all_to_all, "on one level only");
    refused(
        &all_to_all.replace("all_to_all", "all_reduce").replace("linear+", "ring+ri+"),
        "is not a value of `algorithm` (did you mean `ring+linear`?)",
    );
}

/// `optimal` takes its tree from what a message costs between the first two ranks from the root: in a collective and in
/// a phase as in a broadcast, and in each group of a level from what one costs there.
#[test]
fn optimal_trees_follow_the_costs_of_their_own_ranks() {
    let platform = "version = 1\n[platform.cluster.many]\nnodes = 15\n\
                    network = { model = \"loggp\", latency = \"10ms\", overhead = \"1us\", gap = \"2us\", gap_per_byte = \"1ns/B\" }\n\
                    [platform.cluster.two]\nnodes = 2\n\
                    network = { model = \"hockney\", latency = \"10us\", bandwidth = \"1Gbit/s\" }\n\
                    [platform.between]\nnetwork = { model = \"hockney\", latency = \"20us\", bandwidth = \"1Gbit/s\" }\n";
    for root in [0, 3, 15] {
        let run =
            |workload: &str| metric(&run_replica(&format!("{platform}[workload]\n{workload}\n"), 0), "completion_s");
        let keys = format!("algorithm = \"optimal\"\nsize = \"1B\"\nroot = {root}\n");
        let broadcast = run(&format!("kind = \"broadcast\"\n{keys}"));
        let collective = run(&format!("kind = \"collective\"\noperation = \"broadcast\"\n{keys}"));
        let inline = keys.trim().replace('\n', ", ");
        let phase = format!("[[workload.phase]]\ncollective = {{ operation = \"broadcast\", {inline} }}");
        near(collective, broadcast);
        near(run(&format!("kind = \"phases\"\n{phase}")), broadcast);
        assert!(root > 0 || broadcast < 11e-3, "{broadcast}");
        // The root sends to the other cluster, and then to all of its own, at once.
        let levels = run(&format!(
            "kind = \"collective\"\noperation = \"broadcast\"\n{}",
            keys.replace("optimal", "linear+optimal")
        ));
        assert!(levels < 11e-3, "{root}: {levels}");
    }
}

/// On any clusters, sites and groups inside, from any root and anywhere: all ranks are done, no message arrives before
/// it was sent, and a scatter sends each block once for each level that it crosses.
#[test]
fn operations_on_all_levels_end() {
    let network = |latency: &str| {
        format!("network = {{ model = \"hockney\", latency = \"{latency}\", bandwidth = \"1Gbit/s\" }}")
    };
    let platform = format!(
        "version = 1\n[platform.cluster.a]\nnodes = 8\n{inner}\n[[platform.cluster.a.level]]\nsize = 4\n{inner}\n\
         [platform.cluster.b]\nnodes = 3\n{inner}\n[platform.cluster.c]\nnodes = 5\n{inner}\n\
         [platform.site.here]\nclusters = [\"a\", \"c\"]\n{site}\n[platform.between]\n{between}\n",
        inner = network("20us"),
        site = network("200us"),
        between = network("5ms"),
    );
    for &operation in Operation::ALL {
        for (number, algorithm) in operation.algorithms().enumerate() {
            let on_levels = !matches!(operation, Operation::AllToAll | Operation::ReduceScatter | Operation::Scan);
            // Some need an even number of coordinators, or a power of two.
            if !on_levels || algorithm.plan(&Planned::new(operation, 3, 1)).is_err() {
                continue;
            }
            let number = number as u32;
            let root = if operation.has_root() { (5 * number + 3) % 16 } else { 0 };
            for (levels, placement) in [("all", "spread"), ("clusters", "round_robin"), ("all", "cluster")] {
                let text = format!(
                    "{platform}[workload]\nkind = \"collective\"\noperation = \"{operation}\"\n\
                     algorithm = \"{algorithm}+linear\"\nsize = \"1kB\"\nroot = {root}\nplacement = \"{placement}\"\n\
                     levels = \"{levels}\"\nskew = \"1ms\"\n"
                );
                let record = run_replica(&text, 0);
                let moved = metric(&record, "moved_bytes");
                if operation == Operation::Reduce {
                    // Every rank but the root hands its vector on once, in parts or whole.
                    assert!(moved >= 15e3 - 1e3 && metric(&record, "completion_s") > 5e-3, "{algorithm}: {moved}");
                } else if operation == Operation::Scatter && algorithm == Algorithm::Linear && levels == "clusters" {
                    let own = [8.0, 3.0, 5.0][usize::from(root_cluster(root, placement))];
                    assert_eq!(moved, 1e3 * (16.0 - own + 13.0));
                }
            }
        }
    }
}

/// The cluster of a rank where 8, 3 and 5 nodes are dealt out in turn.
fn root_cluster(rank: u32, placement: &str) -> u8 {
    assert_eq!(placement, "round_robin");
    let mut left = [8, 3, 5];
    let mut order = Vec::new();
    while order.len() < 16 {
        for (cluster, left) in (0..).zip(&mut left).filter(|(_, left)| **left > 0) {
            order.push(cluster);
            *left -= 1;
        }
    }
    order[rank as usize]
}

/// A library chooses an algorithm with its parameters: one that is given beside it would have no effect.
#[test]
fn a_library_leaves_no_parameter_open() {
    let by_library = |more: &str| {
        let keys = "kind = \"collective\"\noperation = \"all_to_all\"\nlibrary = \"openmpi-4.1\"\nsize = \"1KiB\"";
        text(8, &format!("{keys}\n{more}"))
    };
    assert!(metric(&run_replica(&by_library(""), 0), "completion_s") > 0.0);
    for key in ["segment = \"8KiB\"", "radix = 2", "fanout = 4", "window = 2"] {
        refused(&by_library(key), "openmpi-4.1 chooses it: name an `algorithm` instead");
    }
}

/// What has no effect in `[platform.memory]` is refused, and so is a bandwidth of zero, which would be no cost at all.
#[test]
fn memory_keys_need_their_partners() {
    let barrier = "kind = \"collective\"\noperation = \"barrier\"\nalgorithm = \"dissemination\"";
    let memory = |keys: &str| text(4, &format!("{barrier}\n[platform.memory]\n{keys}"));
    for key in ["copy_bandwidth", "combine_bandwidth", "allocate_bandwidth"] {
        refused(&memory(&format!("{key} = \"0B/s\"")), &format!("`{key}` must be above zero"));
    }
    for (keys, message) in [
        ("cache = \"1MiB\"\ncopy_bandwidth = \"1GB/s\"", "`cache` needs `copy_bandwidth_beyond` or"),
        ("copy_bandwidth_beyond = \"1GB/s\"", "`copy_bandwidth_beyond` needs `cache` beside it"),
        ("combine_bandwidth_beyond = \"0B/s\"\ncache = \"1MiB\"", "`combine_bandwidth_beyond` must be above zero"),
        ("allocate_from = \"1MiB\"", "`allocate_from` needs `allocate_bandwidth` or `register_time`"),
        ("allocate_several_from = \"1MiB\"", "`allocate_several_from` needs"),
    ] {
        refused(&memory(keys), message);
    }
    let whole = "cache = \"1MiB\"\ncopy_bandwidth_beyond = \"1GB/s\"\nallocate_from = \"1B\"\nregister_time = \"1us\"";
    assert!(metric(&run_replica(&memory(whole), 0), "completion_s") > 0.0);
}

/// Four nodes of four ranks: 1 µs inside, 20 µs between, 8 ns and 1 ns a byte.
#[test]
fn leaders_of_nodes_come_first() {
    let keys = "kind = \"collective\"\noperation = \"all_reduce\"\nsize = \"1000B\"\nalgorithm = \"recursive_doubling";
    let level = "[[platform.cluster.lab.level]]\nsize = 4\n\
        network = { model = \"hockney\", latency = \"1us\", bandwidth = \"1GB/s\" }";
    let seconds = |more: &str| metric(&run_replica(&text(16, &format!("{keys}{more}\n{level}")), 0), "completion_s");
    // Two rounds of a tree up and down inside, two exchanges among the leaders.
    let (inside, between) = (2e-6, 28e-6);
    near(seconds("+binomial\"\nlevels = \"leaders\""), 4.0 * inside + 2.0 * between);
    // The only coordinator of the only cluster leads nobody: a tree up and down between the nodes.
    near(seconds("+binomial\"\nlevels = \"all\""), 4.0 * inside + 4.0 * between);
}
