//! Critical paths: closed forms of their parts, segments that tile the run, and that a path is a chain of causes: what
//! makes a part of it longer makes the run longer by that much at least.

mod causes;
mod closed_forms;
mod workloads;

use std::collections::{HashMap, HashSet};

use hetsim::cluster::network::{Model, Parameters};
use hetsim::cluster::{
    Cluster, Connection, Context, CriticalPath, NodeId, Observer, Part, Platform, Program, Receive, ReceiveSeen,
    SendId, SendSeen, Simulation, Trail, WorkId,
};
use hetsim::communication::{Algorithm, Collective, Cost};
use hetsim::units::{Tick, Time};
use hetsim::workload::communication::Carrier;

const NANOSECOND: Tick = match Tick::new(1000) {
    Some(tick) => tick,
    None => unreachable!(),
};

/// A network with this latency in nanoseconds.
fn link(network: &str, latency: u64) -> Connection {
    let text = format!("latency='{latency}ns'\n{network}");
    let parameters: Parameters = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Model::new(&parameters, NANOSECOND).expect("a valid model").into()
}

/// A cluster; a node of one core makes an operation a nanosecond.
fn platform(nodes: u32, network: &str, latency: u64) -> Platform {
    let cluster = Cluster { name: "lab".to_owned(), nodes, cores: 1 };
    let platform = Platform::new(NANOSECOND, vec![cluster], vec![link(network, latency)]).unwrap();
    platform.with_speeds(&vec![1e9; nodes as usize]).unwrap()
}

/// The messages that each node sends and receives, in their order.
#[derive(Debug, PartialEq)]
struct Orders(Vec<Vec<(&'static str, NodeId)>>);

impl Observer for Orders {
    fn on_send(&mut self, send: &SendSeen) {
        self.0[send.from.0 as usize].push(("to", send.to));
    }

    fn on_receive(&mut self, reception: &ReceiveSeen) {
        self.0[reception.at.0 as usize].push(("from", reception.from));
    }
}

/// The critical path of a program, which tiles the run.
#[track_caller]
fn follow<P: Program>(platform: &Platform, program: &mut P) -> CriticalPath {
    follow_in_order(platform, program).0
}

/// The same, with the order of the messages.
#[track_caller]
fn follow_in_order<P: Program>(platform: &Platform, program: &mut P) -> (CriticalPath, Orders) {
    let mut orders = Orders(vec![Vec::new(); platform.nodes() as usize]);
    let mut trail = Trail::default();
    let mut simulation = Simulation::new(platform, 1).followed_by(&mut trail).observed_by(&mut orders);
    simulation.run(program).expect("the run ends");
    let completion = simulation.completion().expect("it completes");
    let path = trail.path().expect("its causes are known");
    let mut end = Time::ZERO;
    for segment in path.segments() {
        assert_eq!(segment.start, end, "{path:?}");
        assert!(segment.end > segment.start, "{path:?}");
        end = segment.end;
    }
    assert_eq!(end, completion, "{path:?}");
    assert_eq!(Part::ALL.iter().map(|part| path.total(*part).0).sum::<u64>(), completion.0);
    (path, orders)
}

/// Computing, overhead, latency, bytes and all else, in ticks.
fn parts(path: &CriticalPath) -> [u64; 5] {
    let total = |part| path.total(part).0;
    let others = [Part::Sharing, Part::Processor, Part::Decision, Part::Outage].map(total).iter().sum();
    [total(Part::Computing), total(Part::Overhead), total(Part::Latency), total(Part::Transmission), others]
}

/// The path of a broadcast.
fn broadcast(platform: &Platform, algorithm: Algorithm, message: u64, segment: u64) -> CriticalPath {
    let cost = |bytes| {
        let transfer = platform.transfer(NodeId(0), NodeId(1), bytes);
        Cost { gap: transfer.gap(), hop: transfer.hop() }
    };
    let plan = algorithm.plan(&Collective::broadcast(platform.nodes(), message, segment, &cost)).unwrap();
    follow(platform, &mut Carrier::from(plan))
}

const HOCKNEY: &str = "model='hockney'\nbandwidth='1GB/s'";

const LOGGP: &str = "model='loggp'\noverhead='20ns'\ngap='70ns'\ngap_per_byte='1ns/B'";

const FAIR: &str = "model='fair'\nbandwidth='1GB/s'";

/// What a rank does next, when the one before is over.
#[derive(Debug, Clone, Copy)]
enum Call {
    Send(u32, u64),
    Receive(u32),
    Compute(u32),
}

/// Ranks that make one blocking call after the other, with or without posted receives. A message is the number of its
/// like before it, so that none is taken for another that overtakes it.
#[derive(Debug)]
struct Ranks<'a> {
    calls: &'a [Vec<Call>],
    next: Vec<usize>,
    posts: bool,
    /// By receiver and sender: the messages that were sent, and those that were asked for.
    sent: HashMap<(u32, u32), u64>,
    asked: HashMap<(u32, u32), u64>,
    /// The messages that have come before anyone asked.
    early: HashSet<(u32, u32, u64)>,
}

fn count(numbers: &mut HashMap<(u32, u32), u64>, pair: (u32, u32)) -> u64 {
    let number = numbers.entry(pair).or_default();
    *number += 1;
    *number - 1
}

impl<'a> Ranks<'a> {
    fn new(calls: &'a [Vec<Call>], posts: bool) -> Self {
        let (sent, asked) = (HashMap::new(), HashMap::new());
        Self { calls, next: vec![0; calls.len()], posts, sent, asked, early: HashSet::new() }
    }

    fn go_on(&mut self, at: NodeId, context: &mut impl Context<u64>) {
        let call = self.calls[at.index()].get(self.next[at.index()]).copied();
        self.next[at.index()] += 1;
        match call {
            Some(Call::Send(to, bytes)) => {
                let number = count(&mut self.sent, (to, at.0));
                context.send(at, NodeId(to), bytes, number);
            }
            Some(Call::Receive(from)) => {
                let number = count(&mut self.asked, (at.0, from));
                if self.posts {
                    context.post(at, Receive { from: Some(NodeId(from)), tag: Some(number), bytes: 0 });
                } else if self.early.remove(&(at.0, from, number)) {
                    self.go_on(at, context);
                }
            }
            Some(Call::Compute(operations)) => drop(context.compute(at, operations.into())),
            None => context.complete(at),
        }
    }

    /// Whether a rank waits for a message.
    fn awaits(&self, at: NodeId, from: NodeId, number: u64) -> bool {
        let current = self.next[at.index()].checked_sub(1).and_then(|call| self.calls[at.index()].get(call));
        let asked = self.asked.get(&(at.0, from.0)).copied();
        matches!(current, Some(Call::Receive(sender)) if *sender == from.0) && asked == Some(number + 1)
    }
}

impl Program for Ranks<'_> {
    type Message = u64;

    fn wants_sent(&self) -> bool {
        true
    }

    fn posts_receives(&self) -> bool {
        self.posts
    }

    fn tag(message: &u64) -> u64 {
        *message
    }

    fn start(&mut self, context: &mut impl Context<u64>) {
        (0..self.calls.len() as u32).for_each(|rank| self.go_on(NodeId(rank), context));
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, number: u64, context: &mut impl Context<u64>) {
        if self.posts || self.awaits(at, from, number) {
            self.go_on(at, context);
        } else {
            self.early.insert((at.0, from.0, number));
        }
    }

    fn on_sent(&mut self, at: NodeId, _: SendId, context: &mut impl Context<u64>) {
        self.go_on(at, context);
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<u64>) {
        self.go_on(at, context);
    }
}
