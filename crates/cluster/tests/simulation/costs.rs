//! The simulated machine: what processors, ports, links and loads do to messages and computations.
//!
//! Expected values follow from the models' definitions (Culler et al. 1996 for LogP, Hockney 1994, max–min fairness)
//! by hand arithmetic, which stands beside each.

use std::sync::Arc;

use hetsim_base::engine::EngineError;
use hetsim_base::units::Time;
use hetsim_cluster::{
    Availability, Cache, Cluster, Connection, Context, Embedded, Loopback, NodeId, Platform, Ports, Profile, Program,
    Scope, Sharing, Simulation, Timeline, TimerId, Transport, WorkId,
};

use crate::script::{Act, NANOSECOND, Script, model, only, platform, send};

const LOGP: &str = "model='logp'\nlatency='6ns'\noverhead='2ns'\ngap='4ns'";
const LOGGP: &str = "model='loggp'\nlatency='6ns'\noverhead='2ns'\ngap='4ns'\ngap_per_byte='1ns/B'";

#[test]
fn two_messages_of_a_sender_are_a_gap_apart() {
    // LogP: the first after L + 2o = 10, the second max(o, g) = 4 later. The port is free g after it started.
    let log = Script { start: vec![send(0, 1, 1), send(0, 2, 1)], ..Script::default() }.run(&platform(3, 1, LOGP));
    assert_eq!(only(&log, "message"), [(10, 1), (14, 2)]);
    assert_eq!(only(&log, "sent"), [(6, 0), (10, 0)]);
}

#[test]
fn loggp_adds_a_gap_for_each_further_byte() {
    // L + 2o + (m−1)G = 10 + 8; the next starts after g + (m−1)G = 12.
    let log = Script { start: vec![send(0, 1, 9), send(0, 2, 9)], ..Script::default() }.run(&platform(3, 1, LOGGP));
    assert_eq!(only(&log, "message"), [(18, 1), (30, 2)]);
}

#[test]
fn a_receiver_takes_one_message_each_gap() {
    // Three senders at once: all arrive at 8, and the port of node 0 takes one each g = 4, plus o = 2 each.
    let start = vec![send(1, 0, 1), send(2, 0, 1), send(3, 0, 1)];
    let log = Script { start, ..Script::default() }.run(&platform(4, 1, LOGGP));
    assert_eq!(only(&log, "message"), [(10, 0), (14, 0), (18, 0)]);
}

#[test]
fn a_capacity_stalls_the_port_of_the_sender_too_many() {
    // ⌈L/g⌉ = 2: of three messages injected at 2 the third waits until the first two arrive at 8, so it arrives at
    // 14; the receiver's port spaces the first two by g = 4.
    let start = vec![send(1, 0, 1), send(2, 0, 1), send(3, 0, 1), send(3, 4, 1)];
    let log = Script { start: start.clone(), ..Script::default() }.run(&platform(5, 1, LOGP));
    // The third arrives at 14, finds the port clear at 12 + 4 and is handled at 18. Node 3's second send waits behind
    // it: its port is free again at 8 + 4, so it is handled at 12 + 6 + 2.
    assert_eq!(only(&log, "message"), [(10, 0), (14, 0), (18, 0), (20, 4)]);
    let unbounded = platform(5, 1, &format!("{LOGP}\ncapacity=false"));
    let log = Script { start, ..Script::default() }.run(&unbounded);
    assert_eq!(only(&log, "message"), [(10, 0), (14, 4), (14, 0), (18, 0)]);
}

#[test]
fn hockney_holds_both_ports_until_the_delivery() {
    // α + βm = 10 + 100·1; the second of a sender after the first, and a receiver takes one at a time.
    let network = "model='hockney'\nlatency='10ns'\nbandwidth='1GB/s'";
    let start = vec![send(0, 1, 100), send(0, 2, 100), send(3, 1, 100)];
    let log = Script { start, ..Script::default() }.run(&platform(4, 1, network));
    assert_eq!(only(&log, "message"), [(110, 1), (220, 2), (220, 1)]);
}

#[test]
fn delay_lets_everything_pass_at_once() {
    let network = "model='delay'\nlatency='10ns'\nbandwidth='1GB/s'";
    let start = vec![send(0, 1, 100), send(0, 2, 100), send(3, 1, 100)];
    let log = Script { start, ..Script::default() }.run(&platform(4, 1, network));
    assert_eq!(only(&log, "message"), [(110, 1), (110, 2), (110, 1)]);
}

#[test]
fn plogp_delivers_after_latency_and_gap_with_the_overheads_within() {
    // Delivered at L + g(m) = 50 + 100, of which the receiver is busy for the last 30; the sender's processor is free
    // after os = 20, its port after g.
    let network = "model='plogp'\nlatency='50ns'\ngap={'1B'='100ns'}\nsend_overhead={'1B'='20ns'}\n\
                   receive_overhead={'1B'='30ns'}";
    let start = vec![send(0, 1, 1), send(0, 2, 1), Act::Compute { at: 0, operations: 5.0 }];
    let log = Script { start, ..Script::default() }.run(&platform(3, 1, network));
    assert_eq!(only(&log, "message"), [(150, 1), (250, 2)]);
    // Two overheads of 20, then 5 operations at one a tick.
    assert_eq!(only(&log, "computed"), [(45, 0)]);
}

#[test]
fn lmo_separates_processors_from_the_wire() {
    // C + tm = 5 + 10 at each end, L + m/b = 20 + 100 between; the sender goes on after 15.
    let network = "model='lmo'\nprocessing='5ns'\nprocessing_per_byte='0.1ns/B'\nlatency='20ns'\nbandwidth='1GB/s'";
    let start = vec![send(0, 1, 100), send(0, 2, 100), send(3, 1, 100)];
    let log = Script { start, ..Script::default() }.run(&platform(4, 1, network));
    // Node 1 gets two at 135 and is busy with each for 15.
    assert_eq!(only(&log, "message"), [(150, 1), (165, 2), (165, 1)]);
}

#[test]
fn a_busy_processor_lets_messages_wait_in_their_order() {
    // Node 1 computes until 100. Messages that arrived at 8 and 12 are received from 100 on, o = 2 each.
    let start = vec![Act::Compute { at: 1, operations: 100.0 }, send(0, 1, 1), send(0, 1, 1)];
    let log = Script { start, ..Script::default() }.run(&platform(2, 1, LOGGP));
    assert_eq!(only(&log, "computed"), [(100, 1)]);
    assert_eq!(only(&log, "message"), [(102, 1), (104, 1)]);
}

#[test]
fn computations_take_a_core_each_and_queue_behind_one_another() {
    let start = vec![Act::Compute { at: 0, operations: 10.0 }; 3];
    let one = Script { start: start.clone(), ..Script::default() }.run(&platform(1, 1, LOGP));
    assert_eq!(only(&one, "computed"), [(10, 0), (20, 0), (30, 0)]);
    let two = Script { start, ..Script::default() }.run(&platform(1, 2, LOGP));
    assert_eq!(only(&two, "computed"), [(10, 0), (10, 0), (20, 0)]);
}

#[test]
fn a_message_interleaves_with_queued_computations_in_order_of_arrival() {
    // The message arrives at 8, while the first of two computations runs; it came after the second was queued.
    let start = vec![Act::Compute { at: 1, operations: 20.0 }, Act::Compute { at: 1, operations: 20.0 }, send(0, 1, 1)];
    let log = Script { start, ..Script::default() }.run(&platform(2, 1, LOGGP));
    assert_eq!(only(&log, "computed"), [(20, 1), (40, 1)]);
    assert_eq!(only(&log, "message"), [(42, 1)]);
}

#[test]
fn processor_sharing_slows_all_computations_alike() {
    // 10 and 30 operations on one core: shared until 20, then the second alone until 40. A third joins at 50.
    let shared = platform(1, 1, LOGP).with_sharing(Sharing::Processor);
    let start = vec![Act::Compute { at: 0, operations: 10.0 }, Act::Compute { at: 0, operations: 30.0 }];
    let log = Script { start, ..Script::default() }.run(&shared);
    assert_eq!(only(&log, "computed"), [(20, 0), (40, 0)]);
    // On two cores each has its own.
    let two = platform(1, 2, LOGP).with_sharing(Sharing::Processor);
    let start = vec![Act::Compute { at: 0, operations: 10.0 }; 3];
    let log = Script { start, ..Script::default() }.run(&two);
    assert_eq!(only(&log, "computed"), [(15, 0), (15, 0), (15, 0)]);
}

#[test]
fn an_overhead_takes_a_core_from_shared_computations() {
    // The computation of 20 starts at once; a timer's handler at 5 sends, which holds the only core for o = 2.
    let shared = platform(2, 1, LOGP).with_sharing(Sharing::Processor);
    let start = vec![Act::Compute { at: 0, operations: 20.0 }, Act::Timer { at: 0, delay: 5 }];
    let log = Script { start, on_timer: vec![send(0, 1, 1)], ..Script::default() }.run(&shared);
    assert_eq!(only(&log, "computed"), [(22, 0)]);
}

#[test]
fn external_load_stretches_computations() {
    let half = Arc::new(Profile::new(&[(Time(10), 0.5), (Time(30), 1.0)], None).unwrap());
    let loaded = platform(1, 1, LOGP).with_loads(vec![Availability::Profile(half.clone())]).unwrap();
    let work = |operations| Script { start: vec![Act::Compute { at: 0, operations }], ..Script::default() };
    // 10 before the load, 10 in the 20 ticks of it, 5 after.
    assert_eq!(only(&work(25.0).run(&loaded), "computed"), [(35, 0)]);
    let shared = loaded.with_sharing(Sharing::Processor);
    assert_eq!(only(&work(25.0).run(&shared), "computed"), [(35, 0)]);
}

#[test]
fn fair_links_are_shared_by_what_crosses_them() {
    // 1 B/ns. Two flows of 100 B leave node 0 together: 0.5 each until both end at 10 + 200. A third, from node 3 to
    // node 1, has 0.5 there too.
    let network = "model='fair'\nlatency='10ns'\nbandwidth='1GB/s'";
    let start = vec![send(0, 1, 100), send(0, 2, 100), send(3, 1, 100)];
    let log = Script { start, ..Script::default() }.run(&platform(4, 1, network));
    assert_eq!(only(&log, "message"), [(210, 1), (210, 2), (210, 1)]);
    // Unequal: 100 and 300 bytes from one node. At 0.5 until 210, then the second alone: 200 bytes more.
    let log =
        Script { start: vec![send(0, 1, 100), send(0, 2, 300)], ..Script::default() }.run(&platform(3, 1, network));
    assert_eq!(only(&log, "message"), [(210, 1), (410, 2)]);
    // Alone it is Hockney.
    let log = Script { start: vec![send(0, 1, 100)], ..Script::default() }.run(&platform(2, 1, network));
    assert_eq!(only(&log, "message"), [(110, 1)]);
}

/// Equal flows that share a link end at the same tick, and none a rounding later than another.
#[test]
fn equal_flows_tie() {
    let network = "model='fair'\nlatency='1s'\nbandwidth='1MB/s'";
    let start = (1..8).map(|to| send(0, to, 1_000_000)).collect();
    let log = Script { start, ..Script::default() }.run(&platform(8, 1, network));
    let ends: Vec<u64> = only(&log, "message").into_iter().map(|(at, _)| at).collect();
    assert_eq!(ends, [8_000_000_000; 7]);
}

#[test]
fn messages_on_shared_links_are_observed_whole() {
    let platform = platform(3, 1, "model='fair'\nlatency='10ns'\nbandwidth='1GB/s'");
    let mut script = Script { start: vec![send(0, 1, 100), send(0, 2, 100)], ..Script::default() };
    let mut timeline = Timeline::default();
    let mut simulation = Simulation::new(&platform, 1).observed_by(&mut timeline);
    simulation.run(&mut script).unwrap();
    let messages = timeline.messages;
    let times: Vec<_> = messages.iter().map(|seen| (seen.start.0, seen.arrival.0, seen.bytes)).collect();
    assert_eq!(times, [(0, 210, 100), (0, 210, 100)]);
}

#[test]
fn the_bandwidth_of_a_link_may_change_under_way() {
    // Full until 60, half until 100, full again: 50 + 20 + 30 bytes take until 10 + 50, 100, 130.
    let profile = || Some(Profile::new(&[(Time(60), 0.5), (Time(100), 1.0)], None).unwrap());
    for network in
        ["model='fair'\nlatency='10ns'\nbandwidth='1GB/s'", "model='delay'\nlatency='10ns'\nbandwidth='1GB/s'"]
    {
        let link = Connection { bandwidth: profile(), ..Connection::from(model(network)) };
        let group = Cluster { name: "test".to_owned(), nodes: 2, cores: 1 };
        let platform = Platform::new(NANOSECOND, vec![group], vec![link]).unwrap();
        let log = Script { start: vec![send(0, 1, 100)], ..Script::default() }.run(&platform);
        // The closed model spends its bandwidth first and its latency after: 60 + 20 by 100, 20 more, then 10.
        assert_eq!(only(&log, "message"), [(130, 1)], "{network}");
    }
}

#[test]
fn ports_per_level_let_a_node_send_near_and_far_at_once() {
    let groups = ["a", "b"].map(|name| Cluster { name: name.to_owned(), nodes: 2, cores: 1 }).to_vec();
    let near: Connection = model("model='plogp'\nlatency='5ns'\ngap={'1B'='10ns'}").into();
    let far: Connection = model("model='plogp'\nlatency='50ns'\ngap={'1B'='100ns'}").into();
    let platform = Platform::new(NANOSECOND, groups, vec![near.clone(), far.clone(), far, near]).unwrap();
    let script = || Script { start: vec![send(0, 2, 1), send(0, 1, 1)], ..Script::default() };
    assert_eq!(only(&script().run(&platform), "message"), [(115, 1), (150, 2)]);
    assert_eq!(only(&script().run(&platform.with_ports(Ports::PerLevel)), "message"), [(15, 1), (150, 2)]);
}

#[test]
fn a_message_to_oneself_is_free() {
    let log = Script { start: vec![send(0, 0, 1000)], ..Script::default() }.run(&platform(1, 1, LOGGP));
    assert_eq!(only(&log, "message"), [(0, 0)]);
}

#[test]
fn a_run_that_outgrows_the_clock_says_so() {
    let start = vec![Act::Compute { at: 0, operations: 1e30 }];
    let failed = Script { start, ..Script::default() }.run_to_end(&platform(1, 1, LOGP));
    assert_eq!(failed, Err(EngineError::Outgrown.into()));
}

/// Sends a token once around the nodes it sees.
struct Ring;

impl Program for Ring {
    type Message = u32;

    fn start(&mut self, context: &mut impl Context<u32>) {
        context.send(NodeId(0), NodeId(1), 1, 1);
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, hops: u32, context: &mut impl Context<u32>) {
        context.complete(at);
        if hops < context.nodes() {
            context.send(at, NodeId((at.0 + 1) % context.nodes()), 1, hops + 1);
        }
    }
}

/// Waits for a timer, runs a ring over the odd nodes, and completes where the ring does.
struct Host {
    ring: Embedded<Ring, fn(u32) -> Packed>,
}

struct Packed(u32);

impl Program for Host {
    type Message = Packed;

    fn start(&mut self, context: &mut impl Context<Packed>) {
        context.set_timer(NodeId(0), Time(100));
    }

    fn on_timer(&mut self, _: NodeId, _: TimerId, context: &mut impl Context<Packed>) {
        self.ring.start(context);
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, Packed(hops): Packed, context: &mut impl Context<Packed>) {
        let rank = |node: NodeId| NodeId(node.0 / 2);
        self.ring.on_message(rank(at), rank(from), hops, context);
        while let Some(node) = self.ring.next_completed() {
            context.complete(node);
        }
    }
}

#[test]
fn a_program_runs_inside_another() {
    let members = [1, 3, 5].map(NodeId).to_vec();
    let mut host = Host { ring: Embedded::new(Ring, Scope(1), members, Packed) };
    let platform = platform(6, 1, LOGP);
    let mut simulation = Simulation::new(&platform, 1);
    simulation.run(&mut host).unwrap();
    // Three hops of L + 2o after the timer.
    assert_eq!((simulation.completed(), simulation.completion(), simulation.messages()), (3, Some(Time(130)), 3));
}

/// Sends a large message and then a small one, which overtakes it.
struct TwoSizes;

impl Program for TwoSizes {
    type Message = u64;

    fn describe(bytes: &u64) -> &'static str {
        if *bytes > 50 { "large" } else { "small" }
    }

    fn start(&mut self, context: &mut impl Context<u64>) {
        for bytes in [100, 1] {
            context.send(NodeId(0), NodeId(1), bytes, bytes);
        }
    }

    fn on_message(&mut self, _: NodeId, _: NodeId, _: u64, _: &mut impl Context<u64>) {}
}

/// Each message carries its name from its send to its reception, whichever comes first there, whatever carries it.
#[test]
fn messages_have_names() {
    let delay = ("model='delay'\nlatency='10ns'\nbandwidth='1GB/s'", ["small", "large"]);
    let fair = ("model='fair'\nlatency='10ns'\nbandwidth='1GB/s'", ["small", "large"]);
    let logp = (LOGP, ["large", "small"]);
    for (network, order) in [delay, fair, logp] {
        let platform = platform(2, 1, network);
        let mut timeline = Timeline::default();
        let mut simulation = Simulation::new(&platform, 1).observed_by(&mut timeline);
        simulation.run(&mut TwoSizes).unwrap();
        assert!(timeline.messages.iter().all(|sent| sent.message == TwoSizes::describe(&sent.bytes)), "{network}");
        let received: Vec<_> = timeline.receptions.iter().map(|seen| (seen.from.0, seen.at.0, seen.message)).collect();
        assert_eq!(received, order.map(|name| (0, 1, name)), "{network}");
    }
    assert_eq!(Embedded::<TwoSizes, fn(u64) -> u64>::describe(&7), "small");
}

/// Computes 10 operations on each of some working sets, one after the other.
struct WorkingSets(Vec<u64>, Vec<u64>);

impl Program for WorkingSets {
    type Message = ();

    fn start(&mut self, context: &mut impl Context<()>) {
        if let Some(bytes) = self.0.pop() {
            context.set_working_set(NodeId(0), bytes);
            context.compute(NodeId(0), 10.0);
        }
    }

    fn on_message(&mut self, _: NodeId, _: NodeId, (): (), _: &mut impl Context<()>) {}

    fn on_computed(&mut self, _: NodeId, _: WorkId, context: &mut impl Context<()>) {
        self.1.push(context.now().0);
        self.start(context);
    }
}

#[test]
fn a_working_set_beyond_the_cache_is_computed_more_slowly() {
    let cache = Cache { bytes: 1000, speed_beyond: 0.25 };
    let cached = platform(1, 1, LOGP).with_caches(&[Some(cache)]).unwrap();
    for platform in [cached.clone(), cached.with_sharing(Sharing::Processor)] {
        let mut program = WorkingSets(vec![0, 1001, 1000], Vec::new());
        Simulation::new(&platform, 1).run(&mut program).unwrap();
        assert_eq!(program.1, [10, 50, 60]);
        let speeds = [0, 1000, 1001].map(|bytes| platform.speed_with(NodeId(0), bytes) / 1e9);
        assert_eq!(speeds, [1.0, 1.0, 0.25]);
    }
    let mut program = WorkingSets(vec![1001], Vec::new());
    Simulation::new(&platform(1, 1, LOGP), 1).run(&mut program).unwrap();
    assert_eq!(program.1, [10]);
}

/// A flight that jitter makes shorter than the receiver's overhead still arrives after its start.
#[test]
fn a_short_flight_does_not_arrive_in_the_past() {
    let network = "model='plogp'\nlatency='50ns'\ngap={'1B'='100ns'}\nreceive_overhead={'1B'='140ns','9B'='141ns'}";
    let link = Connection { jitter: 2.0, ..Connection::from(model(network)) };
    let platform =
        Platform::new(NANOSECOND, vec![Cluster { name: "test".to_owned(), nodes: 9, cores: 1 }], vec![link]).unwrap();
    let start = vec![Act::Timer { at: 0, delay: 1000 }];
    let sends: Vec<Act> = (1..9).map(|to| send(0, to, 1)).collect();
    for seed in 0..50 {
        let mut script = Script { start: start.clone(), on_timer: sends.clone(), ..Script::default() };
        Simulation::new(&platform, seed).run(&mut script).expect("no event lies in the past");
        assert_eq!(only(&script.log, "message").len(), 8);
    }
}

#[test]
fn jitter_is_drawn_from_the_seed_alone() {
    let jittery = || {
        let link = Connection { jitter: 0.3, ..Connection::from(model(LOGGP)) };
        Platform::new(NANOSECOND, vec![Cluster { name: "test".to_owned(), nodes: 3, cores: 1 }], vec![link]).unwrap()
    };
    let script = || Script { start: vec![send(0, 1, 1000), send(0, 2, 1000)], ..Script::default() };
    let (first, second) = (script().run(&jittery()), script().run(&jittery()));
    assert_eq!(first, second);
    assert_ne!(first, script().run(&platform(3, 1, LOGGP)));
}

/// A node's messages to itself are free, or take a latency and their bytes at a bandwidth, any number at once and
/// whatever the network is; under a protocol, its factors (13.01 and 0.97 of LV08) apply to them as to all others.
#[test]
fn loopbacks_take_their_time() {
    let sends = || Script { start: vec![Act::Send { from: 1, to: 1, bytes: 970 }; 2], ..Script::default() };
    let arrivals = |platform: &Platform| {
        let log = sends().run(platform).into_iter();
        log.filter(|entry| entry.1 == "message").map(|entry| entry.0).collect::<Vec<_>>()
    };
    for network in [
        "model = \"hockney\"\nlatency = \"1s\"\nbandwidth = \"1B/s\"",
        "model = \"logp\"\nlatency = \"1s\"\noverhead = \"1s\"\ngap = \"1s\"",
        "model = \"fair\"\nlatency = \"1s\"\nbandwidth = \"1B/s\"",
    ] {
        let free = platform(2, 1, network);
        assert_eq!(arrivals(&free), [0, 0], "{network}");
        // A latency of 100 ns, and a byte each nanosecond.
        let loopback = vec![Some(Loopback { latency: 1e-7, bandwidth: 1e9 })];
        let slow = free.with_loopbacks(loopback).unwrap();
        assert_eq!(arrivals(&slow), [1070, 1070], "{network}");
        assert_eq!(arrivals(&slow.part(&[2]).unwrap()), [1070, 1070], "{network}");
        assert_eq!(arrivals(&slow.with_transport(Transport::LV08).unwrap()), [1301 + 1000; 2], "{network}");
    }
}
