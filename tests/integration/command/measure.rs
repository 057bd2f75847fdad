//! `hetsim measure`, as a shell and its user see it, and the shipped scenario that measures.

use std::fs;

use assert_cmd::Command;
use hetsim::record::Value;
use hetsim::report::Reported as _;
use hetsim::scenario::Scenario;
use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

use crate::support::{here, hetsim, metric, run};

fn measure(folder: &TempDir) -> Command {
    let mut command = hetsim(folder);
    command.env("COLUMNS", "100").arg("measure");
    command
}

/// Half round trips of 10 µs + m/100 MB/s.
const LATENCY: &str = "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n1                       10.01\n\
    100                     11.00\n1000                    20.00\n2000                    30.00\n4000                    50.00\n\
    8000                    90.00\n16000                   170.00\n";

/// Gaps of m/100 MB/s: as many MB/s at each size.
const BANDWIDTH: &str = "# OSU MPI Bandwidth Test v5.9\n# Size      Bandwidth (MB/s)\n1 100.0\n100 100.0\n1000 100.0\n\
    2000 100.0\n4000 100.0\n8000 100.0\n16000 100.0\n";

#[test]
fn latencies_alone_give_hockney() {
    let folder = here(&[("latency.txt", LATENCY)]);
    let assert = measure(&folder).args(["latency.txt", "--out", "made"]).assert().success();
    assert
        .stdout(contains("round trips of 7 sizes"))
        .stdout(contains("Omitted: LogP needs gaps"))
        .stdout(contains("hockney"))
        .stdout(contains("0.0 %"));
    let text = fs::read_to_string(folder.path().join("made/measure-latency/platform.toml")).unwrap();
    let line = text.lines().find(|line| line.starts_with("network = ")).unwrap();
    assert!(line.contains("model = \"hockney\"") && line.contains("latency = \"10us\""), "{line}");
    assert!(line.contains("bandwidth = \"100MB/s\""), "{line}");
}

/// A network that was written goes into a scenario, and costs what was measured.
#[test]
fn a_written_network_runs() {
    let folder = here(&[("latency.txt", LATENCY), ("bw.txt", BANDWIDTH)]);
    let files = ["latency.txt", "bw.txt", "--model", "plogp", "--out", "."];
    measure(&folder).args(files).assert().success().stdout(contains("and 4 more sizes"));
    let text = fs::read_to_string(folder.path().join("measure-latency/platform.toml")).unwrap();
    let line = text.lines().find(|line| line.starts_with("network = ")).unwrap();
    let text = format!(
        "version = 1\n[platform.cluster.lab]\nnodes = 2\n{line}\n[workload]\nkind = \"broadcast\"\nsize = \"4kB\"\n\
         algorithm = \"linear\""
    );
    let completion = metric(&run(&text), "completion_s");
    assert!((completion - 50e-6).abs() < 1e-9, "{completion}");
}

#[test]
fn bad_files_are_told_with_their_line() {
    let folder = here(&[("bad.txt", "# Size  Latency (us)\n1 2.0\nx 3.0\n"), ("latency.txt", LATENCY)]);
    measure(&folder).arg("bad.txt").assert().code(2).stderr(contains("line 3").and(contains("whole number")));
    measure(&folder).arg("missing.txt").assert().code(2).stderr(contains("missing.txt"));
    let wanted = ["latency.txt", "--model", "plogp"];
    measure(&folder).args(wanted).assert().code(2).stderr(contains("gaps of saturated trains"));
}

/// A file to which nothing can be fitted is bad input, whatever is asked for.
#[test]
fn a_file_without_an_answer_is_refused() {
    let folder = here(&[
        ("none.csv", "bytes,half_rtt_us\n"),
        ("one.csv", "bytes,half_rtt_us\n8,1\n"),
        ("both.csv", "bytes,half_rtt_us,gap_us\n8,3,1\n"),
        ("gaps.csv", "bytes,gap_us\n8,1\n16,2\n"),
        ("huge.csv", "bytes,half_rtt_us\n8,1\n16,4e300\n64,1e302\n"),
    ]);
    // A message is broken into lines.
    let said = |file: &str, more: &[&str]| {
        let output = measure(&folder).arg(file).args(more).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{file} {more:?}");
        String::from_utf8(output.stderr).unwrap().replace("\n  │ ", " ")
    };
    for more in [&[][..], &["--out", "o"], &["--model", "hockney"], &["--json"]] {
        for (file, why) in [
            ("none.csv", "none.csv: there are no measurements in the file"),
            ("one.csv", "Hockney's model needs round trips at 2 sizes or more, not 1"),
            ("gaps.csv", "needs round trips, which were not measured"),
            ("huge.csv", "line 3: `half_rtt_us` is 4.0e294\u{a0}s"),
        ] {
            let said = said(file, more);
            assert!(said.contains(why), "{file} {more:?}: {said}");
        }
        assert!(!folder.path().join("o").exists());
    }
    let all = said("one.csv", &[]);
    assert!(all.contains("no model can be fitted to these measurements: Hockney's model"), "{all}");
    assert!(all.contains("not 1; LogP needs gaps of saturated trains, which were not measured; "), "{all}");
    // One size is enough for LogP.
    let both = measure(&folder).arg("both.csv").assert().success();
    both.stdout(contains("Read: round trips of 1 size, gaps of 1 size.").and(contains("Omitted: Hockney's model")));
}

/// A network with a negative latency or bandwidth is none: it is said, and does not predict best.
#[test]
fn a_network_that_cannot_be_is_not_available() {
    let falling = "bytes,half_rtt_us\n1,100\n1000,90\n8000,50\n";
    let logp =
        "bytes,half_rtt_us,send_overhead_us,recv_us,gap_us\n8,10,250,250,20\n1000,20,250,250,30\n8000,90,250,250,40\n";
    let folder = here(&[("falling.csv", falling), ("logp.csv", logp)]);
    let none = measure(&folder).args(["falling.csv", "--out", "o"]).assert().code(2);
    none.stderr(contains("there is no network to write").and(contains("B/s")));
    assert!(!folder.path().join("o").exists());
    let said = measure(&folder).args(["logp.csv", "--out", "o"]).assert().success();
    let text = String::from_utf8(said.get_output().stdout.clone()).unwrap();
    let why = "logp does not describe the measurements: its latency would be -4.9e-4\u{a0}s";
    assert!(text.contains(&format!("Not available: {why}.")), "{text}");
    let text = fs::read_to_string(folder.path().join("o/measure-logp/platform.toml")).unwrap();
    let first = text.lines().position(|line| line.starts_with("network = ")).unwrap();
    let fault = text.lines().position(|line| line == format!("# not available: {why}")).unwrap();
    assert!(first < fault, "{text}");
}

#[test]
fn a_scenario_measures_its_network() {
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/measuring.toml");
    let scenario = Scenario::load(scenario.as_ref(), &[]).unwrap();
    let record = scenario.run(0, 0).unwrap();
    let metric = |name| record.get(name).and_then(Value::number);
    // It is none of the models, so there is no truth.
    assert_eq!((metric("pairs"), metric("parameter_error_percent")), (Some(8.0), None));
    // Computed apart from the platform's parameters, without jitter: a line through the half round trips lies 12.3 %
    // off, L + g(m), which knows neither the switch nor copies nor the handshake, 23.8 %, and LogP's constant 66.3 %.
    for (name, expected) in
        [("hockney_error_percent", 12.3), ("plogp_error_percent", 23.8), ("logp_error_percent", 66.3)]
    {
        let error = metric(name).unwrap();
        assert!((error - expected).abs() < 2.5, "{name}: {error}");
    }
    assert!(metric("logp_cost_s") < metric("loggp_cost_s") && metric("loggp_cost_s") < metric("plogp_cost_s"));
    let tables: Vec<&str> = record.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(tables, ["curve", "parameters"]);
    assert_eq!(record.tables[0].rows.len(), 14);
}
