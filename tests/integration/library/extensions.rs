//! What other crates bring of their own: network models, policies and algorithms of communication.

use hetsim::cluster::network::{Class, Delivery, Fair, Model, NetworkModel, Transfer};
use hetsim::cluster::{Context, NodeId, Platform, PlatformError, Program, Simulation};
use hetsim::communication::steps::{Fold, Pattern, Shifts};
use hetsim::communication::tree::{ExplicitTree, Tree};
use hetsim::communication::{Algorithm, Collective, Method, Operation, Plan, PlanError};
use hetsim::policy::{ChunkPolicy, Kind, Rule, Setup};
use hetsim::units::{Tick, Time};
use hetsim::workload::communication::{Carrier, Communication};
use hetsim::workload::farm::{Farm, Rules, Server, TaskSource};

const NANOSECOND: Tick = match Tick::new(1000) {
    Some(tick) => tick,
    None => unreachable!(),
};

/// Eager up to a limit, twice the latency beyond: a closed model from outside.
#[derive(Debug)]
struct TwoStep;

impl NetworkModel for TwoStep {
    fn tick(&self) -> Option<Tick> {
        Some(NANOSECOND)
    }

    fn delivery(&self, bytes: u64) -> Delivery {
        let flights = if bytes > 1024 { 2 } else { 1 };
        Delivery::Closed(Transfer { latency: Time(1000 * flights), transmission: Time(bytes), ..Transfer::default() })
    }
}

/// The links of `fair`, with a latency that no link knows of: a flow model from outside.
#[derive(Debug)]
struct Distant(Fair);

impl NetworkModel for Distant {
    fn tick(&self) -> Option<Tick> {
        Some(NANOSECOND)
    }

    fn delivery(&self, _: u64) -> Delivery {
        Delivery::Flow(Transfer { latency: self.0.latency(), ..Transfer::default() })
    }

    fn class(&self) -> Class {
        Class::Flow
    }

    fn shared_links(&self) -> Option<&Fair> {
        Some(&self.0)
    }
}

/// A closed model that calls itself a flow.
#[derive(Debug)]
struct Liar;

impl NetworkModel for Liar {
    fn tick(&self) -> Option<Tick> {
        None
    }

    fn delivery(&self, _: u64) -> Delivery {
        Delivery::Closed(Transfer::default())
    }

    fn class(&self) -> Class {
        Class::Flow
    }
}

/// A message that each node passes on to the next one.
struct Relay {
    bytes: u64,
    nodes: u32,
}

impl Program for Relay {
    type Message = ();

    fn start(&mut self, context: &mut impl Context<()>) {
        context.send(NodeId(0), NodeId(1), self.bytes, ());
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, (): (), context: &mut impl Context<()>) {
        context.complete(at);
        if at.0 + 1 < self.nodes {
            context.send(at, NodeId(at.0 + 1), self.bytes, ());
        }
    }
}

/// When the message has reached the last node.
fn arrival(platform: &Platform, bytes: u64) -> Time {
    let mut simulation = Simulation::new(platform, 1);
    simulation.run(&mut Relay { bytes, nodes: platform.nodes() }).expect("the run ends");
    simulation.completion().expect("it completes")
}

#[test]
fn network_models_come_from_outside() {
    let own = Platform::uniform(3, Model::own(TwoStep)).expect("a platform");
    assert_eq!((arrival(&own, 1024), arrival(&own, 1025)), (Time(2 * 2024), Time(2 * 3025)));
    let parameters = toml::from_str("model = 'fair'\nlatency = '1us'\nbandwidth = '1GB/s'").expect("parameters");
    let Ok(Model::Fair(fair)) = Model::new(&parameters, NANOSECOND) else { panic!("it is fair") };
    let ours = Platform::uniform(3, Model::Fair(fair.clone())).expect("a platform");
    let own = Platform::uniform(3, Model::own(Distant(fair))).expect("a platform");
    assert_eq!(arrival(&own, 5000), arrival(&ours, 5000));
    assert_eq!(Platform::uniform(2, Model::own(Liar)).err(), Some(PlatformError::Class { link: 0 }));
}

/// Chunks of 1, 2, 3, … tasks, whoever asks.
#[derive(Debug)]
struct Rising(u32);

impl Rule for Rising {
    fn kind() -> Kind {
        Kind::SelfScheduling
    }

    fn new(_: &Setup<'_>) -> Self {
        Self(0)
    }

    fn chunk(&mut self, _: u32, left: u32) -> u32 {
        self.0 += 1;
        self.0.min(left)
    }
}

/// Twenty tasks of one second each, in one round.
struct Twenty;

impl TaskSource for Twenty {
    fn tasks(&self) -> u32 {
        20
    }

    fn operations(&self, _: u32) -> f64 {
        1.0
    }

    fn total(&self, tasks: u32) -> f64 {
        f64::from(tasks)
    }

    fn result(&mut self, _: u32) {}

    fn end_round(&mut self, _: Time) -> bool {
        false
    }

    fn between(&self) -> f64 {
        0.0
    }
}

/// Two workers without messages' times: chunks 1 and 2 end at 1 and 2 s, 3 and 4 at 4 and 6 s, 5 (at 4 s) at 9 s, and
/// the last 5 tasks (at 6 s) at 11 s.
#[test]
fn policies_come_from_outside() {
    let ideal = Model::new(&toml::from_str("model = 'ideal'").expect("parameters"), NANOSECOND).expect("a model");
    let platform =
        Platform::uniform(3, ideal).and_then(|platform| platform.with_speeds(&[1.0; 3])).expect("a platform");
    let policy = ChunkPolicy::own(Rising(0));
    let server = Server::new(Twenty, NodeId(0), 2, policy, Rules::default());
    let mut farm = Farm::new(server);
    Simulation::new(&platform, 1).run(&mut farm).expect("the run ends");
    assert_eq!(farm.server.end.map(|end| platform.tick().seconds(end)), Some(11.0));
}

/// A broadcast to the last rank, from there to all others; an all-gather around a ring; an all-reduce by parts.
struct Mine;

impl Method for Mine {
    fn operations(&self) -> &'static [Operation] {
        &[Operation::Broadcast, Operation::AllGather, Operation::AllReduce]
    }

    fn plan(&self, call: &Collective<'_>) -> Plan {
        match call.operation {
            Operation::AllGather => call.blocks(vec![Pattern::Shifts(Shifts::Ring)]),
            Operation::AllReduce => call.parts(Fold::none(call.ranks), |_| vec![Pattern::Shifts(Shifts::TwoRings)]),
            _ => {
                let last = call.ranks - 1;
                let sends: Vec<(u32, u32)> =
                    std::iter::once((0, last)).chain((1..last).map(|rank| (last, rank))).collect();
                call.segmented(Tree::Explicit(ExplicitTree::new(call.ranks, 0, &sends).expect("a tree")))
            }
        }
    }
}

/// When the last of eight ranks is done, with a message a time of 1 µs and 1 ns a byte at each port.
fn done(plan: Plan) -> Time {
    let parameters = toml::from_str("model = 'hockney'\nlatency = '1us'\nbandwidth = '1GB/s'").expect("parameters");
    let platform = Platform::uniform(8, Model::new(&parameters, NANOSECOND).expect("a model")).expect("a platform");
    let mut program = Communication::placed(Carrier::new(plan, 0.0), Vec::new());
    let mut simulation = Simulation::new(&platform, 1);
    simulation.run(&mut program).expect("the run ends");
    assert_eq!(simulation.completed(), 8);
    simulation.completion().expect("it completes")
}

/// The broadcast takes a message to the last rank and six in turn from there, 2 µs each.
#[test]
fn algorithms_come_from_outside() {
    let of = |operation| Collective::new(operation, 8, 1000);
    let own = |operation| of(operation).plan_by("mine", &Mine);
    assert_eq!(done(own(Operation::Broadcast).expect("a plan")), Time(7 * 2000));
    for operation in [Operation::AllGather, Operation::AllReduce] {
        let ours = Algorithm::Ring.plan(&of(operation)).expect("a plan");
        assert_eq!(done(own(operation).expect("a plan")), done(ours), "{operation}");
    }
    let refused = own(Operation::Barrier);
    assert_eq!(refused, Err(PlanError::Other { algorithm: "mine", operation: Operation::Barrier }));
}
