//! `hetsim trace` and `hetsim compare`: one run in detail, and two results folders side by side.

use std::fs;

use predicates::prelude::*;
use predicates::str::contains;

use super::shell::{SMALL, fits, folder_with, said};
use crate::support::{self, hetsim};

#[test]
fn trace_tells_all_of_one_run() {
    let folder = folder_with(SMALL);
    let text = said(folder.path(), &["trace", "small.toml", "--run", "0", "--gantt", "run.svg"]);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("send_s,arrival_s,from,to,bytes,message"));
    assert_eq!(lines.clone().count(), 7);
    assert!(lines.all(|line| line.split(',').nth(2) == Some("0") && line.ends_with(",1024,part")), "{text}");
    let svg = fs::read_to_string(folder.path().join("run.svg")).expect("a picture");
    assert!(roxmltree::Document::parse(&svg).is_ok());
    // A run may be called by the name that the results give it.
    said(folder.path(), &["small.toml", "--quiet"]);
    let results = fs::read_to_string(folder.path().join("output/small/results.csv")).expect("results");
    let name = results.lines().nth(1).and_then(|row| row.split(',').next()).expect("a run");
    assert_eq!(said(folder.path(), &["trace", "small.toml", "--run", name]), text);
    assert_eq!(said(folder.path(), &["trace", "small.toml", "--run", &name[..8]]), text);
}

/// A run has one name at two points, and no number where points have different numbers of replicas.
#[test]
fn trace_finds_a_run_by_its_name() {
    let until = "replicas = { until = { metric = \"completion_s\", half_width = \"5%\" }, max = 60 }\n";
    let twice = SMALL.replace("[\"1KiB\", \"8KiB\"]", "{ one = \"1KiB\", same = \"1024B\" }");
    let folder = folder_with(&format!("{until}{}", twice.replace("nodes = 8\n", "nodes = 8\njitter = 0.1\n")));
    said(folder.path(), &["small.toml", "--quiet"]);
    let results = fs::read_to_string(folder.path().join("output/small/results.csv")).expect("results");
    let name = results.lines().nth(2).and_then(|row| row.split(',').next()).expect("a run");
    said(folder.path(), &["trace", "small.toml", "--run", name]);
    let numbered = support::wide(folder.path()).args(["trace", "small.toml", "--run", "1"]).assert().code(2);
    numbered.stderr(contains("there is no run `1`; points stop by themselves, so runs have no numbers"));
}

#[test]
fn trace_shows_what_is_used() {
    let folder = folder_with(&SMALL.replace("model = \"hockney\"", "model = \"fair\""));
    let files = ["--gantt", "run.svg", "--links", "--utilization", "links.svg", "--node-utilization", "nodes.svg"];
    let more = ["trace", "small.toml", "--run", "0", "--trace", "run.json"];
    said(folder.path(), &[&more[..], &files[..]].concat());
    for name in ["run.svg", "links.svg"] {
        let svg = fs::read_to_string(folder.path().join(name)).expect("a picture");
        assert!(roxmltree::Document::parse(&svg).is_ok() && svg.contains("node 0 up"), "{name}");
    }
    assert!(folder.path().join("nodes.svg").exists());
    let trace = fs::read_to_string(folder.path().join("run.json")).expect("a trace");
    let trace: serde_json::Value = serde_json::from_str(&trace).expect("JSON");
    assert!(trace["traceEvents"].as_array().is_some_and(|events| events.iter().any(|event| event["ph"] == "C")));
    let text = said(folder.path(), &["small.toml"]);
    assert!(text.contains("\nMost contended link: "), "{text}");
    let report = fs::read_to_string(folder.path().join("output/small/report.html")).expect("a report");
    assert!(report.contains("Most contended link: "));
}

#[test]
fn links_that_nobody_shares_have_no_picture() {
    let folder = folder_with(SMALL);
    let mut command = hetsim(folder.path());
    command.args(["trace", "small.toml", "--run", "0", "--utilization", "links.svg"]);
    command.assert().failure().stderr(predicate::str::contains("this run has no shared links"));
    assert!(!folder.path().join("links.svg").exists());
}

/// A file for two outputs would only have the second.
#[test]
fn a_file_has_one_output() {
    let folder = folder_with(SMALL);
    for (files, said) in [
        (["--gantt", "same.svg", "--utilization", "same.svg"], "--gantt and --utilization both name same.svg"),
        (["--node-utilization", "same.svg", "--trace", "./same.svg"], "--node-utilization and --trace both name"),
    ] {
        let mut command = hetsim(folder.path());
        command.args(["trace", "small.toml", "--run", "0"]).args(files);
        command.assert().code(2).stdout("").stderr(contains(said));
        assert!(!folder.path().join("same.svg").exists());
    }
}

/// The scenario stays, and the files that it names.
#[test]
fn a_trace_replaces_no_input() {
    let machine = "[cluster.lab]\nnodes = 8\nnetwork = { model = \"ideal\" }\n";
    let scenario = "version = 1\n[platform]\ninclude = \"lab.toml\"\n[workload]\nkind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"linear\"\n";
    let folder = support::here(&[("small.toml", scenario), ("lab.toml", machine)]);
    for (option, file) in [("--ti", "small.toml"), ("--gantt", "./small.toml"), ("--trace", "lab.toml")] {
        let mut command = hetsim(folder.path());
        command.args(["trace", "small.toml", "--run", "0", option, file]);
        let said = format!("{option} {file}: the input would be replaced");
        command.assert().code(2).stdout("").stderr(contains(said));
    }
    for (file, text) in [("small.toml", scenario), ("lab.toml", machine)] {
        assert_eq!(fs::read_to_string(folder.path().join(file)).expect("the input"), text);
    }
}

/// Points stand in the order of the sweep: 2 before 10, and 2 KiB before 16 KiB.
#[test]
fn compare_keeps_the_order_of_the_sweep() {
    let sizes = r#""workload.size" = ["1KiB", "16KiB", "2KiB", "100KiB"]"#;
    let text = SMALL
        .replace(r#""workload.size" = ["1KiB", "8KiB"]"#, sizes)
        .replace("version = 1", "version = 1\nreplicas = 2");
    let folder = folder_with(&text.replace("nodes = 8\n", "nodes = 8\njitter = 0.1\n"));
    let latency = "platform.cluster.lab.network.latency=100us";
    said(folder.path(), &["small.toml", "--quiet"]);
    said(folder.path(), &["small.toml", "--quiet", "--out", "slower", "--set", latency]);
    let text = said(folder.path(), &["compare", "output/small", "slower/small"]);
    let (table, sentences) = text.split_once("Over their replicas").expect("both parts");
    for (part, beginning) in [(table, "linear"), (sentences, "algorithm = linear, size")] {
        let of_time = part.lines().filter(|line| line.contains("ompletion") && line.contains(beginning));
        let lines: Vec<&str> = of_time.collect();
        assert_eq!(lines.len(), 4, "{text}");
        for (line, bytes) in lines.iter().zip(["1024", "16384", "2048", "102400"]) {
            assert!(line.contains(bytes), "{bytes} should be in {line}");
        }
    }
}

#[test]
fn compare_shows_what_differs() {
    let folder = folder_with(SMALL);
    said(folder.path(), &["small.toml", "--quiet"]);
    said(
        folder.path(),
        &["small.toml", "--quiet", "--out", "slower", "--set", "platform.cluster.lab.network.latency=100us"],
    );
    let same = said(folder.path(), &["compare", "output/small", "output/small"]);
    assert_eq!(same, "4 points in the first, 4 in the second, 4 in both; 4 of these are equal.\n");
    let text = said(folder.path(), &["compare", "output/small", "slower/small"]);
    for part in ["0 of these are equal", "completion_s", "linear", "+", " %"] {
        assert!(text.contains(part), "{part} should be in\n{text}");
    }
    fits(&text);
    said(folder.path(), &["small.toml", "--quiet", "--out", "unswept", "--set", "sweep={}", "--set", "table=[]"]);
    hetsim(folder.path())
        .args(["compare", "output/small", "unswept/small"])
        .assert()
        .code(2)
        .stderr(contains("different swept keys: algorithm, size and none"));
}
