//! Parameters that are put into the simulated network come back from the measurement.

use super::*;
use hetsim_base::record::{Record, Value};
use hetsim_base::units::Tick;
use hetsim_cluster::network::{Model as Network, Parameters as NetworkParameters};
use hetsim_cluster::{Cluster, Connection, NodeId};
use hetsim_fit::Fitted;

fn platform(network: &str, nodes: u32, jitter: f64) -> Platform {
    let parameters: NetworkParameters = toml::from_str(network).unwrap();
    let model = Network::new(&parameters, Tick::PICOSECOND).unwrap();
    let group = Cluster { name: "nodes".to_owned(), nodes, cores: 2 };
    let link = Connection { jitter, ..Connection::from(model) };
    Platform::new(Tick::PICOSECOND, vec![group], vec![link]).unwrap().with_cluster_speeds(&[1e9]).unwrap()
}

fn prepared(keys: &str, platform: &Platform) -> PreparedMeasure {
    toml::from_str::<MeasureParameters>(keys).unwrap().prepare(platform).unwrap()
}

fn metric(record: &Record, name: &str) -> Option<f64> {
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
    let ways = ["trains", "round_trips"].into_iter().flat_map(|gaps| NETWORKS.iter().map(move |of| (gaps, of)));
    for (gaps, (model, network)) in ways {
        let platform = platform(network, 4, 0.0);
        let keys =
            format!("sizes = ['1B', '1KiB', '8KiB', '64KiB']\nrepetitions = 2\nmodels = ['{model}']\ngaps = '{gaps}'");
        let record = prepared(&keys, &platform).record(&platform, Streams::new(1, 0), &[]).unwrap();
        let error = metric(&record, "parameter_error_percent");
        assert!(error.is_some_and(|error| error < 1e-3), "{model} {gaps}: {error:?}");
        assert_eq!(metric(&record, "interval_hits"), Some(1.0), "{model}");
        assert!(metric(&record, &format!("{model}_cost_s")).unwrap() > 0.0);
        assert_eq!(metric(&record, "pairs"), Some(6.0));
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
        let record = prepared(&keys, &platform).record(&platform, Streams::new(3, 0), &[]).unwrap();
        let error = metric(&record, "parameter_error_percent");
        assert!(error.is_some_and(|error| error < 5.0), "{model}: {error:?}");
        // More was delivered than was measured, and less than everything was sent by the benchmarks.
        assert!(metric(&record, "messages") > metric(&record, "measuring_messages"));
    }
}

/// A machine that no model equals: L + g(m) by round trips is what one message takes, by trains what the port takes.
#[test]
fn gaps_by_round_trips_hold_copies_and_handshakes() {
    let network = "model = 'protocol'\nlatency = '18us'\nbandwidth = '125MB/s'\nsend_overhead = '3.6us'\n\
                   receive_overhead = '13us'\neager_limit = '16KiB'\nhandshake = '235us'\ncopy_bandwidth = '1GB/s'";
    let platform = platform(network, 2, 0.0);
    let record = |gaps: &str| {
        let keys =
            format!("sizes = ['1B', '1KiB', '8KiB', '64KiB']\nrepetitions = 3\nmodels = ['plogp']\ngaps = '{gaps}'");
        prepared(&keys, &platform).record(&platform, Streams::new(1, 0), &[]).unwrap()
    };
    let (trains, round_trips) = (record("trains"), record("round_trips"));
    let error = |record| metric(record, "plogp_error_percent").unwrap();
    assert!(error(&round_trips) < 1e-6 && error(&trains) > 10.0, "{} {}", error(&round_trips), error(&trains));
    // One train of empty messages instead of four, the longest of which take most of the time.
    let cost = |record| metric(record, "plogp_cost_s").unwrap();
    assert!(cost(&round_trips) < 0.5 * cost(&trains));
    assert!(metric(&round_trips, "measuring_messages") < metric(&trains, "measuring_messages"));
}

#[test]
fn outliers_take_their_time() {
    let platform = platform(NETWORKS[0].1, 2, 0.0);
    let measure = |more: &str| {
        let keys = format!("sizes = ['1B', '1KiB']\nrepetitions = 1000\nmodels = ['hockney']\n{more}");
        prepared(&keys, &platform).samples(&mut Run::new(&platform, Streams::new(2, 0), &[])).unwrap().0
    };
    let plain = measure("");
    let wild = measure("outliers = { share = 0.05, factor = 10.0, extra = '1ms' }");
    let mut more = 0.0;
    for (plain, wild) in plain.pairs[0].round_trips.iter().zip(&wild.pairs[0].round_trips) {
        let long = 10.0 * plain.seconds[0] + 1e-3;
        let outliers = wild.seconds.iter().filter(|seconds| (*seconds / long - 1.0).abs() < 1e-9).count();
        assert!(wild.seconds.iter().all(|&s| s == plain.seconds[0] || (s / long - 1.0).abs() < 1e-9));
        // Binomial: 50 of 1000, four standard deviations of 6.9.
        assert!((23..=77).contains(&outliers), "{outliers}");
        more += outliers as f64 * (long - plain.seconds[0]);
    }
    assert!((wild.cost.seconds - plain.cost.seconds - more).abs() < 1e-9);
    // Where an outlier is does not depend on what was drawn before.
    let fewer = measure("outliers = { share = 0.02, factor = 3.0 }");
    let places = |all: &Measurements| -> Vec<usize> {
        let seconds = &all.pairs[0].round_trips[0].seconds;
        (0..1000).filter(|&place| seconds[place] > plain.pairs[0].round_trips[0].seconds[0]).collect()
    };
    let (fewer, all) = (places(&fewer), places(&wild));
    assert!(!fewer.is_empty() && fewer.iter().all(|place| all.contains(place)));
}

/// One time in twenty is ten times too long: the middles hold, means would not.
#[test]
fn outliers_move_middles_little_and_means_much() {
    for (model, network) in &NETWORKS[..4] {
        for gaps in ["trains", "round_trips"] {
            let platform = platform(network, 2, 0.02);
            let keys = format!(
                "sizes = ['1B', '1KiB', '8KiB', '64KiB']\nrepetitions = 200\nmodels = ['{model}']\ngaps = '{gaps}'\n\
                 outliers = {{ share = 0.05, factor = 10.0 }}"
            );
            let prepared = prepared(&keys, &platform);
            let record = prepared.record(&platform, Streams::new(4, 0), &[]).unwrap();
            let robust = metric(&record, "parameter_error_percent").unwrap();
            assert!(robust < 5.0, "{model} {gaps}: {robust} %");
            let mut pair =
                prepared.samples(&mut Run::new(&platform, Streams::new(4, 0), &[])).unwrap().0.pairs.remove(0);
            let lists = [&mut pair.round_trips, &mut pair.gaps, &mut pair.send_overheads, &mut pair.receive_overheads];
            for series in lists.into_iter().flatten() {
                series.seconds = vec![series.seconds.iter().sum::<f64>() / series.seconds.len() as f64];
            }
            let fitted = Fitted::fit(model.parse().unwrap(), &pair).unwrap();
            let off = fitted.parameters().into_iter().filter_map(|parameter| {
                let truth = truth::truth(&fitted, &parameter, NodeId(0), NodeId(1), &platform)?;
                Some(100.0 * (parameter.estimate.value / truth - 1.0).abs())
            });
            let mean = off.fold(0.0, f64::max);
            assert!(mean > 20.0, "{model} {gaps}: {mean} %");
        }
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
        let record = prepared.record(&platform, Streams::new(5, replica), &[]).unwrap();
        hits += metric(&record, "interval_hits").unwrap();
    }
    assert!((930.0..=970.0).contains(&hits), "{hits} of 1000");
}

#[test]
fn what_a_ping_pong_costs() {
    let platform = platform(NETWORKS[0].1, 3, 0.0);
    let prepared = prepared("sizes = ['1B', '1kB']\nrepetitions = 5\nmodels = []", &platform);
    let samples = prepared.samples(&mut Run::new(&platform, Streams::new(1, 0), &[])).unwrap().0;
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
        ("sizes = ['1B', '2B']\noutliers = { share = 1.5, factor = 2.0 }", "outliers.share"),
        ("sizes = ['1B', '2B']\noutliers = { share = 0.5, factor = 0.5 }", "outliers.factor"),
        ("sizes = ['1B', '2B']\noutliers = { share = 0.5 }", "outliers"),
    ] {
        let error = toml::from_str::<MeasureParameters>(keys).unwrap().prepare(&two).unwrap_err();
        assert_eq!(error.key, key, "{keys}");
    }
}
