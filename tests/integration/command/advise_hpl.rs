//! `hetsim advise --hpl`: how to run HPL, and on which nodes.

use std::fs;

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::{entries, here, hetsim, printed, typed};

/// Four nodes, of which one takes ten times as long: all wait for it, so three are faster than four.
const HPL: &str = r#"
version = 1
[platform.cluster.lab]
nodes = 4
speeds = ["1Gop/s", "1Gop/s", "0.1Gop/s", "1Gop/s"]
network = { model = "hockney", latency = "10us", bandwidth = "1GB/s" }
[workload]
kind = "hpl"
n = 600
nb = 64
p = 1
q = 4
bcast = "long"
"#;

fn json(folder: &TempDir, line: &str) -> Json {
    let assert = typed(folder, &format!("{line} --json")).assert().success();
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

/// The slow node is left out, and a scenario with the advised keys takes what was said.
#[test]
fn the_slow_node_is_left_out() {
    let folder = here(&[("lab.toml", HPL)]);
    let text = printed(hetsim(&folder).env("NO_COLOR", "1").args(["advise", "--hpl", "lab.toml"]));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(text);
    let made = folder.path().join("output/advise-lab");
    assert_eq!(entries(&made), ["settings.csv", "settings.svg"]);
    assert!(fs::read_to_string(made.join("settings.svg")).unwrap().contains("now"));

    let json = json(&folder, "advise --hpl lab.toml");
    assert_eq!((&json["nodes"], &json["nodes_enough"]), (&4.into(), &3.into()));
    let used = &json["with_fewer"];
    let lines: Vec<&str> = json["lines"].as_array().unwrap().iter().filter_map(Json::as_str).collect();
    assert_eq!(lines.last(), Some(&"# and leave out node 2"), "{lines:?}");
    fs::write(folder.path().join("fewer.toml"), HPL.replace("nodes = 4", "nodes = 3").replace("\"0.1Gop/s\", ", ""))
        .unwrap();
    let keys = lines.iter().filter(|line| !line.starts_with('#')).map(|line| line.split(" #").next().unwrap());
    let set = keys.flat_map(|key| ["--set".to_owned(), key.replace(" = ", "=")]);
    hetsim(&folder).args(["fewer.toml", "-q"]).args(set).assert().success();
    let results = fs::read_to_string(folder.path().join("output/fewer/results.csv")).unwrap();
    let mut rows = results.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let column = rows.next().unwrap().iter().position(|name| *name == "completion_s").unwrap();
    let simulated: f64 = rows.next().unwrap()[column].parse().unwrap();
    let said = used["completion_s"].as_f64().unwrap();
    assert!((simulated - said).abs() < 1e-9 * said, "{simulated} is not {said}: {lines:?}");
    // A hand's reckoning: three nodes of ten times the speed instead of four have 7.5 times the rate.
    let now = json["settings"].as_array().unwrap().iter().find(|setting| setting["now"] == true).unwrap();
    assert!((5.0..8.0).contains(&(now["completion_s"].as_f64().unwrap() / said)), "{now}, {said}");
}

/// Settings are tried one after the other, so the file has many; each is at most once in it, and none is faster than the
/// advised one.
#[test]
fn no_setting_is_tried_twice() {
    let equal = HPL.replace("speeds = [\"1Gop/s\", \"1Gop/s\", \"0.1Gop/s\", \"1Gop/s\"]", "speed = \"1Gop/s\"");
    let folder = here(&[("lab.toml", &equal)]);
    let json = json(&folder, "advise --hpl lab.toml");
    assert_eq!(json["machines"], Json::Array(Vec::new()), "equal nodes are not left out");
    let settings = json["settings"].as_array().unwrap();
    let keys = |setting: &Json| {
        ["p", "q", "pmap", "nb", "bcast", "swap", "depth"].map(|key| setting[key].to_string()).join(" ")
    };
    let mut all: Vec<String> = settings.iter().map(keys).collect();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
    assert!(count > 15, "{count}");
    for key in ["p", "nb", "bcast", "swap", "depth", "pmap"] {
        assert!(settings.iter().any(|setting| setting[key] != settings[0][key]), "{key}");
    }
    let time = |setting: &&Json| setting["completion_s"].as_f64().unwrap();
    let advised = settings.iter().find(|setting| setting["advised"] == true).unwrap();
    let least = settings.iter().map(|setting| time(&setting)).fold(f64::INFINITY, f64::min);
    assert!(time(&advised) <= least * 1.005, "{advised}, {least}");
}

#[test]
fn what_is_no_hpl_is_refused() {
    let folder = here(&[("farm.toml", "version = 1\n[workload]\nkind = \"selection\"\n"), ("lab.toml", HPL)]);
    let refused = |line: &str, why: &str| {
        let error = typed(&folder, line).assert().code(2);
        error.stderr(contains(why)).stdout(predicate::str::is_empty());
    };
    refused("advise --hpl lab.toml --tasks", "cannot be used with");
    refused("advise --tasks lab.toml", "is of kind `hpl`; --tasks takes a scenario");
    refused("advise --hpl lab.toml --set workload.p=3", "a grid of 3 × 4");
}
