//! The partition of 2000 machines from a full matrix, and a selection for 100 clusters, 20 sizes and all algorithms.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion};
use hetsim::adapt::{Cluster, Model, Needs, Observation, Observations, Sample, Selection, Shapes};
use hetsim::communication::{Algorithm, Operation};
use hetsim::partition::{Method, Pairs, Partition, Rule};

/// Forty clusters of fifty machines, every pair with a latency of its own.
fn partition(criterion: &mut Criterion) {
    let machines = 2000u32;
    let latency = |a: u32, b: u32| {
        let near = 40.0 * (1.0 + f64::from(a * 31 + b * 17 % 97) / 97.0e5);
        if a / 50 == b / 50 { near } else { 3000.0 + f64::from((a / 50 + b / 50) * 10) }
    };
    let pairs = Pairs::from_fn(machines, latency).expect("latencies");
    let mut group = criterion.benchmark_group("partition");
    group.sample_size(10);
    for &method in Method::ALL {
        group.bench_function(BenchmarkId::new(method.name(), machines), |bencher| {
            let rule = Rule { method, bound: 1.2, threshold: 100.0 };
            bencher.iter(|| assert_eq!(Partition::of(black_box(&pairs), rule).clusters().len(), 40));
        });
    }
    group.finish();
}

/// All models, all algorithms, 20 sizes, 100 clusters of 4 to 103 ranks; measuring is left out.
fn selection(criterion: &mut Criterion) {
    let sizes: Vec<u64> = (0..20).map(|exponent| 1 << exponent).collect();
    let clusters: Vec<Cluster> = (0..100u32)
        .map(|number| {
            let gap = |bytes: u64| 1e-6 * (10.0 + f64::from(number)) + 8e-9 * bytes as f64;
            let at = sizes.iter().map(|&bytes| Observation {
                bytes,
                one_way: gap(bytes) + 40e-6,
                gap: gap(bytes),
                send: 2e-6,
                receive: 2e-6,
            });
            let observations = Observations::new(at.collect(), 1.2).expect("observations");
            let algorithms: Vec<Algorithm> = Operation::Broadcast.algorithms().collect();
            let shapes = Shapes::new(4 + number, &algorithms);
            let truth = Model::Plogp.fit(&observations, 1024);
            let samples = algorithms.iter().flat_map(|&algorithm| {
                let segment = if algorithm.cuts() { 8192 } else { 0 };
                let (shapes, truth) = (&shapes, &truth);
                sizes.iter().map(move |&bytes| Sample {
                    algorithm,
                    segment,
                    bytes,
                    seconds: shapes.predict(algorithm, bytes, segment, truth).expect("a prediction"),
                })
            });
            let samples = samples.collect();
            Cluster::new(shapes, Model::ALL, Needs::default(), &observations, 1024, samples)
        })
        .collect();
    criterion.bench_function("selection/100_clusters_20_sizes", |bencher| {
        bencher.iter(|| {
            let choices = clusters.iter().flat_map(|cluster| {
                sizes.iter().filter_map(|&bytes| cluster.fastest(bytes, 0.001, Selection::Analytical))
            });
            choices.map(|choice| choice.predicted).sum::<f64>()
        });
    });
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    partition(&mut criterion);
    selection(&mut criterion);
    criterion.final_summary();
}
