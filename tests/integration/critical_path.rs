//! Critical paths: closed forms of their parts, segments that tile the run, and that a path is a chain of causes: what
//! makes a part of it longer makes the run longer by that much at least.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use hetsim::cluster::network::{Model, Parameters};
use hetsim::cluster::{
    Cluster, Connection, Context, CriticalPath, Fault, NodeId, Outage, Part, Platform, Program, Receive, SendId,
    Sharing, Simulation, TimerId, Trail, WorkId,
};
use hetsim::communication::{Algorithm, Collective, Cost, Operation};
use hetsim::report::Reported as _;
use hetsim::report::chart::{ColourBy, critical_tasks, gantt, with_colours, with_path};
use hetsim::scenario::Scenario;
use hetsim::units::{Tick, Time};
use hetsim::workload::communication::Carrier;
use proptest::prelude::*;

use super::support::{column, metric, near, read, refused, run};

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

/// The critical path of a program, which tiles the run.
#[track_caller]
fn follow<P: Program>(platform: &Platform, program: &mut P) -> CriticalPath {
    let mut trail = Trail::default();
    let mut simulation = Simulation::new(platform, 1).followed_by(&mut trail);
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
    path
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

/// Networks whose messages are bound by what their sender does, in a tree.
const NETWORKS: [&str; 9] = [
    HOCKNEY,
    LOGGP,
    "model='loggp'\noverhead='90ns'\ngap='70ns'\ngap_per_byte='1ns/B'\noverhead_per_byte='2ns/B'",
    "model='loggp'\noverhead='20ns'\ngap='70ns'\ngap_per_byte='1ns/B'\nreceiver_busy=true",
    "model='logp'\noverhead='30ns'\ngap='50ns'\ncapacity=false",
    "model='plogp'\ngap={'1B'='10ns','1kB'='900ns'}\nsend_overhead={'1B'='20ns'}",
    "model='lmo'\nprocessing='40ns'\nprocessing_per_byte='2ns/B'\nbandwidth='1GB/s'",
    "model='protocol'\nbandwidth='1GB/s'\nsend_overhead='30ns'\nreceive_overhead='50ns'\neager_limit='64kB'\ncopy_bandwidth='2GB/s'",
    "model='delay'\nbandwidth='1GB/s'",
];

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

/// One worker and tasks one by one: a request, and N tasks and their results, with a latency each.
#[test]
fn a_farm_of_one_worker() {
    let record = run("version = 1\n[platform.cluster.lab]\nnodes = 2\nspeed = \"1Gop/s\"\n\
         network = { model = \"delay\", latency = \"10us\", bandwidth = \"1GB/s\" }\n\
         [workload]\nkind = \"independent\"\ntasks = 10\ntask = { distribution = \"constant\", operations = \"1Mop\" }\n\
         [workload.farm]\npolicy = \"fixed\"\nchunk = 1\n[output]\ntables = [\"path\"]\n");
    near(metric(&record, "path_computing_s"), 10.0 * 1e-3);
    near(metric(&record, "path_latency_s"), 21.0 * 1e-5);
    sums_up(&record);
    assert_eq!(record.get("path_most").unwrap().to_string(), "computing on node 1");
}

/// The long table tiles the run, and its metrics are its parts.
#[track_caller]
fn sums_up(record: &hetsim::record::Record) {
    let completion = metric(record, "completion_s");
    let (starts, ends) = (column(record, "path", "start_s"), column(record, "path", "end_s"));
    assert_eq!(starts.first(), Some(&0.0));
    assert_eq!(starts[1..], ends[..ends.len() - 1]);
    assert_eq!(ends.last(), Some(&completion));
    near(Part::ALL.iter().map(|part| metric(record, &format!("path_{}_s", part.name()))).sum(), completion);
}

/// How much of each phase is on the path, blank ones last, in the order of their names.
fn of_phases(record: &hetsim::record::Record) -> Vec<(String, f64)> {
    let (starts, ends) = (column(record, "path", "start_s"), column(record, "path", "end_s"));
    let table = record.tables.iter().find(|table| table.name == "path").unwrap();
    let place = table.columns.iter().position(|column| column == "phase").unwrap();
    let mut sums = std::collections::BTreeMap::new();
    for (row, (start, end)) in table.rows.iter().zip(starts.iter().zip(&ends)) {
        *sums.entry(row[place].to_string()).or_insert(0.0) += end - start;
    }
    sums.into_iter().collect()
}

/// Every stretch has the phase of what it is about, also where others have gone on meanwhile.
#[test]
fn paths_are_cut_by_phases() {
    let platform = |nodes: u32, network: &str| {
        format!(
            "version = 1\n[platform.cluster.lab]\nnodes = {nodes}\nspeed = \"1Gop/s\"\n\
             network = {{ model = \"{network}\", latency = \"10us\", bandwidth = \"1GB/s\" }}\n\
             [output]\ntables = [\"path\"]\n"
        )
    };
    for network in ["hockney", "fair"] {
        let phases = platform(2, network)
            + "[workload]\nkind = \"phases\"\n[[workload.phase]]\nrepeat = 3\n\
               [[workload.phase.phase]]\nname = \"work\"\ncompute = \"1Mop\"\n\
               [[workload.phase.phase]]\nname = \"all\"\n\
               collective = { operation = \"all_gather\", size = \"1MB\", algorithm = \"ring\" }\n";
        let record = run(&phases);
        let sums = of_phases(&record);
        assert_eq!(sums.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["all", "work"], "{network}");
        near(sums[1].1, 3e-3);
        near(sums[0].1, metric(&record, "completion_s") - 3e-3);
    }
    // Each task, and the data that it waits for.
    let graph = platform(3, "delay")
        + "[workload]\nkind = \"taskgraph\"\nscheduler = \"heft\"\n[workload.generate]\n\
           shape = { family = \"chain\", tasks = 3 }\noperations = { distribution = \"constant\", value = \"8Mop\" }\n\
           bytes = { distribution = \"constant\", value = \"1MB\" }\n";
    let names: Vec<String> = of_phases(&run(&graph)).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["task 0", "task 1", "task 2"]);
    let rounds = platform(3, "delay")
        + "[workload]\nkind = \"genetic\"\npopulation = 8\ngenerations = 3\n\
           task = { distribution = \"constant\", operations = \"1Mop\" }\n";
    let sums = of_phases(&run(&rounds));
    assert_eq!(sums.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["round 1", "round 2", "round 3"]);
    assert!(sums.windows(2).all(|pair| (pair[0].1 - pair[1].1).abs() < 0.1 * pair[0].1), "{sums:?}");
    let islands = platform(2, "delay")
        + "[workload]\nkind = \"island\"\npopulation = 8\ngenerations = 2\n\
           task = { distribution = \"constant\", operations = \"1Mop\" }\n";
    let names: Vec<String> = of_phases(&run(&islands)).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["generation 1", "generation 2"]);
}

/// A chain of tasks on unequal nodes computes all the time; the parts of any task graph's run add up.
#[test]
fn task_graphs() {
    let text = |shape: &str| {
        format!(
            "version = 1\n[platform.cluster.lab]\nnodes = 3\nspeeds = [\"1Gop/s\", \"4Gop/s\", \"2Gop/s\"]\n\
             network = {{ model = \"delay\", latency = \"100us\", bandwidth = \"1GB/s\" }}\n\
             [workload]\nkind = \"taskgraph\"\nscheduler = \"heft\"\n[workload.generate]\nshape = {{ {shape} }}\n\
             operations = {{ distribution = \"constant\", value = \"8Mop\" }}\n\
             bytes = {{ distribution = \"constant\", value = \"1MB\" }}\n[output]\ntables = [\"path\"]\n"
        )
    };
    let chain = run(&text("family = \"chain\", tasks = 6"));
    near(metric(&chain, "path_computing_s"), 6.0 * 2e-3);
    near(metric(&chain, "completion_s"), 6.0 * 2e-3);
    for seed in 0..5 {
        let text = format!("seed = {seed}\n{}", text("family = \"layered\", tasks = 24, width = 4, successors = 2"));
        sums_up(&run(&text));
    }
}

/// A workload that simulates nothing by itself says so.
#[test]
fn what_has_no_path_says_so() {
    let text = "version = 1\n[platform.cluster.lab]\nnodes = 3\nnetwork = { model = \"hockney\", latency = \"1us\", bandwidth = \"1GB/s\" }\n\
                [workload]\nkind = \"fit\"\nmethod = \"poly\"\noperation = \"single\"\nsizes = [\"4B\", \"64B\", \"1KiB\"]\n\
                repetitions = 2\nfloor_repetitions = 2\n[output]\ntables = [\"path\"]\n";
    let error = read(text).run(0, 0).expect_err("a fit has no path").to_string();
    assert!(error.contains("no critical path"), "{error}");
}

/// The line of a Gantt chart stays with the sender whose port is held, and then goes along the last message.
#[test]
fn the_line_of_a_gantt_chart() {
    let scenario = read(
        "version = 1\n[platform.cluster.lab]\nnodes = 3\n\
         network = { model = \"hockney\", latency = \"1s\", bandwidth = \"1B/s\" }\n\
         [workload]\nkind = \"broadcast\"\nalgorithm = \"linear\"\nsize = \"2B\"\n",
    );
    let traced = scenario.trace(0, 0).unwrap();
    let chart = with_path(gantt(&traced, "line".to_owned(), None), &traced);
    assert_eq!(chart.path, [(0.0, 0), (3.0, 0), (3.0, 0), (6.0, 2)]);
    assert!(chart.svg().contains("critical path"));
}

/// HEFT's schedule of Topcuoglu et al. (2002): task 0 until 9, 9 bytes until 18, task 3 until 26, task 5 on the same
/// node until 42, 15 bytes until 57, task 7 until 62, 11 bytes until 73, and task 9 until 80.
#[test]
fn the_tasks_of_a_critical_path() {
    let scenario = Scenario::load(Path::new("scenarios/heft2002.toml"), &[]).unwrap();
    let traced = scenario.trace(0, 0).unwrap();
    assert_eq!(critical_tasks(&traced).unwrap(), [0, 3, 5, 7, 9]);
    let coloured = |by| with_colours(gantt(&traced, String::new(), None), &traced, by);
    let groups = |by| {
        let spans = coloured(by).lanes.into_iter().flat_map(|lane| lane.spans);
        let mut groups: Vec<_> = spans.filter_map(|span| span.group).collect();
        groups.sort_unstable();
        groups
    };
    assert!(groups(ColourBy::Activity).is_empty());
    assert_eq!(groups(ColourBy::Task), (0..10).collect::<Vec<_>>());
    assert_eq!(groups(ColourBy::Cluster), [0; 10]);
    assert_eq!(coloured(ColourBy::Cluster).groups, ["processors"]);
    let broadcast = "version = 1\n[platform.cluster.lab]\nnodes = 3\nnetwork = { model = \"ideal\" }\n\
                     [workload]\nkind = \"broadcast\"\nalgorithm = \"linear\"\nsize = \"2B\"\n\
                     [[chart]]\nname = \"c\"\nkind = \"gantt\"\ncolour_by = \"task\"\n";
    refused(broadcast, "only a task graph has tasks");
    read(&broadcast.replace("task\"", "cluster\""));
}

/// A chart of paths needs them.
#[test]
fn charts_of_paths_are_checked() {
    let text = |tables: &str, more: &str| {
        format!(
            "version = 1\n[platform.cluster.lab]\nnodes = 3\n\
             network = {{ model = \"hockney\", latency = \"1s\", bandwidth = \"1B/s\" }}\n\
             [workload]\nkind = \"broadcast\"\nalgorithm = \"linear\"\nsize = \"2B\"\n[output]\ntables = [{tables}]\n\
             [sweep]\n\"workload.size\" = [\"1B\", \"2B\"]\n\
             [[chart]]\nname = \"c\"\nkind = \"path\"\nx = \"size\"\n{more}"
        )
    };
    refused(&text("", ""), "the runs don't keep the table `path`");
    refused(&text("\"path\"", "shares = true\nsort = \"ascending\"\n"), "all as high");
    read(&text("\"path\"", "shares = true\n"));
}

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

/// Calls of five ranks in one global order, which cannot deadlock.
fn programs() -> impl Strategy<Value = Vec<Vec<Call>>> {
    prop::collection::vec((0u32..5, 1u32..5, 0u32..700, any::<bool>()), 1..40).prop_map(|steps| {
        let mut calls = vec![Vec::new(); 5];
        for (from, distance, amount, sends) in steps {
            if sends {
                let to = (from + distance) % 5;
                calls[from as usize].push(Call::Send(to, u64::from(amount)));
                calls[to as usize].push(Call::Receive(from));
            } else {
                calls[from as usize].push(Call::Compute(amount));
            }
        }
        calls
    })
}

proptest! {
    /// Under any network, with posted receives and without, the segments tile the run (`follow` checks it).
    #[test]
    fn paths_tile_any_run(calls in programs(), network in prop::sample::select(NETWORKS.to_vec()), posts: bool, jitter in prop::sample::select(vec![0.0, 0.4])) {
        let network = if posts { network.replace("eager_limit='64kB'", "eager_limit='100B'") } else { network.to_owned() };
        let cluster = Cluster { name: "lab".to_owned(), nodes: 5, cores: 1 };
        let links = vec![Connection { jitter, ..link(&network, 300) }];
        let platform = Platform::new(NANOSECOND, vec![cluster], links).unwrap().with_speeds(&[1e9; 5]).unwrap();
        follow(&platform, &mut Ranks::new(&calls, posts));
        let capacity = "model='logp'\noverhead='3ns'\ngap='200ns'";
        follow(&self::platform(5, capacity, 300), &mut Ranks::new(&calls, false));
        follow(&self::platform(5, FAIR, 300), &mut Ranks::new(&calls, posts));
    }

    /// Without ports the path is a lower bound under any other latency, and with other computations: its parts change in
    /// proportion, and the run takes that long at least. So nothing on it could be left out.
    #[test]
    fn a_path_is_a_chain_of_causes(calls in programs(), latency in 0u64..2000, faster in 1u32..4) {
        let network = NETWORKS[8];
        let path = follow(&platform(5, network, 500), &mut Ranks::new(&calls, false));
        let other = follow(&platform(5, network, latency), &mut Ranks::new(&calls, false));
        let part = path.total(Part::Latency).0;
        prop_assert_eq!(part % 500, 0);
        prop_assert!(other.end().0 >= path.end().0 - part + part / 500 * latency);
        let slow: Vec<Vec<Call>> = calls.iter().map(|calls| calls.iter().map(|call| match *call {
            Call::Compute(operations) => Call::Compute(operations * faster),
            other => other,
        }).collect()).collect();
        let slower = follow(&platform(5, network, 500), &mut Ranks::new(&slow, false));
        prop_assert!(slower.end().0 >= path.end().0 + path.total(Part::Computing).0 * u64::from(faster - 1));
        // And a run without any latency is shorter by no more than that part.
        prop_assert!(follow(&platform(5, network, 0), &mut Ranks::new(&calls, false)).end().0 >= path.end().0 - part);
    }

    /// The same for broadcasts under all networks: a rank hears from one other only, so that no order of arrivals
    /// depends on the latency.
    #[test]
    fn a_broadcast_without_a_part_is_shorter_by_no_more_than_that(
        nodes in 2u32..14, message in 1u64..600, latency in 0u64..2000, network in prop::sample::select(NETWORKS.to_vec()),
        algorithm in prop::sample::select(vec![Algorithm::Linear, Algorithm::Binomial, Algorithm::Chain, Algorithm::Binary, Algorithm::Pipeline]),
    ) {
        let path = broadcast(&platform(nodes, network, 500), algorithm, message, 100);
        let other = broadcast(&platform(nodes, network, latency), algorithm, message, 100);
        let part = path.total(Part::Latency).0;
        prop_assert!(other.end().0 >= path.end().0 - part + part / 500 * latency);
        let bytes = path.total(Part::Transmission).0;
        if network == HOCKNEY {
            let slower = network.replace("1GB/s", "500MB/s");
            let slower = broadcast(&platform(nodes, &slower, 500), algorithm, message, 100);
            prop_assert!(slower.end().0 >= path.end().0 + bytes);
        }
    }
}

/// The path of a collective.
fn collective(platform: &Platform, operation: Operation, algorithm: Algorithm, size: u64) -> Option<CriticalPath> {
    let plan = algorithm.plan(&Collective::new(operation, platform.nodes(), size)).ok()?;
    Some(follow(platform, &mut hetsim::workload::communication::Steps::new(plan.into_steps(), 0.0)))
}

/// Three messages pass the root's port one after the other: each holds it for its latency, and for its byte.
#[test]
fn a_port_of_a_receiver_waits_for_latencies() {
    let gather = |latency| collective(&platform(4, HOCKNEY, latency), Operation::Gather, Algorithm::Linear, 1).unwrap();
    assert_eq!(parts(&gather(1_000_000_000)), [0, 0, 3_000_000_000, 3, 0]);
    assert_eq!(parts(&gather(0)), [0, 0, 0, 3, 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Collectives under all closed networks: without a part of its path a run is shorter by no more than that.
    #[test]
    fn a_collective_without_latency_is_shorter_by_no_more_than_that(
        nodes in 2u32..9, size in 1u64..600, network in prop::sample::select(NETWORKS.to_vec()),
        (operation, algorithm) in prop::sample::select(Operation::ALL.iter().flat_map(|&operation| {
            operation.algorithms().map(move |algorithm| (operation, algorithm))
        }).collect::<Vec<_>>()),
    ) {
        let Some(path) = collective(&platform(nodes, network, 500), operation, algorithm, size) else { return Ok(()) };
        let without = collective(&platform(nodes, network, 0), operation, algorithm, size).unwrap();
        prop_assert!(without.end().0 >= path.end().0 - path.total(Part::Latency).0, "{:?}\n{:?}", path, without);
    }
}

#[test]
fn collectives_have_paths() {
    for operation in [Operation::AllReduce, Operation::AllToAll, Operation::Gather] {
        for network in NETWORKS {
            let platform = platform(8, network, 300);
            for algorithm in operation.algorithms() {
                let Ok(plan) = algorithm.plan(&Collective::new(operation, 8, 1000)) else { continue };
                let mut program = hetsim::workload::communication::Steps::new(plan.into_steps(), 0.0);
                follow(&platform, &mut program);
            }
        }
    }
}
