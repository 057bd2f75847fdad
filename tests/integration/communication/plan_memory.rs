//! Plans are bounded by what they would take, before anything is made of them, and `check` makes none.

use std::time::Duration;

use hetsim::communication::steps::Step;
use hetsim::communication::{Algorithm, Collective, Operation};
use hetsim::record::Value;

use crate::support::{hetsim, try_read};

fn text(nodes: u32, workload: &str) -> String {
    format!(
        "version = 1\n[platform.cluster.lab]\nnodes = {nodes}\n\
         network = {{ model = \"hockney\", latency = \"20us\", bandwidth = \"1Gbit/s\" }}\n[workload]\n{workload}\n"
    )
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
        let shown = try_read(&text(8, &broadcast(algorithm, size, segment))).expect_err(algorithm);
        assert!(shown.contains("segments, which take") && shown.contains("HETSIM_PLAN_MEMORY"), "{algorithm}: {shown}");
        assert!(shown.contains("above the bound of 2 GiB"), "{algorithm}: {shown}");
    }
    let shown = try_read(&text(8, &broadcast("pipeline", "4096TiB", "\"1B\""))).expect_err("more than numbers");
    assert!(shown.contains("more than can be numbered"), "{shown}");
    // By `best`, lengths are chosen that make sense.
    let scenario = try_read(&text(4, &broadcast("pipeline", "4TiB", "\"best\""))).unwrap();
    assert_eq!(scenario.points.len(), 1);
}

/// The place of the key is shown, and the exit code is that of bad input.
#[test]
fn check_shows_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flood.toml");
    std::fs::write(&path, text(8, &broadcast("pipeline", "1GiB", "\"1B\""))).unwrap();
    let check = hetsim(".").arg("check").arg(&path).timeout(Duration::from_mins(1)).output();
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
    let keys = "kind = \"collective\"\noperation = \"all_to_all\"\nalgorithm = \"linear\"\nsize = \"1MiB\"";
    std::fs::write(&path, text(600, keys)).unwrap();
    let check = |bound: &str| {
        let output = hetsim(".").env("HETSIM_PLAN_MEMORY", bound).arg("check").arg(&path).output();
        let output = output.unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // 359 400 messages of 64 bytes, all under way at once.
    assert_eq!(check("32MiB").0, Some(0));
    let (code, shown) = check("16MiB");
    assert!(code == Some(2) && shown.contains("algorithm = \"linear\"") && shown.contains("22 MiB"), "{shown}");
}

/// Of the candidates of `best`, those that take too much are left out; one that is asked for by name is refused.
#[test]
fn best_leaves_out_what_takes_too_much() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("best.toml");
    let check = |algorithm: &str, bound: &str| {
        std::fs::write(&path, text(100, &broadcast(algorithm, "16MiB", "\"1KiB\""))).unwrap();
        let check = hetsim(".").env("HETSIM_PLAN_MEMORY", bound).arg("check").arg(&path).output();
        check.unwrap().status.code()
    };
    // 16 384 segments: 3 MiB along a pipeline, 9 MiB down a binomial tree.
    assert_eq!(check("flat+segmented_binomial", "16MiB"), Some(0));
    assert_eq!(check("flat+segmented_binomial", "4MiB"), Some(2));
    assert_eq!(check("flat+best", "4MiB"), Some(0));
    assert_eq!(check("flat+best", "64KiB"), Some(0));
}

/// A ring of 20 000 ranks has 400 million messages; nothing is made of them when it is checked, nor ever listed.
#[test]
fn rings_are_not_listed() {
    let keys = "kind = \"collective\"\noperation = \"all_gather\"\nalgorithm = \"ring\"\nsize = \"1KiB\"";
    let started = std::time::Instant::now();
    assert_eq!(try_read(&text(20_000, keys)).unwrap().points.len(), 1);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let ring = Collective::new(Operation::AllGather, 20_000, 1024);
    let plan = Algorithm::Ring.plan(&ring).unwrap().into_steps();
    // It copies its own block first.
    assert_eq!(plan.steps_of(19_999), 1 + 2 * 19_999);
    let Some(Step::Send { to, receive, .. }) = plan.step(19_999, 1) else { panic!("a rank sends first") };
    assert_eq!(to, 0);
    assert!(matches!(plan.step(0, receive), Some(Step::Receive { from: 19_999, .. })));
}

/// Nor is a tree: what takes no memory is not refused for it, and advice keeps its candidates.
#[test]
fn trees_among_many_ranks_are_planned() {
    for (operation, algorithm) in [
        (Operation::Broadcast, Algorithm::Binomial),
        (Operation::Gather, Algorithm::Binomial),
        (Operation::AllReduce, Algorithm::RecursiveDoubling),
        (Operation::AllReduce, Algorithm::Rabenseifner),
        (Operation::Barrier, Algorithm::Dissemination),
        (Operation::Broadcast, Algorithm::ScatterRing),
    ] {
        let collective = Collective::new(operation, 1 << 20, 1024);
        assert!(algorithm.plan(&collective).is_ok(), "{operation} {algorithm}");
    }
    let keys = "kind = \"collective\"\noperation = \"broadcast\"\nalgorithm = \"binomial\"\nsize = \"1KiB\"";
    let record = try_read(&text(1 << 18, keys)).unwrap().run(0, 0).unwrap();
    assert_eq!(record.get("messages").and_then(Value::number), Some(f64::from((1 << 18) - 1)));
}

/// A plan of more than a million steps takes the closed form's time.
#[test]
fn long_plans_take_their_time() {
    let keys = "kind = \"collective\"\noperation = \"all_gather\"\nalgorithm = \"ring\"\nsize = \"1KiB\"";
    let record = try_read(&text(730, keys)).unwrap().run(0, 0).unwrap();
    let seconds = |name: &str| record.get(name).and_then(Value::number).unwrap();
    assert!((seconds("completion_s") - 729.0 * (20e-6 + 8.192e-6)).abs() < 1e-12);
    assert!((seconds("completion_s") - seconds("predicted_s")).abs() < 1e-13);
}

/// A study that measures all pairs of nodes says what they take.
#[test]
fn too_many_pairs_are_refused() {
    let text = |nodes: u32, method: &str| {
        format!(
            "version = 1\n[platform.cluster.lab]\nnodes = {nodes}\n\
             network = {{ model = \"hockney\", latency = \"20us\", bandwidth = \"1Gbit/s\" }}\n\
             [study]\nkind = \"partition\"\n{method}\n"
        )
    };
    for (nodes, method, takes) in [
        (3_000_000, "", "98 TiB"),
        (20_000, "", "4.5 GiB"),
        (10_000, "method = \"complete_linkage\"\nthreshold = \"1ms\"", "5.2 GiB"),
    ] {
        let shown = try_read(&text(nodes, method)).expect_err("too many pairs");
        let says = format!("the latencies between all pairs of {nodes} nodes would take {takes} of memory, above");
        assert!(shown.contains(&says) && shown.starts_with("test.toml:6:"), "{shown}");
    }
    assert!(try_read(&text(10_000, "")).is_ok());
}
