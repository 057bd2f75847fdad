//! Plans are bounded by what they would take, before anything is made of them, and `check` makes none.

use std::path::Path;
use std::time::Duration;

use assert_cmd::Command;
use hetsim::communication::collective::{Algorithm, Collective, Operation, Step};
use hetsim::record::Value;
use hetsim::scenario::{Scenario, Source};

fn text(nodes: u32, workload: &str) -> String {
    format!(
        "version = 1\n[platform.cluster.lab]\nnodes = {nodes}\n\
         network = {{ model = \"hockney\", latency = \"20us\", bandwidth = \"1Gbit/s\" }}\n[workload]\n{workload}\n"
    )
}

fn read(text: &str) -> Result<Scenario, String> {
    let source = Source { name: "test.toml".to_owned(), folder: Path::new(".").to_path_buf(), text: text.into() };
    Scenario::read("test".to_owned(), source, &[]).map_err(|problems| problems.to_string())
}

fn broadcast(algorithm: &str, size: &str, segment: &str) -> String {
    format!("kind = \"broadcast\"\nalgorithm = \"{algorithm}\"\nsize = \"{size}\"\nsegment = {segment}")
}

/// Each of these took all memory there is, or a time without end.
#[test]
fn what_would_flood_memory_is_refused_with_its_key() {
    for (algorithm, size, segment) in [
        ("pipeline", "1GiB", "\"1B\""),
        ("segmented_binary", "1GiB", "\"1B\""),
        ("split_binary", "1GiB", "\"1B\""),
        ("segmented_binomial", "1GiB", "\"1B\""),
        ("pipeline", "4TiB", "\"16KiB\""),
        ("flat+pipeline", "4TiB", "\"16KiB\""),
    ] {
        let shown = read(&text(8, &broadcast(algorithm, size, segment))).expect_err(algorithm);
        assert!(shown.contains("segments, which take") && shown.contains("HETSIM_PLAN_MEMORY"), "{algorithm}: {shown}");
        assert!(shown.contains("above the bound of 2 GiB"), "{algorithm}: {shown}");
    }
    let shown = read(&text(8, &broadcast("pipeline", "4096TiB", "\"1B\""))).expect_err("more than numbers");
    assert!(shown.contains("more than can be numbered"), "{shown}");
    // By `best`, lengths are chosen that make sense.
    let scenario = read(&text(4, &broadcast("pipeline", "4TiB", "\"best\""))).unwrap();
    assert_eq!(scenario.points.len(), 1);
}

/// The place of the key is shown, and the exit code is that of bad input.
#[test]
fn check_shows_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flood.toml");
    std::fs::write(&path, text(8, &broadcast("pipeline", "1GiB", "\"1B\""))).unwrap();
    let check = Command::cargo_bin("hetsim").unwrap().arg("check").arg(&path).timeout(Duration::from_mins(1)).output();
    let check = check.unwrap();
    let shown = String::from_utf8_lossy(&check.stderr).into_owned();
    assert_eq!(check.status.code(), Some(2), "{shown}");
    assert!(shown.contains("segment = \"1B\"") && shown.contains("1073741824 segments"), "{shown}");
}

/// The bound is raised, or lowered, by the environment.
#[test]
fn the_bound_is_the_environments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.toml");
    let keys = "kind = \"collective\"\noperation = \"broadcast\"\nalgorithm = \"scatter_ring\"\nsize = \"1MiB\"";
    std::fs::write(&path, text(600, keys)).unwrap();
    let check = |bound: &str| {
        let output =
            Command::cargo_bin("hetsim").unwrap().env("HETSIM_PLAN_MEMORY", bound).arg("check").arg(&path).output();
        let output = output.unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // 360 000 messages of 128 bytes.
    assert_eq!(check("64MiB").0, Some(0));
    let (code, shown) = check("32MiB");
    assert!(code == Some(2) && shown.contains("algorithm = \"scatter_ring\"") && shown.contains("44 MiB"), "{shown}");
}

/// A ring of 20 000 ranks has 400 million messages; nothing is made of them when it is checked, nor ever listed.
#[test]
fn rings_are_not_listed() {
    let keys = "kind = \"collective\"\noperation = \"all_gather\"\nalgorithm = \"ring\"\nsize = \"1KiB\"";
    let started = std::time::Instant::now();
    assert_eq!(read(&text(20_000, keys)).unwrap().points.len(), 1);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let ring = Collective { operation: Operation::AllGather, ranks: 20_000, root: 0, size: 1024 };
    let plan = Algorithm::Ring.plan(&ring).unwrap();
    assert_eq!(plan.count(), 2 * 20_000 * 19_999);
    let Step::Send { to, receive, .. } = plan.step(plan.of(19_999).start) else { panic!("a rank sends first") };
    assert_eq!((to, plan.of(0).contains(&receive)), (0, true));
    assert!(matches!(plan.step(receive), Step::Receive { from: 19_999, .. }));
}

/// A plan of more than a million steps counts early messages otherwise, and takes the closed form's time all the same.
#[test]
fn long_plans_take_their_time() {
    let keys = "kind = \"collective\"\noperation = \"all_gather\"\nalgorithm = \"ring\"\nsize = \"1KiB\"";
    let record = read(&text(730, keys)).unwrap().run(0, 0).unwrap();
    let seconds = |name: &str| record.get(name).and_then(Value::number).unwrap();
    assert!((seconds("completion_s") - 729.0 * (20e-6 + 8.192e-6)).abs() < 1e-12);
    assert!((seconds("completion_s") - seconds("predicted_s")).abs() < 1e-13);
}
