//! `hetsim run` and `hetsim check`, as a shell and its user see them.

use std::fs;
use std::path::Path;

use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

use super::shell::{SMALL, fits, folder_with, here, output, said};
use crate::support::{hetsim, printed};

/// Nodes that differ are shown from the least to the greatest.
#[test]
fn check_shows_ranges_of_speeds_and_cores() {
    let network = "network = { model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }";
    let text = format!(
        "version = 1\n[platform.cluster.lab]\nnodes = 3\nnode_cores = [8, 1, 2]\nspeeds = [\"2Gop/s\", \"5Gop/s\", \"1Gop/s\"]\n\
         {network}\n[platform.cluster.alike]\nnodes = 2\nspeeds = [\"2Gop/s\", \"2Gop/s\"]\n{network}\n\
         [platform.cluster.near]\nnodes = 2\nspeeds = [\"2Gop/s\", \"2.001Gop/s\"]\n{network}\n\
         [platform.between]\n{network}\n[workload]\nkind = \"broadcast\"\nsize = \"1MiB\"\nalgorithm = \"binomial\"\n"
    );
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("s.toml"), text).unwrap();
    let said = printed(hetsim(folder.path()).args(["check", "s.toml"]));
    fits(&said);
    let row = |name: &str| {
        let row = said.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{said}"));
        row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("lab ")[1..4], ["3", "1 to 8", "10⁹ to 5×10⁹ op/s"]);
    assert_eq!(row("alike ")[1..4], ["2", "1", "2×10⁹ op/s"]);
    assert_eq!(row("near ")[3], "2×10⁹ to 2.001×10⁹ op/s");
}

#[test]
fn check_shows_the_platform_and_the_number_of_runs() {
    let folder = folder_with(SMALL);
    let text = said(
        folder.path(),
        &["check", "small.toml", "--set", "replicas=3", "--set", "platform.cluster.lab.nodes=5", "--set", "expect=[]"],
    );
    for part in [
        "small.toml is valid",
        "Which is faster?",
        "5 nodes in 1 cluster",
        "lab",
        "workload.algorithm",
        "4 points × 3 replicas = 12 runs",
    ] {
        assert!(text.contains(part), "{part} should be in\n{text}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1, "nothing is written");
    fits(&here(&["check", "scenarios/grid5000.toml"]));
}

#[test]
fn a_run_answers_and_says_what_it_wrote() {
    let folder = folder_with(SMALL);
    let output = output(folder.path(), &["small.toml", "--jobs", "1"]);
    assert_eq!(output.status.code(), Some(0));
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for part in ["Which is faster?", "best algorithm", "Expectations: 4 of 4 met", "Written: output/small/report.html"]
    {
        assert!(stdout.contains(part), "{part} should be in\n{stdout}");
    }
    assert_eq!(stderr, "small: 4 runs\n");
    for text in [&stdout, &stderr] {
        assert!(!text.contains('\u{1b}'), "no colours where nobody looks");
    }
    fits(&stdout);
    let results = fs::read_to_string(folder.path().join("output/small/results.csv")).expect("results");
    let header = results.lines().next().expect("a header");
    assert!(header.starts_with("run,algorithm,size,replica,seed,completion_s,"), "{header}");
    assert_eq!(results.lines().count(), 5);
    for file in ["summary.csv", "expect.csv", "report.html", "scenario.resolved.toml", "manifest.json"] {
        assert!(folder.path().join("output/small").join(file).is_file(), "{file}");
    }
    // What was resolved is a scenario with the same results.
    said(folder.path(), &["run", "output/small/scenario.resolved.toml", "--out", "again", "--quiet"]);
    let again = fs::read_to_string(folder.path().join("again/scenario.resolved/results.csv")).expect("results");
    assert_eq!(again, results);
}

#[test]
fn tables_fit_the_terminal() {
    let folder = TempDir::new().expect("a folder");
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/grid5000.toml");
    let scenario = scenario.to_str().expect("UTF-8");
    let text = said(folder.path(), &[scenario]);
    fits(&text);
    assert!(text.contains("The fastest of all broadcasts for each size"), "{text}");
    let text = said(folder.path(), &["check", scenario, "--set", "platform.cluster.orsay.network.latency=1us"]);
    fits(&text);
    assert!(text.contains("6 clusters"), "{text}");
}

#[test]
fn values_and_seeds_from_the_command_line() {
    let folder = folder_with(SMALL);
    said(
        folder.path(),
        &["small.toml", "--quiet", "--seed", "7", "--set", "platform.cluster.lab.nodes=3", "--set", "expect=[]"],
    );
    let results = fs::read_to_string(folder.path().join("output/small/results.csv")).expect("results");
    let mut rows = results.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().expect("a header");
    let column = |name: &str| header.iter().position(|column| *column == name).expect("a column");
    for row in rows {
        assert_eq!((row[column("seed")], row[column("messages")]), ("7", "2"));
    }
    let manifest: serde_json::Value = serde_json::from_str(
        &fs::read_to_string(folder.path().join("output/small/manifest.json")).expect("a manifest"),
    )
    .expect("JSON");
    assert_eq!(manifest["seed"], 7);
    assert_eq!(manifest["overrides"][2], "seed=7");
}

#[test]
fn quiet_says_nothing() {
    let folder = folder_with(SMALL);
    hetsim(folder.path()).args(["small.toml", "--quiet"]).assert().code(0).stdout("").stderr("");
}

#[test]
fn strict_turns_a_missed_expectation_into_a_failure() {
    let folder = folder_with(&SMALL.replace("value = 7", "value = 8"));
    hetsim(folder.path()).arg("small.toml").assert().code(0).stdout(contains("Expectations: 0 of 4 met"));
    let strict = hetsim(folder.path()).args(["small.toml", "--strict"]).assert().code(1);
    strict.stdout(contains("✗")).stderr(contains("4 expectations are missed"));
    hetsim(folder.path()).args(["small.toml", "--strict", "--set", "expect=[]"]).assert().code(0);
}

#[test]
fn colours_only_where_they_are_seen() {
    let folder = folder_with(&SMALL.replace("nodes = 8", "nodes = 0"));
    let no_colours = || contains("\u{1b}").not();
    for no_color in ["", "1"] {
        hetsim(folder.path()).env("NO_COLOR", no_color).arg("small.toml").assert().code(2).stderr(no_colours());
    }
}

#[test]
fn new_scenarios_run() {
    let folder = TempDir::new().expect("a folder");
    for kind in ["broadcast", "grid"] {
        fs::write(folder.path().join(format!("{kind}.toml")), said(folder.path(), &["new", kind])).expect("a file");
        let text = said(folder.path(), &[&format!("{kind}.toml")]);
        assert!(text.contains("The fastest"), "{text}");
        fits(&text);
    }
}

/// More jobs than cores cost time and nothing else, so they are cut, which is said.
#[test]
fn jobs_are_bounded_by_the_cores() {
    let folder = folder_with(SMALL);
    let output = output(folder.path(), &["small.toml", "--jobs", "1000000"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("1000000 jobs are more than this machine has cores"), "{stderr}");
}
