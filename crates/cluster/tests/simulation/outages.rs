//! Nodes that go down: what is lost, what carries on, and when a run is over.
//!
//! The rules are those of `hetsim_cluster`'s documentation; expected times follow from them by hand, beside each test.

use std::collections::HashMap;

use hetsim_base::units::Time;
use hetsim_cluster::{
    Activity, Context, Embedded, Fault, NodeId, Outage, Platform, Program, Scope, SendId, Sharing, Simulation,
    Timeline, TimerId, WorkId,
};
use proptest::prelude::*;

use crate::script;

/// A message of one byte arrives after 10.
const DELAY: &str = "model='delay'\nlatency='9ns'\nbandwidth='1GB/s'";
const LOGP: &str = "model='logp'\nlatency='6ns'\noverhead='2ns'\ngap='4ns'";
const LOGGP: &str = "model='loggp'\nlatency='6ns'\noverhead='2ns'\ngap='4ns'\ngap_per_byte='1ns/B'";
const FAIR: &str = "model='fair'\nlatency='10ns'\nbandwidth='1GB/s'";
const HOCKNEY: &str = "model='hockney'\nlatency='10ns'\nbandwidth='1GB/s'";
const LMO: &str = "model='lmo'\nprocessing='5ns'\nprocessing_per_byte='0.1ns/B'\nlatency='20ns'\nbandwidth='1GB/s'";

/// A machine of one group, with outages `(node, from, until)`; a node stays down where `until` is zero.
fn platform(nodes: u32, network: &str, outages: &[(usize, u64, u64)]) -> Platform {
    let mut faults = vec![Vec::new(); nodes as usize];
    for &(node, from, until) in outages {
        let outage = Outage { from: Time(from), until: (until > 0).then_some(Time(until)) };
        faults[node].push(Fault::at(vec![outage]).expect("a valid outage"));
    }
    script::platform(nodes, 1, network).with_faults(faults).unwrap()
}

#[derive(Clone, Copy)]
enum Act {
    Send(u32, u32, u64),
    Compute(u32, f64),
    Timer(u32, u64),
}

use Act::{Compute, Send, Timer};

/// Does its acts at the start, when a node goes down and when one comes up, and notes what it is told.
#[derive(Default)]
struct Script {
    start: Vec<Act>,
    on_down: Vec<Act>,
    on_up: Vec<Act>,
    log: Vec<(u64, &'static str, u32)>,
}

fn perform(acts: &[Act], context: &mut impl Context<()>) {
    for act in acts {
        match *act {
            Send(from, to, bytes) => drop(context.send(NodeId(from), NodeId(to), bytes, ())),
            Compute(at, operations) => drop(context.compute(NodeId(at), operations)),
            Timer(at, delay) => drop(context.set_timer(NodeId(at), Time(delay))),
        }
    }
}

impl Program for Script {
    type Message = ();
    fn wants_sent(&self) -> bool {
        true
    }

    fn start(&mut self, context: &mut impl Context<()>) {
        perform(&self.start, context);
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, (): (), context: &mut impl Context<()>) {
        self.log.push((context.now().0, "message", at.0));
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<()>) {
        self.log.push((context.now().0, "computed", at.0));
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<()>) {
        self.log.push((context.now().0, "timer", at.0));
    }

    fn on_sent(&mut self, at: NodeId, _: SendId, context: &mut impl Context<()>) {
        self.log.push((context.now().0, "sent", at.0));
    }

    fn on_down(&mut self, at: NodeId, context: &mut impl Context<()>) {
        self.log.push((context.now().0, "down", at.0));
        perform(&std::mem::take(&mut self.on_down), context);
    }

    fn on_up(&mut self, at: NodeId, context: &mut impl Context<()>) {
        self.log.push((context.now().0, "up", at.0));
        perform(&std::mem::take(&mut self.on_up), context);
    }
}

/// What a script has noted but for its sends, and how many messages were lost.
fn run(platform: &Platform, mut script: Script) -> (Vec<(u64, &'static str, u32)>, u64) {
    let mut simulation = Simulation::new(platform, 1);
    simulation.run(&mut script).expect("the run ends");
    script.log.retain(|entry| entry.1 != "sent");
    (script.log, simulation.lost())
}

#[test]
fn computations_and_timers_end_with_their_node() {
    // One computes from 0 to 5 and is cut, one waits for the core; the timers of 8 and of 25 are lost, that of the
    // other node is not.
    let start = vec![Compute(1, 10.0), Compute(1, 10.0), Timer(1, 8), Timer(1, 25), Timer(0, 30)];
    let platform = platform(2, LOGGP, &[(1, 5, 20)]);
    let mut script = Script { start, on_up: vec![Compute(1, 3.0)], ..Script::default() };
    let mut timeline = Timeline::default();
    let mut simulation = Simulation::new(&platform, 1).observed_by(&mut timeline);
    simulation.run(&mut script).unwrap();
    assert_eq!(script.log, [(5, "down", 1), (20, "up", 1), (23, "computed", 1), (30, "timer", 0)]);
    let usage = simulation.usage()[1];
    assert_eq!((usage.busy, usage.works, usage.operations), (Time(8), 1, 3.0));
    assert_eq!((simulation.down_time(NodeId(1)), simulation.down_time(NodeId(0))), (Time(15), Time(0)));
    let spans = timeline.spans;
    let spans: Vec<_> = spans.iter().map(|span| (span.activity, span.start.0, span.end.0)).collect();
    assert_eq!(spans, [(Activity::Compute, 0, 5), (Activity::Down, 5, 20), (Activity::Compute, 20, 23)]);
}

#[test]
fn shared_computations_end_with_their_node() {
    let platform = platform(1, LOGGP, &[(0, 8, 20)]).with_sharing(Sharing::Processor);
    let start = vec![Compute(0, 10.0), Compute(0, 30.0)];
    let mut script = Script { start, on_up: vec![Compute(0, 5.0)], ..Script::default() };
    let mut simulation = Simulation::new(&platform, 1);
    simulation.run(&mut script).unwrap();
    assert_eq!(script.log, [(8, "down", 0), (20, "up", 0), (25, "computed", 0)]);
    // Both ran for 8, which is what busy sums.
    assert_eq!((simulation.usage()[0].busy, simulation.usage()[0].works), (Time(21), 1));
}

#[test]
fn a_message_needs_its_receiver_from_its_arrival_on() {
    let send = || Script { start: vec![Send(0, 1, 1)], ..Script::default() };
    let received = |network, outage: (usize, u64, u64)| {
        let (log, lost) = run(&platform(2, network, &[outage]), send());
        let at = log.iter().find(|entry| entry.1 == "message").map(|entry| entry.0);
        assert_eq!(lost, u64::from(at.is_none()), "{network} {outage:?}");
        at
    };
    // It arrives at 10, and an outage ends before its last instant.
    assert_eq!(received(DELAY, (1, 5, 10)), Some(10));
    assert_eq!(received(DELAY, (1, 5, 11)), None);
    assert_eq!(received(DELAY, (1, 10, 20)), None);
    assert_eq!(received(DELAY, (1, 11, 20)), Some(10));
    // LogGP: it arrives at o + L = 8 and is received at 10.
    assert_eq!(received(LOGGP, (1, 7, 8)), Some(10));
    assert_eq!(received(LOGGP, (1, 7, 9)), None);
    assert_eq!(received(LOGGP, (1, 9, 10)), None);
    assert_eq!(received(LOGGP, (1, 9, 0)), None);
    // The same where overheads differ and every message has an event at its arrival: C = 5, L = 20, so 26 of 31 + 0.1.
    assert_eq!(received(LMO, (1, 1, 25)), Some(33));
    assert_eq!(received(LMO, (1, 30, 31)), None);
}

#[test]
fn what_waits_for_a_processor_is_lost_with_it() {
    // Messages that arrive at 8 and at 13 wait for the computation until 100.
    let start = vec![Compute(1, 100.0), Send(0, 1, 1), Send(0, 1, 1)];
    let (log, lost) = run(&platform(2, LOGGP, &[(1, 50, 60)]), Script { start, ..Script::default() });
    assert_eq!((log, lost), (vec![(50, "down", 1), (60, "up", 1)], 2));
    // The first has the processor from 20 to 22, and is lost with the instant at which its handler would have run.
    let start = vec![Compute(1, 20.0), Send(0, 1, 1), Send(0, 1, 1)];
    let (log, lost) = run(&platform(2, LOGGP, &[(1, 21, 22)]), Script { start, ..Script::default() });
    assert_eq!((log, lost), (vec![(20, "computed", 1), (21, "down", 1), (22, "up", 1)], 2));
}

#[test]
fn sends_that_are_handed_over_leave() {
    // The second leaves at 4, when its node is down; nobody is told that it has. What is asked of a node that is down
    // comes to nothing.
    let platform = platform(3, LOGGP, &[(0, 1, 40)]);
    let start = vec![Send(0, 1, 1), Send(0, 2, 1)];
    let on_down = vec![Send(0, 1, 1), Compute(0, 1.0), Timer(0, 1)];
    let mut script = Script { start, on_down, on_up: vec![Send(0, 1, 1)], ..Script::default() };
    let mut simulation = Simulation::new(&platform, 1);
    simulation.run(&mut script).unwrap();
    let expected = [(1, "down", 0), (10, "message", 1), (14, "message", 2), (40, "up", 0)];
    assert_eq!(script.log[..4], expected);
    assert_eq!(script.log[4..], [(46, "sent", 0), (50, "message", 1)]);
    assert_eq!((simulation.messages(), simulation.lost()), (3, 1));
}

#[test]
fn a_processor_is_free_when_its_node_is_up_again() {
    // Twenty sends hold the processor until 40 and the port until 2 + 20·4 = 82, which goes on with them: the message
    // that is sent at 30 leaves there at 82 and is received at 90.
    let start = vec![Send(0, 1, 1); 20];
    let on_up = vec![Compute(0, 3.0), Send(0, 2, 1)];
    let (log, lost) = run(&platform(3, LOGGP, &[(0, 10, 30)]), Script { start, on_up, ..Script::default() });
    assert_eq!(lost, 0);
    assert!(log.contains(&(33, "computed", 0)) && log.contains(&(90, "message", 2)), "{log:?}");
}

#[test]
fn lost_messages_free_their_places_and_their_links() {
    // As with a receiver that is up (see `cluster::a_capacity_stalls_the_port_of_the_sender_too_many`), the third port
    // stalls until 8, and its next message is received at 20.
    let start = vec![Send(1, 0, 1), Send(2, 0, 1), Send(3, 0, 1), Send(3, 4, 1)];
    let (log, lost) = run(&platform(5, LOGP, &[(0, 1, 0)]), Script { start, ..Script::default() });
    assert_eq!((log, lost), (vec![(1, "down", 0), (20, "message", 4)], 3));
    // Two flows of 100 B share 1 B/ns to their ends.
    let start = vec![Send(0, 1, 100), Send(0, 2, 100)];
    let (log, lost) = run(&platform(3, FAIR, &[(1, 1, 0)]), Script { start, ..Script::default() });
    assert_eq!((log, lost), (vec![(1, "down", 1), (210, "message", 2)], 1));
}

#[test]
fn a_node_may_be_down_from_the_start() {
    let start = vec![Send(0, 1, 1), Compute(0, 5.0), Send(1, 0, 1)];
    let (log, lost) = run(&platform(2, DELAY, &[(0, 0, 30)]), Script { start, ..Script::default() });
    assert_eq!((log, lost), (vec![(0, "down", 0), (30, "up", 0)], 2));
}

#[test]
fn faults_of_one_node_add_up() {
    let outages = [(0, 10, 20), (0, 15, 30), (0, 30, 40), (0, 50, 60)];
    let start = vec![Timer(1, 70)];
    let (log, _) = run(&platform(2, DELAY, &outages), Script { start, ..Script::default() });
    assert_eq!(log, [(10, "down", 0), (40, "up", 0), (50, "down", 0), (60, "up", 0), (70, "timer", 1)]);
}

#[test]
fn a_run_ends_when_nothing_but_faults_is_left() {
    // Nothing happens after 5 but the ends of the outages under way; the one at 100 never begins.
    let outages = [(0, 4, 20), (1, 3, 0), (2, 100, 200), (3, 15, 16)];
    let start = vec![Timer(2, 5)];
    let mut script = Script { start, ..Script::default() };
    let platform = platform(4, DELAY, &outages);
    let mut timeline = Timeline::default();
    let mut simulation = Simulation::new(&platform, 1).observed_by(&mut timeline);
    simulation.run(&mut script).unwrap();
    let wanted = [(3, "down", 1), (4, "down", 0), (5, "timer", 2), (15, "down", 3), (16, "up", 3), (20, "up", 0)];
    assert_eq!(script.log, wanted);
    // A picture shows the node that stays down until the end.
    let spans = timeline.spans;
    assert!(spans.iter().any(|span| (span.at.0, span.start.0, span.end.0) == (1, 3, 20)));
}

/// Where faults are drawn and some node is down at any time, a run ends all the same.
#[test]
fn drawn_faults_do_not_keep_a_run_going() {
    let fault = |shape| Fault::weibull(shape, Time(1000), Some(Time(1000))).unwrap();
    let faults = |shape: f64| vec![vec![fault(shape)]; 200];
    for shape in [0.7, 1.0, 2.0] {
        let platform = platform(200, DELAY, &[]).with_faults(faults(shape)).unwrap();
        let ended = |seed| {
            let mut script = Script { start: (0..200).map(|node| Timer(node, 3000)).collect(), ..Script::default() };
            let mut simulation = Simulation::new(&platform, seed);
            simulation.run(&mut script).unwrap();
            script.log
        };
        assert_eq!(ended(1), ended(1));
        assert_ne!(ended(1), ended(2));
        // All who are down after the timers come up within some mean times.
        assert!(ended(1).last().is_some_and(|&(at, what, _)| at < 50_000 && what == "up"));
    }
}

/// Notes on which of its ranks a node goes down or comes up.
#[derive(Default)]
struct Inner(Vec<(&'static str, u32)>);

impl Program for Inner {
    type Message = ();

    fn start(&mut self, _: &mut impl Context<()>) {}

    fn on_message(&mut self, _: NodeId, _: NodeId, (): (), _: &mut impl Context<()>) {}

    fn on_down(&mut self, at: NodeId, _: &mut impl Context<()>) {
        self.0.push(("down", at.0));
    }

    fn on_up(&mut self, at: NodeId, context: &mut impl Context<()>) {
        self.0.push(("up", at.0));
        context.complete(at);
    }
}

struct Host(Embedded<Inner, fn(()) -> u8>);

impl Program for Host {
    type Message = u8;

    fn start(&mut self, context: &mut impl Context<u8>) {
        self.0.start(context);
        context.set_timer(NodeId(0), Time(100));
    }

    fn on_message(&mut self, _: NodeId, _: NodeId, _: u8, _: &mut impl Context<u8>) {}

    fn on_down(&mut self, at: NodeId, context: &mut impl Context<u8>) {
        self.0.on_down(NodeId(at.0 - 1), context);
    }

    fn on_up(&mut self, at: NodeId, context: &mut impl Context<u8>) {
        self.0.on_up(NodeId(at.0 - 1), context);
        assert_eq!(self.0.next_completed(), Some(at));
    }
}

#[test]
fn a_program_inside_hears_of_its_own_nodes() {
    let inside = Embedded::new(Inner::default(), Scope(1), vec![NodeId(1), NodeId(2)], (|()| 0) as fn(()) -> u8);
    let mut host = Host(inside);
    Simulation::new(&platform(3, DELAY, &[(2, 5, 9)]), 1).run(&mut host).unwrap();
    assert_eq!(host.0.inner().0, [("down", 1), ("up", 1)]);
}

/// Does one thing after another, and checks that it is never told of what belongs to a node that is down or to an
/// earlier life of one.
struct Restless {
    outages: Vec<(usize, u64, u64)>,
    left: u32,
    /// How often each node has gone down.
    lives: Vec<u32>,
    down: Vec<bool>,
    works: HashMap<WorkId, u32>,
    timers: HashMap<TimerId, u32>,
    sends: HashMap<SendId, u32>,
    sent: u64,
    log: Vec<(u64, u32, char)>,
}

impl Restless {
    fn new(nodes: usize, outages: &[(usize, u64, u64)]) -> Self {
        Self {
            outages: outages.to_vec(),
            left: 150,
            lives: vec![0; nodes],
            down: vec![false; nodes],
            works: HashMap::new(),
            timers: HashMap::new(),
            sends: HashMap::new(),
            sent: 0,
            log: Vec::new(),
        }
    }

    fn note(&mut self, at: NodeId, what: char, now: Time) {
        let inside = |&(node, from, until): &(usize, u64, u64)| {
            node == at.index() && from <= now.0 && (until == 0 || now.0 < until)
        };
        assert!(!self.outages.iter().any(inside), "{what} at {at} at {}", now.0);
        assert!(!self.down[at.index()]);
        self.log.push((now.0, at.0, what));
    }

    /// Something new, as if by chance.
    fn act(&mut self, at: NodeId, context: &mut impl Context<u32>) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let life = self.lives[at.index()];
        let dice = self.left.wrapping_mul(2_654_435_761) >> 8;
        let other = NodeId(dice % self.lives.len() as u32);
        match dice % 7 {
            0 | 1 => drop(self.works.insert(context.compute(at, f64::from(dice % 40)), life)),
            2 => drop(self.timers.insert(context.set_timer(at, Time(u64::from(dice % 60))), life)),
            _ => {}
        }
        for _ in 0..=dice % 2 {
            self.sends.insert(context.send(at, other, u64::from(dice % 30), self.left), life);
            self.sent += 1;
        }
    }
}

impl Program for Restless {
    type Message = u32;
    fn wants_sent(&self) -> bool {
        true
    }

    fn start(&mut self, context: &mut impl Context<u32>) {
        for node in 0..context.nodes() {
            self.act(NodeId(node), context);
        }
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, _: u32, context: &mut impl Context<u32>) {
        self.note(at, 'm', context.now());
        self.act(at, context);
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<u32>) {
        self.note(at, 'c', context.now());
        assert_eq!(self.works.remove(&work), Some(self.lives[at.index()]));
        self.act(at, context);
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<u32>) {
        self.note(at, 't', context.now());
        assert_eq!(self.timers.remove(&timer), Some(self.lives[at.index()]));
        self.act(at, context);
    }

    fn on_sent(&mut self, at: NodeId, send: SendId, context: &mut impl Context<u32>) {
        self.note(at, 's', context.now());
        assert_eq!(self.sends.remove(&send), Some(self.lives[at.index()]));
    }

    fn on_down(&mut self, at: NodeId, context: &mut impl Context<u32>) {
        assert!(!std::mem::replace(&mut self.down[at.index()], true));
        self.lives[at.index()] += 1;
        self.act(at, context);
        self.log.push((context.now().0, at.0, 'd'));
    }

    fn on_up(&mut self, at: NodeId, context: &mut impl Context<u32>) {
        assert!(std::mem::replace(&mut self.down[at.index()], false));
        self.note(at, 'u', context.now());
        self.act(at, context);
    }
}

proptest! {
    /// Whatever fails when, on whatever network: no handler runs on a node that is down or for an earlier life, every
    /// message is received or lost, no node is busy while it is down, and the same seed gives the same run.
    #[test]
    fn faults_are_clean_cuts(
        network in prop::sample::select(vec![DELAY, LOGP, LOGGP, FAIR, HOCKNEY, LMO]),
        shared: bool,
        outages in prop::collection::vec((0usize..4, 0u64..300, 0u64..80), 0..10),
    ) {
        // A node stays down where the length is zero.
        let outages: Vec<_> =
            outages.into_iter().map(|(node, from, length)| (node, from, if length > 0 { from + length } else { 0 })).collect();
        let mut machine = platform(4, network, &outages);
        if shared {
            machine = machine.with_sharing(Sharing::Processor);
        }
        let run = || {
            let mut program = Restless::new(4, &outages);
            let mut timeline = Timeline::default();
            let mut simulation = Simulation::new(&machine, 1).observed_by(&mut timeline);
            simulation.run(&mut program).unwrap();
            let received = program.log.iter().filter(|entry| entry.2 == 'm').count() as u64;
            assert_eq!((simulation.messages(), simulation.messages() + simulation.lost()), (received, program.sent));
            let usage = simulation.usage().to_vec();
            let down: Vec<Time> = (0..4).map(|node| simulation.down_time(NodeId(node))).collect();
            (program.log, usage, down, timeline)
        };
        let (log, usage, down, timeline) = run();
        prop_assert_eq!(&log, &run().0);
        let end = log.last().map_or(0, |entry| entry.0).max(timeline.spans.iter().map(|span| span.end.0).max().unwrap_or(0));
        for (usage, down) in usage.iter().zip(&down) {
            prop_assert!(shared || usage.busy.0 + down.0 <= end, "{} {} {}", usage.busy.0, down.0, end);
        }
        let spans = |activity: Activity| timeline.spans.iter().filter(move |span| span.activity == activity);
        for (node, usage) in usage.iter().enumerate() {
            let seen: Time = spans(Activity::Compute).filter(|s| s.at.index() == node).map(|s| s.end - s.start).sum();
            prop_assert_eq!(seen, usage.busy);
        }
        for outage in spans(Activity::Down) {
            let meets = |span: &&hetsim_cluster::Span| {
                span.at == outage.at && span.start < outage.end && outage.start < span.end
            };
            prop_assert_eq!(spans(Activity::Compute).find(meets), None);
            prop_assert_eq!(spans(Activity::Receive).find(meets), None);
        }
    }
}
