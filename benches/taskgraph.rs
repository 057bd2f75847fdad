//! Task graphs: simulating a given mapping of 100 000 tasks on 64 nodes where nothing contends.

use criterion::{BenchmarkId, Criterion, Throughput};
use hetsim::cluster::network::{Model, Parameters as Network};
use hetsim::cluster::{Platform, Simulation};
use hetsim::engine::Streams;
use hetsim::graph::generate::Generator;
use hetsim::units::Tick;
use hetsim::workload::taskgraph::{Instance, Plan, Replay, by_mapping};

/// Runs a plan; how many events that took.
fn run(instance: &Instance<'_>, plan: &Plan) -> u64 {
    let mut replay = Replay::new(instance, plan);
    let mut simulation = Simulation::new(instance.platform, 1);
    simulation.run(&mut replay).expect("a run");
    assert_eq!(simulation.completion(), Some(plan.predicted()));
    simulation.events()
}

/// Layers of a hundred tasks with two successors each, dealt to the nodes in turn.
fn mapping(criterion: &mut Criterion) {
    let network: Network = toml::from_str("model = 'delay'\nlatency = '10us'\nbandwidth = '1GB/s'").expect("a network");
    let model = Model::new(&network, Tick::PICOSECOND).expect("a model");
    let speeds: Vec<f64> = (0..64).map(|node| 1e9 * (1.0 + f64::from(node) / 16.0)).collect();
    let platform = Platform::uniform(64, model).expect("a platform").with_speeds(&speeds).expect("a platform");
    let mut group = criterion.benchmark_group("mapping");
    for tasks in [10_000u32, 100_000] {
        let text = format!(
            "shape = {{ family = 'layered', tasks = {tasks}, width = 100, successors = 2 }}\n\
             operations = {{ distribution = 'uniform', from = '1Mop', to = '10Mop' }}\n\
             bytes = {{ distribution = 'uniform', from = '1kB', to = '100kB' }}"
        );
        let generator: Generator = toml::from_str(&text).expect("a generator");
        let graph = generator.generate(&mut Streams::new(1, 0).stream("graph", 0)).expect("a graph");
        let instance = Instance::new(&graph, &platform).expect("an instance");
        let places: Vec<u32> = graph.ids().map(|task| task % 64).collect();
        group.throughput(Throughput::Elements(u64::from(tasks)));
        group.bench_function(BenchmarkId::new("plan", tasks), |bencher| {
            bencher.iter(|| by_mapping(&instance, &places).expect("a schedule").makespan());
        });
        group.bench_function(BenchmarkId::new("plan and simulate", tasks), |bencher| {
            bencher.iter(|| {
                let plan = Plan::of(&by_mapping(&instance, &places).expect("a schedule"), &instance);
                run(&instance, &plan)
            });
        });
        let plan = Plan::of(&by_mapping(&instance, &places).expect("a schedule"), &instance);
        group.bench_function(BenchmarkId::new("simulate", tasks), |bencher| {
            bencher.iter(|| run(&instance, &plan));
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    mapping(&mut criterion);
    criterion.final_summary();
}
