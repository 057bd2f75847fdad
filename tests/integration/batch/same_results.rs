//! Batches: the same bytes for any number of threads and after any interruption, and nothing computed twice.

use std::path::Path;

use crate::support;

/// Jitter, random load and drawn speeds, so that every stream takes part.
const RANDOM: &str = r#"
version = 1
replicas = 4
seed = 7

[platform.cluster.a]
nodes = 12
speed_factor = { distribution = "log_normal", mean = 0.0, deviation = 0.4 }
network = { model = "loggp", latency = "20us", overhead = "3us", gap = "5us", gap_per_byte = "8ns/B" }
jitter = 0.3

[[platform.cluster.a.load]]
profile = { kind = "random", tasks = 1, mean_idle = "1ms", mean_busy = "1ms" }

[platform.cluster.b]
nodes = 5
network = { model = "hockney", latency = "20us", bandwidth = "1Gbit/s" }

[platform.between]
network = { model = "fair", latency = "1ms", bandwidth = "1Gbit/s" }
jitter = 0.1

[workload]
kind = "broadcast"
size = "64KiB"
algorithm = "binomial"

[sweep]
"workload.algorithm" = ["linear", "binomial", "pipeline", "split_binary", "scatter_ring", "ecef+best", "ecef"]
"workload.size" = ["1KiB", "64KiB"]
"#;

fn hetsim(folder: &Path, arguments: &[&str]) -> String {
    let output = support::hetsim(folder).args(arguments).output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{messages}");
    messages
}

fn results(folder: &Path, out: &str) -> Vec<u8> {
    std::fs::read(folder.join(out).join("random/results.csv")).unwrap()
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("random.toml"), RANDOM).unwrap();
    for (out, jobs) in [("one", "1"), ("two", "2"), ("eight", "8")] {
        hetsim(folder.path(), &["random.toml", "--quiet", "--out", out, "--jobs", jobs]);
    }
    let one = results(folder.path(), "one");
    assert_eq!(String::from_utf8_lossy(&one).lines().count(), 1 + 7 * 2 * 4);
    assert!(one == results(folder.path(), "two") && one == results(folder.path(), "eight"));
    // Replicas differ, and another seed gives other metrics.
    hetsim(folder.path(), &["random.toml", "--quiet", "--out", "other", "--seed", "8"]);
    assert!(one != results(folder.path(), "other"));
}

#[test]
fn finished_runs_are_not_computed_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("random.toml");
    std::fs::write(&file, RANDOM).unwrap();
    assert!(hetsim(folder.path(), &["random.toml"]).contains("random: 56 runs\n"));
    let first = results(folder.path(), "output");
    assert!(hetsim(folder.path(), &["random.toml"]).contains("random: 56 runs, 56 already done"));
    assert_eq!(first, results(folder.path(), "output"));
    // Only what changed: one algorithm more.
    std::fs::write(&file, RANDOM.replace("\"ecef\"]", "\"ecef\", \"chain\"]")).unwrap();
    assert!(hetsim(folder.path(), &["random.toml"]).contains("random: 64 runs, 56 already done"));
    // And nothing where only words did.
    std::fs::write(&file, RANDOM.replace("version = 1", "version = 1\nquestion = \"Why?\"")).unwrap();
    assert!(hetsim(folder.path(), &["random.toml"]).contains("random: 56 runs, 56 already done"));
    assert_eq!(first, results(folder.path(), "output"));
    assert!(hetsim(folder.path(), &["random.toml", "--fresh"]).contains("random: 56 runs\n"));
    assert_eq!(first, results(folder.path(), "output"));
}

#[test]
fn a_torn_record_is_computed_again() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("random.toml"), RANDOM).unwrap();
    hetsim(folder.path(), &["random.toml", "--quiet"]);
    let whole = results(folder.path(), "output");
    let store = folder.path().join("output/random/store");
    let segment = std::fs::read_dir(store).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&segment).unwrap();
    std::fs::write(&segment, &bytes[..bytes.len() - 20]).unwrap();
    let messages = hetsim(folder.path(), &["random.toml"]);
    assert!(messages.contains("56 runs, 55 already done"), "{messages}");
    assert_eq!(whole, results(folder.path(), "output"));
}
