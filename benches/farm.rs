//! Task farms: how many tasks a second the simulated machine deals on one core, with the machine's memory built each
//! time.

use criterion::{BenchmarkId, Criterion, Throughput};
use hetsim::cluster::Platform;
use hetsim::cluster::network::{Model, Parameters as Network};
use hetsim::engine::Streams;
use hetsim::report::Reported as _;
use hetsim::scenario::{Scenario, Source};
use hetsim::units::{Operations, Quantity as _, Tick, Time};
use hetsim::workload::Run;
use hetsim::workload::farm::{Cost, FarmParameters, TaskSource};

/// Equal tasks in one round.
struct Equal(u32);

impl TaskSource for Equal {
    fn tasks(&self) -> u32 {
        self.0
    }
    fn operations(&self, _: u32) -> f64 {
        1e8
    }
    fn total(&self, tasks: u32) -> f64 {
        f64::from(tasks) * 1e8
    }
    fn result(&mut self, _: u32) {}
    fn end_round(&mut self, _: Time) -> bool {
        false
    }
    fn between(&self) -> f64 {
        0.0
    }
}

fn platform(nodes: u32) -> Platform {
    let network: Network = toml::from_str("model = 'delay'\nlatency = '10us'\nbandwidth = '1GB/s'").expect("a network");
    let model = Model::new(&network, Tick::PICOSECOND).expect("a model");
    Platform::uniform(nodes, model).expect("a platform").with_cluster_speeds(&[1e9]).expect("a platform")
}

/// A hundred tasks for each of 10⁴ and 10⁵ workers, by each protocol.
fn pull(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pull");
    group.sample_size(10);
    for workers in [10_000, 100_000] {
        let platform = platform(workers + 1);
        let tasks = workers * 100;
        group.throughput(Throughput::Elements(u64::from(tasks)));
        for (name, text) in [
            ("plain", "policy = 'adaptive'"),
            ("signals", "policy = 'adaptive'\nprotocol = 'signals'"),
            ("factoring2", "policy = 'factoring2'"),
            ("static_equal", "policy = 'static_equal'"),
        ] {
            let task = Cost::constant(Operations::from_base(1e8).expect("work"));
            let farm: FarmParameters = toml::from_str(text).expect("a farm");
            group.bench_function(BenchmarkId::new(name, workers), |bencher| {
                bencher.iter(|| {
                    let mut run = Run::new(&platform, Streams::new(1, 0), &[]);
                    let (outcome, _) = farm.run(Equal(tasks), &task, &mut run).expect("the farm comes to its end");
                    outcome.tasks
                });
            });
        }
    }
    group.finish();
}

/// The runs of `scenarios/diversity.toml`, a replica of each point: 21 diversities and 6 policies.
fn diversity(criterion: &mut Criterion) {
    let text = include_str!("../scenarios/diversity.toml");
    let source = Source { name: "diversity.toml".to_owned(), folder: "scenarios".into(), text: text.into() };
    let scenario = Scenario::read("diversity".to_owned(), source, &[]).expect("a right scenario");
    let mut group = criterion.benchmark_group("diversity");
    group.throughput(Throughput::Elements(scenario.points.len() as u64 * 1280));
    group.bench_function("a replica of every point", |bencher| {
        let mut replica = 0;
        bencher.iter(|| {
            replica = (replica + 1) % scenario.file.replicas.most();
            (0..scenario.points.len())
                .map(|point| scenario.run(point, replica).expect("a run").metrics.len())
                .sum::<usize>()
        });
    });
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    pull(&mut criterion);
    diversity(&mut criterion);
    criterion.final_summary();
}
