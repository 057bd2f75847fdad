//! How long HEFT takes on layered graphs with two out-edges a task and eight processors, insertion on. Elements are
//! tasks. Reading or drawing the graph and making the tables of costs are timed apart.

use criterion::{BenchmarkId, Criterion, Throughput};
use hetsim::engine::Streams;
use hetsim::graph::TaskGraph;
use hetsim::graph::generate::layered::Layered;
use hetsim::graph::generate::{BytesDraw, Family, Generator, OperationsDraw, Uniform};
use hetsim::schedule::{Costs, Options, Scheduler};
use hetsim::units::{Bytes, Operations, Quantity, Tick};

/// Operations per second: twice as fast at most.
const SPEEDS: [f64; 8] = [1.0e9, 1.1e9, 1.25e9, 1.4e9, 1.5e9, 1.7e9, 1.8e9, 2.0e9];

/// Work uniform from 10⁶ to 10⁷ operations, and on an edge as many bytes in the mean as a task has operations.
fn layered(tasks: u32, width: u32) -> TaskGraph {
    let shape = Family::Layered(Layered { tasks, width, successors: 2 });
    let mut generator = Generator::of(shape);
    let operations = |value| Operations::from_base(value).expect("operations");
    generator.operations = OperationsDraw::Uniform(Uniform { from: operations(1e6), to: operations(1e7) });
    generator.bytes = BytesDraw::Uniform(Uniform { from: Bytes::new(1_000_000), to: Bytes::new(10_000_000) });
    generator.communication_to_computation = Some(1.0);
    generator.generate(&mut Streams::new(1, 0).stream("bench", 0)).expect("a graph")
}

/// Links of 1.4 GB/s, so that the mean message takes as long as the mean task.
fn costs(graph: &TaskGraph) -> Costs {
    let tick = Tick::default();
    Costs::related(graph, &SPEEDS, tick, |bytes| tick.time(bytes as f64 / 1.4e9)).expect("costs")
}

fn heft(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("HEFT");
    group.sample_size(10);
    for (tasks, width) in [(10_000, 1000), (100_000, 1000), (1_000_000, 1000), (1_000_000, 16)] {
        let graph = layered(tasks, width);
        let costs = costs(&graph);
        group.throughput(Throughput::Elements(u64::from(tasks)));
        let name = format!("{tasks} tasks");
        group.bench_function(BenchmarkId::new(&name, format!("width {width}")), |bencher| {
            bencher
                .iter(|| Scheduler::Heft.schedule(&graph, &costs, &Options::default()).expect("a schedule").makespan());
        });
    }
    let graph = layered(1_000_000, 1000);
    group
        .bench_function(BenchmarkId::new("tables of costs", "1000000 tasks"), |bencher| bencher.iter(|| costs(&graph)));
    group.finish();
}

/// All of them, to see what grows faster than the graph, and what with its width.
fn all(criterion: &mut Criterion) {
    for (tasks, width) in [(1000, 100), (10_000, 100), (10_000, 1000)] {
        let graph = layered(tasks, width);
        let costs = costs(&graph);
        let mut group = criterion.benchmark_group(format!("{tasks} tasks, width {width}"));
        group.sample_size(10);
        group.throughput(Throughput::Elements(u64::from(tasks)));
        for &scheduler in Scheduler::ALL {
            group.bench_function(scheduler.name(), |bencher| {
                bencher
                    .iter(|| scheduler.schedule(&graph, &costs, &Options::default()).expect("a schedule").makespan());
            });
        }
        group.finish();
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    heft(&mut criterion);
    all(&mut criterion);
    criterion.final_summary();
}
