//! Formulas over many points: how fast a population of random ones is evaluated. Elements are nodes times points.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use hetsim::engine::Streams;
use hetsim::fit::runtime::variation::Alphabet;
use hetsim::formula::{Evaluator, Expression, Gradient};

const POINTS: usize = 819;

fn main() {
    let columns: [Vec<f64>; 2] = [
        (0..POINTS).map(|at| 2.0 + (at % 64) as f64).collect(),
        (0..POINTS).map(|at| 1.0 + (at * 37 % 1000) as f64).collect(),
    ];
    let alphabet = Alphabet { values: columns.to_vec(), borders: true, most_nodes: 60 };
    let mut stream = Streams::new(1, 0).stream("bench", 0);
    let mut population = Vec::new();
    while population.len() < 500 {
        let grown = Expression::new(alphabet.random(6, &mut stream));
        population.extend(grown.filter(|expression| expression.size() >= 10));
    }
    let nodes: usize = population.iter().map(Expression::size).sum();
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("formula");
    group.throughput(Throughput::Elements((nodes * POINTS) as u64));
    let mut values = vec![0.0; POINTS];
    let mut evaluator = Evaluator::default();
    group.bench_function("evaluate", |bencher| {
        bencher.iter(|| {
            for expression in &population {
                evaluator.evaluate(expression, &columns, &mut values);
                black_box(&values);
            }
        });
    });
    let mut gradient = Gradient::default();
    let mut slopes = vec![vec![0.0; POINTS]; 64];
    group.bench_function("gradient", |bencher| {
        bencher.iter(|| {
            for expression in &population {
                gradient.evaluate(expression, &columns, &mut values, &mut slopes);
                black_box(&slopes);
            }
        });
    });
    group.finish();
    criterion.final_summary();
}
