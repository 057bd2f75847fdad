//! Files of measurements: read by `fit` as by `measure`, and made a platform by `measure --out`.

use std::fs;

use hetsim::record::Value;
use hetsim::report::Reported as _;
use hetsim::scenario::Scenario;
use predicates::str::contains;
use serde_json::Value as Json;

use crate::support::{here, hetsim};

const LATENCY: &str = "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n1      10.01\n100    11\n1000   20\n\
    2000   30\n4000   50\n8000   90\n16000  170\n";

/// A scenario includes what was written, as it is and with more nodes, and messages cost what was measured.
#[test]
fn a_written_platform_is_included() {
    let folder = here(&[
        ("latency.txt", LATENCY),
        (
            "s.toml",
            "version = 1\n[platform]\ninclude = \"output/measure-latency/platform.toml\"\ncluster.measured.nodes = 5\n\
             [workload]\nkind = \"broadcast\"\n\
             size = \"4kB\"\nalgorithm = \"linear\"\n",
        ),
    ]);
    hetsim(&folder).args(["measure", "latency.txt", "--out", "output"]).assert().success();
    let text = fs::read_to_string(folder.path().join("output/measure-latency/platform.toml")).unwrap();
    assert!(
        text.contains("[cluster.measured]\nnodes = 2\n")
            && text.contains("include = \"output/measure-latency/platform.toml\""),
        "{text}"
    );
    let scenario = Scenario::load(&folder.path().join("s.toml"), &[]).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(scenario.nodes(0), 5);
    let record = scenario.run(0, 0).unwrap();
    let completion = record.get("completion_s").and_then(Value::number).unwrap();
    // Four messages from the root, one after the other: 10 us and 4 kB at 100 MB/s each.
    assert!((completion - 4.0 * 50e-6).abs() < 1e-8, "{completion}");
    hetsim(&folder)
        .args(["advise", "output/measure-latency/platform.toml", "--sizes", "1KiB", "--out", "advice"])
        .assert()
        .success();
}

#[test]
fn all_digits_are_given() {
    let folder = here(&[("latency.txt", LATENCY)]);
    let assert = hetsim(&folder).args(["measure", "latency.txt", "--json"]).assert().success();
    let json: Json = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    let model = &json["models"][0];
    assert_eq!((model["model"].as_str(), json["models"].as_array().unwrap().len()), (Some("hockney"), 1));
    let value = |name: &str| {
        let parameters = model["parameters"].as_array().unwrap();
        parameters.iter().find(|one| one["name"] == name).unwrap()["value"].as_f64().unwrap()
    };
    let (latency, per_byte) = (value("latency_s"), value("per_byte_s"));
    assert!((latency - 1e-5).abs() < 1e-9 && (per_byte - 1e-8).abs() < 1e-12, "{latency} {per_byte}");
    assert!(model["error_percent"].as_f64().unwrap() < 0.1 && model["unseen_error_percent"].is_number());
    let assert = hetsim(&folder).args(["measure", "latency.txt", "--csv"]).assert().success();
    let csv = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "model,parameter,bytes,value,low,high,error_percent,unseen_error_percent");
    assert!(lines[1].starts_with(&format!("hockney,latency_s,,{latency},")), "{csv}");
    assert!(lines[2].starts_with(&format!("hockney,per_byte_s,,{per_byte},")), "{csv}");
    hetsim(&folder).args(["measure", "latency.txt", "--csv", "--json"]).assert().code(2);
}

/// What `measure` reads: the text of a benchmark, and a CSV below comments, its names in capitals.
#[test]
fn fit_reads_what_measure_reads() {
    let csv = "# by hand\n\n\"Bytes\",RTT_us\n1,20.02\n100,22\n# a pause\n1000,40\n2000,60\n4000,100\n8000,180\n";
    let folder = here(&[("latency.txt", LATENCY), ("pings.csv", csv)]);
    for (file, stem, target) in [("latency.txt", "latency", "latency_us"), ("pings.csv", "pings", "rtt_us")] {
        hetsim(&folder).args(["measure", file]).assert().success().stdout(contains("round trips"));
        let words = ["fit", file, "--target", target, "--by", "bytes", "--method", "ols", "--out", "fitted"];
        hetsim(&folder).args(words).assert().success();
        let formula = fs::read_to_string(folder.path().join(format!("fitted/fit-{stem}/formula.toml"))).unwrap();
        assert!(formula.contains(&format!("target = \"{target}\"")), "{formula}");
        let words = ["fit", file, "--target", "nothing", "--by", "bytes", "--method", "ols", "--out", "fitted"];
        hetsim(&folder).args(words).assert().code(2).stderr(contains("there is no column \"nothing\""));
    }
    fs::write(folder.path().join("bad.txt"), LATENCY.replace("2000   30", "2000   soon")).unwrap();
    let words = ["fit", "bad.txt", "--target", "latency_us", "--by", "bytes"];
    hetsim(&folder).args(words).assert().code(2).stderr(contains("line 6: \"soon\" in column \"latency_us\""));
}

/// A number in a graph's file that is not read is said, on the way to another format and before a run.
#[test]
fn attributes_that_are_not_read_are_said() {
    let folder = here(&[
        ("g.dot", "digraph {\n node [work=1]\n a -> {b c} [payload=\"5MB\"]\n}\n"),
        (
            "s.toml",
            "version = 1\n[platform.cluster.m]\nnodes = 2\nspeed = \"1op/s\"\n\
             network = { model = \"ideal\" }\n[workload]\n\
             kind = \"taskgraph\"\nscheduler = \"heft\"\nfile = \"g.dot\"\n",
        ),
    ]);
    let said = "g.dot, line 3, column 22: the number in `payload` of an edge is not read";
    for words in [&["convert", "g.dot", "g.stg"][..], &["check", "s.toml"]] {
        let assert = hetsim(&folder).args(words).assert().success();
        let stderr = String::from_utf8(assert.get_output().stderr.clone()).unwrap().replace('\n', " ");
        assert_eq!(stderr.matches(said).count(), 1, "{words:?}: {stderr}");
    }
}

/// Lines that repeat a pair are no mistake; how they count is said.
#[test]
fn a_partition_tells_of_repeated_pairs() {
    for (more, said) in [("a,b,9\n", "note: lines that repeat a pair: 1; the mean of a pair counts\n"), ("b,a,9\n", "")]
    {
        let folder = here(&[("lab.csv", &format!("from,to,latency_us\na,b,1\n{more}b,c,5\nc,a,5\n"))]);
        let output = hetsim(&folder).args(["partition", "lab.csv"]).assert().success().stderr(said.to_owned());
        // The mean of both.
        output.stdout(contains("3 machines in 1 cluster:"));
    }
}
