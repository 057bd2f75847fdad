//! What a batch costs besides its runs: reading a sweep's points, storing their records, and gathering the results
//! again.

use std::hint::black_box;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use criterion::{BatchSize, Criterion, Throughput};
use hetsim::batch::identity::RunId;
use hetsim::batch::replication::Replication;
use hetsim::batch::run::{Workers, complete};
use hetsim::batch::store::Store;
use hetsim::batch::threads::Threads;
use hetsim::report::Reported as _;
use hetsim::report::Results;
use hetsim::scenario::{Scenario, Source};

/// How many runs of one message each.
const RUNS: u64 = 20_000;

fn text() -> String {
    format!(
        "version = 1\nreplicas = 20\n[platform.cluster.pair]\nnodes = 2\n\
         network = {{ model = \"hockney\", latency = \"10us\", bandwidth = \"1GB/s\" }}\n\
         [workload]\nkind = \"broadcast\"\nalgorithm = \"linear\"\nsize = \"1KiB\"\n\
         [sweep]\n\"workload.size\" = {{ from = \"1KiB\", to = \"100KiB\", steps = {} }}\n\
         \"platform.cluster.pair.network.latency\" = {{ from = \"1us\", to = \"10us\", steps = 10 }}\n",
        RUNS / 200
    )
}

fn read(text: &str) -> Scenario {
    let source = Source { name: "batch".to_owned(), folder: PathBuf::new(), text: text.into() };
    Scenario::read("batch".to_owned(), source, &[]).expect("a scenario")
}

fn compute(scenario: &Scenario, store: &Store<RunId>) -> usize {
    let stop = AtomicBool::new(false);
    let mut replication = Replication::new(scenario);
    let runs = replication.missing(store, |_| true).expect("a store");
    let workers = Workers { threads: Threads::ONE, stop: &stop };
    complete(&mut replication, store, runs, workers, |_| true, |_| {}, |_| {}).expect("a store").computed
}

fn batch(criterion: &mut Criterion) {
    let text = text();
    let scenario = read(&text);
    let mut group = criterion.benchmark_group("batch of 20 000 runs, one thread");
    group.sample_size(10).throughput(Throughput::Elements(RUNS));
    group.bench_function("read the scenario", |bencher| bencher.iter(|| black_box(read(&text)).points.len()));
    group.bench_function("compute and store", |bencher| {
        let empty = || {
            let folder = tempfile::tempdir().expect("a folder");
            let (store, _) = Store::open(folder.path()).expect("a store");
            (folder, store)
        };
        bencher.iter_batched(
            empty,
            |(_folder, store)| assert_eq!(compute(&scenario, &store), RUNS as usize),
            BatchSize::PerIteration,
        );
    });
    let folder = tempfile::tempdir().expect("a folder");
    let (store, _) = Store::open(folder.path()).expect("a store");
    compute(&scenario, &store);
    store.close().expect("a disk");
    group.bench_function("open the store and gather the results", |bencher| {
        bencher.iter(|| {
            let (store, _) = Store::<RunId>::open(folder.path()).expect("a store");
            let runs = Replication::of(&scenario, &store).expect("a store");
            Results::load(&scenario, &store, runs.runs()).expect("a store").rows().len()
        });
    });
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    batch(&mut criterion);
    criterion.final_summary();
}
