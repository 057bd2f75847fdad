//! `hetsim measure --tasks --dag`: logs of Nextflow to workflows that run.

use std::fs;
use std::path::Path;

use predicates::str::contains;
use serde_json::Value as Json;

use crate::support::{DATA, here, metric, printed, read_in, typed};

const DAG: &str = "digraph { A -> B }";

/// 217 tasks of a workflow that ran in a cloud, eight of which failed and were tried again: 4176.2 s from the first submission to
/// the last end (tests/data/tasks/LICENSE-openproblems.txt says where it is from). Each method is run on data sets, and
/// each metric on what methods made of them, so that the names of tasks say how many dependencies there are.
#[test]
fn a_workflow_that_ran_is_found_and_run() {
    let read = |file: &str| fs::read_to_string(Path::new(DATA).join("tasks").join(file)).unwrap();
    let (trace, dag) = (read("nextflow-openproblems.txt"), read("nextflow-openproblems.dot"));
    let folder = here(&[("trace.txt", &trace), ("dag.dot", &dag)]);
    let line = "measure --tasks trace.txt --dag dag.dot";
    let json: Json = serde_json::from_str(&printed(&mut typed(&folder, &format!("{line} --json --out made")))).unwrap();
    let of_trace = |process: &str| trace.lines().filter(|line| line.contains(process)).count() as u64;
    let dependencies = |from: &str, to: &str| {
        let pairs = json["workflow"]["processes"].as_array().unwrap();
        let pair = pairs.iter().find(|pair| pair["predecessor"] == from && pair["successor"] == to).unwrap();
        pair["dependencies"].as_u64().unwrap()
    };
    // Attempts that failed depend on the same ones.
    assert_eq!(dependencies("load_dataset", "run_method"), of_trace("\trun_method"));
    assert_eq!(dependencies("run_method", "run_metric"), of_trace("\trun_metric"));
    assert_eq!(dependencies("list_tasks", "list_methods"), of_trace("\tlist_methods"));
    assert_eq!(json["workflow"]["contradicted"], 0);

    let made = folder.path().join("made/measure-trace");
    let scenario = fs::read_to_string(made.join("workflow.toml")).unwrap();
    assert!(scenario.contains("The log took 4176.2"), "{scenario}");
    let record = read_in(&made, &scenario).run(0, 0).unwrap();
    assert_eq!(metric(&record, "graph_tasks") as usize, trace.lines().count() - 1);
    let error = metric(&record, "completion_s") / 4176.246 - 1.0;
    assert!(error.abs() < 0.1, "{error}");
    // Without its waits it would take less than half.
    let (free, _) = scenario.split_once("[workload.system.type_dispatch]").unwrap();
    assert!(metric(&read_in(&made, free).run(0, 0).unwrap(), "completion_s") < 0.5 * 4176.0);
}

/// Two machines, of which one is twice as fast: each task has the operations of its machine, and runs there again.
#[test]
fn tasks_run_where_they_ran() {
    let rows = [
        "A\t1\tfast\t0\t0\t10\t0",
        "A\t2\tfast\t0\t0\t10\t0",
        "A\t3\tslow\t0\t0\t20\t0",
        "A\t4\tslow\t0\t0\t20\t0",
        "B\t1\tslow\t10\t11\t9\t0",
        "B\t2\tfast\t10\t11\t4.5\t0",
        "B\t3\tfast\t20\t21\t4.5\t0",
        "B\t4\tslow\t20\t21\t9\t0",
    ];
    let csv = format!("type,tag,machine,submitted,started,seconds,cores\n{}\n", rows.join("\n").replace('\t', ","));
    let folder = here(&[("log.csv", &csv), ("dag.dot", DAG)]);
    typed(&folder, "measure --tasks log.csv --dag dag.dot --out made").assert().success();
    let made = folder.path().join("made/measure-log");
    let scenario = fs::read_to_string(made.join("workflow.toml")).unwrap();
    let record = read_in(&made, &scenario).run(0, 0).unwrap();
    assert!((metric(&record, "completion_s") - 30.0).abs() < 1e-3, "{scenario}");
    let graph = fs::read_to_string(made.join("graph.toml")).unwrap();
    assert!(graph.contains("name = \"A (1)\", type = \"A\", machine = \"fast\""), "{graph}");
    assert!(graph.contains("{ from = \"A (3)\", to = \"B (3)\", bytes = 0 }"), "{graph}");
}

#[test]
fn what_is_wrong_with_a_graph_is_said() {
    let log = "type,submitted,started,ended\nA,0,0,1\nB,1,1,2\n";
    for (dag, message) in [
        ("digraph { A -> C }", "dag.dot: the graph has no process `B`: is it of another workflow?"),
        ("digraph { A -> }", "dag.dot: line 1, column 13: expected a node on either side of `->`"),
        ("flowchart TB\n A --> B", "dag.dot: line 1, column 1: expected `digraph`: Nextflow writes one if the name"),
        ("digraph { A -> B", "dag.dot: line 1, column 17: the text ends within the graph"),
    ] {
        let folder = here(&[("log.csv", log), ("dag.dot", dag)]);
        let assert = typed(&folder, "measure --tasks log.csv --dag dag.dot --out made").assert().code(2);
        let said = String::from_utf8_lossy(&assert.get_output().stderr).replace("\n  │ ", " ");
        assert!(said.contains(message), "{said}");
        assert!(!folder.path().join("made").exists());
    }
    let folder = here(&[("log.csv", "type,seconds\nA,1\nB,1\n"), ("dag.dot", DAG)]);
    let assert = typed(&folder, "measure --tasks log.csv --dag dag.dot").assert().code(2);
    assert.stderr(contains("when they were submitted"));
    let folder = here(&[("log.csv", log), ("dag.dot", DAG)]);
    typed(&folder, "measure log.csv --dag dag.dot").assert().code(2).stderr(contains("--tasks"));
}
