//! Posted receives, and costs over shared links. Expected instants are hand arithmetic, which stands beside each.

use hetsim_base::units::{Tick, Time};
use hetsim_cluster::network::{Model, Parameters};
use hetsim_cluster::{
    Cluster, Context, Memory, MemoryRate, NodeId, Platform, Program, Receive, RunError, SendId, Simulation, TimerId,
};
use hetsim_communication::{Collective, Operation};
use hetsim_workload::communication::Calls;
use proptest::prelude::*;

const NANOSECOND: Tick = match Tick::new(1000) {
    Some(tick) => tick,
    None => unreachable!(),
};

/// 1 µs of latency, a byte a nanosecond, 200 ns and 300 ns of overhead, eager up to 100 B.
const COSTS: &str = "latency = '1us'\nbandwidth = '1GB/s'\nsend_overhead = '200ns'\nreceive_overhead = '300ns'\n\
                     eager_limit = '100B'\nhandshake = '0s'\n";

fn platform(nodes: u32, network: &str) -> Platform {
    let parameters: Parameters = toml::from_str(network).unwrap();
    let group = Cluster { name: "test".to_owned(), nodes, cores: 1 };
    Platform::new(NANOSECOND, vec![group], vec![Model::new(&parameters, NANOSECOND).unwrap().into()]).unwrap()
}

fn protocol(nodes: u32) -> Platform {
    platform(nodes, &format!("model = 'protocol'\n{COSTS}"))
}

/// The same over shared links of a byte a nanosecond; `rate` is that of a message alone.
fn shared(nodes: u32, rate: &str) -> Platform {
    let costs = COSTS.replace("1GB/s", rate).replace('\n', ", ").trim_end_matches(", ").to_owned();
    platform(nodes, &format!("model = 'fair'\nlatency = '0s'\nbandwidth = '1GB/s'\ncosts = {{ {costs} }}"))
}

/// Sends at time zero, posts at given instants, and notes when messages have come and when sends have left.
#[derive(Default)]
struct Script {
    sends: Vec<(u32, u32, u64)>,
    posts: Vec<(u64, u32, Receive)>,
    received: Vec<(u64, u32, u32)>,
    sent: Vec<u64>,
}

impl Program for Script {
    type Message = u32;

    fn wants_sent(&self) -> bool {
        true
    }

    fn posts_receives(&self) -> bool {
        true
    }

    fn tag(message: &u32) -> u64 {
        (*message).into()
    }

    fn start(&mut self, context: &mut impl Context<u32>) {
        for &(instant, at, _) in &self.posts {
            context.set_timer(NodeId(at), Time(instant));
        }
        for (tag, &(from, to, bytes)) in (0..).zip(&self.sends) {
            context.send(NodeId(from), NodeId(to), bytes, tag);
        }
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<u32>) {
        let now = context.now().0;
        // A timer of a busy node is told later.
        for (_, _, receive) in self.posts.extract_if(.., |(instant, node, _)| *node == at.0 && *instant <= now) {
            context.post(at, receive);
        }
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, message: u32, context: &mut impl Context<u32>) {
        self.received.push((context.now().0, at.0, message));
    }

    fn on_sent(&mut self, _: NodeId, _: SendId, context: &mut impl Context<u32>) {
        self.sent.push(context.now().0);
    }
}

fn receive(from: Option<u32>, tag: Option<u64>, bytes: u64) -> Receive {
    Receive { from: from.map(NodeId), tag, bytes }
}

fn run(platform: &Platform, sends: &[(u32, u32, u64)], posts: &[(u64, u32, Receive)]) -> Script {
    let mut script = Script { sends: sends.to_vec(), posts: posts.to_vec(), ..Script::default() };
    Simulation::new(platform, 0).run(&mut script).unwrap();
    script
}

/// Closed and shared networks alike: 200 + 1000 until the request is there; the answer takes 1000 from then or from the
/// post; the bytes 1000 + 1000; the receiver 300.
#[test]
fn a_rendezvous_waits_for_its_receive() {
    for platform in [protocol(2), shared(2, "1GB/s")] {
        let early = run(&platform, &[(0, 1, 1000)], &[(10, 1, receive(Some(0), Some(0), 1000))]);
        assert_eq!(early.received, [(1200 + 1000 + 2000 + 300, 1, 0)]);
        let late = run(&platform, &[(0, 1, 1000)], &[(5000, 1, receive(None, None, 1000))]);
        assert_eq!(late.received, [(5000 + 1000 + 2000 + 300, 1, 0)]);
        let error = Simulation::new(&platform, 0)
            .run(&mut Script { sends: vec![(0, 1, 1000)], ..Script::default() })
            .unwrap_err();
        assert_eq!(error, RunError::NotReceived { from: NodeId(0), to: NodeId(1), bytes: 1000 });
    }
    // A blocking sender goes on when its bytes have flowed.
    assert_eq!(run(&shared(2, "1GB/s"), &[(0, 1, 1000)], &[(10, 1, receive(None, None, 1000))]).sent, [4200]);
}

/// A buffered message waits for its receive as well, but its sender goes on after 200. So SMPI sends up to 64 KiB: with
/// no handshake and 2 µs of latency in the links, 1000 B are there 3 µs after the receive is posted (SimGrid 3.32
/// prints 10.003 ms for a receive at 10 ms, and 10.102 ms for 100 000 B by rendezvous).
#[test]
fn the_sender_of_a_buffered_message_goes_on() {
    let costs = COSTS.replace("'100B'", "'0B'").replace('\n', ", ");
    let network =
        format!("model = 'fair'\nlatency = '0s'\nbandwidth = '1GB/s'\ncosts = {{ {costs}buffered_limit = '64KiB' }}");
    let late = run(&platform(2, &network), &[(0, 1, 1000)], &[(5000, 1, receive(None, None, 1000))]);
    assert_eq!((late.received, late.sent), (vec![(5000 + 1000 + 2000 + 300, 1, 0)], vec![200]));
    let smpi = platform(
        2,
        "model = 'fair'\nlatency = '2us'\nbandwidth = '1GB/s'\ncosts = { latency = '0s', bandwidth = '1TB/s', \
         send_overhead = '0s', receive_overhead = '0s', eager_limit = '0B', buffered_limit = '64KiB' }",
    );
    for (bytes, sent) in [(1000, 0), (100_000, 10_102_000)] {
        let late = run(&smpi, &[(0, 1, bytes)], &[(10_000_000, 1, receive(None, None, bytes))]);
        assert_eq!((late.received, late.sent), (vec![(10_002_000 + bytes, 1, 0)], vec![sent]));
    }
}

/// The sender of a requested message learns 700 after its last byte has come of that, which is before the receiver's
/// 300; the receiver does not wait for that, nor does the sender of an eager one.
#[test]
fn a_sender_waits_for_the_confirmation() {
    let costs = format!("{COSTS}confirmation = '700ns'\n");
    let shared = format!("costs = {{ {}}}", costs.trim_end().replace('\n', ", "));
    let shared = format!("model = 'fair'\nlatency = '0s'\nbandwidth = '1GB/s'\n{shared}");
    let post = [(10, 1, receive(None, None, 1000))];
    let [plain, confirmed] =
        [COSTS, &costs].map(|costs| run(&platform(2, &format!("model = 'protocol'\n{costs}")), &[(0, 1, 1000)], &post));
    assert_eq!(confirmed.received, plain.received);
    assert_eq!(confirmed.sent[0], plain.received[0].0 - 300 + 700);
    assert_eq!(run(&platform(2, &shared), &[(0, 1, 1000)], &post).sent, [4200 + 700]);
    assert_eq!(run(&platform(2, &shared), &[(0, 1, 100)], &post).sent, [200]);
}

/// A message streams into a receiver of two cores: a receive that is posted at any instant finds it, also at that of its
/// end, and one that has waited is there when it is posted.
#[test]
fn a_receive_posted_while_a_message_streams_finds_it() {
    let parameters: Parameters = toml::from_str(
        "model = 'loggp'\nlatency = '1us'\noverhead = '0s'\ngap = '0s'\ngap_per_byte = '1ns/B'\nreceiver_busy = true",
    )
    .unwrap();
    let group = Cluster { name: "test".to_owned(), nodes: 2, cores: 2 };
    let platform =
        Platform::new(NANOSECOND, vec![group], vec![Model::new(&parameters, NANOSECOND).unwrap().into()]).unwrap();
    let received = |post: u64| run(&platform, &[(0, 1, 1000)], &[(post, 1, receive(None, None, 1000))]).received;
    let [(end, ..)] = received(1)[..] else { panic!("not received") };
    for post in (end - 1010..end + 10).chain([2 * end]) {
        assert_eq!(received(post), [(end.max(post), 1, 0)], "{post}");
    }
}

/// An eager message of 100 B is there after 200 + 1000 + 100 + 300; its sender goes on after 200.
#[test]
fn an_eager_message_without_a_receive_is_copied() {
    let copy = MemoryRate { cached: 1e-9, beyond: 1e-9 };
    for platform in [protocol(2), shared(2, "1GB/s")] {
        let platform = platform.with_memory(Memory { copy, ..Memory::default() });
        let early = run(&platform, &[(0, 1, 100)], &[(10, 1, receive(None, None, 100))]);
        assert_eq!(early.received, [(1600, 1, 0)]);
        let late = run(&platform, &[(0, 1, 100)], &[(5000, 1, receive(None, None, 100))]);
        assert_eq!(late.received, [(5100, 1, 0)]);
    }
    assert_eq!(run(&shared(2, "1GB/s"), &[(0, 1, 100)], &[(10, 1, receive(None, None, 100))]).sent, [200]);
}

/// Receives take what they accept, in the order in which it was sent and they were posted.
#[test]
fn receives_match_by_sender_and_tag() {
    let sends = [(0, 2, 10), (1, 2, 10), (0, 2, 10)];
    let posts = [
        (9000, 2, receive(Some(1), None, 10)),
        (9500, 2, receive(None, Some(2), 10)),
        (9900, 2, receive(None, None, 10)),
    ];
    let received = run(&protocol(3), &sends, &posts).received;
    assert_eq!(received, [(9000, 2, 1), (9500, 2, 2), (9900, 2, 0)]);
}

/// Two messages of 100 B from node 0 leave at 200 and 400 and flow from 1200 and 1400 on. On a link of a byte a
/// nanosecond the first is alone for its 100 ns. At a tenth of that rate each takes 1000 ns, and both fit the link.
/// Eager messages of 1000 B share it: 200 B alone, 800 B at half the rate until 3000, and the second has 200 B left.
#[test]
fn bytes_share_the_links_after_their_costs() {
    let posts = [(10, 1, receive(None, None, 1000)), (10, 2, receive(None, None, 1000))];
    let two = |bytes| [(0, 1, bytes), (0, 2, bytes)];
    assert_eq!(run(&shared(3, "1GB/s"), &two(100), &posts).received, [(1600, 1, 0), (1800, 2, 1)]);
    assert_eq!(run(&shared(3, "100MB/s"), &two(100), &posts).received, [(2500, 1, 0), (2700, 2, 1)]);
    let eager = "model = 'fair'\nlatency = '0s'\nbandwidth = '1GB/s'\ncosts = { latency = '1us', bandwidth = '1GB/s', \
                 send_overhead = '200ns', receive_overhead = '300ns', eager_limit = '1MB' }";
    assert_eq!(run(&platform(3, eager), &two(1000), &posts).received, [(3300, 1, 0), (3500, 2, 1)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// By the calls of a library every algorithm comes to its end, by eager messages and by rendezvous, and moves the
    /// same bytes as its plan says.
    #[test]
    fn no_algorithm_waits_for_ever(ranks in 2u32..20, size in prop::sample::select(vec![0u64, 1, 40, 3000, 70_000])) {
        let platform = shared(ranks, "1GB/s");
        let nodes: Vec<NodeId> = (0..ranks).map(NodeId).collect();
        for &operation in Operation::ALL {
            for algorithm in operation.algorithms() {
                let call = Collective { segment: 1000, ..Collective::new(operation, ranks, size) };
                let Ok(plan) = algorithm.steps(&call) else { continue };
                let mut program = Calls::new(plan.clone(), 0.0, &nodes, &platform);
                let mut simulation = Simulation::new(&platform, 0);
                let outcome = simulation.run(&mut program);
                prop_assert_eq!(outcome, Ok(()), "{} {} {} {}", operation, algorithm, ranks, size);
                prop_assert_eq!(simulation.completed(), ranks, "{} {} {} {}", operation, algorithm, ranks, size);
                let sent: u64 = plan.steps().filter_map(|step| step.sent_bytes()).sum();
                prop_assert_eq!(program.volume().moved, sent);
            }
        }
    }
}
