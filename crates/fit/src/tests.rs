//! Tests whether fits recover true parameters, and how often their intervals contain them.

use rand::RngExt;
use rand_distr::{Distribution, Normal};

use super::*;
use hetsim_base::engine::Streams;

const SIZES: [u64; 8] = [1, 64, 256, 1024, 4096, 16_384, 65_536, 262_144];
const LATENCY: f64 = 20e-6;
const OVERHEAD: f64 = 3e-6;
const GAP: f64 = 7e-6;
const PER_BYTE: f64 = 8e-9;

/// A non-linear curve g(m).
fn curved(bytes: u64) -> f64 {
    GAP + PER_BYTE * bytes as f64 + 20e-6 * f64::from(u8::from(bytes > 1000))
}

/// Samples of a pair with these one-way times and gaps, each with relative normal noise of deviation `noise`, and every
/// `wild`-th sample ten times too long.
fn samples(
    (hop, gap): (&dyn Fn(u64) -> f64, &dyn Fn(u64) -> f64),
    count: usize,
    noise: f64,
    wild: Option<usize>,
    draw: u64,
) -> PairSamples {
    let mut stream = Streams::new(11, draw).stream("noise", 0);
    let normal = Normal::new(1.0, noise).unwrap();
    let mut of = |what: &dyn Fn(u64) -> f64| -> Vec<Series> {
        let mut series = |bytes: u64| {
            let mut sample = |index: usize| {
                let factor: f64 = normal.sample(&mut stream);
                let outlier = wild.is_some_and(|every| index % every == every - 1);
                what(bytes) * factor * if outlier { 10.0 } else { 1.0 }
            };
            Series { bytes, seconds: (0..count).map(&mut sample).collect(), cost: Cost::default() }
        };
        SIZES.iter().map(|&bytes| series(bytes)).collect()
    };
    PairSamples {
        from: 0,
        to: 1,
        round_trips: of(&|bytes| 2.0 * hop(bytes)),
        gaps: of(gap),
        send_overheads: of(&|_| OVERHEAD),
        receive_overheads: of(&|_| OVERHEAD),
    }
}

fn hockney(bytes: u64) -> f64 {
    LATENCY + PER_BYTE * bytes as f64
}

fn loggp_hop(bytes: u64) -> f64 {
    LATENCY + 2.0 * OVERHEAD + PER_BYTE * (bytes - 1) as f64
}

fn loggp_gap(bytes: u64) -> f64 {
    GAP + PER_BYTE * (bytes - 1) as f64
}

fn plogp_hop(bytes: u64) -> f64 {
    LATENCY + curved(bytes)
}

/// A model, the simulated one-way time and gap, and the true parameters.
type Case = (Model, fn(u64) -> f64, fn(u64) -> f64, fn(&Parameter) -> f64);

const CASES: [Case; 4] = [
    (Model::Hockney, hockney, hockney, |p| if p.name == "latency_s" { LATENCY } else { PER_BYTE }),
    (Model::Logp, loggp_hop, loggp_gap, |p| match p.name {
        "latency_s" => LATENCY,
        "overhead_s" => OVERHEAD,
        _ => GAP,
    }),
    (Model::Loggp, loggp_hop, loggp_gap, |p| match p.name {
        "latency_s" => LATENCY,
        "overhead_s" => OVERHEAD,
        "gap_s" => GAP,
        _ => PER_BYTE,
    }),
    (Model::Plogp, plogp_hop, curved, |p| match p.name {
        "latency_s" => LATENCY,
        "gap_s" => curved(p.bytes.unwrap()),
        _ => OVERHEAD,
    }),
];

#[test]
fn without_noise_parameters_are_the_true_ones() {
    for (model, hop, gap, truth) in CASES {
        let fitted = Fitted::fit(model, &samples((&hop, &gap), 3, 0.0, None, 0)).unwrap();
        assert_eq!(fitted.model(), model);
        for parameter in fitted.parameters() {
            let (found, truth) = (parameter.estimate.value, truth(&parameter));
            assert!((found / truth - 1.0).abs() < 1e-9, "{model} {}: {found} for {truth}", parameter.name);
            assert_eq!(parameter.estimate.holds(truth), Some(true));
        }
    }
}

#[test]
fn intervals_hold_the_truth_in_95_of_100_draws() {
    for (model, hop, gap, truth) in CASES {
        let mut hits: std::collections::BTreeMap<(&str, Option<u64>), u32> = std::collections::BTreeMap::new();
        for draw in 0..1000 {
            let fitted = Fitted::fit(model, &samples((&hop, &gap), 30, 0.05, None, draw)).unwrap();
            for parameter in fitted.parameters() {
                let held = parameter.estimate.holds(truth(&parameter)).unwrap();
                *hits.entry((parameter.name, parameter.bytes)).or_default() += u32::from(held);
            }
        }
        let mut together = 0;
        for ((name, bytes), hits) in &hits {
            assert!((920..=980).contains(hits), "{model} {name} {bytes:?}: {hits} of 1000");
            together += hits;
        }
        let share = f64::from(together) / (1000.0 * hits.len() as f64);
        assert!((0.93..=0.97).contains(&share), "{model}: {share}");
    }
}

#[test]
fn one_wild_sample_in_ten_moves_little() {
    for (model, hop, gap, truth) in CASES {
        let fitted = Fitted::fit(model, &samples((&hop, &gap), 30, 0.02, Some(10), 7)).unwrap();
        for parameter in fitted.parameters() {
            let (found, truth) = (parameter.estimate.value, truth(&parameter));
            assert!((found / truth - 1.0).abs() < 0.05, "{model} {}: {found} for {truth}", parameter.name);
        }
    }
}

#[test]
fn a_curve_that_is_no_line_widens_the_interval() {
    let line = Line::fit(&samples((&hockney, &curved), 30, 0.001, None, 1).round_trips, 0, "", "").unwrap();
    let curve = Line::fit(&samples((&plogp_hop, &curved), 30, 0.001, None, 1).round_trips, 0, "", "").unwrap();
    assert!(curve.fixed.error.unwrap() > 20.0 * line.fixed.error.unwrap());
    // One sample per size gives no information about noise; the residuals do.
    let single = Line::fit(&samples((&hockney, &curved), 1, 0.01, None, 1).round_trips, 0, "", "").unwrap();
    assert!(single.fixed.error.unwrap() > 0.0 && single.fixed.freedom == 6.0);
}

#[test]
fn one_wild_size_does_not_turn_the_line() {
    let mut wild = samples((&hockney, &curved), 1, 0.0, None, 1);
    wild.round_trips[3].seconds[0] *= 5.0;
    let fitted = Hockney::fit(&wild).unwrap();
    assert!((fitted.latency.value / LATENCY - 1.0).abs() < 0.01, "{:?}", fitted.latency);
    assert!((fitted.per_byte.value / PER_BYTE - 1.0).abs() < 0.01);
}

#[test]
fn what_is_missing_is_said() {
    let whole = samples((&loggp_hop, &loggp_gap), 2, 0.0, None, 0);
    let no_gaps = PairSamples { gaps: Vec::new(), ..whole.clone() };
    for model in [Model::Logp, Model::Loggp, Model::Plogp] {
        let error = Fitted::fit(model, &no_gaps).unwrap_err();
        assert!(error.to_string().contains("gaps"), "{error}");
    }
    let one_size = whole.of_sizes(|bytes| bytes == 1);
    let error = Fitted::fit(Model::Hockney, &one_size).unwrap_err();
    assert!(error.to_string().contains("2 sizes"), "{error}");
    // Without overheads the latency includes them, and the prediction is the same.
    let bare = PairSamples { send_overheads: Vec::new(), ..whole.clone() };
    let (bare, whole) = (Loggp::fit(&bare).unwrap(), Loggp::fit(&whole).unwrap());
    assert_eq!(bare.overhead, None);
    assert!((bare.hop(1000) - whole.hop(1000)).abs() < 1e-15);
}

#[test]
fn networks_cost_what_the_models_predict() {
    use hetsim_base::units::Tick;
    use hetsim_cluster::network::Model as Network;
    for (model, hop, gap, _) in CASES {
        let fitted = Fitted::fit(model, &samples((&hop, &gap), 3, 0.01, None, 4)).unwrap();
        let network = Network::new(&fitted.network().unwrap(), Tick::PICOSECOND).unwrap();
        for bytes in [1, 500, 4096, 1 << 20] {
            let simulated = Tick::PICOSECOND.seconds(network.transfer(bytes).hop());
            assert!((simulated / fitted.hop(bytes) - 1.0).abs() < 1e-6, "{model} {bytes}");
        }
    }
    let impossible = Hockney { latency: Estimate::without_error(-1e-6), per_byte: Estimate::without_error(1e-9) };
    let error = Fitted::Hockney(impossible).network().unwrap_err();
    assert!(error.to_string().contains("-1e-6"), "{error}");
}

/// The fixed times and times per byte of three different processors.
const PROCESSING: [f64; 3] = [4e-6, 9e-6, 2e-6];
const PROCESSING_PER_BYTE: [f64; 3] = [1e-9, 3e-9, 2e-9];
const WIRE_PER_BYTE: f64 = 8e-9;

fn wire(i: usize, j: usize) -> f64 {
    (20 + 5 * (i + j)) as f64 * 1e-6
}

/// The time of one message under LMO between two of these nodes.
fn lmo_hop(i: usize, j: usize, bytes: u64) -> f64 {
    let processor = |i: usize| PROCESSING[i] + PROCESSING_PER_BYTE[i] * bytes as f64;
    processor(i) + wire(i, j) + WIRE_PER_BYTE * bytes as f64 + processor(j)
}

/// All pairs of the three nodes, and an experiment with each as the root; `sample` makes the samples of a time.
fn lmo_measurements(mut sample: impl FnMut(f64) -> Vec<f64>) -> Measurements {
    let mut series = |of: &dyn Fn(u64) -> f64| -> Vec<Series> {
        SIZES.iter().map(|&bytes| Series { bytes, seconds: sample(of(bytes)), cost: Cost::default() }).collect()
    };
    let mut measurements = Measurements::default();
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let round_trips = series(&|bytes| 2.0 * lmo_hop(i, j, bytes));
        let pair = PairSamples { from: i as u32, to: j as u32, round_trips, ..PairSamples::default() };
        measurements.pairs.push(pair);
    }
    for (root, first, last) in [(0, 2, 1), (1, 0, 2), (2, 0, 1)] {
        let sent_first = |bytes: u64| PROCESSING[root] + PROCESSING_PER_BYTE[root] * bytes as f64;
        let times = series(&|bytes| sent_first(bytes) + lmo_hop(root, last, bytes) + lmo_hop(last, root, 0));
        measurements.triplets.push(TripletSamples { root: root as u32, first, last: last as u32, times });
    }
    measurements
}

/// LMO's processors and links, from noise-free samples of different nodes.
#[test]
fn processors_come_apart_from_wires() {
    let mut measurements = lmo_measurements(|seconds| vec![seconds; 2]);
    let lmo = Lmo::fit(&measurements).unwrap();
    for node in 0..3 {
        let found = lmo.node(node as u32).unwrap();
        assert!((found.processing.value / PROCESSING[node] - 1.0).abs() < 1e-6, "{found:?}");
        assert!((found.processing_per_byte.value / PROCESSING_PER_BYTE[node] - 1.0).abs() < 1e-6);
    }
    for bytes in [0, 100, 100_000] {
        assert!((lmo.hop(2, 1, bytes).unwrap() / lmo_hop(1, 2, bytes) - 1.0).abs() < 1e-6);
    }
    measurements.triplets.clear();
    assert!(Lmo::fit(&measurements).is_err());
}

#[test]
fn intervals_of_processors_and_wires_hold_the_truth_in_95_of_100_draws() {
    let mut hits: std::collections::BTreeMap<(&str, u32, u32), u32> = std::collections::BTreeMap::new();
    for draw in 0..1000 {
        let mut stream = Streams::new(23, draw).stream("noise", 0);
        let normal = Normal::new(1.0, 0.05).unwrap();
        let measurements = lmo_measurements(|seconds| (0..30).map(|_| seconds * normal.sample(&mut stream)).collect());
        let lmo = Lmo::fit(&measurements).unwrap();
        let mut count = |name, from, to, estimate: Estimate, truth: f64| {
            *hits.entry((name, from, to)).or_default() += u32::from(estimate.holds(truth).unwrap());
        };
        for found in &lmo.nodes {
            let node = found.node as usize;
            count("C", found.node, found.node, found.processing, PROCESSING[node]);
            count("t", found.node, found.node, found.processing_per_byte, PROCESSING_PER_BYTE[node]);
        }
        for link in &lmo.links {
            count("L", link.from, link.to, link.latency, wire(link.from as usize, link.to as usize));
            count("1/b", link.from, link.to, link.per_byte, WIRE_PER_BYTE);
        }
    }
    assert_eq!(hits.len(), 12);
    for (parameter, hits) in &hits {
        assert!((930..=970).contains(hits), "{parameter:?}: {hits} of 1000");
    }
}

#[test]
fn pooled_samples_are_those_of_both() {
    let mut one = samples((&hockney, &curved), 2, 0.1, None, 0);
    let other = samples((&hockney, &curved), 3, 0.1, None, 1).of_sizes(|bytes| bytes != 64);
    one.round_trips.retain(|series| series.bytes != 1);
    one.pool(&other);
    let counts: Vec<usize> = one.round_trips.iter().map(|series| series.seconds.len()).collect();
    assert_eq!(counts, [3, 2, 5, 5, 5, 5, 5, 5]);
    let share: f64 = Streams::new(1, 1).stream("unused", 0).random();
    assert!(one.mean_percentage_error(|_| share).unwrap() > 0.0);
}
