//! Searches for instances on which a scheduler does badly: what they find can be run again, and what is refused.

use std::fs;

use hetsim::cluster::{Platform, Simulation};
use hetsim::engine::Streams;
use hetsim::record::{Record, Value};
use hetsim::report::Reported as _;
use hetsim::scenario::Scenario;
use hetsim::schedule::Scheduler;
use hetsim::schedule::adversary::{Mutation, Space, Weight};
use hetsim::study::adversarial::Contest;
use hetsim::units::Tick;
use hetsim::workload::taskgraph::{Instance, Plan, Replay, by_scheduler};
use proptest::prelude::*;

use crate::support::{hetsim, metric, refused, run};

const TABLES: &str = "[output]\ntables = [\"history\", \"instance_tasks\", \"instance_edges\", \"instance_nodes\", \"instance_links\", \"instance_files\"]\n";

/// A study of instances of at most so many nodes.
fn text(nodes: u32, keys: &str) -> String {
    format!("version = 1\n[study]\nkind = \"adversarial\"\nmost_nodes = {nodes}\n{keys}\n")
}

fn rows<'a>(record: &'a Record, name: &str) -> &'a [Vec<Value>] {
    &record.tables.iter().find(|table| table.name == name).unwrap_or_else(|| panic!("no table {name}")).rows
}

const HEFT_MCT: &str = "scheduler = \"heft\"\nbaseline = \"mct\"\nleast_nodes = 3\nsearches = 3\n";

/// The files of the worst instance are a scenario of task graphs that meets both makespans to the last digit.
#[test]
fn the_worst_instance_runs_as_a_task_graph() {
    for workload in [
        HEFT_MCT.to_owned(),
        format!("{HEFT_MCT}insertion = false\nleast_weight = 0.1\n"),
        "scheduler = \"olb\"\nbaseline = \"olb\"\nsearches = 1".to_owned(),
    ] {
        let record = run(&(text(5, &workload) + TABLES));
        let folder = tempfile::tempdir().unwrap();
        for row in rows(&record, "instance_files") {
            let [Value::Text(name), Value::Text(content)] = &row[..] else { panic!("{row:?}") };
            fs::write(folder.path().join(name), content).unwrap();
        }
        let again =
            Scenario::load(&folder.path().join("instance.toml"), &[]).unwrap_or_else(|problems| panic!("{problems}"));
        let makespans = ["makespan_s", "baseline_s"].map(|name| metric(&record, name));
        for (point, makespan) in (0..again.points.len()).zip(makespans) {
            let again = again.run(point, 0).unwrap();
            assert_eq!(metric(&again, "completion_s"), makespan);
            assert_eq!(metric(&again, "predicted_s"), makespan);
            assert_eq!(metric(&again, "graph_edges"), metric(&record, "edges"));
        }
        let ratio = metric(&record, "ratio");
        assert!((makespans[0] / makespans[1] / ratio - 1.0).abs() < 1e-12);
        assert!(ratio >= metric(&record, "start_ratio"));
    }
}

/// The tables hold the whole instance, and the history every step: 459 of the published cooling, and the start.
#[test]
fn tables_hold_the_instance_and_the_history() {
    let record = run(&(text(4, HEFT_MCT) + TABLES));
    assert_eq!(rows(&record, "history").len(), 3 * 460);
    let best = rows(&record, "history").iter().map(|row| row[4].number().unwrap()).fold(0.0, f64::max);
    assert_eq!(best, metric(&record, "ratio"));
    let nodes = metric(&record, "instance_nodes");
    assert!((3.0..=4.0).contains(&nodes));
    for (table, count) in [
        ("instance_tasks", metric(&record, "tasks")),
        ("instance_edges", metric(&record, "edges")),
        ("instance_nodes", nodes),
        ("instance_links", nodes * (nodes - 1.0) / 2.0),
    ] {
        assert_eq!(rows(&record, table).len() as f64, count, "{table}");
    }
    let last = |column: usize| {
        rows(&record, "instance_tasks").iter().map(|row| row[column].number().unwrap()).fold(0.0, f64::max)
    };
    assert_eq!((last(4), last(7)), (metric(&record, "makespan_s"), metric(&record, "baseline_s")));
}

/// A scheduler is as good as itself, whatever the instance.
#[test]
fn beside_itself_a_scheduler_has_ratio_one() {
    let record = run(&text(4, "scheduler = \"random\"\nbaseline = \"random\"\nsearches = 2"));
    assert_eq!((metric(&record, "ratio"), metric(&record, "start_ratio")), (1.0, 1.0));
}

/// On a chain of one task min-min, max-min and HEFT all take the fastest node, and nothing can be found.
#[test]
fn one_task_leaves_nothing_to_find() {
    let record = run(&text(4, "scheduler = \"heft\"\nbaseline = \"max_min\"\nleast_tasks = 1\nmost_tasks = 1"));
    assert_eq!(metric(&record, "ratio"), 1.0);
    // All tasks on the processor that is idle first: with one task, on the first, whatever its speed.
    let record =
        run(&text(4, "scheduler = \"olb\"\nbaseline = \"heft\"\nleast_tasks = 1\nmost_tasks = 1\nleast_weight = 0.1"));
    assert!(metric(&record, "ratio") > 5.0, "{record:?}");
    assert!(metric(&record, "ratio") <= 10.0 + 1e-9, "speeds lie between 0.1 and 1");
}

/// One node has one makespan, whoever orders the tasks.
#[test]
fn one_node_leaves_nothing_to_find() {
    let record = run(&text(1, "scheduler = \"olb\"\nbaseline = \"heft\""));
    assert_eq!(metric(&record, "ratio"), 1.0);
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let scenario =
        text(4, &format!("{HEFT_MCT}[sweep]\n\"study.scheduler\" = [\"heft\", \"cpop\", \"random\"]\n")) + TABLES;
    fs::write(folder.path().join("pairs.toml"), scenario).unwrap();
    for jobs in ["1", "2"] {
        hetsim(&folder).args(["pairs.toml", "--quiet", "--out", jobs, "--jobs", jobs]).assert().success();
    }
    let find = |jobs: &str, name: &str| {
        let mut waiting = vec![folder.path().join(jobs)];
        while let Some(path) = waiting.pop() {
            for entry in fs::read_dir(path).unwrap() {
                let entry = entry.unwrap().path();
                if entry.is_dir() {
                    waiting.push(entry);
                } else if entry.file_name().is_some_and(|file| file == name) {
                    return fs::read(entry).unwrap();
                }
            }
        }
        panic!("no {name}")
    };
    for name in ["results.csv", "history.csv", "instance_files.csv"] {
        assert_eq!(find("1", name), find("2", name), "{name}");
    }
}

#[test]
fn bad_input_is_named() {
    let with = |more: &str| text(4, &format!("scheduler = \"heft\"\nbaseline = \"mct\"\n{more}"));
    refused(&with("least_nodes = 5"), "at least 5 nodes and at most 4 can't be");
    refused(&with("least_tasks = 6"), "at least 6 tasks and at most 5 can't be");
    refused(&with("cooling = 1.0"), "must be above 0 and below 1");
    refused(&with("first_temperature = 0.0"), "a temperature must be above 0, and finite");
    refused(&with("last_temperature = -1.0"), "a temperature must be above 0, and finite");
    refused(&with("first_temperature = 0.05"), "no search makes a step from 0.05 to `last_temperature`, 0.1");
    refused(&with("last_temperature = 10.0"), "no search makes a step from 10 to `last_temperature`, 10");
    refused(&with("searches = 0"), "searches");
    refused(&with("least_weight = 0.0"), "least_weight");
    refused(&with("weight_step = 2.0"), "weight_step");
    refused(&text(4, "scheduler = \"heft\""), "baseline");
    refused(&text(4, "scheduler = \"online\"\nbaseline = \"heft\""), "online");
    refused(&text(65, "scheduler = \"heft\"\nbaseline = \"mct\""), "must be at most 64");
    refused(&with("").replace("[study]", "[platform]\ntick = \"1us\"\n[study]"), "`cluster` is missing");
    refused(
        &with("").replace("[study]", "[platform.cluster.a]\nnodes = 2\nnetwork = { model = \"ideal\" }\n[study]"),
        "the study `adversarial` uses no platform",
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The makespans that a search compares are those that the machine simulates, to the last tick.
    #[test]
    fn makespans_are_those_of_the_machine(
        seed: u64,
        changes in prop::collection::vec(0usize..6, 0..60),
        scheduler in prop::sample::select(Scheduler::ALL.to_vec()),
        baseline in prop::sample::select(Scheduler::ALL.to_vec()),
        insertion in prop::option::of(any::<bool>()),
    ) {
        let space = Space {
            tasks: 2..=7,
            nodes: 1..=5,
            least: Weight::LEAST,
            step: Weight::nearest(0.3),
            equal_speeds: false,
            equal_links: false,
        };
        let streams = Streams::new(seed, 0);
        let mut stream = streams.stream("test", 0);
        let mut instance = space.draw(&mut stream);
        for change in changes {
            Mutation::ALL[change].apply(&mut instance, &space, &mut stream);
        }
        let contest = Contest { scheduler, baseline, insertion, streams, tick: Tick::PICOSECOND };
        let machine: Platform = contest.machine(&instance).unwrap();
        let graph = instance.graph().unwrap();
        let on_machine = Instance::new(&graph, &machine).unwrap();
        for (scheduler, makespan) in [scheduler, baseline].into_iter().zip(contest.makespans(&instance).unwrap()) {
            let schedule = by_scheduler(&on_machine, scheduler, insertion, streams).unwrap();
            schedule.check(&graph, &on_machine.costs().unwrap()).unwrap();
            let plan = Plan::of(&schedule, &on_machine);
            let mut simulation = Simulation::with_streams(&machine, streams);
            simulation.run(&mut Replay::new(&on_machine, &plan)).unwrap();
            prop_assert_eq!(simulation.completion(), Some(makespan));
        }
    }
}
