//! Parameters that are put into the simulated network come back from the measurement.

use super::*;
use crate::cluster::network::{Model as Network, Parameters as NetworkParameters};
use crate::cluster::{Group, Link, NodeId};
use crate::record::Value;
use crate::units::Tick;

fn platform(network: &str, nodes: u32, jitter: f64) -> Platform {
    let parameters: NetworkParameters = toml::from_str(network).unwrap();
    let model = Network::new(&parameters, Tick::PICOSECOND).unwrap();
    let group = Group { name: "nodes".to_owned(), nodes, cores: 2 };
    let link = Link { jitter, ..Link::from(model) };
    Platform::new(Tick::PICOSECOND, vec![group], vec![link]).with_group_speeds(&[1e9])
}

fn prepared(keys: &str, platform: &Platform) -> Prepared {
    toml::from_str::<Parameters>(keys).unwrap().prepare(platform).unwrap()
}

fn figure(record: &Record, name: &str) -> Option<f64> {
    record.get(name).and_then(Value::number)
}

const NETWORKS: &[(&str, &str)] = &[
    ("hockney", "model = 'hockney'\nlatency = '50us'\nbandwidth = '100MB/s'"),
    ("logp", "model = 'logp'\nlatency = '20us'\noverhead = '3us'\ngap = '7us'"),
    ("loggp", "model = 'loggp'\nlatency = '20us'\noverhead = '3us'\ngap = '7us'\ngap_per_byte = '8ns/B'"),
    (
        "plogp",
        "model = 'plogp'\nlatency = '20us'\ngap = { '1B' = '9us', '1KiB' = '30us', '64KiB' = '700us' }\n\
         send_overhead = { '1B' = '2us', '64KiB' = '30us' }\nreceive_overhead = { '1B' = '3us', '64KiB' = '50us' }",
    ),
    (
        "lmo",
        "model = 'lmo'\nprocessing = '4us'\nprocessing_per_byte = '1ns/B'\nlatency = '30us'\nbandwidth = '100MB/s'",
    ),
];

#[test]
fn parameters_come_back() {
    for (model, network) in NETWORKS {
        let platform = platform(network, 4, 0.0);
        let keys = format!("sizes = ['1B', '1KiB', '8KiB', '64KiB']\nrepetitions = 2\nmodels = ['{model}']");
        let record = prepared(&keys, &platform).run(&platform, Streams::new(1, 0), &[]).unwrap();
        let error = figure(&record, "parameter_error_percent");
        assert!(error.is_some_and(|error| error < 1e-3), "{model}: {error:?}");
        assert_eq!(figure(&record, "interval_hits"), Some(1.0), "{model}");
        assert!(figure(&record, &format!("{model}_cost_s")).unwrap() > 0.0);
        assert_eq!(figure(&record, "pairs"), Some(6.0));
    }
}

#[test]
fn jitter_and_traffic_move_parameters_little() {
    for (model, network) in &NETWORKS[..4] {
        let platform = platform(network, 6, 0.05);
        let keys = format!(
            "sizes = ['1B', '1KiB', '8KiB', '64KiB']\nrepetitions = 200\npairs = 1\nmodels = ['{model}']\n\
             background = {{ pairs = 3, size = '1KiB', interval = '20ms' }}"
        );
        let record = prepared(&keys, &platform).run(&platform, Streams::new(3, 0), &[]).unwrap();
        let error = figure(&record, "parameter_error_percent");
        assert!(error.is_some_and(|error| error < 5.0), "{model}: {error:?}");
        // More was delivered than was measured, and less than everything was sent by the benchmarks.
        assert!(figure(&record, "messages") > figure(&record, "measuring_messages"));
    }
}

/// 1000 machines with jitter; each fits Hockney's two parameters from its own round trips.
#[test]
fn intervals_hold_what_the_network_was_given() {
    let platform = platform(NETWORKS[0].1, 2, 0.05);
    let prepared =
        prepared("sizes = ['1B', '1KiB', '8KiB', '64KiB']\nrepetitions = 30\nmodels = ['hockney']", &platform);
    let mut hits = 0.0;
    for replica in 0..1000 {
        let record = prepared.run(&platform, Streams::new(5, replica), &[]).unwrap();
        hits += figure(&record, "interval_hits").unwrap();
    }
    assert!((930.0..=970.0).contains(&hits), "{hits} of 1000");
}

#[test]
fn what_a_ping_pong_costs() {
    let platform = platform(NETWORKS[0].1, 3, 0.0);
    let prepared = prepared("sizes = ['1B', '1kB']\nrepetitions = 5\nmodels = []", &platform);
    let samples = prepared.measure(&platform, Streams::new(1, 0)).unwrap();
    // Three pairs, five round trips of the smallest size; one turn is handed on, from node 0 to node 1.
    assert_eq!(samples.cost.messages, 31);
    assert_eq!(samples.pairs[0].round_trips[0].cost.messages, 10);
    let expected = 30.0 * (50e-6 + 1.0 / 100e6) + 50e-6;
    assert!((samples.cost.seconds - expected).abs() < 1e-12, "{}", samples.cost.seconds);
    assert_eq!(samples.pairs[1].latency(), Some(50.01e-6));
}

#[test]
fn pairs_are_drawn_once_each() {
    let streams = Streams::new(1, 0);
    for (nodes, count) in [(10_000, 500), (10, 40), (10, 45), (10, 99)] {
        let pairs = sampled_pairs(nodes, count, &streams);
        assert_eq!(pairs.len() as u32, count.min(nodes * (nodes - 1) / 2));
        assert!(pairs.is_sorted() && pairs.windows(2).all(|pair| pair[0] != pair[1]));
        assert!(pairs.iter().all(|&(from, to)| from < to && to < nodes));
    }
    assert_eq!(triplets(&[(0, 1), (0, 2), (1, 2)], 4), [(0, 1, 2), (1, 0, 2), (2, 0, 1)]);
    let traffic = traffic_pairs(4, 100, &streams);
    assert!(traffic.iter().all(|(from, to)| from != to && to.0 < 4) && traffic.contains(&(NodeId(3), NodeId(0))));
}

#[test]
fn keys_that_cannot_be() {
    let two = platform(NETWORKS[0].1, 2, 0.0);
    for (keys, key) in [
        ("sizes = []", "sizes"),
        ("sizes = ['1B']", "sizes"),
        ("sizes = ['1B', '2B']\nmodels = ['lmo']", "models"),
        ("sizes = ['1B', '2B']\nrepetitions = 0", "repetitions"),
        ("sizes = ['1B', '2B']\npairs = 0", "pairs"),
        ("sizes = ['1B', '2B']\nbackground = { pairs = 1, size = '1B', interval = '0s' }", "background.interval"),
    ] {
        let error = toml::from_str::<Parameters>(keys).unwrap().prepare(&two).unwrap_err();
        assert_eq!(error.key, key, "{keys}");
    }
}
