//! Task farms: the paper's equations, its protocol, and what holds under every policy.

use std::fmt::Write as _;
use std::path::Path;

use hetsim::cluster::network::{Model, Parameters as Network};
use hetsim::cluster::{Cluster, NodeId, Platform, ReceiveSeen, Sharing, Timeline};
use hetsim::engine::Streams;
use hetsim::metrics::{effective_processors_of_shares, speedup_of_shares};
use hetsim::policy::{Kind, Policy};
use hetsim::report::Reported as _;
use hetsim::scenario::Scenario;
use hetsim::units::{Operations, Quantity as _, Tick, Time};
use hetsim::workload::Run;
use hetsim::workload::farm::{Cost, FarmParameters, Outcome, TaskSource};
use proptest::prelude::*;

use crate::support::{self, read_in, try_read_in};

/// Tasks of given work; how often each has a result.
#[derive(Debug)]
struct Counted {
    work: Vec<f64>,
    rounds: u32,
    over: u32,
    results: Vec<u32>,
}

impl Counted {
    fn new(work: Vec<f64>, rounds: u32) -> Self {
        let results = vec![0; work.len() * rounds as usize];
        Self { work, rounds, over: 0, results }
    }
}

impl TaskSource for Counted {
    fn tasks(&self) -> u32 {
        self.work.len() as u32
    }
    fn operations(&self, task: u32) -> f64 {
        self.work[task as usize % self.work.len()]
    }
    fn total(&self, tasks: u32) -> f64 {
        (0..tasks).map(|task| self.operations(task)).sum()
    }
    fn result(&mut self, task: u32) {
        assert_eq!(task / self.tasks(), self.over, "a result of another round");
        self.results[task as usize] += 1;
    }
    fn end_round(&mut self, _: Time) -> bool {
        self.over += 1;
        self.over < self.rounds
    }
    fn between(&self) -> f64 {
        0.0
    }
}

/// A server and workers of these speeds, in operations a second.
fn platform(speeds: &[f64], network: &str) -> Platform {
    let parameters: Network = toml::from_str(network).unwrap();
    let model = Model::new(&parameters, Tick::PICOSECOND).unwrap();
    let nodes = speeds.len() as u32 + 1;
    let all: Vec<f64> = std::iter::once(1.0).chain(speeds.iter().copied()).collect();
    let group = Cluster { name: "test".to_owned(), nodes, cores: 1 };
    Platform::new(Tick::PICOSECOND, vec![group], vec![model.into()]).unwrap().with_speeds(&all).unwrap()
}

const IDEAL: &str = "model = 'ideal'";
const LAN: &str = "model = 'hockney'\nlatency = '5ms'\nbandwidth = '100Mbit/s'";

fn farm(text: &str) -> FarmParameters {
    toml::from_str(text).unwrap()
}

fn run(farm: &FarmParameters, bag: Counted, platform: &Platform) -> (Outcome, Counted) {
    let (outcome, bag, _) = traced(farm, bag, platform);
    (outcome, bag)
}

fn traced(farm: &FarmParameters, bag: Counted, platform: &Platform) -> (Outcome, Counted, Timeline) {
    let task = Cost::constant(Operations::from_base(1e6).unwrap());
    farm.check(&task, platform).unwrap();
    let mut timeline = Timeline::default();
    let (outcome, bag) = farm.run(bag, &task, &mut Run::traced(platform, Streams::new(1, 0), &mut timeline)).unwrap();
    (outcome, bag, timeline)
}

fn seconds(time: Time) -> f64 {
    Tick::PICOSECOND.seconds(time)
}

/// Bazterra et al. (2005), Eqs. 11 to 13 and Fig. 1: every point of the scenario lies on the curves.
#[test]
fn two_processors_lie_on_the_papers_curves() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/bazterra-fig1.toml");
    let scenario = Scenario::load(&path, &[]).unwrap();
    for point in 0..scenario.points.len() {
        let values: Vec<f64> = scenario.values(point).map(|(_, value)| value.cell.number().unwrap()).collect();
        let (h, p) = (values[0] / 1e9, (values[1] * 90.0).round() / 90.0);
        let record = scenario.run(point, 0).unwrap();
        let metric = |name: &str| record.get(name).unwrap().number().unwrap();
        let (s, n_eff) = if p >= 1.0 / (1.0 + h) {
            (1.0 / (h * p), 1.0 + (1.0 - p) / (h * p))
        } else {
            (1.0 / (1.0 - p), 1.0 + h * p / (1.0 - p))
        };
        for (name, expected) in [("d_conf", (h - 1.0) / (h + 1.0)), ("speedup", s), ("n_eff", n_eff)] {
            let measured = metric(name);
            assert!((measured - expected).abs() < 1e-9, "{name} at h = {h}, p = {p}: {measured}, not {expected}");
        }
        assert!((metric("speedup") - metric("speedup_closed")).abs() < 1e-9);
        assert!((metric("n_eff") - metric("n_eff_closed")).abs() < 1e-9);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Without network and noise a run measures what Eqs. 1 to 8 say of its shares and speeds.
    #[test]
    fn a_quiet_run_equals_the_equations(
        workers in prop::collection::vec((1u32..40, 1u32..30), 1..12),
    ) {
        let total: u32 = workers.iter().map(|(tasks, _)| tasks).sum();
        let shares: Vec<f64> = workers.iter().map(|(tasks, _)| f64::from(*tasks) / f64::from(total)).collect();
        let speeds: Vec<f64> = workers.iter().map(|(_, speed)| f64::from(*speed) * 1e6).collect();
        let platform = platform(&speeds, IDEAL);
        let farm = farm(&format!("policy = 'static_shares'\nshares = {shares:?}"));
        let (outcome, _) = run(&farm, Counted::new(vec![3e6; total as usize], 1), &platform);
        for (share, (tasks, speed)) in outcome.workers.iter().zip(&workers) {
            prop_assert_eq!(share.tasks, u64::from(*tasks));
            // T_i = K p_i / v_i, each task rounded up to a tick.
            let expected = f64::from(*tasks) * 3.0 / f64::from(*speed);
            prop_assert!((share.busy_s - expected).abs() <= 1e-12 * f64::from(*tasks) + 1e-9);
        }
        let longest = outcome.workers.iter().map(|share| share.busy_s).fold(0.0, f64::max);
        prop_assert!((seconds(outcome.completion) - longest).abs() < 1e-12);
        let s = outcome.serial_s / longest;
        prop_assert!((s - speedup_of_shares(&shares, &speeds).unwrap()).abs() < 1e-6 * s);
        let n_eff = outcome.workers.iter().map(|share| share.busy_s).sum::<f64>() / longest;
        prop_assert!((n_eff - effective_processors_of_shares(&shares, &speeds).unwrap()).abs() < 1e-6 * n_eff);
    }

    /// Whatever the policy, the protocol and the speeds: every task of every round has one result, and as many tasks
    /// were computed as there are.
    #[test]
    fn every_policy_has_every_task_computed_once(
        policy in prop::sample::select(Policy::ALL),
        speeds in prop::collection::vec(1e6..1e8f64, 1..9),
        work in prop::collection::vec(1e4..1e7f64, 1..60),
        rounds in 1u32..4, signals: bool, slow_network: bool, service: bool, ahead in 0u32..4,
        heartbeat in 0usize..3, poll in 0usize..3, setup: bool,
    ) {
        let network = if slow_network { LAN } else { IDEAL };
        let platform = platform(&speeds, network);
        let ahead = if policy.kind() == Kind::SelfScheduling && !signals { ahead } else { 0 };
        let mut text = format!("policy = '{policy}'\nchunk = 2\nahead = {ahead}\ntask_size = '100B'\n");
        if signals && policy.kind() == Kind::SelfScheduling {
            text += "protocol = 'signals'\n";
        } else {
            let [heartbeat, poll] = [heartbeat, poll].map(|interval| ["0s", "30ms", "5s"][interval]);
            let setup = if setup { "20ms" } else { "0s" };
            write!(text, "heartbeat = '{heartbeat}'\npoll = '{poll}'\nsetup = '{setup}'\n").unwrap();
        }
        if service {
            text += "service = '1op'\n";
        }
        if policy == Policy::StaticShares {
            text += "first_share = 0.25\n";
        }
        let tasks = work.len() as u64;
        let (outcome, bag) = run(&farm(&text), Counted::new(work, rounds), &platform);
        prop_assert!(bag.results.iter().all(|&results| results == 1), "{:?}", bag.results);
        prop_assert_eq!(outcome.tasks, tasks * u64::from(rounds));
        let computed: f64 = outcome.workers.iter().map(|share| share.operations).sum();
        prop_assert!((computed - outcome.operations).abs() < 1e-6 * outcome.operations);
    }

    /// Copies of late tasks may be computed, but each task still has one result, and no round ends later than without.
    #[test]
    fn copies_do_not_count_twice(
        policy in prop::sample::select(vec![Policy::StaticEqual, Policy::Adaptive, Policy::Guided, Policy::Stealing]),
        speeds in prop::collection::vec(1e6..1e8f64, 1..9), tasks in 1usize..60, copies in 1u32..3,
    ) {
        let platform = platform(&speeds, IDEAL);
        let work = || Counted::new(vec![1e6; tasks], 2);
        let (plain, _) = run(&farm(&format!("policy = '{policy}'")), work(), &platform);
        let (copied, bag) = run(&farm(&format!("policy = '{policy}'\ncopies = {copies}")), work(), &platform);
        prop_assert!(bag.results.iter().all(|&results| results == 1));
        // What is still computed when the last result is in does not count, neither as a task nor as time.
        let results = bag.results.len() as u64;
        prop_assert!((results..=results + copied.copied).contains(&copied.tasks), "{} of {results}", copied.tasks);
        for share in &copied.workers {
            prop_assert!(share.busy_s <= seconds(copied.completion), "{share:?} in {}", seconds(copied.completion));
        }
        if policy == Policy::Adaptive {
            // Only the last tasks are dealt twice, to workers that have nothing else to do.
            prop_assert!(seconds(copied.completion) <= seconds(plain.completion) + 1e-9 || copied.rounds > 1);
        }
    }
}

/// The protocol of Bazterra et al. (2005, §5), read off a trace.
#[test]
fn signals_follow_the_papers_state_machines() {
    const CLIENTS: usize = 5;
    const TASKS: usize = 12;
    const GENERATIONS: u32 = 3;
    let platform = platform(&[1e6, 2e6, 3e6, 5e6, 8e6], LAN);
    let work: Vec<f64> = (0..TASKS).map(|task| 1e5 * (1 + task % 4) as f64).collect();
    let (_, bag, timeline) = traced(&farm("protocol = 'signals'"), Counted::new(work, GENERATIONS), &platform);
    assert!(bag.results.iter().all(|&results| results == 1), "every individual once a generation");
    let receptions = &timeline.receptions;
    let of = |node: u32| -> Vec<&str> {
        let concerns = |seen: &&ReceiveSeen| seen.at == NodeId(node) || seen.from == NodeId(node);
        receptions.iter().filter(concerns).map(|seen| seen.message).collect()
    };
    let mut evaluated = 0;
    for client in 1..=CLIENTS as u32 {
        let signals = of(client);
        assert_eq!((signals[0], signals[signals.len() - 1]), ("YesWork", "Shutdown"), "{signals:?}");
        let mut asleep = false;
        for pair in signals.windows(2) {
            match pair[0] {
                "NoWork" => asleep = true,
                "YesWork" => asleep = false,
                _ => {}
            }
            assert!(!(asleep && pair[1] == "WorkRequest"), "it asks after NoWork: {signals:?}");
            assert_ne!((pair[0], pair[1]), ("NoWork", "individual"), "{signals:?}");
        }
        // A granted request is followed by the individual, its result, and the next request.
        for (place, signal) in signals.iter().enumerate().filter(|(_, signal)| **signal == "individual") {
            let around = (signals[place - 2], signals[place - 1], signals[place + 1], signals[place + 2]);
            assert_eq!(around, ("WorkRequest", "YesWork", "WorkEnd", "WorkRequest"), "{signal} in {signals:?}");
            evaluated += 1;
        }
    }
    assert_eq!(evaluated, TASKS * GENERATIONS as usize);
    let shutdowns = receptions.iter().filter(|seen| seen.message == "Shutdown").count();
    assert_eq!(shutdowns, CLIENTS);
    // The server closes down only when all is done.
    let first = receptions.iter().position(|seen| seen.message == "Shutdown").unwrap();
    assert!(receptions[first..].iter().all(|seen| ["Shutdown", "WorkRequest", "NoWork"].contains(&seen.message)));
}

/// Four messages a task, as the paper describes: request, YesWork, the individual, WorkEnd; with nothing to wait for,
/// they cost their four latencies.
#[test]
fn one_client_costs_the_latencies_of_its_messages() {
    let platform = platform(&[1e9], "model = 'delay'\nlatency = '5ms'\nbandwidth = '100GB/s'");
    let (outcome, _) = run(&farm("protocol = 'signals'"), Counted::new(vec![4e9; 32], 10), &platform);
    // YesWork and the first request; then the individual right behind its YesWork, 4 s, and WorkEnd with the next
    // request right behind it. The next generation is there when that request is read.
    let expected = 0.010 + 320.0 * (0.005 + 4.0 + 0.005);
    assert!((seconds(outcome.completion) - expected).abs() < 1e-9, "{}", seconds(outcome.completion));
    assert!(outcome.serial_s / seconds(outcome.completion) < 1.0);
}

const GENETIC: &str = r#"
version = 1
[platform.cluster.c]
nodes = 5
network = { model = "ideal" }
[workload]
kind = "genetic"
population = 16
generations = 3
task = { distribution = "constant", operations = "1Gop" }
[workload.search]
objective = "sphere"
genes = 3
[output]
tables = ["nodes", "series"]
"#;

fn read(overrides: &[&str]) -> Result<Scenario, String> {
    try_read_in(".", GENETIC, overrides).map_err(|problems| problems.to_string())
}

/// What can't be a farm says why, and at which key.
#[test]
fn impossible_farms_are_refused() {
    for (wrong, expected) in [
        ("platform.cluster.c.nodes=1", "there are no workers"),
        ("workload.population=0", "`population` must be at least 1"),
        ("workload.generations=0", "`generations` must be at least 1"),
        ("workload.generations=400000000", "are too many"),
        ("workload.farm={policy='static_shares',shares=[0.5,0.2,0.1,0.1]}", "the shares add up to 0.9, not to 1"),
        ("workload.farm={policy='static_shares',shares=[0.5]}", "`shares` has 1 value for 4 workers"),
        (
            "workload.farm={policy='static_shares',shares=[]}",
            "`static_shares` needs `shares`: one for each of the 4 workers",
        ),
        ("workload.farm={policy='static_shares',shares=[0.5,0.9,-0.4]}", "a share lies between 0 and 1"),
        ("workload.farm={policy='guided',shares=[1.0]}", "`guided` takes no shares"),
        ("workload.farm={policy='static_equal',protocol='signals'}", "deals without being asked"),
        ("workload.farm={server=9}", "there is no node 9"),
        ("workload.farm={timeout='0s'}", "`timeout` must be above zero"),
        ("workload.farm={chunk=0}", "chunk"),
        ("workload.farm={ahead=1001}", "`ahead` must be at most 1000"),
        ("workload.farm={ahead=1,policy='static_equal'}", "nothing is left to give ahead"),
        ("workload.farm={ahead=1,protocol='signals'}", "only when it has computed its chunk"),
        ("workload.farm={ahead=1,copies=1}", "leave out `copies`"),
        ("workload.farm={steal_interval='1s'}", "without chunks `ahead`, nothing waits"),
        ("workload.farm={ahead=1,steal_threshold='1s'}", "nothing is taken back: give `steal_interval`"),
        ("workload.farm={ahead=1,steal_interval='0s'}", "`steal_interval` must be above zero"),
        ("workload.farm={ahead=1,steal_interval='1s'}", "node 1 has one core"),
        ("platform.diversity=1.0", "the largest is just below"),
        ("platform.diversity=0.1", "the diversity counts node 0, the server"),
        ("platform.cluster.c.fault=[{nodes=[0],profile={kind='at',from='1s'}}]", "the server's node has faults"),
        ("workload.task={distribution='gamma',mean='1op',deviation='1e200op'}", "gamma"),
        ("workload.task={distribution='normal',mean='0op',deviation='1op'}", "must be above zero"),
        ("workload.task={distribution='uniform',from='2op',to='1op'}", "must not be above"),
        ("workload.task={distribution='gamma',mean='1op',deviation='-1op'}", "zero or more"),
        ("workload.task={distribution='trace'}", "a trace needs"),
        ("workload.task={distribution='trace',file='nothing.csv'}", "there is no file"),
        ("workload.search.elitism=40", "an elite of 40"),
        ("workload.search.crossover=1.5", "crossover must be a probability"),
        ("workload.search.genes=0", "at least one gene"),
    ] {
        let message = read(&[wrong]).expect_err(wrong);
        assert!(message.contains(expected), "{wrong}: {message}");
    }
}

/// The evolution is the same whatever the policy, the speeds and the network: individuals, not the order of their
/// results, name the draws.
#[test]
fn the_evolution_depends_on_nothing_but_the_seed() {
    let best = |overrides: &[&str]| {
        let record = read(overrides).unwrap().run(0, 0).unwrap();
        let series = record.tables.iter().find(|table| table.name == "series").unwrap();
        let errors: Vec<String> = series.rows.iter().map(|row| row[2].to_string()).collect();
        assert_eq!(errors.len(), 3);
        errors
    };
    let plain = best(&[]);
    assert_eq!(plain, best(&["workload.farm={policy='static_equal'}"]));
    assert_eq!(
        plain,
        best(&[
            "workload.farm={policy='stealing',copies=2}",
            "platform.cluster.c.speeds=['1Gop/s','2Gop/s','1Gop/s','5Gop/s','3Gop/s']"
        ])
    );
    assert_ne!(plain, best(&["seed=1"]));
}

/// Costs from a file are those of the tasks, one after the other, and over again.
#[test]
fn a_trace_of_costs_is_read_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("costs.csv"), "operations\n1e9\n2e9\n3e9\n").unwrap();
    let text = GENETIC.replace(
        "{ distribution = \"constant\", operations = \"1Gop\" }",
        "{ distribution = \"trace\", file = \"costs.csv\" }",
    );
    let record = read_in(&folder, &text).run(0, 0).unwrap();
    // 48 tasks of 1, 2 and 3 s: 96 s of work in all.
    let nodes = record.tables.iter().find(|table| table.name == "nodes").unwrap();
    let busy: f64 = nodes.rows.iter().filter_map(|row| row[4].number()).sum();
    assert!((busy - 96.0).abs() < 1e-9, "{busy}");
}

/// Workers that go down: 8 at 1 Gop/s, half of them with faults.
fn failing(faults: &str, farm: &str) -> Scenario {
    let text = format!(
        r#"
version = 1
replicas = 20
[platform.cluster.server]
nodes = 1
network = {{ model = "hockney", latency = "1ms", bandwidth = "1Gbit/s" }}
[platform.cluster.workers]
nodes = 8
cores = 2
network = {{ model = "hockney", latency = "1ms", bandwidth = "1Gbit/s" }}
{faults}
[platform.between]
network = {{ model = "hockney", latency = "1ms", bandwidth = "1Gbit/s" }}
[workload]
kind = "independent"
tasks = 60
rounds = 3
task = {{ distribution = "constant", operations = "1Gop" }}
[workload.farm]
{farm}
"#
    );
    support::read(&text)
}

const COMES_AND_GOES: &str = "[[platform.cluster.workers.fault]]\nnodes = [0, 2, 4, 6]\n\
    profile = { kind = \"exponential\", mean_up = \"15s\", mean_down = \"4s\" }";

/// Under every policy and protocol a farm comes to its end on nodes that come and go, and no task is left out: the bag
/// would not let a round end.
#[test]
fn nothing_is_evaluated_zero_times_on_nodes_that_fail() {
    for policy in Policy::ALL.iter().copied().filter(|policy| *policy != Policy::StaticShares) {
        let mut farms = vec![
            format!("policy = '{policy}'\ntimeout = '8s'"),
            format!("policy = '{policy}'\ntimeout = '8s'\ncopies = 1"),
            format!("policy = '{policy}'\ntimeout = '12s'\nheartbeat = '700ms'\npoll = '1300ms'"),
        ];
        if policy.kind() == Kind::SelfScheduling {
            farms.push(format!("policy = '{policy}'\ntimeout = '8s'\nprotocol = 'signals'"));
            farms.push(format!("policy = '{policy}'\ntimeout = '16s'\nahead = 2"));
            farms.push(format!("policy = '{policy}'\ntimeout = '16s'\nahead = 2\nsteal_interval = '500ms'"));
            farms
                .push(format!("policy = '{policy}'\ntimeout = '16s'\nahead = 2\nheartbeat = '700ms'\npoll = '1300ms'"));
            let kept = "detection = '1s'\nkeep_results = true\nheartbeat = '700ms'\npoll = '1300ms'\nsetup = '150ms'";
            farms.push(format!("policy = '{policy}'\n{kept}\nahead = 1"));
        }
        for farm in farms {
            let scenario = failing(COMES_AND_GOES, &farm);
            let mut computed = 0.0;
            for replica in 0..20 {
                let record =
                    scenario.run(0, replica).unwrap_or_else(|error| panic!("{farm}, replica {replica}: {error}"));
                let metric = |name: &str| record.get(name).unwrap().number().unwrap();
                assert_eq!(metric("rounds"), 3.0);
                assert!(metric("tasks") >= 180.0, "{farm}: {} tasks", metric("tasks"));
                // No worker computes for longer than the run takes.
                assert!(metric("idle_s") >= 0.0 && metric("lost_to_idle") >= 0.0, "{farm}: {} s", metric("idle_s"));
                // What the workers that never fail could have done alone, waiting for every time-out in turn.
                assert!(metric("completion_s") < 1000.0, "{farm}: {} s", metric("completion_s"));
                computed += metric("lost") + metric("tasks") - 180.0;
            }
            assert!(computed > 0.0, "{farm}: no fault ever cost anything");
        }
    }
}

/// Two tasks of 4 Mop, on 1 and 4 Mop/s: after 1 s the fast worker computes a copy of the slow one's task, and all is
/// done at 2 s. What the slow one goes on with until 4 s is of no use, and counts nowhere.
#[test]
fn what_is_computed_after_the_last_result_does_not_count() {
    let platform = platform(&[1e6, 4e6], IDEAL);
    for protocol in ["plain", "signals"] {
        let bag = Counted::new(vec![4e6; 2], 1);
        let (outcome, _) = run(&farm(&format!("copies = 1\nprotocol = '{protocol}'")), bag, &platform);
        assert_eq!((seconds(outcome.completion), outcome.copied, outcome.tasks), (2.0, 1, 2), "{protocol}");
        let busy: Vec<f64> = outcome.workers.iter().map(|share| share.busy_s).collect();
        assert_eq!(busy, [2.0, 2.0], "{protocol}");
        let of = hetsim::workload::share::performance(&outcome.workers, outcome.serial_s, 2.0);
        assert_eq!([of.busy_max_s, of.idle_s, of.speedup, of.d_id], [2.0, 0.0, 1.0, 0.0].map(Some));
    }
}

/// Where a client hears of the shutdown in the middle of an evaluation, it asks for nothing more.
#[test]
fn no_client_asks_after_the_shutdown() {
    let platform = platform(&[1e6, 4e6], IDEAL).with_sharing(Sharing::Processor);
    let (_, _, timeline) = traced(&farm("copies = 1\nprotocol = 'signals'"), Counted::new(vec![4e6; 2], 1), &platform);
    let of_slow: Vec<&str> = timeline
        .receptions
        .iter()
        .filter(|seen| seen.at == NodeId(1) || seen.from == NodeId(1))
        .map(|seen| seen.message)
        .collect();
    assert_eq!(of_slow, ["YesWork", "WorkRequest", "YesWork", "individual", "Shutdown"]);
}

/// One worker stops for good in its second task of 1 s: after the time-out its task is dealt again.
#[test]
fn a_time_out_gives_a_lost_task_to_another() {
    let fault = "[[platform.cluster.workers.fault]]\nnodes = [0]\nprofile = { kind = \"at\", from = \"1500ms\" }";
    let record = failing(fault, "policy = 'adaptive'\ntimeout = '5s'").run(0, 0).unwrap();
    let metric = |name: &str| record.get(name).unwrap().number().unwrap();
    // 60 tasks on eight workers would take 8 s a round. Now the first round waits for nothing: the task lost at 1.5 s
    // is dealt again at about 6 s, before the others have done theirs, and seven workers need nine rows of tasks in
    // every round.
    assert_eq!(metric("tasks"), 180.0);
    assert!((27.0..27.3).contains(&metric("completion_s")), "{}", metric("completion_s"));
}

/// What can never end says so.
#[test]
fn a_farm_that_cannot_end_says_why() {
    let at = |nodes: &str| {
        format!("[[platform.cluster.workers.fault]]\n{nodes}profile = {{ kind = \"at\", from = \"1500ms\" }}")
    };
    for (faults, farm, expected) in [
        (at(""), "timeout = '5s'", "tasks of round 1 were never computed; all workers are down"),
        (at("nodes = [3]\n"), "", "needs a `timeout`, a `task_timeout` or a `detection`"),
        (at("nodes = [3]\n"), "policy = 'adaptive'", "1 task of round 1 was never computed; where nodes fail"),
        // Not even thieves wait for ever.
        (at(""), "policy = 'stealing'\ntimeout = '5s'", "tasks of round 1 were never computed; all workers are down"),
    ] {
        let error = failing(&faults, farm).run(0, 0).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}
