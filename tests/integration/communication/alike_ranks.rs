//! Collectives of ranks that are all alike, which two of them stand for: the metrics are those of the full simulation.

use hetsim::communication::steps::StepPlan;
use hetsim::communication::{Algorithm, Collective, Operation};
use proptest::prelude::*;

use crate::support::{metric, near, run_replica};

/// Networks of all kinds in which no message meets another; overheads, gaps and latencies that are often equal.
const NETWORKS: [&str; 6] = [
    "model = 'hockney', latency = '8ns', bandwidth = '1GB/s'",
    "model = 'delay', latency = '8ns', bandwidth = '1GB/s'",
    "model = 'loggp', latency = '8ns', overhead = '4ns', gap = '8ns', gap_per_byte = '1ns/B'",
    "model = 'loggp', latency = '8ns', overhead = '4ns', gap = '4ns', gap_per_byte = '1ns/B', receiver_busy = true",
    "model = 'lmo', latency = '0ns', processing = '4ns', processing_per_byte = '2ns/B', bandwidth = '1GB/s'",
    "model = 'protocol', latency = '8ns', bandwidth = '1GB/s', send_overhead = '4ns', receive_overhead = '4ns', \
     eager_limit = '16B', copy_bandwidth = '1GB/s'",
];

fn text(ranks: u32, network: &str, workload: &str, tables: &str) -> String {
    format!(
        "version = 1\n[platform]\ntick = '1ns'\n[platform.cluster.lab]\nnodes = {ranks}\nspeed = '1Gop/s'\n\
         network = {{ {network} }}\n[platform.memory]\ncopy_bandwidth = '1GB/s'\n\
         [workload]\nkind = 'collective'\n{workload}\n[output]\ntables = [{tables}]\n"
    )
}

/// The plan of two ranks that stand for all, where there is one.
fn plan((operation, algorithm): (Operation, Algorithm), ranks: u32, size: u64) -> Option<StepPlan> {
    algorithm.plan(&Collective::new(operation, ranks, size)).ok()?.into_steps().pair()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn two_ranks_show_what_all_do(
        ranks in 3u32..20, size in prop::sample::select(vec![0u64, 8, 16, 24, 96, 720_720]),
        network in prop::sample::select(NETWORKS.to_vec()), reduction in prop::sample::select(vec![0u32, 1, 2]),
        calls in prop::sample::select(vec!["ready", "mpi"]), root in 0u32..3,
        (operation, algorithm) in prop::sample::select(Operation::ALL.iter().flat_map(|&operation| {
            operation.algorithms().map(move |algorithm| (operation, algorithm)).filter(|pair| plan(*pair, 8, 0).is_some())
        }).collect::<Vec<_>>()),
    ) {
        prop_assume!(plan((operation, algorithm), ranks, size).is_some());
        let root = if operation.has_root() { root } else { 0 };
        let workload = format!(
            "operation = '{operation}'\nalgorithm = '{algorithm}'\nsize = '{size}B'\nreduction = '{reduction}op'\n\
             calls = '{calls}'\nroot = {root}"
        );
        let by_two = run_replica(&text(ranks, network, &workload, ""), 0);
        // With a row for each rank all of them are simulated.
        let mut by_all = run_replica(&text(ranks, network, &workload, "'ranks'"), 0);
        prop_assert_eq!(by_all.tables.len(), 1);
        by_all.tables.clear();
        prop_assert_eq!(by_two, by_all);
    }
}

/// Ten thousand million messages: P − 1 rounds of α + m/β.
#[test]
fn a_ring_of_a_hundred_thousand_ranks_is_simulated_at_once() {
    let workload = format!("operation = 'all_gather'\nalgorithm = '{}'\nsize = '1000B'", Algorithm::Ring);
    let record =
        run_replica(&text(100_000, "model = 'hockney', latency = '1us', bandwidth = '1GB/s'", &workload, ""), 0);
    near(metric(&record, "completion_s"), 99_999.0 * 2e-6);
    near(metric(&record, "messages"), 99_999.0 * 1e5);
    near(metric(&record, "moved_bytes"), 99_999.0 * 1e8);
}

/// The energy is that of all nodes, which are busy in their turns.
#[test]
fn nodes_that_take_power_are_not_stood_for() {
    let workload = "operation = 'all_reduce'\nalgorithm = 'recursive_doubling'\nsize = '100B'\nreduction = '1op'";
    let network = "model = 'hockney', latency = '1us', bandwidth = '1GB/s'";
    let power = "nodes = 8\npower = { idle = '100W', active = '120W', per_core = '80W' }";
    let energy = |tables| {
        let text = text(8, network, workload, tables).replace("nodes = 8", power);
        metric(&run_replica(&text, 0), "energy_j")
    };
    near(energy(""), energy("'ranks'"));
}

/// Where one node differs, all are simulated. It combines 100 B in 200 ns: the first at 1.3 µs; then what left its partners
/// at 1.2 and 2.4 µs, at 2.5 and 3.7 µs.
#[test]
fn a_slower_node_is_not_stood_for() {
    let workload = "operation = 'all_reduce'\nalgorithm = 'recursive_doubling'\nsize = '100B'\nreduction = '1op'";
    let network = "model = 'hockney', latency = '1us', bandwidth = '1GB/s'";
    let uniform = text(8, network, workload, "");
    let speeds = format!("speeds = [{}'0.5Gop/s']", "'1Gop/s', ".repeat(7));
    let uneven = uniform.replace("speed = '1Gop/s'", &speeds);
    near(metric(&run_replica(&uniform, 0), "completion_s"), 3.0 * 1.2e-6);
    near(metric(&run_replica(&uneven, 0), "completion_s"), 3.7e-6);
}
