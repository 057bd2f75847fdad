//! Fair sharing of links, without the event loop: random messages over a star, a flood, and one flow more or less.
//!
//!   cargo bench --bench sharing

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use hetsim::engine::Streams;
use hetsim::maxmin::{Demand, LinkKind, PathLink, Solver};
use hetsim::units::Time;
use rand::RngExt;

/// 125 MB/s, in bytes a picosecond.
const CAPACITY: f64 = 125e6 / 1e12;

/// A flow's links and its bytes.
type Flow = ([PathLink; 2], f64);

fn demand(bytes: f64) -> Demand {
    Demand { bytes, weight: 1.0, limit: f64::INFINITY }
}

/// Messages of 1 to 20 MB between random hosts, over the sender's link up and the receiver's link down.
fn random_flows(hosts: u32, flows: u64) -> Vec<Flow> {
    let mut stream = Streams::new(1, 0).stream("flows", u64::from(hosts));
    let flow = |_| {
        let (from, to) = (stream.random_range(0..hosts), stream.random_range(0..hosts - 1));
        let to = if to >= from { to + 1 } else { to };
        let bytes = stream.random_range(1e6..20e6);
        ([PathLink::whole(from), PathLink::whole(hosts + to)], bytes)
    };
    (0..flows).map(flow).collect()
}

/// Links with all flows on them, solved once.
fn loaded(links: u32, flows: &[Flow]) -> Solver {
    let mut solver = Solver::new();
    for _ in 0..links {
        solver.add_link(CAPACITY, LinkKind::Shared).expect("a good link");
    }
    for (route, bytes) in flows {
        solver.start(route, demand(*bytes)).expect("a good flow");
    }
    solver.solve(Time::ZERO);
    solver
}

/// Runs until the last flow has ended; gives when.
fn drain(mut solver: Solver) -> Time {
    let (mut ended, mut last) = (Vec::new(), Time::ZERO);
    while let Some(now) = solver.next_end() {
        solver.take_ended(now, &mut ended);
        solver.solve(now);
        last = now;
    }
    last
}

fn whole_runs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("10000 flows to their ends");
    group.sample_size(10);
    for hosts in [64, 1000, 10_000] {
        let flows = random_flows(hosts, 10_000);
        group.bench_function(format!("{hosts} hosts"), |bench| bench.iter(|| drain(loaded(2 * hosts, &flows))));
    }
    group.finish();
    let flood: Vec<Flow> = (0..100_000).map(|to| ([PathLink::whole(0), PathLink::whole(100_001 + to)], 1e6)).collect();
    let mut group = criterion.benchmark_group("flood");
    group.sample_size(10);
    group.bench_function("100000 hosts", |bench| bench.iter(|| drain(loaded(200_002, &flood))));
    group.finish();
}

/// What one flow costs that comes and goes among ten thousand.
fn single_changes(criterion: &mut Criterion) {
    let flows = random_flows(1000, 10_001);
    let (extra, others) = flows.split_last().expect("there are flows");
    criterion.bench_function("one flow comes and goes among 10000 on 1000 hosts", |bench| {
        bench.iter_batched_ref(
            || loaded(2000, others),
            |solver| {
                let flow = solver.start(&extra.0, demand(extra.1)).expect("a good flow");
                solver.solve(Time(1));
                solver.stop(flow);
                solver.solve(Time(2));
            },
            BatchSize::LargeInput,
        );
    });
}

criterion_group!(benches, whole_runs, single_changes);
criterion_main!(benches);
