//! Logical clusters from files, and broadcasts that adapt.

use assert_cmd::Command;
use hetsim::record::Value;
use hetsim::scenario::{Scenario, Source};
use predicates::prelude::*;

fn scenario(text: &str) -> Scenario {
    let source = Source { name: "test".to_owned(), folder: ".".into(), text: text.into() };
    Scenario::read("test".to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{problems}"))
}

fn hetsim() -> Command {
    Command::new(env!("CARGO_BIN_EXE_hetsim"))
}

/// Two clusters of three and two machines, in µs.
const MATRIX: &str =
    "a,b,c,d,e\n0,40,41,9000,9000\n40,0,40,9000,9000\n41,40,0,9000,9000\n9000,9000,9000,0,90\n9000,9000,9000,90,0\n";

#[test]
fn a_matrix_falls_into_clusters() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lab.csv");
    std::fs::write(&file, MATRIX).unwrap();
    let mut command = hetsim();
    command.arg("partition").arg(&file).args(["--unit", "us", "--out"]).arg(folder.path());
    command.assert().success().stdout(predicate::str::contains("5 machines in 2 clusters: 3/2"));
    let assigned = std::fs::read_to_string(folder.path().join("lab-clusters.csv")).unwrap();
    assert_eq!(assigned, "machine,cluster\na,0\nb,0\nc,0\nd,1\ne,1\n");
    let picture = std::fs::read_to_string(folder.path().join("lab-matrix.svg")).unwrap();
    roxmltree::Document::parse(&picture).unwrap();
    // One threshold for both clusters lies between 90 µs and 9 ms.
    let mut command = hetsim();
    command.arg("partition").arg(&file).args(["--unit", "us", "--method", "complete_linkage", "--threshold", "1ms"]);
    command.assert().success().stdout(predicate::str::contains("clusters: 3/2"));
}

#[test]
fn bad_matrices_name_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.csv");
    for (text, complaint) in [
        ("0,1\n1,0\n2,3\n", "line 1: the matrix is not square"),
        ("0,1\n-3,0\n", "line 2: `-3` is no latency"),
        ("0,1\nnan,0\n", "line 2: `nan` is no latency"),
        ("0,1\nquick,0\n", "line 2: `quick` is not a number"),
        ("", "there are no latencies"),
    ] {
        std::fs::write(&file, text).unwrap();
        hetsim().arg("partition").arg(&file).assert().code(2).stderr(predicate::str::contains(complaint));
    }
    std::fs::write(&file, MATRIX).unwrap();
    hetsim().arg("partition").arg(&file).args(["--bound", "0.5"]).assert().code(2);
    hetsim().arg("partition").arg(&file).args(["--method", "single_linkage"]).assert().code(2);
}

/// Two clusters on a pLogP network without jitter: both levels' prediction is what the simulation gives, but for ticks.
#[test]
fn predictions_come_true() {
    let network = |latency: &str| {
        format!(
            "{{ model = \"plogp\", latency = \"{latency}\", gap = {{ \"1B\" = \"10us\", \"64KiB\" = \"600us\" }} }}"
        )
    };
    let text = format!(
        "version = 1\n[platform.cluster.a]\nnodes = 9\nnetwork = {}\n[platform.cluster.b]\nnodes = 6\nnetwork = {}\n\
         [platform.cluster.c]\nnodes = 1\nnetwork = {}\n[platform.between]\nnetwork = {}\n\
         [workload]\nkind = \"adaptive\"\nsize = \"32KiB\"\nsegments = [\"4KiB\"]\nweight = 0.0\n\
         [sweep]\n\"workload.size\" = [\"1B\", \"4KiB\", \"32KiB\"]\n",
        network("30us"),
        network("60us"),
        network("30us"),
        network("5ms"),
    );
    let scenario = scenario(&text);
    for point in 0..3 {
        let record = scenario.run(point, 0).unwrap();
        let number = |name: &str| record.get(name).and_then(Value::number).unwrap();
        assert!(number("prediction_error").abs() < 1e-6, "{point}: {}", number("prediction_error"));
        assert!(number("optimum_s") <= number("predicted_s") * (1.0 + 1e-9));
        assert!(number("gain_over_binomial") > 1.0);
    }
}

/// Every key that is out of range is refused before a run.
#[test]
fn keys_of_a_partition_are_checked() {
    let text = |keys: &str| {
        format!(
            "version = 1\n[platform.cluster.a]\nnodes = 3\nnetwork = {{ model = \"hockney\", latency = \"40us\", bandwidth = \
             \"1Gbit/s\" }}\n[workload]\nkind = \"partition\"\n{keys}\n"
        )
    };
    let record = scenario(&text("error = 0.05")).run(0, 0).unwrap();
    assert_eq!((record.get("sizes"), record.get("matches")), (Some(&"3".into()), Some(&Value::Count(1))));
    for keys in
        ["bound = 0.9", "error = 2.0", "method = \"single_linkage\"", "threshold = \"1ms\"", "sites = { x = [\"b\"] }"]
    {
        let source = Source { name: "test".to_owned(), folder: ".".into(), text: text(keys).into() };
        assert!(Scenario::read("test".to_owned(), source, &[]).is_err(), "{keys}");
    }
}
