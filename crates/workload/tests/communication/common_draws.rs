//! Jitter is drawn by edge: whatever program sends, the n-th message from one node to another meets the same draw.

use std::collections::BTreeMap;

use hetsim_base::engine::Streams;
use hetsim_base::units::Tick;
use hetsim_cluster::network::{Model, Parameters};
use hetsim_cluster::{Cluster, Connection, Platform};
use hetsim_workload::broadcast;
use hetsim_workload::{Prepared, Workload};

const MODELS: [&str; 4] = [
    "model='delay'\nlatency='300ns'\nbandwidth='1GB/s'",
    "model='hockney'\nlatency='300ns'\nbandwidth='1GB/s'",
    "model='logp'\nlatency='600ns'\noverhead='20ns'\ngap='400ns'",
    "model='loggp'\nlatency='2500ns'\noverhead='1500ns'\ngap='1000ns'\ngap_per_byte='6ns/B'\nreceiver_busy=true",
];

/// How long each message flew, by its edge and by how many went over it before.
fn flights(network: &str, algorithm: &str, seed: u64) -> BTreeMap<(u32, u32, usize), u64> {
    let parameters: Parameters = toml::from_str(network).unwrap();
    let model = Model::new(&parameters, Tick::PICOSECOND).unwrap();
    let link = Connection { jitter: 0.4, ..Connection::from(model) };
    let group = Cluster { name: "test".to_owned(), nodes: 16, cores: 1 };
    let platform = Platform::new(Tick::PICOSECOND, vec![group], vec![link]).unwrap();
    let toml = format!("size='1000B'\nsegment='250B'\nalgorithm='{algorithm}'");
    let broadcast: broadcast::BroadcastParameters = toml::from_str(&toml).unwrap();
    let timeline = broadcast.prepare(&platform).unwrap().timeline(&platform, Streams::new(seed, 0)).unwrap().0;
    let mut numbers: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    let flight = |message: &hetsim_cluster::SendSeen| {
        let number = numbers.entry((message.from.0, message.to.0)).or_default();
        *number += 1;
        ((message.from.0, message.to.0, *number), message.arrival.0 - message.start.0)
    };
    timeline.messages.iter().map(flight).collect()
}

/// A binomial tree, one in MPICH's order and a linear broadcast send over some edges alike, in other orders.
#[test]
fn algorithms_meet_the_same_draws_on_their_common_edges() {
    for network in MODELS {
        let [linear, binomial, mpich] =
            ["linear", "binomial", "binomial_mpich"].map(|algorithm| flights(network, algorithm, 5));
        for (one, other, least) in [(&linear, &binomial, 4), (&linear, &mpich, 4), (&binomial, &mpich, 4)] {
            let common: Vec<_> = one.iter().filter_map(|(edge, flight)| Some((flight, other.get(edge)?))).collect();
            assert!(common.len() >= least, "{network}: {} edges in common", common.len());
            assert!(common.iter().all(|(one, other)| one == other), "{network}: {common:?}");
        }
        // Draws differ from edge to edge, and from seed to seed.
        let mut drawn: Vec<u64> = linear.values().copied().collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 15, "{network}");
        assert_ne!(linear, flights(network, "linear", 6));
    }
}

/// Messages that follow each other over one edge meet draws of their own.
#[test]
fn each_message_of_an_edge_has_its_own_draw() {
    let pipeline = flights(MODELS[0], "pipeline", 5);
    let of_edge: Vec<u64> = (1..=4).map(|number| pipeline[&(0, 1, number)]).collect();
    assert!(of_edge.windows(2).all(|pair| pair[0] != pair[1]), "{of_edge:?}");
}
