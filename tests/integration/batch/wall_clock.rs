//! What the clock measures stands apart: results stay the same bytes, and its expectations fail nothing.

use std::path::Path;
use std::process::Output;

use crate::support;

const SCENARIO: &str = r#"
version = 1
replicas = 3

[platform.cluster.a]
nodes = 4
network = { model = "delay", latency = "1us", bandwidth = "1Gbit/s" }

[workload]
kind = "taskgraph"
scheduler = "heft"
generate = { shape = { family = "layered", tasks = 200, width = 10, successors = 2 }, operations = { distribution = "constant", value = "1Mop" } }

[sweep]
"workload.scheduler" = ["heft", "cpop", "online"]

[[derive]]
name = "times_cpop"
metric = "scheduling_s"
how = "ratio"
to = { scheduler = "cpop" }

[[expect]]
metric = "scheduling_s"
where = { scheduler = ["heft", "cpop"] }
at_most = "1ps"
source = "impossible"
"#;

fn hetsim(folder: &Path, arguments: &[&str]) -> Output {
    support::hetsim(folder).arg("t.toml").args(arguments).output().unwrap()
}

#[test]
fn timings_stand_apart_from_results() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.toml"), SCENARIO).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join("output/t").join(name)).unwrap();
    let first = hetsim(folder.path(), &["--strict"]);
    let messages = String::from_utf8_lossy(&first.stderr);
    assert!(first.status.success(), "a miss on the clock fails nothing: {messages}");
    let shown = String::from_utf8_lossy(&first.stdout);
    assert!(shown.contains("0 of 2 met") && shown.contains("wall-clock time"), "{shown}");
    let (results, summary, timings) = (read("results.csv"), read("summary.csv"), read("timings.csv"));
    assert!(!results.contains("scheduling_s") && !summary.contains("scheduling_s") && !summary.contains("times_cpop"));
    let lines: Vec<&str> = timings.lines().collect();
    assert_eq!(lines[0], "run,scheduler,replica,seed,scheduling_s");
    assert_eq!(lines.len(), 1 + 3 * 3);
    for line in &lines[1..] {
        let cells: Vec<&str> = line.split(',').collect();
        let took: Option<f64> = cells[4].parse().ok();
        assert_eq!(took.is_some_and(|took| took > 0.0), cells[1] != "online", "{line}");
    }
    // From the store they come as they were; computed again, only they change.
    hetsim(folder.path(), &[]);
    assert_eq!(timings, read("timings.csv"));
    hetsim(folder.path(), &["--fresh"]);
    assert_eq!((results, summary), (read("results.csv"), read("summary.csv")));
    assert_ne!(timings, read("timings.csv"));
}
