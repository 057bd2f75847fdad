//! What the cores of a machine share: cards, memory and the queues of receivers.

use hetsim::cluster::network::{Model, Parameters as Network};
use hetsim::cluster::{
    Cluster, Connection, Context, Level, Memory, Moved, NodeId, Part, Platform, PlatformError, Program, SharedMemory,
    Simulation, Trail, WorkId,
};
use hetsim::units::Tick;
use miette::Diagnostic;

use crate::support::{metric, run, try_read_in};

const NANOSECOND: Tick = match Tick::new(1000) {
    Some(tick) => tick,
    None => unreachable!(),
};

fn fair(bandwidth: &str) -> Connection {
    let text = format!("model='fair'\nlatency='10ns'\nbandwidth='{bandwidth}'");
    let parameters: Network = toml::from_str(&text).expect("valid parameters");
    Model::new(&parameters, NANOSECOND).expect("a valid model").into()
}

/// Eight nodes of 1 Gop/s in two groups of four, whose inner network has 4 GB/s.
fn try_machines(cards: u32, memory: SharedMemory) -> Result<Platform, PlatformError> {
    let group = Cluster { name: "lab".to_owned(), nodes: 8, cores: 1 };
    let level = Level { cards, memory, ..Level::new(4, fair("4GB/s")) };
    Platform::new(NANOSECOND, vec![group], vec![fair("1GB/s")])?.with_speeds(&[1e9; 8])?.with_levels(vec![vec![level]])
}

fn machines(cards: u32, memory: SharedMemory) -> Platform {
    try_machines(cards, memory).expect("a platform")
}

/// What all nodes do at the start, and when it ends: messages at their receivers, computations at their nodes.
#[derive(Default)]
struct Starts {
    sends: Vec<(u32, u32, u64)>,
    works: Vec<(u32, f64, Moved)>,
    ends: Vec<(u64, u32)>,
}

impl Program for Starts {
    type Message = ();

    fn start(&mut self, context: &mut impl Context<()>) {
        for &(from, to, bytes) in &self.sends {
            context.send(NodeId(from), NodeId(to), bytes, ());
        }
        for &(at, operations, moved) in &self.works {
            context.compute_moving(NodeId(at), operations, moved);
        }
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, (): (), context: &mut impl Context<()>) {
        self.ends.push((context.now().0, at.0));
        context.complete(at);
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<()>) {
        self.ends.push((context.now().0, at.0));
        context.complete(at);
    }
}

fn sent(platform: &Platform, sends: &[(u32, u32, u64)]) -> Vec<(u64, u32)> {
    let mut program = Starts { sends: sends.to_vec(), ..Starts::default() };
    Simulation::new(platform, 1).run(&mut program).expect("the run ends");
    program.ends
}

fn computed(platform: &Platform, works: &[(u32, f64, Moved)]) -> Vec<(u64, u32)> {
    let mut program = Starts { works: works.to_vec(), ..Starts::default() };
    Simulation::new(platform, 1).run(&mut program).expect("the run ends");
    program.ends
}

const ONE_BYTE_A_TICK: SharedMemory = SharedMemory { bandwidth: Some(1e9), allocate: None };

/// Nodes 0 and 1 share the first of two cards, 2 and 3 the second; each has 1 byte a tick, after 10 ticks.
#[test]
fn each_card_serves_consecutive_nodes() {
    let sends = |from: [u32; 2], to: [u32; 2]| [(from[0], to[0], 100), (from[1], to[1], 100)];
    let machines = |cards| machines(cards, SharedMemory::NONE);
    assert_eq!(sent(&machines(1), &sends([0, 2], [4, 6])), [(210, 4), (210, 6)]);
    assert_eq!(sent(&machines(2), &sends([0, 2], [4, 6])), [(110, 4), (110, 6)]);
    assert_eq!(sent(&machines(2), &sends([0, 1], [4, 6])), [(210, 4), (210, 6)], "one card sends");
    assert_eq!(sent(&machines(2), &sends([0, 2], [4, 5])), [(210, 4), (210, 5)], "one card receives");
    assert_eq!(sent(&machines(4), &sends([0, 1], [4, 5])), [(110, 4), (110, 5)]);
    // Inside a group there are no cards: 25 ticks at 4 bytes each.
    assert_eq!(sent(&machines(2), &sends([0, 1], [2, 3])), [(35, 2), (35, 3)]);
}

/// The one that needs less is over after 500 bytes at half a byte a tick, and leaves the other the whole memory.
#[test]
fn computations_share_the_memory_of_their_group() {
    let platform = machines(1, ONE_BYTE_A_TICK);
    let of = |bytes| Moved::Bytes(bytes);
    assert_eq!(computed(&platform, &[(0, 1000.0, of(1000.0))]), [(1000, 0)], "as fast as its core");
    assert_eq!(computed(&platform, &[(0, 400.0, of(1000.0))]), [(1000, 0)], "as fast as the memory");
    let both = [(0, 1000.0, of(1000.0)), (1, 500.0, of(500.0))];
    assert_eq!(computed(&platform, &both), [(1000, 1), (1500, 0)]);
    assert_eq!(computed(&platform, &[both[0], (4, 500.0, of(500.0))]), [(500, 4), (1000, 0)], "another group");
    let nothing = [(0, 1000.0, Moved::Nothing), (1, 500.0, of(500.0))];
    assert_eq!(computed(&platform, &nothing), [(500, 1), (1000, 0)], "in the cache");
    // A core has one computation at a time: the second starts at 1000.
    let twice = [(0, 1000.0, of(1000.0)), (0, 300.0, of(300.0))];
    assert_eq!(computed(&platform, &twice), [(1000, 0), (1300, 0)]);
}

#[test]
fn new_pages_are_shared_apart_from_the_memory() {
    let platform = machines(1, SharedMemory { bandwidth: Some(1e9), allocate: Some(0.5e9) });
    let works = [(0, 100.0, Moved::Pages(100.0)), (1, 100.0, Moved::Pages(100.0)), (2, 100.0, Moved::Bytes(100.0))];
    assert_eq!(computed(&platform, &works), [(100, 2), (400, 0), (400, 1)]);
    let pages = machines(1, SharedMemory { bandwidth: None, allocate: Some(0.5e9) });
    assert_eq!(computed(&pages, &works), [(100, 2), (400, 0), (400, 1)]);
    // Without a rate of their own they are written as other bytes are.
    assert_eq!(computed(&machines(1, ONE_BYTE_A_TICK), &works), [(300, 0), (300, 1), (300, 2)]);
}

/// Of the inner network's 4 bytes a tick a message gets half of one where its memory is read and written, and all of
/// one where it is only read and another one is written.
#[test]
fn messages_beyond_the_cache_pass_the_memory() {
    let of_cache = |cache| machines(1, ONE_BYTE_A_TICK).with_memory(Memory { cache, ..Memory::default() });
    assert_eq!(sent(&of_cache(100), &[(0, 1, 100)]), [(35, 1)]);
    assert_eq!(sent(&of_cache(99), &[(0, 1, 100)]), [(210, 1)]);
    assert_eq!(sent(&of_cache(0), &[(0, 4, 100)]), [(110, 4)]);
    assert_eq!(sent(&of_cache(0), &[(0, 4, 100), (1, 5, 100)]), [(210, 4), (210, 5)]);
    // A computation beside a message: the message passes twice, so that each has a third.
    let mut both =
        Starts { sends: vec![(0, 1, 100)], works: vec![(2, 110.0, Moved::Bytes(110.0))], ..Starts::default() };
    Simulation::new(&of_cache(0), 1).run(&mut both).expect("the run ends");
    // Alone until 10; then 100 bytes in 300 ticks, and the same for the rest of the computation.
    assert_eq!(both.ends, [(310, 2), (310, 1)]);
}

#[test]
fn the_critical_path_tells_how_long_memory_was_shared() {
    let platform = machines(1, ONE_BYTE_A_TICK);
    let mut trail = Trail::default();
    let works = vec![(0, 100.0, Moved::Bytes(100.0)), (1, 100.0, Moved::Bytes(100.0))];
    let mut program = Starts { works, ..Starts::default() };
    Simulation::new(&platform, 1).followed_by(&mut trail).run(&mut program).expect("the run ends");
    assert_eq!(program.ends, [(200, 0), (200, 1)]);
    let path = trail.path().expect("its causes are known");
    assert_eq!([Part::Computing, Part::Sharing].map(|part| path.total(part).0), [100, 100]);
}

/// A message takes 5 ticks of its sender, its time in the queue, then 10 of latency and 25 for 100 bytes.
#[test]
fn senders_take_turns_at_the_queue_of_their_receiver() {
    let costs = "latency='0ns'\nbandwidth='4GB/s'\nsend_overhead='5ns'\nreceive_overhead='0ns'\neager_limit='1kB'";
    let machines = |queue: &str| {
        let text = format!("model='fair'\nlatency='10ns'\nbandwidth='4GB/s'\n{queue}\n[costs]\n{costs}");
        let parameters: Network = toml::from_str(&text).expect("valid parameters");
        let model = Model::new(&parameters, NANOSECOND).expect("a valid model");
        let group = Cluster { name: "lab".to_owned(), nodes: 8, cores: 1 };
        let platform = Platform::new(NANOSECOND, vec![group], vec![fair("1GB/s")]).expect("a platform");
        platform.with_levels(vec![vec![Level::new(4, model.into())]]).expect("a platform")
    };
    let queue = machines("queue_time='30ns'");
    assert_eq!(sent(&queue, &[(1, 0, 100)]), [(70, 0)]);
    assert_eq!(sent(&queue, &[(1, 0, 100), (2, 0, 100), (3, 0, 100)]), [(70, 0), (100, 0), (130, 0)]);
    // A sender writes one message after the other, each into the queue of its receiver.
    assert_eq!(sent(&queue, &[(0, 1, 100), (0, 2, 100)]), [(70, 1), (105, 2)]);
    // The second message of node 0 is ready at 40, after that of node 3, which was handed over later.
    assert_eq!(sent(&queue, &[(0, 1, 100), (0, 2, 100), (3, 2, 100)]), [(70, 1), (70, 2), (105, 2)]);
    assert_eq!(sent(&machines("queue_time='30ns'\nqueue_bandwidth='2GB/s'"), &[(1, 0, 100)]), [(90, 0)]);
    // Messages to other groups have no queue, nor have those that wait for their receiver.
    assert_eq!(sent(&queue, &[(1, 4, 100), (2, 5, 100)]), sent(&machines(""), &[(1, 4, 100), (2, 5, 100)]));
    assert_eq!(sent(&queue, &[(1, 0, 2000), (2, 0, 2000)]), sent(&machines(""), &[(1, 0, 2000), (2, 0, 2000)]));
    let refused = |keys: &str| {
        let parameters: Network =
            toml::from_str(&format!("model='fair'\nlatency='0ns'\nbandwidth='1GB/s'\n{keys}")).unwrap();
        Model::new(&parameters, NANOSECOND).unwrap_err().to_string()
    };
    for key in ["queue_time='1ns'", "queue_bandwidth='1GB/s'"] {
        assert!(refused(key).contains("costs"), "{}", refused(key));
    }
}

#[test]
fn what_a_level_cannot_share_is_refused() {
    let refused = |cards, memory| try_machines(cards, memory).unwrap_err().to_string();
    let no = SharedMemory::NONE;
    for cards in [0, 3] {
        assert!(refused(cards, no).contains("numbers of links that divide their sizes"));
    }
    let none = SharedMemory { bandwidth: Some(0.0), allocate: None };
    assert!(refused(1, none).contains("memory of a bandwidth above zero"));
}

const SCENARIO: &str = r#"
version = 1
[platform]
memory = { cache = "1KiB", combine_bandwidth = "10GB/s", combine_bandwidth_beyond = "10GB/s" }
[platform.cluster.lab]
nodes = 8
network = { model = "fair", latency = "1us", bandwidth = "100GB/s" }
[[platform.cluster.lab.level]]
size = 4
cards = 2
memory_bandwidth = "60GB/s"
network = { model = "fair", latency = "1us", bandwidth = "100GB/s" }
[workload]
kind = "collective"
operation = "all_reduce"
algorithm = "recursive_doubling"
size = "1MB"
calls = "mpi"
"#;

/// In each of three rounds four cores combine 1 MB each: 12 MB pass the memory of a group, at 60 GB/s. A core alone
/// takes half of that.
#[test]
fn ranks_of_a_node_combine_at_the_rate_of_its_memory() {
    let completion = |text: &str| metric(&run(text), "completion_s");
    let alone = completion(&SCENARIO.replace("memory_bandwidth = \"60GB/s\"\n", ""));
    let wide = completion(&SCENARIO.replace("60GB/s", "6000GB/s"));
    let cached = completion(&SCENARIO.replace("1KiB", "1GiB"));
    assert!((wide - alone).abs() < 1e-10, "{wide} {alone}");
    assert!((cached - alone).abs() < 1e-10, "{cached} {alone}");
    let shared = completion(SCENARIO);
    let combining = 3.0 * (12e6 / 60e9 - 1e6 / 10e9);
    // A message of 1 MB between nodes passes two memories at once with three others; inside a group it passes one
    // twice.
    let messages = 4.0 * 2.0 * 1e6 / 60e9 * 3.0;
    let links = alone - 3.0 * (1e6 / 10e9 + 1e-6);
    assert!((shared - alone - combining - (messages - links)).abs() < 1e-9, "{shared} {alone}");
}

#[test]
fn what_is_wrong_with_cards_and_memory_is_underlined() {
    let load = "load = [{ profile = { kind = \"constant\", tasks = 1 } }]\nnodes = 8";
    for (old, new, at, says) in [
        ("cards = 2", "cards = 3", "3", "3 links do not divide the 4 nodes of a group"),
        ("nodes = 8", load, "\"60GB/s\"", "memory cannot be shared on a platform with load, faults"),
    ] {
        let text = SCENARIO.replace(old, new);
        let problems = try_read_in(".", &text, &[]).expect_err(new);
        let report = &problems.reports()[0];
        assert!(report.to_string().starts_with(says), "{report}");
        let label = report.labels().and_then(|mut labels| labels.next()).expect("a label");
        assert_eq!(&text[label.offset()..label.offset() + label.len()], at);
    }
}
