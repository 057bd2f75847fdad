//! Tasks that run where a file says that they ran: a schedule worked out by hand, and plans that are written and run again.

use hetsim::graph::read::Format;
use hetsim::graph::{Builder, TaskGraph};
use hetsim::record::Record;
use proptest::prelude::*;

use crate::support::{self, column, metric, near, refused};

/// Five tasks on two machines. The list of machines, not the first task, says which node is which.
const FLOW: &str = r#"{ "name": "f", "schemaVersion": "1.5", "workflow": {
    "specification": { "tasks": [
        { "name": "big", "id": "a", "children": ["d"], "outputFiles": ["f"] },
        { "name": "big", "id": "b", "children": ["e"] },
        { "name": "c", "id": "c" },
        { "name": "d", "id": "d", "parents": ["a"], "children": ["e"], "inputFiles": ["f"], "outputFiles": ["g"] },
        { "name": "e", "id": "e", "parents": ["b", "d"], "inputFiles": ["g"] } ],
      "files": [ { "id": "f", "sizeInBytes": 2 }, { "id": "g", "sizeInBytes": 3 } ] },
    "execution": { "tasks": [
        { "id": "a", "runtimeInSeconds": 4, "machines": ["left"] },
        { "id": "b", "runtimeInSeconds": 3, "machines": ["left"] },
        { "id": "c", "runtimeInSeconds": 5, "machines": ["right"] },
        { "id": "d", "runtimeInSeconds": 1, "machines": ["right"] },
        { "id": "e", "runtimeInSeconds": 2, "machines": ["left"] } ],
      "machines": [ { "nodeName": "right" }, { "nodeName": "left" } ] } } }"#;

/// Nodes of 1 op/s, and 1 B/s between them.
fn scenario(nodes: u32, cores: u32, workload: &str) -> String {
    format!(
        "version = 1\n[platform.cluster.lab]\nnodes = {nodes}\nspeed = \"1op/s\"\ncores = {cores}\n\
         network = {{ model = \"delay\", latency = \"0s\", bandwidth = \"1B/s\" }}\n[output]\ntables = [\"tasks\"]\n\
         [workload]\nkind = \"taskgraph\"\n{workload}\n"
    )
}

/// A run of a graph in a file of that name.
fn run(name: &str, graph: &str, scenario: &str) -> Record {
    let folder = support::here(&[(name, graph)]);
    support::try_read_in(folder.path(), scenario, &[]).unwrap().run(0, 0).unwrap()
}

/// Where the tasks of `FLOW` ran, when they started, and when the last ended.
fn flow(cores: u32, system: &str) -> (Vec<f64>, Vec<f64>, f64) {
    let text = scenario(2, cores, &format!("file = \"flow.json\"\nscheduler = \"recorded\"\n{system}"));
    let record = run("flow.json", FLOW, &text);
    (column(&record, "tasks", "node"), column(&record, "tasks", "start_s"), metric(&record, "completion_s"))
}

/// On `left`, `b` queues behind `a` until 4 s. On `right`, `c` does not wait for that queue: it runs from 0 s to 5 s. `d` is
/// ready at 4 s, gets its core at 5 s and its 2 B at 7 s, and ends at 8 s. `e` then gets 3 B by 11 s and ends at 13 s.
#[test]
fn each_task_runs_where_it_ran() {
    let (nodes, starts, completion) = flow(1, "");
    assert_eq!(nodes, [1.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(starts, [0.0, 4.0, 0.0, 7.0, 11.0]);
    near(completion, 13.0);
}

/// With two cores nothing queues: `d` has its data at 6 s and `e` at 10 s.
#[test]
fn what_fits_on_a_node_runs_at_once() {
    assert_eq!(flow(2, "").1, [0.0, 0.0, 0.0, 6.0, 10.0]);
    // Two tasks that take two cores each run one after the other.
    assert_eq!(flow(2, "[workload.system.needs.big]\ncores = 2").1, [0.0, 4.0, 0.0, 6.0, 10.0]);
}

/// The costs of a task system come on top.
#[test]
fn tasks_pass_the_system() {
    assert_eq!(flow(1, "[workload.system]\nstartup = \"5s\"").1, [5.0, 9.0, 5.0, 12.0, 16.0]);
    // One at a time, as they are handed out: a, c, b, and d, whose data are there at 11 s.
    assert_eq!(flow(1, "[workload.system]\nslots = 1").1, [0.0, 9.0, 4.0, 12.0, 16.0]);
    // Data pass through the storage: `a` writes 2 s longer, `d` reads as long, and so on; none pass between nodes.
    let (_, starts, _) = flow(1, "[workload.system]\nstorage = \"1B/s\"");
    assert_eq!(starts, [0.0, 6.0, 0.0, 8.0, 15.0]);
}

#[test]
fn what_was_not_recorded_is_refused() {
    let with = |nodes: u32, file: &str, graph: &str| {
        let folder = support::here(&[(file, graph)]);
        let workload = format!("file = \"{file}\"\noperations_factor = 1.0\nscheduler = \"recorded\"");
        let error = support::try_read_in(folder.path(), &scenario(nodes, 1, &workload), &[]);
        error.unwrap_err().to_string()
    };
    let some =
        "version = 1\ntasks = [{ name = \"a\", operations = 1, machine = \"m\" }, { name = \"b\", operations = 1 }]";
    for (nodes, file, graph, words) in [
        (2, "flow.dot", "digraph f { a [work=1] }", "does not say on which machines its tasks ran"),
        (2, "flow.toml", some, "does not say on which machine task b ran"),
        (1, "flow.json", FLOW, "the tasks ran on 2 machines, and the platform has 1 node"),
    ] {
        let error = with(nodes, file, graph);
        assert!(error.contains(words), "{error}");
    }
    let drawn = "generate = { shape = { family = \"chain\", tasks = 3 } }\nscheduler = \"recorded\"";
    refused(&scenario(2, 1, drawn), "a graph that is drawn has run nowhere");
    let arrivals = format!("{drawn}\narrivals = {{ at = [\"0s\"] }}");
    refused(&scenario(2, 1, &arrivals), "need a scheduler that decides then: `online` or `first_come`");
    let shared =
        scenario(2, 1, drawn).replace("[platform.cluster", "[platform]\nsharing = \"processor\"\n[platform.cluster");
    refused(&shared, "recorded gives a core one task at a time");
    // A record, like a plan, may put a task on any node.
    let uneven = scenario(2, 1, &format!("{drawn}\n[workload.system.needs.big]\ncores = 2"));
    refused(&uneven, "a task takes at least 1 core, and at most the 1 that nodes have");
}

fn written(graph: &TaskGraph, format: Format) -> String {
    let mut text = Vec::new();
    hetsim::graph::write::write(graph, format, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A plan whose nodes are written as machines runs on them again, and formats keep them: each task on its node, none
    /// before its predecessors have ended, one at a time on a core.
    #[test]
    fn a_plan_is_run_again(
        tasks in prop::collection::vec(1u32..9, 1..24),
        pairs in prop::collection::vec((0u32..24, 0u32..24, 0u64..9), 0..40),
        nodes in 1u32..5,
        by in prop::sample::select(vec!["heft", "round_robin", "first_come"]),
    ) {
        let build = |machines: &[f64]| {
            let mut graph = Builder::new();
            // Also machines on which nothing ran have their nodes.
            let names: Vec<String> = (0..nodes).map(|node| format!("m{}", 9 - node)).collect();
            graph.declare_machines(names.iter().filter(|_| !machines.is_empty()).map(String::as_str));
            for &work in &tasks {
                graph.task(f64::from(work)).unwrap();
            }
            for (task, &machine) in (0..).zip(machines) {
                graph.machine(task, &names[machine as usize]).unwrap();
            }
            let mut seen = std::collections::BTreeSet::new();
            for &(from, to, bytes) in &pairs {
                if from < to && (to as usize) < tasks.len() && seen.insert((from, to)) {
                    graph.edge(from, to, bytes).unwrap();
                }
            }
            graph.build().unwrap()
        };
        let workload = |scheduler: &str| scenario(nodes, 1, &format!("file = \"g.toml\"\nscheduler = \"{scheduler}\""));
        let planned = run("g.toml", &written(&build(&[]), Format::Toml), &workload(by));
        let at = column(&planned, "tasks", "node");
        let graph = build(&at);
        for format in [Format::Toml, Format::Wfformat] {
            let again = format.read(&written(&graph, format)).unwrap();
            prop_assert_eq!(again.machines(), graph.machines());
            prop_assert!(graph.ids().all(|task| again.machine_of(task) == graph.machine_of(task)));
        }
        let record = run("g.toml", &written(&graph, Format::Toml), &workload("recorded"));
        prop_assert_eq!(&column(&record, "tasks", "node"), &at);
        let (start, finish) = (column(&record, "tasks", "start_s"), column(&record, "tasks", "finish_s"));
        for edge in graph.edges() {
            prop_assert!(start[edge.to as usize] >= finish[edge.from as usize] - 1e-9);
        }
        for (one, other) in graph.ids().flat_map(|one| (0..one).map(move |other| (one as usize, other as usize))) {
            let apart = start[one] >= finish[other] - 1e-9 || start[other] >= finish[one] - 1e-9;
            prop_assert!(apart || at[one] != at[other]);
        }
    }
}
