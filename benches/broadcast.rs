//! Broadcasts through the [`Program`] trait: how many messages a second the simulated machine carries on one core.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use hetsim::cluster::network::{Model, Parameters};
use hetsim::cluster::{Context, NodeId, Platform, Program, SendId, Simulation};
use hetsim::communication::Segments;
use hetsim::communication::tree::Tree;
use hetsim::units::Tick;
use hetsim::workload::communication::Forward;

const LOGGP: &str = "model = 'loggp'\nlatency = '6us'\noverhead = '1.5us'\ngap = '2us'\ngap_per_byte = '0.25ns/B'";
const HOCKNEY: &str = "model = 'hockney'\nlatency = '10us'\nbandwidth = '1Gbit/s'";
const PLOGP: &str = "model = 'plogp'
latency = '10us'
gap = { 1B = '12us', 1KiB = '20us', 64KiB = '600us' }
send_overhead = { 1B = '2us', 64KiB = '60us' }
receive_overhead = { 1B = '3us' }";

/// [`Forward`], but asking when each send has left its node.
struct Asking {
    forward: Forward,
    left: u64,
}

impl Program for Asking {
    type Message = <Forward as Program>::Message;
    fn wants_sent(&self) -> bool {
        true
    }

    fn start(&mut self, context: &mut impl Context<Self::Message>) {
        self.forward.start(context);
    }

    #[inline]
    fn on_message(
        &mut self,
        at: NodeId,
        from: NodeId,
        message: Self::Message,
        context: &mut impl Context<Self::Message>,
    ) {
        self.forward.on_message(at, from, message, context);
    }

    #[inline]
    fn on_sent(&mut self, _: NodeId, _: SendId, _: &mut impl Context<Self::Message>) {
        self.left += 1;
    }
}

fn forward(tree: Tree) -> Forward {
    Forward::new(tree, Segments::whole(1024))
}

fn asking(tree: Tree) -> Asking {
    Asking { forward: forward(tree), left: 0 }
}

/// Runs a broadcast to all nodes, building the machine too: its memory is part of the price.
fn broadcast<P: Program>(platform: &Platform, mut program: P) -> u64 {
    let mut simulation = Simulation::new(platform, 1);
    let ended = simulation.run(&mut program);
    assert!(ended.is_ok() && simulation.completed() == platform.nodes());
    simulation.messages()
}

fn model(toml: &str) -> Model {
    let parameters: Parameters = toml::from_str(toml).unwrap_or_else(|error| panic!("{error}"));
    Model::new(&parameters, Tick::PICOSECOND).unwrap_or_else(|error| panic!("{error}"))
}

/// Measures one broadcast at each number of nodes.
fn measure<P: Program>(
    criterion: &mut Criterion,
    (name, network): (&str, &str),
    nodes: &[u32],
    program: impl Fn(u32) -> P,
) {
    let mut group = criterion.benchmark_group("broadcast");
    for &nodes in nodes {
        let platform = Platform::uniform(nodes, model(network)).expect("a platform");
        group.throughput(Throughput::Elements(u64::from(nodes - 1)));
        group.sample_size(if nodes > 10_000 { 10 } else { 50 });
        group.bench_function(BenchmarkId::new(name, nodes), |bencher| {
            bencher.iter_batched(|| program(nodes), |program| broadcast(&platform, program), BatchSize::PerIteration);
        });
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let c = &mut criterion;
    measure(c, ("binomial, LogGP", LOGGP), &[10_000, 1_000_000, 10_000_000], |nodes| forward(Tree::Binomial(nodes)));
    measure(c, ("binomial, LogGP, on_sent", LOGGP), &[10_000, 1_000_000], |nodes| asking(Tree::Binomial(nodes)));
    measure(c, ("linear, LogGP", LOGGP), &[10_000, 100_000, 1_000_000], |nodes| forward(Tree::Linear(nodes)));
    measure(c, ("binomial, Hockney", HOCKNEY), &[10_000, 1_000_000], |nodes| forward(Tree::Binomial(nodes)));
    measure(c, ("binomial, pLogP", PLOGP), &[10_000, 1_000_000], |nodes| forward(Tree::Binomial(nodes)));
    criterion.final_summary();
}
