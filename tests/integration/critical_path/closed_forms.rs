//! Closed forms of the parts of critical paths: of messages, computations, ports, links and outages.

use hetsim::cluster::{Context, Fault, NodeId, Outage, Part, Program, Sharing, TimerId, WorkId};
use hetsim::communication::Algorithm;
use hetsim::units::Time;

use super::{Call, FAIR, HOCKNEY, LOGGP, Ranks, broadcast, follow, parts, platform};

/// Under Hockney's model: p − 1 messages one after another, or a message a round, or p − 2 + s segments of a chain.
#[test]
fn broadcasts_under_hockney() {
    let platform = platform(8, HOCKNEY, 100);
    assert_eq!(parts(&broadcast(&platform, Algorithm::Linear, 40, 40)), [0, 0, 7 * 100, 7 * 40, 0]);
    assert_eq!(parts(&broadcast(&platform, Algorithm::Binomial, 40, 40)), [0, 0, 3 * 100, 3 * 40, 0]);
    assert_eq!(parts(&broadcast(&platform, Algorithm::Pipeline, 40, 10)), [0, 0, 10 * 100, 10 * 10, 0]);
}

/// Under LogGP with g > o: o, then a gap for each message but the last, whose bytes, latency and overhead follow.
#[test]
fn a_linear_broadcast_under_loggp() {
    let platform = platform(6, LOGGP, 100);
    let path = broadcast(&platform, Algorithm::Linear, 11, 11);
    assert_eq!(parts(&path), [0, 2 * 20, 100, 4 * (70 + 10) + 10, 0]);
    let last = path.segments().last().unwrap();
    assert_eq!((last.part, last.from, last.to), (Part::Overhead, NodeId(5), NodeId(5)));
    // Where the overhead exceeds the gap, the processor binds: the path goes along its overheads.
    let platform = self::platform(6, "model='loggp'\noverhead='90ns'\ngap='70ns'\ngap_per_byte='1ns/B'", 100);
    assert_eq!(parts(&broadcast(&platform, Algorithm::Linear, 11, 11)), [0, 5 * 90 + 90, 100, 10, 0]);
}

/// Binomial trees under LogP, L = 100, o = 30 > g: each of log p hops takes L + 2o.
#[test]
fn a_binomial_broadcast_under_logp() {
    let platform = platform(8, "model='logp'\noverhead='30ns'\ngap='20ns'", 100);
    assert_eq!(parts(&broadcast(&platform, Algorithm::Binomial, 8, 8)), [0, 3 * 60, 3 * 100, 0, 0]);
}

/// Messages to one receiver pass its port one after the other: the path goes through those that held it.
#[test]
fn a_port_that_is_held_leads_to_its_holder() {
    let calls = vec![
        vec![Call::Receive(1), Call::Receive(2), Call::Receive(3)],
        vec![Call::Send(0, 50)],
        vec![Call::Send(0, 50)],
        vec![Call::Send(0, 50)],
    ];
    let path = follow(&platform(4, HOCKNEY, 100), &mut Ranks::new(&calls, false));
    // The second and the third hold the port for 100 + 50 each.
    assert_eq!([path.total(Part::Latency), path.total(Part::Transmission)], [Time(3 * 100), Time(3 * 50)]);
    let senders: Vec<u32> = path.segments().iter().map(|segment| segment.from.0).collect();
    assert_eq!(senders, [1, 1, 2, 2, 3, 3], "each one's bytes, then its latency: {path:?}");
}

/// A computation holds the processor: a message that comes meanwhile waits, and the path is the computation's.
#[test]
fn a_computation_holds_the_processor() {
    let calls = vec![vec![Call::Compute(500), Call::Receive(1), Call::Compute(7)], vec![Call::Send(0, 50)]];
    let path = follow(&platform(2, HOCKNEY, 100), &mut Ranks::new(&calls, false));
    assert_eq!(parts(&path), [507, 0, 0, 0, 0]);
    // A message that takes longer than the computation is what binds.
    let calls = vec![vec![Call::Compute(80), Call::Receive(1), Call::Compute(7)], vec![Call::Send(0, 50)]];
    let path = follow(&platform(2, HOCKNEY, 100), &mut Ranks::new(&calls, false));
    assert_eq!(parts(&path), [7, 0, 100, 50, 0]);
}

/// A rendezvous waits for its receive: the path leads to the rank that posts it late, then along half a handshake (the
/// answer), the bytes, and the last latency.
#[test]
fn a_rendezvous_waits_for_its_receive() {
    let network = "model='protocol'\nbandwidth='1GB/s'\nsend_overhead='30ns'\nreceive_overhead='50ns'\neager_limit='0B'\nhandshake='40ns'";
    let calls = vec![vec![Call::Compute(5000), Call::Receive(1)], vec![Call::Send(0, 300)]];
    let path = follow(&platform(2, network, 100), &mut Ranks::new(&calls, true));
    assert_eq!(parts(&path), [5000, 50, 120 + 100, 300, 0]);
    // Posted early, it is bound by its sender: overhead, request, answer, bytes, latency, overhead.
    let calls = vec![vec![Call::Receive(1)], vec![Call::Compute(5000), Call::Send(0, 300)]];
    let path = follow(&platform(2, network, 100), &mut Ranks::new(&calls, true));
    assert_eq!(parts(&path), [5000, 30 + 50, 240 + 100, 300, 0]);
}

/// Two messages over one link take twice as long: half of that is sharing.
#[test]
fn a_shared_link_shares() {
    let calls = vec![vec![Call::Receive(1), Call::Receive(2)], vec![Call::Send(0, 400)], vec![Call::Send(0, 400)]];
    let path = follow(&platform(3, FAIR, 100), &mut Ranks::new(&calls, false));
    assert_eq!(parts(&path), [0, 0, 100, 400, 400]);
    assert_eq!(path.total(Part::Sharing), Time(400));
}

/// Computations that share a core, and external load: what is beyond their time alone is sharing.
#[test]
fn shared_processors_share() {
    #[derive(Debug)]
    struct Two(u32);
    impl Program for Two {
        type Message = ();
        fn start(&mut self, context: &mut impl Context<()>) {
            context.compute(NodeId(0), 100.0);
            context.compute(NodeId(0), 100.0);
        }
        fn on_message(&mut self, _: NodeId, _: NodeId, (): (), _: &mut impl Context<()>) {}
        fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<()>) {
            self.0 += 1;
            if self.0 == 2 {
                context.complete(at);
            }
        }
    }
    let shared = platform(1, HOCKNEY, 1).with_sharing(Sharing::Processor);
    assert_eq!(parts(&follow(&shared, &mut Two(0))), [100, 0, 0, 0, 100]);
    // One after the other, the second follows the first.
    assert_eq!(parts(&follow(&platform(1, HOCKNEY, 1), &mut Two(0))), [200, 0, 0, 0, 0]);
}

/// What an outage starts is due to the outage; another chain may be longer.
#[test]
fn outages() {
    #[derive(Debug)]
    struct Again;
    impl Program for Again {
        type Message = ();
        fn start(&mut self, context: &mut impl Context<()>) {
            context.set_timer(NodeId(0), Time(30));
            context.compute(NodeId(1), 500.0);
        }
        fn on_message(&mut self, _: NodeId, _: NodeId, (): (), _: &mut impl Context<()>) {}
        fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<()>) {
            context.compute(at, 12.0);
        }
        fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<()>) {
            context.complete(at);
        }
        fn on_up(&mut self, at: NodeId, context: &mut impl Context<()>) {
            context.compute(at, 400.0);
        }
    }
    let outage = Fault::at(vec![Outage { from: Time(200), until: Some(Time(350)) }]).unwrap();
    let never = platform(2, HOCKNEY, 1);
    assert_eq!(parts(&follow(&never, &mut Again)), [500, 0, 0, 0, 0]);
    let down = platform(2, HOCKNEY, 1).with_faults(vec![Vec::new(), vec![outage]]).unwrap();
    let path = follow(&down, &mut Again);
    assert_eq!((path.total(Part::Outage), path.total(Part::Computing)), (Time(350), Time(400)));
}

/// A timer alone.
#[test]
fn a_timer_is_a_decision() {
    #[derive(Debug)]
    struct Later;
    impl Program for Later {
        type Message = ();
        fn start(&mut self, context: &mut impl Context<()>) {
            context.set_timer(NodeId(0), Time(30));
        }
        fn on_message(&mut self, _: NodeId, _: NodeId, (): (), _: &mut impl Context<()>) {}
        fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<()>) {
            context.complete(at);
        }
    }
    assert_eq!(follow(&platform(1, HOCKNEY, 1), &mut Later).total(Part::Decision), Time(30));
}
