//! Receives posted by phases and by programs inside others, and by nodes that go down. Expected instants are hand
//! arithmetic, which stands beside each.

use hetsim_base::units::{Tick, Time};
use hetsim_cluster::network::{Model, Parameters};
use hetsim_cluster::{
    Cluster, Context, Embedded, Fault, Memory, MemoryRate, NodeId, Outage, Platform, Program, Receive, RunError, Scope,
    Simulation, TimerId,
};
use hetsim_communication::{Algorithm, Collective, Operation};
use hetsim_workload::communication::Calls;
use hetsim_workload::phases::{Phases, PhasesParameters, Schedule};

const NANOSECOND: Tick = match Tick::new(1000) {
    Some(tick) => tick,
    None => unreachable!(),
};

/// 1 µs of latency, a byte a nanosecond, 200 ns and 300 ns of overhead, eager up to 100 B.
const NETWORK: &str = "model = 'protocol'\nlatency = '1us'\nbandwidth = '1GB/s'\nsend_overhead = '200ns'\n\
                       receive_overhead = '300ns'\neager_limit = '100B'\nhandshake = '0s'\n";

fn platform(nodes: u32, cores: u32) -> Platform {
    let parameters: Parameters = toml::from_str(NETWORK).unwrap();
    let group = Cluster { name: "test".to_owned(), nodes, cores };
    Platform::new(NANOSECOND, vec![group], vec![Model::new(&parameters, NANOSECOND).unwrap().into()]).unwrap()
}

fn parameters(keys: &str) -> PhasesParameters {
    toml::from_str(&format!("calls = 'mpi'\n{keys}")).unwrap()
}

/// How long each rank was in a phase.
fn spent(keys: &str, platform: &Platform, phase: usize) -> Vec<u64> {
    let schedule = Schedule::new(&parameters(keys), platform).unwrap();
    let nodes: Vec<NodeId> = (0..platform.nodes()).map(NodeId).collect();
    let mut program = Phases::new(&schedule, platform, nodes, 0.0).by_calls();
    let mut simulation = Simulation::new(platform, 0);
    simulation.run(&mut program).unwrap();
    assert_eq!(simulation.completed(), platform.nodes());
    program.spent(phase).iter().map(|time| time.0).collect()
}

/// Rank 0 comes to the exchange at 10 000, rank 1 at 20 000. The request of rank 0 waits there; its answer is back at
/// 21 000, its bytes are there at 23 000, and received at 23 300. That of rank 1 leaves at 20 200, is answered at 22
/// 200, and its bytes are received at 24 500.
#[test]
fn a_halo_waits_for_a_late_neighbour() {
    let platform = platform(2, 1).with_speeds(&[1e9, 0.5e9]).unwrap();
    let keys = "grid = [2]\n[[phase]]\ncompute = '10kop'\n[[phase]]\nhalo = '1000B'\n";
    assert_eq!(spent(keys, &platform, 0), [10_000, 20_000]);
    assert_eq!(spent(keys, &platform, 1), [14_500, 3300]);
}

/// An eager block of rank 1 leaves at 10 000 and comes at 11 600, when rank 0 computes until 20 000. A second core
/// receives it, and the late receive copies 100 B; a single core receives it at 20 000, for 300, before the rank
/// posts. The root copies its own block as well. The sender goes on after its overhead.
#[test]
fn an_early_block_of_a_phase_is_copied() {
    let copy = MemoryRate { cached: 1e-9, beyond: 1e-9 };
    let keys = "[[phase]]\ncompute = '10kop'\n[[phase]]\ncollective = { operation = 'gather', algorithm = 'linear', \
                size = '100B' }\n";
    for (cores, root) in [(2, 100 + 100), (1, 300 + 100 + 100)] {
        let platform = platform(2, cores).with_speeds(&[0.5e9, 1e9]).unwrap();
        let platform = platform.with_memory(Memory { copy, ..Memory::default() });
        assert_eq!(spent(keys, &platform, 1), [root, 200], "{cores} cores");
    }
}

/// A collective takes the same time as a phase as alone, from any root. Repeated, no message is taken for one of
/// another time.
#[test]
fn a_phase_is_the_collective_alone() {
    let platform = platform(6, 1);
    let nodes: Vec<NodeId> = (0..6).map(NodeId).collect();
    for &operation in Operation::ALL {
        for (algorithm, size) in operation.algorithms().flat_map(|algorithm| [(algorithm, 60), (algorithm, 5000)]) {
            let root = if operation.has_root() { 2 } else { 0 };
            let call = Collective { segment: 65_536, root, ..Collective::new(operation, 6, size) };
            // The tree of `optimal` depends on the platform, which the call does not know here.
            let Some(plan) = algorithm.steps(&call).ok().filter(|_| algorithm != Algorithm::Optimal) else { continue };
            let mut alone = Calls::new(plan, 0.0, &nodes, &platform);
            let mut simulation = Simulation::new(&platform, 0);
            simulation.run(&mut alone).unwrap();
            let keys = |repeat: u32| {
                format!(
                    "[[phase]]\nrepeat = {repeat}\n[[phase.phase]]\ncollective = {{ operation = '{operation}', \
                     algorithm = '{algorithm}', size = '{size}B', segment = '64KiB', root = {root} }}\n"
                )
            };
            let mut spans: Vec<u64> = alone.spans().iter().map(|(begun, ended)| ended.0 - begun.0).collect();
            spans.rotate_right(root as usize);
            assert_eq!(spent(&keys(1), &platform, 0), spans, "{operation} {algorithm} {size}");
            let thrice = spent(&keys(3), &platform, 0).into_iter().max().unwrap();
            let longest = spans.into_iter().max().unwrap();
            assert!(thrice > longest && thrice < 4 * longest, "{operation} {algorithm} {size}: {thrice}");
        }
    }
}

/// Sends and posts at given instants, and notes when messages have come. A message's last two digits are its tag.
#[derive(Default)]
struct Script {
    sends: Vec<(u64, u32, u32, u64, u32)>,
    posts: Vec<(u64, u32, Receive)>,
    received: Vec<(u64, u32)>,
}

impl Program for Script {
    type Message = u32;

    fn posts_receives(&self) -> bool {
        true
    }

    fn tag(message: &u32) -> u64 {
        (*message % 100).into()
    }

    fn start(&mut self, context: &mut impl Context<u32>) {
        for &(instant, from, ..) in &self.sends {
            context.set_timer(NodeId(from), Time(instant));
        }
        for &(instant, at, _) in &self.posts {
            context.set_timer(NodeId(at), Time(instant));
        }
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<u32>) {
        let now = context.now().0;
        for &(_, _, receive) in self.posts.iter().filter(|(instant, node, _)| (*instant, *node) == (now, at.0)) {
            context.post(at, receive);
        }
        for &(_, _, to, bytes, message) in self.sends.iter().filter(|send| (send.0, send.1) == (now, at.0)) {
            context.send(at, NodeId(to), bytes, message);
        }
    }

    fn on_message(&mut self, _: NodeId, _: NodeId, message: u32, context: &mut impl Context<u32>) {
        self.received.push((context.now().0, message));
    }

    /// In a new life a node does what stands for its outages' ends.
    fn on_up(&mut self, at: NodeId, context: &mut impl Context<u32>) {
        context.set_timer(at, Time(1));
    }
}

const ANY: Receive = Receive { from: None, tag: None, bytes: 0 };

type Inside = Embedded<Script, fn(u32) -> u32>;

/// Two programs on the same nodes, each with its own messages.
struct Both([Inside; 2]);

impl Program for Both {
    type Message = u32;

    fn posts_receives(&self) -> bool {
        self.0.iter().any(Embedded::posts_receives)
    }

    fn tag(message: &u32) -> u64 {
        Inside::tag(message)
    }

    fn scope(message: &u32) -> Scope {
        Scope((*message / 1000) as u8)
    }

    fn start(&mut self, context: &mut impl Context<u32>) {
        for inside in &mut self.0 {
            inside.start(context);
        }
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, message: u32, context: &mut impl Context<u32>) {
        let inside = &mut self.0[message as usize / 1000 - 1];
        inside.on_message(NodeId(at.0 - 1), NodeId(from.0 - 1), message, context);
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<u32>) {
        self.0[usize::from(timer.scope().0) - 1].on_timer(NodeId(at.0 - 1), timer, context);
    }
}

/// The message of the first program is there at 1600 and waits until its own receive is posted at 5000, though the
/// second program has posted one for any message long before. Its own is there at 3000 + 1600. Members are nodes 1 and
/// 2: the receive names its sender by its number among them.
#[test]
fn programs_inside_another_have_receives_of_their_own() {
    let from_first = Receive { from: Some(NodeId(0)), ..ANY };
    let scripts = [
        Script { sends: vec![(0, 0, 1, 100, 1000)], posts: vec![(5000, 1, from_first)], ..Script::default() },
        Script { sends: vec![(3000, 0, 1, 100, 2000)], posts: vec![(10, 1, ANY)], ..Script::default() },
    ];
    let mut scope = 0;
    let mut both = Both(scripts.map(|script| {
        scope += 1;
        let members = vec![NodeId(1), NodeId(2)];
        Embedded::new(script, Scope(scope), members, std::convert::identity as fn(u32) -> u32)
    }));
    Simulation::new(&platform(3, 1), 0).run(&mut both).unwrap();
    let [first, second] = both.0.map(|inside| inside.into_inner().received);
    assert_eq!((first, second), (vec![(5000, 1000)], vec![(4600, 2000)]));
}

/// A program that posts without saying so, and one that names a sender that there is not.
#[test]
fn posts_that_nobody_expects_are_refused() {
    struct Silent(Receive);
    impl Program for Silent {
        type Message = u32;
        fn posts_receives(&self) -> bool {
            self.0.from.is_some()
        }
        fn start(&mut self, context: &mut impl Context<u32>) {
            context.post(NodeId(1), self.0);
        }
        fn on_message(&mut self, _: NodeId, _: NodeId, _: u32, _: &mut impl Context<u32>) {}
    }
    let run = |receive| Simulation::new(&platform(2, 1), 0).run(&mut Silent(receive));
    assert_eq!(run(ANY), Err(RunError::PostsNone { at: NodeId(1) }));
    let from_nobody = Receive { from: Some(NodeId(2)), ..ANY };
    assert_eq!(run(from_nobody), Err(RunError::NoNode { node: 2, nodes: 2 }));
}

/// A message of 1000 B by rendezvous takes the first receive, though an eager one with the same sender and tag
/// overtakes it: it is received at 200 + 1000 + 1000 + 2000 + 300. The eager one waits for the second receive.
#[test]
fn a_granted_rendezvous_keeps_its_receive() {
    let mut script = Script {
        sends: vec![(10, 0, 1, 1000, 107), (10, 0, 1, 50, 7)],
        posts: vec![(10, 1, ANY), (9000, 1, ANY)],
        ..Script::default()
    };
    let platform = platform(2, 1);
    let mut simulation = Simulation::new(&platform, 0);
    simulation.run(&mut script).unwrap();
    assert_eq!(script.received, [(4510, 107), (9000, 7)]);
    assert_eq!(simulation.unexpected(), 0);
}

/// What is received, and how much is lost, with one outage of a node.
fn with_outage(node: usize, [from, until]: [u64; 2], mut script: Script) -> (Vec<(u64, u32)>, u64) {
    let outage = Outage { from: Time(from), until: Some(Time(until)) };
    let mut faults = vec![Vec::new(); 2];
    faults[node].push(Fault::at(vec![outage]).unwrap());
    let platform = platform(2, 1).with_faults(faults).unwrap();
    let mut simulation = Simulation::new(&platform, 0);
    simulation.run(&mut script).unwrap();
    (script.received, simulation.lost())
}

/// The request of node 0 is at node 1 at 1200; the node goes down at 3000 and comes back at 4000. The answer to the
/// receive of 6000 finds nobody at 7000, so the receive takes the next message: that of the new life, which leaves at
/// 4001 and would be received at 5601. It has waited there since, behind the request.
#[test]
fn a_rendezvous_of_an_earlier_life_is_not_continued() {
    let posts = vec![(6000, 1, ANY)];
    let sends = vec![(0, 0, 1, 1000, 1), (4001, 0, 1, 100, 2)];
    let again = Script { sends: sends.clone(), posts, ..Script::default() };
    assert_eq!(with_outage(0, [3000, 4000], again), (vec![(7000, 2)], 1));
    // Without a receive the request of the dead does not fail the run.
    let other = Receive { tag: Some(9), ..ANY };
    let silent = Script { sends: vec![sends[0]], posts: vec![(5000, 1, other)], ..Script::default() };
    assert_eq!(with_outage(0, [3000, 4000], silent), (Vec::new(), 0));
}

/// Node 1 has granted the request at 1200 and goes down at 2500. What comes at 4200 is not for its new life.
#[test]
fn a_receiver_that_comes_back_has_posted_nothing() {
    let script =
        |post| Script { sends: vec![(0, 0, 1, 1000, 1)], posts: vec![(10, 1, ANY), post], ..Script::default() };
    assert_eq!(with_outage(1, [2500, 3000], script((3001, 1, ANY))), (Vec::new(), 1));
}

/// An eager message that nobody wants is counted.
#[test]
fn messages_that_are_never_received_are_counted() {
    let mut script = Script { sends: vec![(0, 0, 1, 10, 1), (0, 0, 1, 10, 2)], ..Script::default() };
    script.posts.push((10, 1, Receive { tag: Some(2), ..ANY }));
    let platform = platform(2, 1);
    let mut simulation = Simulation::new(&platform, 0);
    simulation.run(&mut script).unwrap();
    assert_eq!((script.received.len(), simulation.unexpected(), simulation.footprint().unreceived), (1, 1, 1));
}
