//! Messages that stream into busy receivers: the machine of LogGOPSim (Hoefler, Schneider, Lumsdaine, HPDC 2010).
//!
//! Its times were printed by LogGOPSim itself (github.com/spcl/LogGOPSim, commit 76451de) for the plans of
//! [`hetsim_communication`], written as its schedules: a send requires the receives that its rank awaits before it.

use hetsim_base::engine::Streams;
use hetsim_base::record::Value;
use hetsim_base::units::{Tick, Time};
use hetsim_cluster::network::{Model, Parameters};
use hetsim_cluster::{
    Cluster, Connection, Context, Fault, NodeId, Outage, Platform, Ports, Profile, Program, Receive, RunError,
    Simulation, Timeline, WorkId,
};
use hetsim_communication::{Algorithm, Collective as Planned, Operation};
use hetsim_workload::broadcast;
use hetsim_workload::communication::Steps;
use hetsim_workload::{Prepared, Workload};
use proptest::prelude::*;

const NANOSECOND: Tick = match Tick::new(1000) {
    Some(tick) => tick,
    None => unreachable!(),
};

/// The parameters of LogGOPSim where none are given.
const DEFAULT: [u32; 5] = [2500, 1500, 1000, 6, 0];

/// L, o, g, G and O in nanoseconds.
fn network([latency, overhead, gap, per_byte, copying]: [u32; 5]) -> String {
    format!(
        "model='loggp'\nlatency='{latency}ns'\noverhead='{overhead}ns'\ngap='{gap}ns'\ngap_per_byte='{per_byte}ns/B'\n\
         overhead_per_byte='{copying}ns/B'\nreceiver_busy=true"
    )
}

fn model(toml: &str) -> Model {
    let parameters: Parameters = toml::from_str(toml).expect("valid parameters");
    Model::new(&parameters, NANOSECOND).expect("a valid model")
}

fn platform(nodes: u32, link: impl Into<Connection>) -> Platform {
    let group = Cluster { name: "test".to_owned(), nodes, cores: 1 };
    Platform::new(NANOSECOND, vec![group], vec![link.into()]).unwrap()
}

/// When the last rank is done.
fn collective(operation: Operation, algorithm: Algorithm, ranks: u32, size: u64, parameters: [u32; 5]) -> u64 {
    let plan = algorithm.plan(&Planned::new(operation, ranks, size)).expect("a plan");
    let platform = platform(ranks, model(&network(parameters)));
    let mut simulation = Simulation::new(&platform, 1);
    simulation.run(&mut Steps::new(plan.into_steps(), 0.0)).expect("the run ends");
    assert_eq!(simulation.completed(), ranks);
    simulation.completion().expect("it completes").0
}

/// Ranks and bytes of the columns below.
const COLUMNS: [(u32, u64); 10] =
    [(3, 1024), (3, 8192), (5, 1024), (5, 8192), (8, 1024), (8, 8192), (13, 1024), (13, 8192), (16, 1024), (16, 8192)];

/// What LogGOPSim prints, in nanoseconds; zero where the algorithm is none for so many ranks, or where LogGOPSim starts
/// the sends of a rank in no order of its schedule (it sorts more than sixteen operations by a sort that isn't stable).
#[rustfmt::skip]
const PRINTED: [(Operation, Algorithm, [u64; 10]); 22] = [
    (Operation::AllReduce, Algorithm::Ring,
     [30_184, 87_520, 53_792, 122_624, 87_668, 162_932, 143_232, 222_720, 176_340, 256_980]),
    (Operation::AllReduce, Algorithm::RecursiveDoubling,
     [38_052, 210_084, 47_190, 262_230, 34_914, 163_938, 73_466, 374_522, 46_552, 218_584]),
    (Operation::AllReduce, Algorithm::Rabenseifner,
     [44_974, 195_502, 66_630, 231_066, 43_716, 118_980, 78_654, 315_614, 55_472, 136_112]),
    (Operation::AllReduce, Algorithm::ReduceBroadcast,
     [38_052, 210_084, 57_328, 315_376, 69_828, 327_876, 84_604, 428_668, 93_104, 437_168]),
    (Operation::Broadcast, Algorithm::Linear,
     [18_776, 104_792, 33_052, 205_084, 54_466, 355_522, 90_156, 606_252, 111_570, 756_690]),
    (Operation::Broadcast, Algorithm::Binomial,
     [18_776, 104_792, 30_414, 159_438, 34_914, 163_938, 42_052, 214_084, 46_552, 218_584]),
    (Operation::Broadcast, Algorithm::ScatterRing,
     [32_764, 87_508, 54_688, 112_612, 81_526, 140_956, 0, 0, 0, 0]),
    (Operation::Broadcast, Algorithm::ScatterRecursiveDoubling,
     [28_770, 114_786, 50_426, 150_350, 53_574, 118_980, 65_212, 173_626, 67_208, 136_112]),
    (Operation::Scatter, Algorithm::Linear,
     [18_776, 104_792, 33_052, 205_084, 54_466, 355_522, 90_156, 606_252, 111_570, 756_690]),
    (Operation::Scatter, Algorithm::Binomial,
     [18_776, 104_792, 36_558, 208_590, 59_490, 360_546, 91_204, 607_300, 114_136, 759_256]),
    (Operation::Gather, Algorithm::Linear,
     [19_276, 105_292, 34_552, 206_584, 57_466, 358_522, 95_656, 611_752, 118_570, 763_690]),
    (Operation::Gather, Algorithm::Binomial,
     [19_276, 105_292, 33_058, 205_090, 59_490, 360_546, 91_704, 607_800, 114_136, 759_256]),
    (Operation::Reduce, Algorithm::Linear,
     [19_276, 105_292, 34_552, 206_584, 57_466, 358_522, 95_656, 611_752, 118_570, 763_690]),
    (Operation::Reduce, Algorithm::Binomial,
     [19_276, 105_292, 26_914, 155_938, 34_914, 163_938, 42_552, 214_584, 46_552, 218_584]),
    (Operation::Reduce, Algorithm::Rabenseifner,
     [33_336, 140_856, 47_396, 176_420, 43_716, 118_980, 58_950, 217_116, 55_472, 136_112]),
    (Operation::AllGather, Algorithm::Ring,
     [23_276, 109_292, 46_552, 218_584, 81_466, 382_522, 139_656, 655_752, 174_570, 819_690]),
    (Operation::AllGather, Algorithm::RecursiveDoubling,
     [50_340, 308_388, 84_054, 557_142, 59_490, 360_546, 193_358, 1_605_828, 114_136, 759_256]),
    (Operation::AllGather, Algorithm::Bruck,
     [23_276, 109_292, 41_058, 213_090, 59_490, 360_546, 95_704, 611_800, 114_136, 759_256]),
    (Operation::AllGather, Algorithm::NeighbourExchange,
     [0, 0, 0, 0, 64_984, 366_040, 0, 0, 136_112, 781_232]),
    (Operation::AllToAll, Algorithm::Linear,
     [23_276, 109_292, 46_552, 218_584, 81_466, 382_522, 139_656, 655_752, 174_570, 819_690]),
    (Operation::AllToAll, Algorithm::Bruck,
     [23_276, 109_292, 47_202, 262_242, 90_210, 606_306, 157_144, 1_103_320, 218_584, 1_594_840]),
    (Operation::AllToAll, Algorithm::Pairwise,
     [23_276, 109_292, 46_552, 218_584, 81_466, 382_522, 139_656, 655_752, 174_570, 819_690]),
];

#[test]
fn collectives_take_what_loggopsim_prints() {
    for (operation, algorithm, printed) in PRINTED {
        for ((ranks, size), printed) in COLUMNS.into_iter().zip(printed) {
            if printed > 0 {
                let simulated = collective(operation, algorithm, ranks, size, DEFAULT);
                assert_eq!(simulated, printed, "{operation} {algorithm}, {ranks} ranks, {size} B");
            }
        }
    }
    assert_eq!(collective(Operation::AllReduce, Algorithm::Rabenseifner, 4, 65_536, DEFAULT), 611_800);
}

/// The same with other parameters, for 8 and 13 ranks with 1000 B: copies that outlast the streaming, a gap beyond the
/// overhead, a long latency.
#[test]
fn other_parameters_take_what_loggopsim_prints() {
    let printed: [(Operation, Algorithm, [[u64; 2]; 3]); 5] = [
        (Operation::AllToAll, Algorithm::Linear, [[146_874, 251_784], [80_458, 137_928], [18_393, 26_181]]),
        (Operation::AllGather, Algorithm::RecursiveDoubling, [[134_946, 358_328], [58_482, 189_470], [35_797, 80_294]]),
        (Operation::Gather, Algorithm::Binomial, [[74_073, 120_564], [58_482, 92_476], [35_797, 41_096]]),
        (Operation::AllReduce, Algorithm::Rabenseifner, [[49_392, 76_558], [43_464, 66_452], [59_344, 82_140]]),
        (Operation::AllToAll, Algorithm::Bruck, [[224_946, 407_928], [88_482, 153_976], [40_797, 60_396]]),
    ];
    let sets = [[700, 1500, 1000, 6, 9], [2500, 1500, 4000, 6, 0], [9000, 300, 300, 1, 0]];
    for (operation, algorithm, printed) in printed {
        for (parameters, printed) in sets.into_iter().zip(printed) {
            let simulated = [8, 13].map(|ranks| collective(operation, algorithm, ranks, 1000, parameters));
            assert_eq!(simulated, printed, "{operation} {algorithm} {parameters:?}");
        }
    }
}

/// Rank 0 sends twice and computes, rank 1 computes after the first message and answers the second.
struct Interleaved {
    received: u32,
    computed: Vec<(u64, u32)>,
}

impl Program for Interleaved {
    type Message = ();

    fn start(&mut self, context: &mut impl Context<()>) {
        context.send(NodeId(0), NodeId(1), 1024, ());
        context.send(NodeId(0), NodeId(1), 1024, ());
        context.compute(NodeId(0), 100_000.0);
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, (): (), context: &mut impl Context<()>) {
        self.received += 1;
        match self.received {
            1 => drop(context.compute(at, 5000.0)),
            2 => drop(context.send(at, NodeId(0), 10, ())),
            _ => context.complete(at),
        }
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<()>) {
        self.computed.push((context.now().0, at.0));
    }
}

/// LogGOPSim prints the same: the computation has the processor from 1500 ns on, when the first message has left, and
/// the second waits for it until 101 500, though its port is free from 7138 on.
#[test]
fn computations_have_their_turn_among_sends() {
    let platform = platform(2, model(&network(DEFAULT)));
    let mut program = Interleaved { received: 0, computed: Vec::new() };
    let mut simulation = Simulation::new(&platform, 1);
    simulation.run(&mut program).unwrap();
    assert_eq!(program.computed, [(16_638, 1), (101_500, 0)]);
    assert_eq!(simulation.completion(), Some(Time(118_692)));
}

/// Every node sends to the others at once and waits for nothing.
struct Everyone;

impl Program for Everyone {
    type Message = ();

    fn start(&mut self, context: &mut impl Context<()>) {
        for from in 0..context.nodes() {
            for to in (0..context.nodes()).filter(|&to| to != from) {
                context.send(NodeId(from), NodeId(to), 1000, ());
            }
        }
    }

    fn on_message(&mut self, _: NodeId, _: NodeId, (): (), _: &mut impl Context<()>) {}
}

/// Each message is received or lost, whether its node goes down while it waits to be sent, waits at its receiver or
/// streams in.
#[test]
fn messages_of_nodes_that_go_down_are_lost() {
    let outage = |from, until| Fault::at(vec![Outage { from: Time(from), until: Some(Time(until)) }]).unwrap();
    let faults = vec![vec![outage(2000, 9000)], vec![outage(30_000, 40_000)], vec![], vec![outage(5000, 5001)]];
    let platform = platform(4, model(&network(DEFAULT))).with_faults(faults).unwrap();
    let mut simulation = Simulation::new(&platform, 1);
    simulation.run(&mut Everyone).unwrap();
    assert_eq!(simulation.messages() + simulation.lost(), 12);
    // Node 0 has sent one of three, and node 3 one.
    assert!(simulation.lost() >= 4, "{}", simulation.lost());
}

/// Every node posts receives for all that comes, and sends to the others.
struct Expecting {
    received: u64,
}

impl Program for Expecting {
    type Message = ();

    fn wants_sent(&self) -> bool {
        true
    }

    fn posts_receives(&self) -> bool {
        true
    }

    fn start(&mut self, context: &mut impl Context<()>) {
        for at in (0..context.nodes()).map(NodeId) {
            for _ in 1..context.nodes() {
                context.post(at, Receive { from: None, tag: None, bytes: 1000 });
            }
        }
        Everyone.start(context);
    }

    fn on_message(&mut self, _: NodeId, _: NodeId, (): (), _: &mut impl Context<()>) {
        self.received += 1;
    }
}

/// The same with posted receives, which a node loses when it goes down: what comes to its new life waits for ever.
/// With a threshold S the senders of those do so too, which fails the run.
#[test]
fn receives_of_nodes_that_go_down_are_lost() {
    let outage = |from, until| Fault::at(vec![Outage { from: Time(from), until: Some(Time(until)) }]).unwrap();
    let faults = || vec![vec![outage(2000, 9000)], vec![outage(3000, 3001)], vec![], vec![]];
    let run = |more: &str| {
        let platform = platform(4, model(&format!("{}{more}", network(DEFAULT)))).with_faults(faults()).unwrap();
        let mut simulation = Simulation::new(&platform, 1);
        let mut program = Expecting { received: 0 };
        let outcome = simulation.run(&mut program);
        assert_eq!(simulation.messages(), program.received);
        assert_eq!(program.received + simulation.lost() + simulation.unexpected(), 12);
        (outcome, simulation.unexpected())
    };
    let (outcome, unexpected) = run("");
    // Node 1 gets a message from each of nodes 2 and 3, and perhaps from node 0.
    assert!(outcome.is_ok() && unexpected >= 2, "{unexpected}");
    let (outcome, _) = run("\neager_limit='999B'");
    assert!(matches!(outcome, Err(RunError::NotReceived { to: NodeId(0 | 1), bytes: 1000, .. })), "{outcome:?}");
}

/// A bandwidth that halves doubles what streams: 2500 + 1500 + 1500 + 2·6·1000.
#[test]
fn a_changing_bandwidth_stretches_what_streams_in() {
    let bandwidth = Some(Profile::new(&[(Time::ZERO, 0.5)], None).unwrap());
    let link = Connection { bandwidth, ..Connection::from(model(&network(DEFAULT))) };
    let platform = platform(2, link);
    let plan = Algorithm::Linear.plan(&Planned::new(Operation::Broadcast, 2, 1001));
    let mut simulation = Simulation::new(&platform, 1);
    simulation.run(&mut Steps::new(plan.unwrap().into_steps(), 0.0)).unwrap();
    assert_eq!(simulation.completion(), Some(Time(2500 + 1500 + 1500 + 12_000)));
}

const MODELS: [&str; 3] = [
    "model='hockney'\nlatency='300ns'\nbandwidth='1GB/s'",
    "model='loggp'\nlatency='60ns'\noverhead='20ns'\ngap='40ns'\ngap_per_byte='0.7ns/B'",
    "model='plogp'\nlatency='50ns'\ngap={'1B'='10ns','100B'='90ns','1000B'='1500ns'}",
];

fn streamed() -> impl Strategy<Value = String> {
    let short = prop::sample::select(vec![0, 20, 70, 300]);
    (0u32..400, short.clone(), short, 0u32..3, 0u32..3)
        .prop_map(|(l, o, g, per_byte, o_byte)| network([l, o, g, per_byte, o_byte]))
}

fn any_network() -> impl Strategy<Value = String> {
    prop_oneof![3 => streamed(), 1 => prop::sample::select(MODELS.to_vec()).prop_map(str::to_owned)]
}

fn grid(sizes: &[u32], near: &str, far: &str, ports: Ports) -> Platform {
    let groups: Vec<Cluster> =
        sizes.iter().map(|&nodes| Cluster { name: format!("of {nodes}"), nodes, cores: 1 }).collect();
    let (near, far): (Connection, Connection) = (model(near).into(), model(far).into());
    let count = groups.len();
    let link = |number: usize| if number / count == number % count { near.clone() } else { far.clone() };
    Platform::new(NANOSECOND, groups, (0..count * count).map(link).collect()).unwrap().with_ports(ports)
}

fn broadcast(algorithm: &str, message: u64, root: u32) -> broadcast::BroadcastParameters {
    let toml = format!("size='{message}B'\nalgorithm='{algorithm}'\nsegment='300B'\nroot={root}");
    toml::from_str(&toml).expect("valid parameters")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Where a broadcast's prediction is given, the simulation meets it, and no message takes more than one port or
    /// processor at a time.
    #[test]
    fn predictions_of_broadcasts_are_simulated(
        sizes in prop::collection::vec(1u32..10, 1..4), message in 1u64..2000, root in 0u32..60,
        near in any_network(), far in any_network(), per_level: bool,
        algorithm in prop::sample::select(vec![
            "linear", "binomial", "pipeline", "chain", "binary", "optimal", "scatter_ring", "split_binary", "flat",
            "ecef", "mst",
            "ecef+binomial", "flat+linear", "bottom_up+pipeline", "fef+scatter_ring", "mst+optimal",
        ]),
    ) {
        let ports = if per_level { Ports::PerLevel } else { Ports::Single };
        let platform = grid(&sizes, &near, &far, ports);
        let broadcast = broadcast(algorithm, message, root % platform.nodes()).prepare(&platform).unwrap();
        let record = broadcast.record(&platform, Streams::new(1, 0), &[]).unwrap();
        let metric = |name: &str| record.get(name).and_then(Value::number);
        if let Some(predicted) = metric("predicted_s") {
            prop_assert_eq!(metric("completion_s"), Some(predicted));
        }
        let whole = ["linear", "binomial", "chain", "binary", "optimal"].contains(&algorithm) && message <= 300;
        if sizes.len() == 1 && whole && !per_level {
            prop_assert!(metric("predicted_s").is_some(), "{}", algorithm);
        }
        let timeline: Timeline = broadcast.timeline(&platform, Streams::new(1, 0)).unwrap().0;
        let mut free = vec![Time::ZERO; platform.nodes() as usize];
        for message in timeline.messages.iter().filter(|_| sizes.len() == 1 && near.contains("receiver_busy")) {
            prop_assert!(message.start >= free[message.from.index()]);
            free[message.from.index()] = message.free;
        }
    }

    /// The closed forms of collectives speak of messages that keep both ports and no processor, which none does here.
    #[test]
    fn predictions_of_collectives_are_simulated(
        ranks in 2u32..12, size in 1u64..40, parameters in prop::sample::select(vec![
            [20, 0, 20, 1, 0], [20, 0, 20, 0, 0], [0, 0, 20, 1, 0], [20, 20, 20, 0, 0], [2500, 1500, 1000, 6, 0],
        ]),
        number in 0usize..40,
    ) {
        let of = |operation: Operation| operation.algorithms().map(move |algorithm| (operation, algorithm));
        let all: Vec<(Operation, Algorithm)> = Operation::ALL.iter().copied().flat_map(of).collect();
        let (operation, algorithm) = all[number % all.len()];
        prop_assume!(algorithm.plan(&Planned::new(operation, ranks, size)).is_ok());
        let platform = platform(ranks, model(&network(parameters)));
        let toml = format!("operation='{operation}'\nalgorithm='{algorithm}'\nsize='{size}B'");
        let collective: hetsim_workload::collective::CollectiveParameters = toml::from_str(&toml).unwrap();
        let record = collective.prepare(&platform).unwrap().record(&platform, Streams::new(1, 0), &[]).unwrap();
        if let Some(predicted) = record.get("predicted_s").and_then(Value::number) {
            prop_assert_eq!(record.get("completion_s").and_then(Value::number), Some(predicted));
        }
    }
}
