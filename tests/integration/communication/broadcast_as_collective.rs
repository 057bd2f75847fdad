//! One broadcast, told in two ways: `kind = "broadcast"` and `kind = "collective"` end at the same instant for every
//! algorithm that both have, since one rule cuts the message.

use hetsim::communication::steps::Step;
use hetsim::communication::{Algorithm, Collective, Operation, Segments};

use crate::support::{metric, read};

/// The algorithms that both have, by their names as a broadcast and as a collective.
const SHARED: [(&str, &str); 4] = [
    ("linear", "linear"),
    ("binomial_mpich", "binomial"),
    ("scatter_ring", "scatter_ring"),
    ("scatter_recursive_doubling", "scatter_recursive_doubling"),
];

const RANKS: [u32; 12] = [1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 21];

const SIZES: [u64; 14] = [0, 1, 2, 5, 7, 8, 12, 31, 64, 777, 1000, 4096, 65_537, 1_000_003];

const HOCKNEY: &str = r#"{ model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }"#;
const LOGGP: &str = r#"{ model = "loggp", latency = "20us", overhead = "3us", gap = "5us", gap_per_byte = "8ns/B", receiver_busy = true }"#;

/// One cluster under Hockney's model, one under LogGP, and two unequal ones with a slow network between them.
fn platforms(ranks: u32) -> Vec<String> {
    let cluster = |name: &str, nodes: u32, network: &str| {
        format!("[platform.cluster.{name}]\nnodes = {nodes}\nnetwork = {network}\n")
    };
    let mut platforms = vec![cluster("lab", ranks, HOCKNEY), cluster("lab", ranks, LOGGP)];
    if ranks > 2 {
        let between =
            "[platform.between]\nnetwork = { model = \"hockney\", latency = \"5ms\", bandwidth = \"100Mbit/s\" }\n";
        let clusters = cluster("north", ranks / 3, HOCKNEY) + &cluster("south", ranks - ranks / 3, LOGGP);
        platforms.push(clusters + between);
    }
    platforms
}

/// When the last rank is done, for every algorithm, root and size.
fn completions(platform: &str, ranks: u32, workload: &str, algorithms: [&str; 4]) -> Vec<f64> {
    let sizes = SIZES.map(|size| format!("{size} B"));
    let text = format!(
        "version = 1\n{platform}[workload]\n{workload}\nsize = \"1B\"\nalgorithm = \"linear\"\n[sweep]\n\
         \"workload.algorithm\" = {algorithms:?}\n\"workload.root\" = {:?}\n\"workload.size\" = {sizes:?}\n",
        if ranks > 1 { vec![0, ranks / 2] } else { vec![0] }
    );
    let scenario = read(&text);
    let completion = |point| metric(&scenario.run(point, 0).unwrap(), "completion_s");
    (0..scenario.points.len()).map(completion).collect()
}

#[test]
fn a_broadcast_is_the_same_as_a_collective() {
    for ranks in RANKS {
        for platform in platforms(ranks) {
            let trees = completions(&platform, ranks, "kind = \"broadcast\"", SHARED.map(|names| names.0));
            let workload = "kind = \"collective\"\noperation = \"broadcast\"";
            let plans = completions(&platform, ranks, workload, SHARED.map(|names| names.1));
            assert_eq!(trees.len(), plans.len());
            for (point, (tree, plan)) in trees.into_iter().zip(plans).enumerate() {
                let per_algorithm = SIZES.len() * ranks.clamp(1, 2) as usize;
                let (name, size) = (SHARED[point / per_algorithm].0, SIZES[point % SIZES.len()]);
                assert_eq!(tree, plan, "{name} of {size} B, {ranks} ranks, point {point} on\n{platform}");
            }
        }
    }
}

/// The parts of a reduction are cut alike: blocks of ⌈m/P⌉ bytes, the last shorter, the rest empty.
#[test]
fn reductions_are_cut_by_the_same_rule() {
    for algorithm in [Algorithm::Ring, Algorithm::Rabenseifner] {
        let plan = algorithm.plan(&Collective::new(Operation::AllReduce, 4, 9)).unwrap().into_steps();
        let mut sent: Vec<u64> = (plan.steps())
            .filter_map(|step| match step {
                Step::Send { bytes, .. } => Some(bytes),
                Step::Receive { .. } | Step::Local { .. } => None,
            })
            .collect();
        sent.sort_unstable();
        let blocks = Segments::blocks(9, 4);
        assert_eq!([0, 1, 2, 3].map(|block| blocks.bytes(block)), [3, 3, 3, 0]);
        assert_eq!((sent[0], sent[sent.len() - 1] % 3), (0, 0), "{algorithm}: {sent:?}");
    }
}
