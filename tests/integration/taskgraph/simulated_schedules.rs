//! Task graphs through the event engine: predictions met to the last tick, closed forms, and what is refused.

use std::path::Path;

use hetsim::cluster::network::{Model, Parameters as Network};
use hetsim::cluster::{Cluster, Connection, Platform, Simulation};
use hetsim::engine::Streams;
use hetsim::graph::TaskGraph;
use hetsim::graph::generate::Generator;
use hetsim::record::Value;
use hetsim::report::Reported as _;
use hetsim::scenario::Scenario;
use hetsim::schedule::Scheduler;
use hetsim::units::{Bytes, Tick, Time};
use hetsim::workload::taskgraph::{
    Booked, Instance, JobOrder, OnlineProgram, Plan, Replay, Setup, StealingProgram, by_mapping, by_scheduler,
};
use proptest::prelude::*;

use crate::support::{self, metric, near, refused, run};

fn network(text: &str) -> Model {
    let network: Network = toml::from_str(text).expect("a network");
    Model::new(&network, Tick::PICOSECOND).expect("a model")
}

const NETWORKS: [&str; 2] = ["model = 'ideal'", "model = 'delay'\nlatency = '13us'\nbandwidth = '1.7GB/s'"];

/// Two clusters of nodes of these speeds and numbers of cores, with a slower link between them.
fn platform(speeds: &[f64], cores: u32, near: &str) -> Platform {
    let first = speeds.len().div_ceil(2) as u32;
    let group = |name: &str, nodes| Cluster { name: name.to_owned(), nodes, cores };
    let far = || Connection::from(network("model = 'delay'\nlatency = '1ms'\nbandwidth = '0.3GB/s'"));
    let near = || Connection::from(network(near));
    let groups = vec![group("a", first), group("b", speeds.len() as u32 - first)];
    Platform::new(Tick::PICOSECOND, groups, vec![near(), far(), far(), near()]).unwrap().with_speeds(speeds).unwrap()
}

fn shapes() -> impl Strategy<Value = String> {
    let shapes = [
        "family = 'random'\ntasks = 40\nsuccessors = 3",
        "family = 'layered'\ntasks = 42\nwidth = 6\nsuccessors = 2",
        "family = 'fork_join'\nbranches = 5\nstages = 3",
        "family = 'cholesky'\ntiles = 5",
        "family = 'fft'\npoints = 8",
        "family = 'chain'\ntasks = 9",
        "family = 'in_tree'\nlevels = 4\nchildren = 2",
        "family = 'series_parallel'\ntasks = 30",
    ];
    prop::sample::select(shapes.to_vec()).prop_map(str::to_owned)
}

fn graph(shape: &str, seed: u64) -> TaskGraph {
    let text = format!(
        "operations = {{ distribution = 'exponential', mean = '1Mop' }}\n\
         bytes = {{ distribution = 'exponential', mean = '1MB' }}\n[shape]\n{shape}"
    );
    let generator: Generator = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    generator.generate(&mut Streams::new(seed, 0).stream("graph", 0)).expect("a graph")
}

/// Runs a plan and gives the simulated times of each task.
fn simulate(instance: &Instance<'_>, plan: &Plan) -> Time {
    let mut replay = Replay::new(instance, plan);
    let mut simulation = Simulation::new(instance.platform, 1);
    simulation.run(&mut replay).expect("a run");
    assert_eq!(replay.book().ended(), instance.graph.tasks());
    simulation.completion().expect("an end")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Where nothing contends, a schedule's makespan is met to the last tick, and its bounds hold.
    #[test]
    fn predictions_are_met(
        shape in shapes(),
        seed in 0u64..1000,
        speeds in prop::collection::vec(0.3e9..4e9f64, 2..6),
        cores in 1u32..3,
        near in prop::sample::select(NETWORKS.to_vec()),
        scheduler in prop::sample::select(Scheduler::ALL.to_vec()),
        insertion in prop::option::of(any::<bool>()),
    ) {
        let (graph, platform) = (graph(&shape, seed), platform(&speeds, cores, near));
        let instance = Instance::new(&graph, &platform).unwrap();
        let schedule = by_scheduler(&instance, scheduler, insertion, Streams::new(seed, 0)).unwrap();
        schedule.check(&graph, &instance.costs().unwrap()).unwrap();
        prop_assert_eq!(simulate(&instance, &Plan::of(&schedule, &instance)), schedule.makespan());
        prop_assert!(schedule.makespan() >= instance.least_makespan());
    }

    /// The same for any mapping.
    #[test]
    fn mappings_are_carried_out(
        shape in shapes(),
        seed in 0u64..1000,
        speeds in prop::collection::vec(0.3e9..4e9f64, 2..6),
        cores in 1u32..3,
        near in prop::sample::select(NETWORKS.to_vec()),
        places in prop::collection::vec(0u32..1000, 200),
    ) {
        let (graph, platform) = (graph(&shape, seed), platform(&speeds, cores, near));
        let instance = Instance::new(&graph, &platform).unwrap();
        let mapping: Vec<u32> =
            graph.ids().map(|task| places[task as usize % places.len()] % instance.processors()).collect();
        let schedule = by_mapping(&instance, &mapping).unwrap();
        schedule.check(&graph, &instance.costs().unwrap()).unwrap();
        prop_assert_eq!(simulate(&instance, &Plan::of(&schedule, &instance)), schedule.makespan());
    }

    /// Every task is computed once, after all that it waits for, and no bound is beaten.
    #[test]
    fn dynamic_schedulers_come_to_the_end(
        shape in shapes(),
        seed in 0u64..1000,
        speeds in prop::collection::vec(0.3e9..4e9f64, 2..6),
        cores in 1u32..3,
        near in prop::sample::select(NETWORKS.to_vec()),
    ) {
        let (graph, platform) = (graph(&shape, seed), platform(&speeds, cores, near));
        let instance = Instance::new(&graph, &platform).unwrap();
        let bound = instance.least_makespan();
        let setup = Setup {
            instance: &instance,
            streams: Streams::new(seed, 0),
            job_order: JobOrder::default(),
            signal_size: Bytes::default(),
        };
        let mut simulation = Simulation::new(&platform, seed);
        let mut online = OnlineProgram::new(&setup).unwrap();
        simulation.run(&mut online).unwrap();
        prop_assert_eq!(online.book().ended(), graph.tasks());
        prop_assert!(simulation.completion().unwrap() >= bound);
        let mut simulation = Simulation::new(&platform, seed);
        let mut stealing = StealingProgram::new(&setup);
        simulation.run(&mut stealing).unwrap();
        prop_assert_eq!(stealing.book().ended(), graph.tasks());
        prop_assert!(simulation.completion().unwrap() >= bound);
    }
}

/// Nodes of these speeds in op/s, on a network, and a workload.
fn text(speeds: &[f64], network: &str, workload: &str) -> String {
    let speeds: Vec<String> = speeds.iter().map(|speed| format!("\"{speed}op/s\"")).collect();
    format!(
        "version = 1\n[platform.cluster.lab]\nnodes = {}\nspeeds = [{}]\nnetwork = {{ {network} }}\n\
         [workload]\nkind = \"taskgraph\"\n{workload}\n[output]\ntables = [\"tasks\", \"nodes\"]\n",
        speeds.len(),
        speeds.join(", "),
    )
}

/// Four tasks of 2 op on two nodes of 1 op/s, one after the other, each on the other node: 4·2 s and 3 messages of 1 s
/// + 1 B at 1 B/s.
#[test]
fn a_chain_across_two_nodes() {
    let chain = "generate = { shape = { family = \"chain\", tasks = 4 }, \
                 operations = { distribution = \"constant\", value = \"2op\" } }\nmapping = [0, 1, 0, 1]";
    let record = run(&text(&[1.0, 1.0], "model = \"delay\", latency = \"1s\", bandwidth = \"1B/s\"", chain));
    near(metric(&record, "completion_s"), 4.0 * 2.0 + 3.0 * 2.0);
    near(metric(&record, "predicted_s"), 14.0);
    near(metric(&record, "slr"), 14.0 / 8.0);
    near(metric(&record, "lower_bound_s"), 8.0);
    near(metric(&record, "moved_bytes"), 3.0);
    near(metric(&record, "messages"), 3.0);
    near(metric(&record, "speedup"), 8.0 / 14.0);
    let tasks = record.tables.iter().find(|table| table.name == "tasks").expect("the table");
    let starts: Vec<f64> = tasks.rows.iter().map(|row| row[3].number().unwrap()).collect();
    assert_eq!(starts, [0.0, 4.0, 8.0, 12.0]);
}

/// Each core is a processor of the metrics: two tasks at once on the cores of one node are a speedup of two out of two.
#[test]
fn cores_count_in_the_metrics() {
    let fork = "generate = { shape = { family = \"fork_join\", branches = 2, stages = 1 }, \
                operations = { distribution = \"constant\", value = \"2op\" } }\nscheduler = \"heft\"";
    let record = run(&text(&[1.0], "model = \"ideal\"", fork).replace("nodes = 1\n", "nodes = 1\ncores = 2\n"));
    near(metric(&record, "completion_s"), 6.0);
    near(metric(&record, "s_max"), 2.0);
    near(metric(&record, "speedup"), 8.0 / 6.0);
    // Four tasks on two cores: 4 s each on the mean, 2 s of idling.
    near(metric(&record, "busy_max_s"), 4.0);
    near(metric(&record, "idle_s"), 2.0);
    near(metric(&record, "efficiency"), 4.0 / 6.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// No schedule idles less than nothing, nor is faster than all cores together.
    #[test]
    fn metrics_stay_within_their_bounds(
        seed: u64,
        cores in 1u32..4,
        scheduler in prop::sample::select(vec!["heft", "mct", "round_robin", "online", "work_stealing"]),
    ) {
        let drawn = format!(
            "generate = {{ shape = {{ family = \"layered\", tasks = 30, width = 6, successors = 2 }}, \
             operations = {{ distribution = \"exponential\", mean = \"2op\" }} }}\nscheduler = \"{scheduler}\""
        );
        let text = text(&[1.0, 2.0, 1.5], "model = \"ideal\"", &drawn);
        let text = text.replace("nodes = 3\n", &format!("nodes = 3\ncores = {cores}\n"));
        let record = run(&text.replacen("version = 1", &format!("version = 1\nseed = {}", seed % 1000), 1));
        prop_assert!(metric(&record, "idle_s") >= -1e-9);
        prop_assert!(metric(&record, "speedup") <= metric(&record, "s_max") * (1.0 + 1e-9));
        prop_assert!(metric(&record, "lost_to_idle") >= -1e-9);
        near(metric(&record, "s_max"), f64::from(cores) * 4.5 / 2.0);
    }
}

/// Ports that take one message at a time contend: three messages of 1 s leave a node one after the other, and the
/// prediction has them at once.
#[test]
fn ports_contend_and_predictions_do_not() {
    let fork = |network: &str| {
        let graph = "generate = { shape = { family = \"fork_join\", branches = 3, stages = 1 }, \
                     operations = { distribution = \"constant\", value = \"2op\" } }\nmapping = [0, 1, 2, 3, 0]";
        run(&text(&[1.0; 4], network, graph))
    };
    let record = fork("model = \"hockney\", latency = \"0s\", bandwidth = \"1B/s\"");
    near(metric(&record, "predicted_s"), 2.0 + 1.0 + 2.0 + 1.0 + 2.0);
    // Out 1, 2 and 3 s after the first task, and back 1 s after each branch.
    near(metric(&record, "completion_s"), 2.0 + 3.0 + 2.0 + 1.0 + 2.0);
    let record = fork("model = \"delay\", latency = \"0s\", bandwidth = \"1B/s\"");
    near(metric(&record, "completion_s"), metric(&record, "predicted_s"));
}

const DELAY: &str = "model = \"delay\", latency = \"0s\", bandwidth = \"1B/s\"";

/// Every format gives a graph that runs; a cost matrix has a column a node.
#[test]
fn files_run() {
    for (file, more) in [
        ("diamond.dot", ""),
        ("diamond.toml", ""),
        ("costs.stg", "operations_factor = 2.0"),
        ("workflow-1.5.json", "bytes_factor = 0.5"),
        ("workflow.dax", ""),
    ] {
        let workload = format!("file = \"graphs/{file}\"\nscheduler = \"heft\"\n{more}");
        let record = run(&text(&[1.0, 2.0], DELAY, &workload));
        assert_eq!(metric(&record, "late_s"), 0.0, "{file}");
        assert!(metric(&record, "slr") >= 1.0, "{file}");
    }
}

/// A file of times that are read as operations: a second of work would take a nanosecond.
#[test]
fn times_that_count_as_operations_are_warned_of() {
    let folder = support::here(&[("flow.dot", "digraph flow { a [runtime=8] b [runtime=10] a -> b }\n")]);
    let warnings = |speed: &str, more: &str| {
        let head = format!("version = 1\n[platform.cluster.lab]\nnodes = 2\nspeed = \"{speed}\"\n");
        let text = format!(
            "{head}network = {{ model = \"ideal\" }}\n[workload]\nkind = \"taskgraph\"\nfile = \"flow.dot\"\n\
             scheduler = \"heft\"\n{more}"
        );
        support::try_read_in(folder.path(), &text, &[]).unwrap_or_else(|problems| panic!("{problems}")).warnings()
    };
    let told = warnings("1Gop/s", "");
    assert!(told.len() == 1 && told[0].starts_with("a task of flow.dot takes 9ns on average"), "{told:?}");
    assert_eq!(warnings("1Gop/s", "operations_factor = 1e9"), [""; 0]);
    assert_eq!(warnings("1op/s", ""), [""; 0]);
}

/// A time with its unit is work only where it is said of which machine.
#[test]
fn a_time_with_a_unit_needs_a_factor() {
    let folder = support::here(&[("flow.dot", "digraph flow {\n a [work=5]\n b [time=\"8s\"] a -> b }\n")]);
    let scenario = |more: &str| {
        let text = format!(
            "version = 1\n[platform.cluster.lab]\nnodes = 2\nnetwork = {{ model = \"ideal\" }}\n[workload]\n\
             kind = \"taskgraph\"\nfile = \"flow.dot\"\nscheduler = \"heft\"\n{more}"
        );
        support::try_read_in(folder.path(), &text, &[])
    };
    let refused = scenario("").unwrap_err().to_string();
    let expected = "flow.dot, line 3, column 10: `8s` is a time, and how much work it is depends on the machine";
    assert!(refused.contains(expected), "{refused}");
    let run = scenario("operations_factor = 1e9").unwrap().run(0, 0).unwrap();
    assert_eq!(metric(&run, "completion_s"), 13.0);
    // In a file that only gives work, and in one of numbers without a unit, nothing changes.
    std::fs::write(folder.path().join("flow.dot"), "digraph flow { a [time=8] b [work=\"5op\"] a -> b }").unwrap();
    assert!(scenario("").is_ok());
}

/// The warning of a run looks as that of `check`.
#[test]
fn a_run_warns_as_check_does() {
    let scenario = "version = 1\n[platform.cluster.lab]\nnodes = 2\nnetwork = { model = \"ideal\" }\n[workload]\n\
                    kind = \"taskgraph\"\nfile = \"flow.dot\"\nscheduler = \"heft\"\n";
    let folder = support::here(&[("s.toml", scenario), ("flow.dot", "digraph f { a [time=8] b [time=10] a -> b }")]);
    let lines_of = |text: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(text).into_owned();
        text.lines().skip_while(|line| !line.starts_with("Warning: ")).map(str::to_owned).collect()
    };
    let checked = lines_of(&support::hetsim(&folder).args(["check", "s.toml"]).output().unwrap().stdout);
    let ran = lines_of(&support::hetsim(&folder).args(["run", "s.toml"]).output().unwrap().stderr);
    assert!(checked.len() > 1 && checked[0].starts_with("Warning: a task of flow.dot takes 9ns"), "{checked:?}");
    assert_eq!(ran[..checked.len()], checked, "{ran:?}");
}

#[test]
fn times_beside_work_are_noted() {
    let notes = |text: &str| {
        let instances = hetsim::graph::read::Format::Dot.read_all(text).unwrap();
        instances[0].notes.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let mixed = notes("digraph f { a [runtime=12]\nb [work=\"8Gop\"] a -> b }");
    assert!(mixed.len() == 1 && mixed[0].contains("line 2") && mixed[0].contains("give all in one way"), "{mixed:?}");
    assert_eq!(notes("digraph f { a [work=\"12s\"] b [work=5] a -> b }").len(), 1);
    for alike in ["a [runtime=12] b [work=\"2ms\"]", "a [ops=12] b [work=\"8Gop\"]"] {
        assert_eq!(notes(&format!("digraph f {{ {alike} a -> b }}")), [""; 0], "{alike}");
    }
}

#[test]
fn bad_input_is_named() {
    let with = |workload: &str| text(&[1.0, 2.0], DELAY, workload);
    let chain = "generate = { shape = { family = \"chain\", tasks = 3 } }\n";
    for (workload, part) in [
        ("scheduler = \"heft\"", "say where the graph is from"),
        ("file = \"graphs/none.dot\"\nscheduler = \"heft\"", "there is no file `graphs/none.dot`"),
        ("file = \"data.rs\"\nscheduler = \"heft\"", "there is no file `data.rs`"),
        ("file = \"graphs/cycle.dot\"\nscheduler = \"heft\"", "cycle"),
        ("file = \"graphs/diamond.dot\"\nscheduler = \"hefty\"", "`hefty` is not a value of `scheduler`"),
        ("file = \"graphs/diamond.dot\"\nmapping = [0, 1, 0]", "the processors of 3 tasks, and the graph has 4"),
        ("file = \"graphs/diamond.dot\"\nmapping = [0, 1, 0, 2]", "task number 3 on processor 2; there are 2"),
        ("file = \"graphs/diamond.dot\"\nmapping = [0, 1, 0, 1]\nscheduler = \"heft\"", "leaves no choice"),
        ("file = \"graphs/diamond.dot\"\nmapping = [0, 1, 0, 1]\ninsertion = true", "has gaps to fill"),
        ("file = \"graphs/two.json\"\nscheduler = \"heft\"", "there are 2 graphs"),
        ("file = \"graphs/two.json\"\ninstance = \"third\"\nscheduler = \"heft\"", "is named `third`"),
        ("file = \"graphs/diamond.dot\"", "say who decides"),
    ] {
        refused(&with(workload), part);
    }
    let six = with("generate = { shape = { family = \"fft\", points = 6 } }\nscheduler = \"heft\"");
    refused(&six, "test.toml:8:49: `points` must be a power of two");
    refused(&with(&format!("{chain}file = \"graphs/diamond.dot\"\nscheduler = \"heft\"")), "give either of them");
    refused(&with(&format!("{chain}operations_factor = -1.0\nscheduler = \"heft\"")), "operations_factor");
    let three = text(&[1.0; 3], DELAY, "file = \"graphs/diamond.toml\"\nscheduler = \"heft\"");
    refused(&three, "the graph's cost matrix is for 2 processors, and the platform has 3 nodes");
    let faulty = with(&format!("{chain}scheduler = \"heft\"")).replace(
        "[workload]",
        "[[platform.cluster.lab.fault]]\nprofile = { kind = \"at\", from = \"1s\" }\n[workload]",
    );
    refused(&faulty, "nodes of a task graph can't fail");
}

/// The HEFT paper's example comes out through the command's own way, simulated.
#[test]
fn the_scenario_of_the_heft_paper() {
    let scenario =
        Scenario::load(Path::new("scenarios/heft2002.toml"), &[]).unwrap_or_else(|problems| panic!("{problems}"));
    for point in 0..scenario.points.len() {
        let name = scenario.values(point).next().map(|(_, value)| value.label.clone()).unwrap_or_default();
        let record = scenario.run(point, 0).unwrap();
        assert!(metric(&record, "completion_s") >= 73.0, "{name} beats the optimum");
        if let Some(late) = record.get("late_s").and_then(Value::number) {
            assert_eq!(late, 0.0, "{name}");
            let predicted = scenario.predicted(point, 0).unwrap().expect("a schedule before the run");
            near(predicted.predicted_s, metric(&record, "completion_s"));
        }
    }
}

/// A load that leaves nothing of the fast node from the start is seen by the online scheduler, and not by HEFT.
#[test]
fn the_online_scheduler_sees_the_load() {
    let makespan = |scheduler: &str| {
        let graph = format!(
            "generate = {{ shape = {{ family = \"fork_join\", branches = 4, stages = 1 }}, operations = {{ distribution = \
             \"constant\", value = \"10op\" }} }}\nscheduler = \"{scheduler}\""
        );
        let text = text(&[1.0, 10.0], "model = \"ideal\"", &graph).replace(
            "[workload]",
            "[[platform.cluster.lab.load]]\nnodes = [1]\nprofile = { kind = \"constant\", tasks = 99 }\n[workload]",
        );
        metric(&run(&text), "completion_s")
    };
    // On node 0 alone: six tasks of 10 s. Node 1 has 0.1 op/s left.
    assert!(makespan("online") < 200.0);
    assert!(makespan("heft") > makespan("online"));
}
