//! At most so many sends of a node under way at once, over shared links. Times are closed forms or hand arithmetic,
//! which stands beside each.

use hetsim::cluster::{Context, NodeId, Platform, Program, Simulation};
use hetsim::communication::{Algorithm, Collective, Operation};
use hetsim::scenario::FromToml;
use hetsim::workload::communication::Steps;
use proptest::prelude::*;

/// Five nodes on links of a byte a nanosecond, 1 µs apart, on a clock of a nanosecond; `costs` are keys of the network.
fn platform(sends: &str, costs: &str) -> Platform {
    let text = format!(
        "[platform]\ntick = '1ns'\n[platform.transport]\nsends = {sends}\n[platform.cluster.test]\nnodes = 5\n\
         network = {{ model = 'fair', latency = '1us', bandwidth = '1GB/s'{costs} }}\n"
    );
    Platform::from_toml(&text).unwrap_or_else(|problems| panic!("{problems}"))
}

/// 200 ns and 300 ns of overhead, and 500 ns more in flight; at 500 MB/s alone.
const COSTS: &str = ", costs = { latency = '500ns', bandwidth = '500MB/s', send_overhead = '200ns', \
                     receive_overhead = '300ns', eager_limit = '1MB' }";

/// Node 0 sends a message to each other node at time zero.
struct Fan {
    bytes: Vec<u64>,
    received: Vec<u64>,
}

impl Program for Fan {
    type Message = ();

    fn start(&mut self, context: &mut impl Context<()>) {
        for (to, &bytes) in (1..).zip(&self.bytes) {
            context.send(NodeId(0), NodeId(to), bytes, ());
        }
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, (): (), context: &mut impl Context<()>) {
        self.received[at.index() - 1] = context.now().0;
    }
}

/// When the messages of these sizes are received.
fn received(sends: &str, costs: &str, bytes: &[u64]) -> Vec<u64> {
    let mut fan = Fan { bytes: bytes.to_vec(), received: vec![0; bytes.len()] };
    Simulation::new(&platform(sends, costs), 0).run(&mut fan).unwrap();
    fan.received
}

/// n equal messages of m bytes, k at a time where k divides n: each k of them take L + k m/B.
#[test]
fn equal_messages_go_in_groups() {
    let four = |sends| received(sends, "", &[1000; 4]);
    assert_eq!(four("'in_turn'"), [2000, 4000, 6000, 8000]);
    assert_eq!(four("1"), [2000, 4000, 6000, 8000]);
    assert_eq!(four("2"), [3000, 3000, 6000, 6000]);
    for sends in ["4", "4000000000", "'at_once'"] {
        assert_eq!(four(sends), [5000; 4]);
    }
}

/// Two at once of 1000, 2000 and 3000 B: the first two flow from 1000 on at half the rate; the first is there at 3000,
/// and the second, with 1000 B left and the link for itself, at 4000. The third leaves at 3000 and flows from 4000 on,
/// alone until 7000.
#[test]
fn the_next_message_leaves_when_any_has_arrived() {
    assert_eq!(received("2", "", &[1000, 2000, 3000]), [3000, 4000, 7000]);
}

/// With costs: the processor is done with the messages at 200, 400 and 600. The first flows from 200 + 1500 on, at its
/// own rate of half the link, which the second joins at 1900 without hindering it: there at 3700 and 3900. The third
/// leaves at 3700 and flows from 5200 to 7200. Receivers take 300. In turn: 1700 to 3700, 5200 to 7200, 8700 to 10 700.
#[test]
fn costs_come_before_the_turn() {
    assert_eq!(received("2", COSTS, &[1000; 3]), [4000, 4200, 7500]);
    assert_eq!(received("1", COSTS, &[1000; 3]), [4000, 7500, 11_000]);
    assert_eq!(received("3", COSTS, &[1000; 3]), received("'at_once'", COSTS, &[1000; 3]));
}

#[test]
fn a_number_of_sends_is_at_least_one() {
    for wrong in ["0", "-1", "1.5", "'twice'"] {
        let text = format!(
            "[platform.transport]\nsends = {wrong}\n[platform.cluster.test]\nnodes = 2\nnetwork = {{ model = 'ideal' }}\n"
        );
        let message = Platform::from_toml(&text).unwrap_err().to_string();
        assert!(message.starts_with("platform:2:9: "), "{message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// One at a time is in turn, and as many as there are messages are all at once, for any algorithm.
    #[test]
    fn the_ends_of_the_range(
        operation in prop::sample::select(Operation::ALL.to_vec()),
        number in 0usize..64,
        size in prop::sample::select(vec![0u64, 10, 5000]),
        costs in prop::sample::select(vec!["", COSTS]),
    ) {
        let algorithms: Vec<Algorithm> = operation.algorithms().collect();
        let algorithm = algorithms[number % algorithms.len()];
        let Ok(plan) = algorithm.steps(&Collective::new(operation, 5, size)) else { return Ok(()) };
        let time = |sends: &str| {
            let platform = platform(sends, costs);
            let mut simulation = Simulation::new(&platform, 0);
            simulation.run(&mut Steps::new(plan.clone(), 0.0)).unwrap();
            (simulation.completion(), simulation.events())
        };
        prop_assert_eq!(time("1"), time("'in_turn'"));
        let messages = plan.messages().max(1).to_string();
        prop_assert_eq!(time(&messages), time("'at_once'"));
    }
}
