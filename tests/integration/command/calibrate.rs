//! `hetsim calibrate`, as a shell and its user see it.

use std::fmt::Write as _;
use std::fs;

use assert_cmd::Command;
use hetsim::accuracy::{Machine, predict};
use hetsim::fit::read::collectives::{GivenColumns, read};
use hetsim::scenario::{PlatformTree, Source};
use predicates::prelude::PredicateBooleanExt as _;
use predicates::str::contains;
use tempfile::TempDir;

use crate::support::{self, entries, hetsim, printed};

/// Guesses of a machine; nothing is sent by rendezvous.
const PLATFORM: &str = r#"# The laboratory's cluster.
[cluster.lab]
nodes = 2

[cluster.lab.network] # one switch
model = "fair"
latency = "5us" # a guess
bandwidth = "2GB/s"

[cluster.lab.network.costs]
latency = "0s"
bandwidth = "100GB/s"
send_overhead = "2us"
receive_overhead = "300ns"
eager_limit = "1GiB"
handshake = "1us"
"#;

/// What the machine is.
const TRUTH: [(&str, &str, f64); 3] = [
    ("latency = \"5us\"", "latency = \"1.3us\"", 1.3e-6),
    ("bandwidth = \"2GB/s\"", "bandwidth = \"11GB/s\"", 11e9),
    ("send_overhead = \"2us\"", "send_overhead = \"700ns\"", 700e-9),
];

/// A table whose times are those of the machine as it is.
fn measured() -> String {
    let times = measured_on(8, TRUTH);
    format!("{HEADER}{times}gossip,rumours,8,8,1e-3\n")
}

const HEADER: &str = "operation,algorithm,nodes,buffer_bytes,time_s\n";

/// Rows of so many nodes of a machine.
fn measured_on(nodes: u32, truth: [(&str, &str, f64); 3]) -> String {
    let text = truth.iter().fold(PLATFORM.to_owned(), |text, (guess, truth, _)| text.replace(guess, truth));
    let source = Source { name: "truth.toml".to_owned(), folder: ".".into(), text: text.into() };
    let machine = Machine { tree: PlatformTree::parse(source).unwrap() };
    let mut table = String::new();
    let algorithms = [("broadcast", "binomial"), ("all_gather", "ring"), ("scatter", "linear")];
    for (operation, algorithm) in algorithms {
        for exponent in [3, 8, 13, 17, 21] {
            let row = format!("{operation},{algorithm},{nodes},{}", 1 << exponent);
            let point = read(&format!("{HEADER}{row},1\n"), &GivenColumns::default()).unwrap().points.remove(0);
            let platform = machine.platform_of(&point, 1).unwrap();
            let seconds = predict(&platform, point.model.as_ref().unwrap(), 1).unwrap();
            // Digits as a benchmark prints them.
            writeln!(table, "{row},{seconds:.4e}").unwrap();
        }
    }
    table
}

fn here() -> TempDir {
    support::here(&[("lab.toml", PLATFORM), ("measured.csv", &measured())])
}

fn calibrate(folder: &TempDir, keys: &str) -> Command {
    let mut command = hetsim(folder);
    command.args(["calibrate", "measured.csv", "--platform", "lab.toml", "--free", keys]);
    command
}

fn written(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join("calibrated.toml")).unwrap()
}

/// The values come out that the table was made with; what it does not determine keeps its value, and is said.
#[test]
fn a_known_machine_is_found_again() {
    let folder = here();
    let keys = "network.latency,network.bandwidth,send_overhead,handshake";
    let text = printed(calibrate(&folder, keys).args(["--leave-out", "operation=scatter"]));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!("calibrate", text);
    assert_eq!(entries(folder.path()), ["calibrated.toml", "lab.toml", "measured.csv"]);
    let machine = Machine::load(&folder.path().join("calibrated.toml")).unwrap();
    let keys = ["network.latency", "network.bandwidth", "network.costs.send_overhead"];
    for (key, (_, _, truth)) in keys.iter().zip(TRUTH) {
        let found = machine.tree.number(key).unwrap().unwrap();
        assert!((found / truth - 1.0).abs() < 0.01, "{key}: {found} for {truth}");
    }
    // All but the values stays as it was, below a head of comments.
    let written = written(&folder);
    let (head, rest) = written.split_once("\n\n").unwrap();
    assert!(head.lines().all(|line| line.starts_with("# ")), "{head}");
    for line in PLATFORM.lines().filter(|line| !TRUTH.iter().any(|(guess, _, _)| line.starts_with(guess))) {
        assert!(rest.contains(line), "{line}:\n{rest}");
    }
    assert!(rest.contains("us\" # a guess"), "{rest}");
    assert!(head.contains("# send_overhead rises while network.latency falls"), "{head}");
    assert!(head.contains("add a measurement such as all_to_all by linear, 8 nodes, 2048 B."), "{head}");
}

/// Told by all three algorithms, no keys trade off.
#[test]
fn what_tells_keys_apart_is_enough() {
    let folder = here();
    calibrate(&folder, "network.latency,network.bandwidth,send_overhead").assert().success();
    assert!(!written(&folder).contains(" rises while "), "{}", written(&folder));
}

/// The same machine on 16 nodes is explained by the same latency; one whose latency is another is not, and what either
/// asks for is said.
#[test]
fn two_regimes_of_latency_are_noticed() {
    let calibrated = |latency: &'static str| {
        let folder = here();
        let mut truth = TRUTH;
        truth[0].1 = latency;
        let table = [HEADER, &measured_on(8, TRUTH), &measured_on(16, truth)].concat();
        fs::write(folder.path().join("measured.csv"), table).unwrap();
        let text = printed(calibrate(&folder, "network.latency,network.bandwidth,send_overhead").arg("--locally"));
        (text.split_whitespace().collect::<Vec<_>>().join(" "), written(&folder))
    };
    let (text, written) = calibrated("latency = \"1.3us\"");
    assert!(!text.contains("explains 8 and 16") && !written.contains("explains 8 and 16"), "{text}");
    let (text, written) = calibrated("latency = \"4us\"");
    assert!(text.contains("no one network.latency explains 8 and 16 nodes"), "{text}");
    let sentence = written.lines().find(|line| line.starts_with("# no one network.latency")).unwrap();
    assert!(sentence.contains("ask for 1.30") && sentence.contains("on 8, and for 4.00"), "{sentence}");
}

/// The latency is far below its bounds; the bandwidth is not found to be anything else for it.
#[test]
fn a_key_at_its_bound_is_freed_and_said_so() {
    let folder = here();
    let text = printed(&mut calibrate(&folder, "network.latency=4us..20us,network.bandwidth"));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let why = "freed from the fit: the search ran to its bound, 4us";
    assert!(text.contains(&format!("network.latency: {why}; it stays there")), "{text}");
    assert!(
        written(&folder).contains(&format!("# cluster.lab.network.latency = 4us, {why}.\n")),
        "{}",
        written(&folder)
    );
}

/// One core or two, quiet or not; and once more from what came out, whose head is replaced.
#[test]
fn the_number_of_jobs_makes_no_difference() {
    let folder = here();
    let keys = "network.latency,network.bandwidth";
    calibrate(&folder, keys).args(["--jobs", "1", "--quiet"]).assert().success().stdout("");
    let first = written(&folder);
    calibrate(&folder, keys).args(["--jobs", "2"]).assert().success();
    assert_eq!(written(&folder), first);
    fs::rename(folder.path().join("calibrated.toml"), folder.path().join("lab.toml")).unwrap();
    calibrate(&folder, keys).arg("--quiet").assert().success().stderr("");
    assert_eq!(written(&folder).matches("# Calibrated by hetsim").count(), 1);
    assert!(written(&folder).contains("# The laboratory's cluster."));
    // The table of the first calibration is replaced, too, and is the platform's own.
    assert_eq!(written(&folder).matches("[calibration]").count(), 1);
    let calibration = Machine::load(&folder.path().join("calibrated.toml")).unwrap().tree.calibration().unwrap();
    assert_eq!((calibration.files, calibration.date), (vec!["measured.csv".to_owned()], None));
    assert!(calibration.error < 0.05 && !calibration.algorithms.is_empty(), "{}", written(&folder));
    for day in ["2025-02-30x", "2025-02-30", "2025-13-01", "hello"] {
        calibrate(&folder, keys).args(["--date", day]).assert().code(2).stderr(contains("a year, a month"));
    }
    calibrate(&folder, keys).args(["--date", "2025-04-12", "--quiet"]).assert().success();
    assert!(written(&folder).contains("\ndate = \"2025-04-12\"\n"), "{}", written(&folder));
}

/// Two keys of which only the sum has an effect.
#[test]
fn keys_that_trade_off_are_named() {
    let folder = support::here(&[
        (
            "lab.toml",
            "[cluster.lab]\nnodes = 2\nnetwork = { model = \"loggp\", latency = \"3us\", overhead = \"1us\", gap = \"1us\", gap_per_byte = \"1ns/B\" }\n",
        ),
        (
            "measured.csv",
            "operation,algorithm,nodes,buffer_bytes,time_us\nbcast,linear,2,1,6\nbcast,linear,2,1000,8\nbcast,linear,2,100000,200\n",
        ),
    ]);
    let text = printed(&mut calibrate(&folder, "latency,overhead,gap_per_byte"));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(" rises while "), "{text}");
    // Between two ranks a message costs their sum, whatever is done.
    assert!(text.contains("no usual operation on as many ranks tells them apart"), "{text}");
}

/// What is calibrated on a platform of SimGrid is written as TOML.
#[test]
fn a_platform_of_simgrid_is_calibrated() {
    let xml = "<?xml version='1.0'?>\n<platform version=\"4.1\"><config><prop id=\"network/model\" value=\"CM02\"/></config>\
        <cluster id=\"lab\" prefix=\"n\" suffix=\"\" radical=\"0-7\" speed=\"1Gf\" bw=\"1GBps\" lat=\"5us\"/></platform>\n";
    let measured = "operation,algorithm,nodes,buffer_bytes,time_us\nbcast,linear,2,1,3\nbcast,linear,2,8,3\n";
    let folder = support::here(&[("lab.xml", xml), ("measured.csv", measured)]);
    let calibrate = |key: &str| {
        let mut command = hetsim(&folder);
        command.args(["calibrate", "measured.csv", "--platform", "lab.xml", "--free", key]);
        command.assert()
    };
    calibrate("network.latency").success();
    let platform = fs::read_to_string(folder.path().join("calibrated.toml")).unwrap();
    let found = Machine::load(&folder.path().join("calibrated.toml")).unwrap().tree.number("network.latency").unwrap();
    // Two links of a star.
    assert!((found.unwrap() - 1.5e-6).abs() < 2e-8, "{platform}");
    calibrate("nodes").code(2).stderr(contains("lab.xml as TOML"));
}

#[test]
fn what_is_wrong_is_bad_input() {
    let folder = here();
    let fault = |keys: &str, more: &[&str], word: &str| {
        calibrate(&folder, keys).args(more).assert().code(2).stderr(contains(word));
        assert_eq!(entries(folder.path()), ["lab.toml", "measured.csv"], "{word}");
    };
    fault("network.latnecy", &[], "did you mean");
    fault("nodes", &[], "lab.toml:3:9");
    fault("costs.latency", &[], "from zero");
    fault("network.latency=1us", &[], "no bounds");
    fault("network.latency=1us", &[], "network.latency=500ns..50us");
    fault("network.latency", &["--use", "operation=barrier"], "no such points");
    fault("network.latency", &["--use", "operation=gossip"], "no point to calibrate on");
    fault("network.latency", &["--out", "lab.toml"], "would be replaced");
    fault("network.latency", &["--out", "."], "names the file");
    fault("network.latency", &["--with", "colour=red"], "no column");
    let nowhere = calibrate(&folder, "network.latency").args(["--out", "none/lab.toml"]).assert().code(2);
    nowhere.stderr(contains("--out none/lab.toml: No such file").and(contains(".tmp").not()));
    fault("network.latency", &["--max-messages", "6"], "more than 6 messages among 8 ranks");
    hetsim(&folder).args(["calibrate", "none.csv", "--platform", "lab.toml", "--free", "latency"]).assert().code(2);
}

/// A batch system ends jobs by SIGTERM: what was computed is kept, and the same command goes on from it.
#[cfg(unix)]
#[test]
fn a_terminated_calibration_goes_on() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let folder = here();
    let keys = "network.latency,network.bandwidth,send_overhead,receive_overhead";
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_hetsim"))
        .args(["calibrate", "measured.csv", "--platform", "lab.toml", "--free", keys])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let progress = folder.path().join("calibrated.toml.progress");
    let start = Instant::now();
    while !progress.exists() && start.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(5));
    }
    // Well before the evaluations are saved by themselves.
    std::thread::sleep(Duration::from_millis(300));
    assert!(std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    let ended = child.wait().unwrap();
    if ended.code() != Some(130) {
        assert!(ended.success(), "only a calibration that was done meanwhile may end otherwise: {ended:?}");
        return;
    }
    let known = fs::read_to_string(&progress).unwrap().lines().count() - 1;
    assert!(known > 0, "nothing was kept");
    calibrate(&folder, keys).assert().success().stderr(contains(format!("continuing from {known} evaluations")));
    assert!(!progress.exists());
}
