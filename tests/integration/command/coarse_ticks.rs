//! Ticks that are coarser than what they measure are told of, with the error that they make.

use hetsim::record::Value;

use crate::support::{self, read};

fn text(tick: &str, network: &str) -> String {
    format!(
        "version = 1\n[platform]\ntick = \"{tick}\"\n[platform.cluster.lab]\nnodes = 8\nnetwork = {network}\n[workload]\n\
         kind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"binomial\"\n"
    )
}

const HOCKNEY: &str = r#"{ model = "hockney", latency = "1.5us", bandwidth = "1Gbit/s" }"#;

/// What is told is what happens: 1.508 µs become 2 µs (and the byte another), and the run is as much longer.
#[test]
fn the_error_told_is_the_error_made() {
    let told = read(&text("1us", HOCKNEY)).coarse_tick().unwrap();
    // 1.5 µs become 2, the byte's 8 ns become 1: 3 µs for 1.508.
    assert!(told.contains("tick of 1us") && told.contains("instead of 1508ns"), "{told}");
    assert!(told.contains("becomes 3us") && told.contains("99 % too long"), "{told}");
    let completion = |tick: &str| {
        let record = read(&text(tick, HOCKNEY)).run(0, 0).unwrap();
        record.get("completion_s").and_then(Value::number).unwrap()
    };
    assert!((completion("1us") / completion("1ps") - 3.0 / 1.508).abs() < 1e-9);
}

#[test]
fn ticks_far_below_all_lengths_are_not_told_of() {
    for (tick, network) in [
        ("1ps", HOCKNEY),
        ("1ns", HOCKNEY),
        ("1us", r#"{ model = "logp", latency = "6us", overhead = "2us", gap = "4us" }"#),
        ("1ms", r#"{ model = "ideal" }"#),
    ] {
        assert_eq!(read(&text(tick, network)).coarse_tick(), None, "{tick} {network}");
    }
    for network in [
        r#"{ model = "logp", latency = "6us", overhead = "2500ns", gap = "4us" }"#,
        r#"{ model = "loggp", latency = "6us", overhead = "2us", gap = "4us", gap_per_byte = "0.1ns/B" }"#,
        r#"{ model = "fair", latency = "100ns", bandwidth = "1GB/s" }"#,
        r#"{ model = "fair", latency = "100ns", bandwidth = "1GB/s", topology = { kind = "torus", dimensions = [2, 4] } }"#,
    ] {
        assert!(read(&text("1us", network)).coarse_tick().is_some(), "{network}");
    }
}

/// Inner levels are the fastest, and suffer most.
#[test]
fn levels_inside_clusters_are_looked_at() {
    let level = "[[platform.cluster.lab.level]]\nsize = 4\nnetwork = { model = \"hockney\", latency = \"100ns\", bandwidth = \"10GB/s\" }\n";
    let slow = r#"{ model = "hockney", latency = "10ms", bandwidth = "1MB/s" }"#;
    let text = text("1us", slow);
    assert_eq!(read(&text).coarse_tick(), None);
    let told = read(&text.replace("[workload]", &format!("{level}[workload]"))).coarse_tick().unwrap();
    // 100 ns become 1 µs, and the byte another.
    assert!(told.contains("20 times as long") && told.contains("among 4 nodes of a level in `lab`"), "{told}");
}

/// Of many clusters each network is compared.
#[test]
fn each_network_between_clusters_is_looked_at() {
    let slow = r#"{ model = "hockney", latency = "10ms", bandwidth = "1MB/s" }"#;
    let text = format!(
        "version = 1\n[platform]\ntick = \"1us\"\n[platform.cluster]\na = {{ nodes = 1, network = {slow} }}\n\
         b = {{ nodes = 1, network = {slow} }}\nc = {{ nodes = 1, network = {slow} }}\n[platform.between]\nnetwork = {slow}\n\
         [[platform.link]]\nbetween = [\"b\", \"c\"]\nnetwork = {HOCKNEY}\n\
         [workload]\nkind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"binomial\"\n"
    );
    let told = read(&text).coarse_tick().unwrap();
    assert!(told.contains("from `b` to `c`"), "{told}");
}

/// A swept tick, or a swept latency, is looked at value by value.
#[test]
fn sweeps_are_looked_at() {
    let swept = |sweep: &str| read(&format!("{}[sweep]\n{sweep}\n", text("1ps", HOCKNEY))).coarse_tick();
    assert_eq!(swept("\"platform.tick\" = [\"1ps\", \"1ns\"]"), None);
    assert!(swept("\"platform.tick\" = [\"1ps\", \"1us\"]").unwrap().contains("tick of 1us"));
    let latencies = format!(
        "{}[sweep]\n\"platform.cluster.lab.network.latency\" = [\"1us\", \"1ns\"]\n",
        text("1ns", HOCKNEY).replace("1Gbit/s", "1000Gbit/s")
    );
    let told = read(&latencies).coarse_tick().unwrap();
    // 1 ns and 8 ps for a byte become 2 ns.
    assert!(told.contains("becomes 2ns instead of 1008ps (98 % too long)"), "{told}");
}

/// It is said by `check` and by a run, which goes on.
#[test]
fn check_and_run_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("coarse.toml");
    std::fs::write(&path, text("1us", HOCKNEY)).unwrap();
    let hetsim = || support::hetsim(".");
    let words = |text: &[u8]| String::from_utf8_lossy(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let check = hetsim().arg("check").arg(&path).output().unwrap();
    assert!(check.status.success());
    assert!(words(&check.stdout).contains("take a finer `platform.tick`"), "{check:?}");
    let run = hetsim().arg(&path).arg("--out").arg(folder.path().join("out")).output().unwrap();
    assert!(run.status.success() && words(&run.stderr).contains("take a finer `platform.tick`"), "{run:?}");
}

/// 400 ns of computing become 1 µs, and a run takes 2.5 times as long.
#[test]
fn computing_of_few_ticks_is_told_of() {
    let text = |kind: &str, tick: &str, task: &str| {
        format!(
            "version = 1\n[platform]\ntick = \"{tick}\"\n[platform.cluster.lab]\nnodes = 2\nspeed = \"1Gop/s\"\n\
             network = {{ model = \"ideal\" }}\n[workload]\nkind = {kind}\ntask = {{ {task} }}\n"
        )
    };
    let (island, equal) = ("\"island\"\npopulation = 200\ngenerations = 100", "distribution = \"constant\"");
    let constant = |operations: &str| format!("{equal}, operations = \"{operations}\"");
    let coarse = text(island, "1us", &constant("400op"));
    let completion = |text: &str| read(text).run(0, 0).unwrap().get("completion_s").and_then(Value::number).unwrap();
    assert_eq!((completion(&coarse), completion(&coarse.replace("1us", "1ns"))), (10e-3, 4e-3));
    let [told] = &read(&coarse).warnings()[..] else { panic!("one warning") };
    let says = "the tick of 1us is coarse beside this workload: the mean task on node 0 becomes 1us instead of 400ns";
    assert!(told.starts_with(says), "{told}");
    let spread = |mean: &str| format!("distribution = \"exponential\", mean = \"{mean}\"");
    let others = ["\"independent\"\ntasks = 9", "\"genetic\"\npopulation = 9\ngenerations = 2"];
    for kind in [island, others[0], others[1]] {
        for (task, warned) in
            [(constant("10400op"), 1), (constant("10kop"), 0), (spread("10kop"), 1), (spread("60kop"), 0)]
        {
            assert_eq!(read(&text(kind, "1us", &task)).warnings().len(), warned, "{kind} {task}");
        }
    }
}
