//! A path tiles its run and is a chain of causes: what makes a part of it longer makes the run longer by that much at least.

use hetsim::cluster::{Cluster, Connection, CriticalPath, Part, Platform};
use hetsim::communication::{Algorithm, Collective, Operation};
use proptest::prelude::*;

use super::{
    Call, FAIR, HOCKNEY, LOGGP, NANOSECOND, Orders, Ranks, broadcast, follow, follow_in_order, link, parts, platform,
};

/// Networks whose messages are bound by what their sender does, in a tree.
const NETWORKS: [&str; 9] = [
    HOCKNEY,
    LOGGP,
    "model='loggp'\noverhead='90ns'\ngap='70ns'\ngap_per_byte='1ns/B'\noverhead_per_byte='2ns/B'",
    "model='loggp'\noverhead='20ns'\ngap='70ns'\ngap_per_byte='1ns/B'\nreceiver_busy=true",
    "model='logp'\noverhead='30ns'\ngap='50ns'\ncapacity=false",
    "model='plogp'\ngap={'1B'='10ns','1kB'='900ns'}\nsend_overhead={'1B'='20ns'}",
    "model='lmo'\nprocessing='40ns'\nprocessing_per_byte='2ns/B'\nbandwidth='1GB/s'",
    "model='protocol'\nbandwidth='1GB/s'\nsend_overhead='30ns'\nreceive_overhead='50ns'\neager_limit='64kB'\ncopy_bandwidth='2GB/s'",
    "model='delay'\nbandwidth='1GB/s'",
];

/// Calls of five ranks in one global order, which cannot deadlock.
fn programs() -> impl Strategy<Value = Vec<Vec<Call>>> {
    prop::collection::vec((0u32..5, 1u32..5, 0u32..700, any::<bool>()), 1..40).prop_map(|steps| {
        let mut calls = vec![Vec::new(); 5];
        for (from, distance, amount, sends) in steps {
            if sends {
                let to = (from + distance) % 5;
                calls[from as usize].push(Call::Send(to, u64::from(amount)));
                calls[to as usize].push(Call::Receive(from));
            } else {
                calls[from as usize].push(Call::Compute(amount));
            }
        }
        calls
    })
}

proptest! {
    /// Under any network, with posted receives and without, the segments tile the run (`follow` checks it).
    #[test]
    fn paths_tile_any_run(calls in programs(), network in prop::sample::select(NETWORKS.to_vec()), posts: bool, jitter in prop::sample::select(vec![0.0, 0.4])) {
        let network = if posts { network.replace("eager_limit='64kB'", "eager_limit='100B'") } else { network.to_owned() };
        let cluster = Cluster { name: "lab".to_owned(), nodes: 5, cores: 1 };
        let links = vec![Connection { jitter, ..link(&network, 300) }];
        let platform = Platform::new(NANOSECOND, vec![cluster], links).unwrap().with_speeds(&[1e9; 5]).unwrap();
        follow(&platform, &mut Ranks::new(&calls, posts));
        let capacity = "model='logp'\noverhead='3ns'\ngap='200ns'";
        follow(&self::platform(5, capacity, 300), &mut Ranks::new(&calls, false));
        follow(&self::platform(5, FAIR, 300), &mut Ranks::new(&calls, posts));
    }

    /// Without ports the path is a lower bound under any other latency, and with other computations: its parts change in
    /// proportion, and the run takes that long at least. So nothing on it could be left out.
    #[test]
    fn a_path_is_a_chain_of_causes(calls in programs(), latency in 0u64..2000, faster in 1u32..4) {
        let network = NETWORKS[8];
        let path = follow(&platform(5, network, 500), &mut Ranks::new(&calls, false));
        let other = follow(&platform(5, network, latency), &mut Ranks::new(&calls, false));
        let part = path.total(Part::Latency).0;
        prop_assert_eq!(part % 500, 0);
        prop_assert!(other.end().0 >= path.end().0 - part + part / 500 * latency);
        let slow: Vec<Vec<Call>> = calls.iter().map(|calls| calls.iter().map(|call| match *call {
            Call::Compute(operations) => Call::Compute(operations * faster),
            other => other,
        }).collect()).collect();
        let slower = follow(&platform(5, network, 500), &mut Ranks::new(&slow, false));
        prop_assert!(slower.end().0 >= path.end().0 + path.total(Part::Computing).0 * u64::from(faster - 1));
        // And a run without any latency is shorter by no more than that part.
        prop_assert!(follow(&platform(5, network, 0), &mut Ranks::new(&calls, false)).end().0 >= path.end().0 - part);
    }

    /// The same for broadcasts under all networks: a rank hears from one other only, so that no order of arrivals
    /// depends on the latency.
    #[test]
    fn a_broadcast_without_a_part_is_shorter_by_no_more_than_that(
        nodes in 2u32..14, message in 1u64..600, latency in 0u64..2000, network in prop::sample::select(NETWORKS.to_vec()),
        algorithm in prop::sample::select(vec![Algorithm::Linear, Algorithm::Binomial, Algorithm::Chain, Algorithm::Binary, Algorithm::Pipeline]),
    ) {
        let path = broadcast(&platform(nodes, network, 500), algorithm, message, 100);
        let other = broadcast(&platform(nodes, network, latency), algorithm, message, 100);
        let part = path.total(Part::Latency).0;
        prop_assert!(other.end().0 >= path.end().0 - part + part / 500 * latency);
        let bytes = path.total(Part::Transmission).0;
        if network == HOCKNEY {
            let slower = network.replace("1GB/s", "500MB/s");
            let slower = broadcast(&platform(nodes, &slower, 500), algorithm, message, 100);
            prop_assert!(slower.end().0 >= path.end().0 + bytes);
        }
    }
}

/// The path of a collective, and the order of its messages.
fn collective(
    platform: &Platform,
    operation: Operation,
    algorithm: Algorithm,
    size: u64,
) -> Option<(CriticalPath, Orders)> {
    let plan = algorithm.plan(&Collective::new(operation, platform.nodes(), size)).ok()?;
    Some(follow_in_order(platform, &mut hetsim::workload::communication::Steps::new(plan.into_steps(), 0.0)))
}

/// Three messages pass the root's port one after the other: each holds it for its latency, and for its byte.
#[test]
fn a_port_of_a_receiver_waits_for_latencies() {
    let gather =
        |latency| collective(&platform(4, HOCKNEY, latency), Operation::Gather, Algorithm::Linear, 1).unwrap().0;
    assert_eq!(parts(&gather(1_000_000_000)), [0, 0, 3_000_000_000, 3, 0]);
    assert_eq!(parts(&gather(0)), [0, 0, 0, 3, 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Collectives under all closed networks: without a part of its path a run is shorter by no more than that, if its
    /// messages go in the same order. Where they share a receiver's port, another order may save more.
    #[test]
    fn a_collective_without_latency_is_shorter_by_no_more_than_that(
        nodes in 2u32..9, size in 1u64..600, network in prop::sample::select(NETWORKS.to_vec()),
        (operation, algorithm) in prop::sample::select(Operation::ALL.iter().flat_map(|&operation| {
            operation.algorithms().map(move |algorithm| (operation, algorithm))
        }).collect::<Vec<_>>()),
    ) {
        let Some((path, order)) = collective(&platform(nodes, network, 500), operation, algorithm, size) else {
            return Ok(());
        };
        let (without, order_without) = collective(&platform(nodes, network, 0), operation, algorithm, size).unwrap();
        prop_assume!(order == order_without);
        prop_assert!(without.end().0 >= path.end().0 - path.total(Part::Latency).0, "{:?}\n{:?}", path, without);
    }
}

#[test]
fn collectives_have_paths() {
    for operation in [Operation::AllReduce, Operation::AllToAll, Operation::Gather] {
        for network in NETWORKS {
            let platform = platform(8, network, 300);
            for algorithm in operation.algorithms() {
                let Ok(plan) = algorithm.plan(&Collective::new(operation, 8, 1000)) else { continue };
                let mut program = hetsim::workload::communication::Steps::new(plan.into_steps(), 0.0);
                follow(&platform, &mut program);
            }
        }
    }
}
