//! Mappings of task graphs: what an evaluation and a single move take, and the searches on Aguilar's random graphs (n =
//! 10, 20 and 50, d = 2). Elements of the first group are evaluations.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput};
use hetsim::engine::{Stream, Streams};
use hetsim::graph::TaskGraph;
use hetsim::graph::generate::random::Random;
use hetsim::graph::generate::{Family, Generator};
use hetsim::schedule::Costs;
use hetsim::schedule::mapping::{Annealing, Evaluator, Exact, Genetic, Method, Neural, Objective, Problem};
use hetsim::units::{Tick, Time};
use rand::RngExt;

fn stream(name: &str) -> Stream {
    Streams::new(1, 0).stream(name, 0)
}

/// One of the paper's graphs with work and communication of 1 to 10.
fn instance(tasks: u32, processors: u32) -> Option<(TaskGraph, Costs)> {
    let shape = Family::Random(Random { tasks, successors: 2, spread: 0.0 });
    let graph = Generator::of(shape).generate(&mut stream("graph")).ok()?;
    let mut rng = stream("costs");
    let work: Vec<u64> = graph.ids().map(|_| rng.random_range(1..=10)).collect();
    let data: Vec<u64> = (0..graph.edge_count()).map(|_| rng.random_range(1..=10)).collect();
    let costs = Costs::new(
        &graph,
        hetsim::schedule::Layout::identical(processors),
        |task, _| Time(work[task as usize]),
        |edge, _, _| Time(data[edge.id as usize]),
    );
    costs.ok().map(|costs| (graph, costs))
}

fn objectives() -> [Objective; 3] {
    [Objective::ParallelTime, Objective::Cut, Objective::Makespan]
}

fn evaluations(criterion: &mut Criterion, tick: Tick) {
    let Some((graph, costs)) = instance(50, 5) else { return };
    let mut group = criterion.benchmark_group("evaluate, 50 tasks");
    group.throughput(Throughput::Elements(1));
    for objective in objectives() {
        let name = objective.name();
        let Ok(problem) = Problem::new(&graph, &costs, tick, objective) else { continue };
        let mapping = problem.draw(&mut stream("mapping"));
        let mut evaluator = Evaluator::new(&problem);
        group.bench_function(BenchmarkId::new("whole", name), |bencher| {
            bencher.iter(|| evaluator.set(black_box(&mapping)));
        });
        let mut rng = stream("moves");
        group.bench_function(BenchmarkId::new("move", name), |bencher| {
            bencher.iter(|| evaluator.try_move(rng.random_range(0..50), rng.random_range(0..5)));
        });
    }
    group.finish();
}

fn searches(criterion: &mut Criterion, tick: Tick) {
    let mut group = criterion.benchmark_group("search");
    group.sample_size(10);
    for (tasks, processors) in [(10, 2), (10, 5), (20, 2), (50, 2)] {
        let Some((graph, costs)) = instance(tasks, processors) else { continue };
        for objective in objectives() {
            let name = format!("{} {tasks} tasks on {processors}", objective.name());
            let Ok(problem) = Problem::new(&graph, &costs, tick, objective) else { continue };
            for method in [
                Method::Annealing(Annealing::default()),
                Method::Genetic(Genetic::default()),
                Method::Neural(Neural::default()),
                Method::Exact(Exact { nodes: 10_000 }),
            ] {
                group.bench_function(BenchmarkId::new(method.name(), &name), |bencher| {
                    bencher.iter(|| black_box(method.solve(&problem, None, &mut stream("search"))));
                });
            }
        }
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    // A second: the costs are small whole numbers.
    if let Some(tick) = Tick::new(1_000_000_000_000) {
        evaluations(&mut criterion, tick);
        searches(&mut criterion, tick);
    }
    criterion.final_summary();
}
