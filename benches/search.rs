//! The inner loop of the evolution strategy: how long a round takes in which a thousand ten-variable individuals are
//! mutated and evaluated ten times each. Elements are mutated and evaluated individuals.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use hetsim::engine::{Stream, Streams};
use hetsim::search::Objective;
use hetsim::search::strategy::{Evolution, Settings, Strategy};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

const INDIVIDUALS: u32 = 1000;
const DIMENSION: usize = 10;
const GENERATION: u64 = 10 * INDIVIDUALS as u64;

fn stream(name: &str) -> Stream {
    Streams::new(1, 0).stream(name, 0)
}

/// The loop as one would write it first: one individual after the other, the library's cosine, a ziggurat's deviates.
struct PlainLoop {
    genes: Vec<[f64; DIMENSION]>,
    errors: Vec<f64>,
    steps: Vec<f64>,
}

impl PlainLoop {
    fn new(rng: &mut Stream) -> Self {
        let genes: Vec<[f64; DIMENSION]> =
            (0..INDIVIDUALS).map(|_| std::array::from_fn(|_| rng.random_range(-5.12..=5.12))).collect();
        let errors = genes.iter().map(rastrigin).collect();
        Self { genes, errors, steps: vec![1.024; INDIVIDUALS as usize] }
    }

    fn evolve(&mut self, rng: &mut Stream) {
        for ((genes, error), step) in self.genes.iter_mut().zip(&mut self.errors).zip(&mut self.steps) {
            let mut successes = 0;
            for _ in 0..10 {
                let trial = genes.map(|gene| {
                    let deviate: f64 = StandardNormal.sample(rng);
                    gene + *step * deviate
                });
                let found = rastrigin(&trial);
                if found < *error {
                    (*genes, *error) = (trial, found);
                    successes += 1;
                }
            }
            *step *= if successes < 2 { 0.85 } else { 1.0 / 0.85 };
        }
    }
}

fn rastrigin(genes: &[f64; DIMENSION]) -> f64 {
    genes.iter().map(|x| x * x + 10.0 - 10.0 * (std::f64::consts::TAU * x).cos()).sum()
}

fn rounds(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("evolve");
    group.throughput(Throughput::Elements(GENERATION));
    let mut rng = stream("plain");
    let mut plain = PlainLoop::new(&mut rng);
    group.bench_function("plain loop, rastrigin", |bencher| {
        bencher.iter(|| {
            plain.evolve(&mut rng);
            black_box(&plain.errors);
        });
    });
    for &objective in Objective::ALL {
        let settings = Settings { mutations: 10, ..Settings::new(Strategy::OneFifth, objective) };
        let mut rng = stream("lanes");
        let Ok(mut evolution) = Evolution::new(&settings, INDIVIDUALS, &mut rng) else { continue };
        group.bench_function(BenchmarkId::new("lanes", objective), |bencher| {
            bencher.iter(|| black_box(evolution.evolve(1, &mut rng)));
        });
    }
    group.finish();
}

fn evaluations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("evaluate rastrigin");
    group.throughput(Throughput::Elements(16));
    let mut rng = stream("points");
    let points: Vec<[f64; DIMENSION]> =
        (0..16).map(|_| std::array::from_fn(|_| rng.random_range(-5.12..=5.12))).collect();
    let lanes: [[f64; 16]; DIMENSION] = std::array::from_fn(|i| std::array::from_fn(|lane| points[lane][i]));
    group.bench_function("library's cosine", |bencher| {
        bencher.iter(|| black_box(&points).iter().map(rastrigin).sum::<f64>());
    });
    group.bench_function("one at a time", |bencher| {
        bencher.iter(|| black_box(&points).iter().map(|point| Objective::Rastrigin.evaluate(point)).sum::<f64>());
    });
    group.bench_function("16 lanes", |bencher| bencher.iter(|| Objective::Rastrigin.evaluate_lanes(black_box(&lanes))));
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    rounds(&mut criterion);
    evaluations(&mut criterion);
    criterion.final_summary();
}
