//! Logical clusters from files, and broadcasts that adapt.

use hetsim::record::Value;
use predicates::prelude::*;

use crate::support::{hetsim, read, try_read};

/// Two clusters of three and two machines, in µs.
const MATRIX: &str =
    "a,b,c,d,e\n0,40,41,9000,9000\n40,0,40,9000,9000\n41,40,0,9000,9000\n9000,9000,9000,0,90\n9000,9000,9000,90,0\n";

#[test]
fn a_matrix_falls_into_clusters() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lab.csv");
    std::fs::write(&file, MATRIX).unwrap();
    let mut command = hetsim(".");
    command.arg("partition").arg(&file).args(["--unit", "us", "--out"]).arg(folder.path());
    command.assert().success().stdout(predicate::str::contains("5 machines in 2 clusters: 3/2"));
    let assigned = std::fs::read_to_string(folder.path().join("partition-lab/clusters.csv")).unwrap();
    assert_eq!(assigned, "machine,cluster\na,0\nb,0\nc,0\nd,1\ne,1\n");
    let picture = std::fs::read_to_string(folder.path().join("partition-lab/matrix.svg")).unwrap();
    roxmltree::Document::parse(&picture).unwrap();
    // One threshold for both clusters lies between 90 µs and 9 ms.
    let mut command = hetsim(".");
    command.arg("partition").arg(&file).args(["--unit", "us", "--method", "complete_linkage", "--threshold", "1ms"]);
    command.assert().success().stdout(predicate::str::contains("clusters: 3/2"));
}

#[test]
fn bad_matrices_name_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.csv");
    for (text, complaint) in [
        ("0,1\n1,0\n2,3\n", "line 1: the matrix is not square"),
        ("0,1\n-3,0\n", "line 2: `-3` is not a latency"),
        ("0,1\nnan,0\n", "line 2: `nan` is not a latency"),
        ("0,1\nquick,0\n", "line 2: `quick` is not a number"),
        ("", "there are no latencies"),
    ] {
        std::fs::write(&file, text).unwrap();
        hetsim(".").arg("partition").arg(&file).assert().code(2).stderr(predicate::str::contains(complaint));
    }
    std::fs::write(&file, MATRIX).unwrap();
    hetsim(".").arg("partition").arg(&file).args(["--bound", "0.5"]).assert().code(2);
    hetsim(".").arg("partition").arg(&file).args(["--method", "single_linkage"]).assert().code(2);
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
    let scenario = read(&text);
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
             \"1Gbit/s\" }}\n[study]\nkind = \"partition\"\n{keys}\n"
        )
    };
    let record = read(&text("error = 0.05")).run(0, 0).unwrap();
    assert_eq!((record.get("sizes"), record.get("matches")), (Some(&"3".into()), Some(&Value::Count(1))));
    for keys in
        ["bound = 0.9", "error = 2.0", "method = \"single_linkage\"", "threshold = \"1ms\"", "sites = { x = [\"b\"] }"]
    {
        assert!(try_read(&text(keys)).is_err(), "{keys}");
    }
}

/// Three clusters on a machine that no model equals; the link from `a` to `b` loses nine tenths of its bandwidth at 10
/// s.
fn changing(keys: &str) -> String {
    let network = |latency: &str, bandwidth: &str| {
        format!(
            "{{ model = \"protocol\", latency = \"{latency}\", bandwidth = \"{bandwidth}\", send_overhead = \"3us\", \
             receive_overhead = \"5us\", eager_limit = \"64KiB\", handshake = \"100us\", packet = \"1448B\" }}"
        )
    };
    let cluster =
        |name: &str| format!("[platform.cluster.{name}]\nnodes = 6\nnetwork = {}\n", network("20us", "125MB/s"));
    format!(
        "version = 1\n{}{}{}[platform.between]\nnetwork = {}\n[[platform.link]]\nbetween = [\"a\", \"b\"]\n\
         bandwidth_factor = {{ steps = [{{ from = \"10s\", value = 0.1 }}] }}\n\
         [workload]\nkind = \"adaptive\"\nsize = \"512KiB\"\noperations = 400\nrepetitions = 2\ntrain = 4\n{keys}\n\
         [output]\ntables = [\"operations\"]\n",
        cluster("a"),
        cluster("b"),
        cluster("c"),
        network("3ms", "50MB/s"),
    )
}

fn number(record: &hetsim::record::Record, name: &str) -> f64 {
    record.get(name).and_then(Value::number).unwrap_or_else(|| panic!("{name} is blank"))
}

/// What the metrics say adds up: measuring and operations are all of the time, but for the empty messages between two
/// operations.
#[test]
fn measuring_takes_its_time() {
    let record = read(&changing("")).run(0, 0).unwrap();
    let [measuring, total, mean] = ["measuring_s", "total_s", "completion_s"].map(|name| number(&record, name));
    let apart = total - measuring - 400.0 * mean;
    assert!((-1e-9..=400.0 * 0.0035).contains(&apart), "{total} {measuring} {mean}");
    assert!(measuring > 0.0 && number(&record, "measuring_messages") > 1000.0);
    assert_eq!(number(&record, "reselections"), 0.0);
    // The first operation meets the network that was measured.
    let rows = &record.tables[0].rows;
    assert_eq!((rows.len(), &rows[0][5], &rows[1][5]), (400, &"measured".into(), &"kept".into()));
    let (took, predicted) = (rows[0][2].number().unwrap(), rows[0][3].number().unwrap());
    assert!((predicted / took - 1.0).abs() < 0.15, "{predicted} {took}");
}

/// A cache tries each candidate once, and then keeps to the one that was the fastest.
#[test]
fn past_operations_choose() {
    let record = read(&changing("selection = \"experimental\"\nsegments = [\"4KiB\", \"16KiB\"]")).run(0, 0).unwrap();
    // Linear, pipeline twice, binary and binomial.
    assert_eq!(number(&record, "tried"), 5.0);
    let rows = &record.tables[0].rows;
    for (row, tried) in rows.iter().zip(["linear", "pipeline", "pipeline", "binary", "binomial"]) {
        assert_eq!((&row[5], &row[3], &row[7]), (&"tried".into(), &Value::Blank, &tried.into()));
    }
    assert_eq!(rows[5][5], "cached".into());
    let best = rows[..5].iter().map(|row| row[2].number().unwrap()).fold(f64::INFINITY, f64::min);
    let (took, predicted) = (rows[5][2].number().unwrap(), rows[5][3].number().unwrap());
    assert!(took <= best * 1.001, "{took} {best}");
    assert!((predicted / took - 1.0).abs() < 0.05, "{predicted} {took}");
    // No benchmarks inside the clusters.
    let models = read(&changing("")).run(0, 0).unwrap();
    assert!(number(&record, "measuring_s") < number(&models, "measuring_s"));
    assert_eq!(record.get("models"), Some(&Value::Blank));
}

/// A choice that follows the network goes around the loaded link; what that costs is reported.
#[test]
fn a_changed_network_is_measured_again() {
    for selection in ["analytical", "experimental"] {
        let run = |reselect: &str| {
            let keys = format!("selection = \"{selection}\"\nreselect = {reselect}");
            read(&changing(&keys)).run(0, 0).unwrap()
        };
        let (never, change) = (run("\"never\""), run("0.5"));
        assert!(number(&never, "last_s") > 1.5 * number(&never, "first_s"), "{selection}");
        assert_eq!(number(&change, "reselections"), 1.0, "{selection}");
        assert!(number(&change, "last_s") < 0.9 * number(&never, "last_s"), "{selection}");
        assert!(number(&change, "measuring_s") > 1.5 * number(&never, "measuring_s"), "{selection}");
    }
    let every = read(&changing("operations = 12\nreselect = \"every\"").replacen("operations = 400\n", "", 1));
    let every = every.run(0, 0).unwrap();
    assert_eq!(number(&every, "reselections"), 11.0);
}

/// Outliers and other programs' messages cost time, and move the choice little; the same run twice is the same.
#[test]
fn disturbed_measuring_still_predicts() {
    let text = |keys: &str| {
        let keys = format!("operations = 20\nsegments = [\"16KiB\"]\n{keys}");
        changing(&keys).replacen("operations = 400\nrepetitions = 2\n", "repetitions = 15\n", 1).replacen(
            "value = 0.1",
            "value = 1.0",
            1,
        )
    };
    let run = |keys: &str| read(&text(keys)).run(0, 0).unwrap();
    let calm = run("");
    let outliers = run("outliers = { share = 0.05, factor = 10.0 }");
    assert!(number(&outliers, "measuring_s") > 1.2 * number(&calm, "measuring_s"));
    // Whatever was too long did not reach the operations, nor their prediction.
    let close = |name: &str, share: f64, other: &hetsim::record::Record| {
        let ratio = number(other, name) / number(&calm, name);
        assert!((ratio - 1.0).abs() < share, "{name}: {ratio}");
    };
    close("predicted_s", 0.01, &outliers);
    close("completion_s", 0.01, &outliers);
    assert_eq!(number(&outliers, "measuring_messages"), number(&calm, "measuring_messages"));
    let keys = "outliers = { share = 0.05, factor = 10.0 }\n\
                background = { pairs = 6, size = \"16KiB\", interval = \"20ms\" }";
    let busy = run(keys);
    close("predicted_s", 0.1, &busy);
    // Who ends an exchange last says whether the turn has to be handed over by a message.
    close("measuring_messages", 0.01, &busy);
    assert!(number(&busy, "messages") > number(&calm, "messages") + 100.0);
    assert_eq!(busy, run(keys));
    // In each of three clusters, 15 times: trains of 4 and of 8 with an answer each at 16 sizes, or there and back at
    // each, and there and back and two trains with empty messages.
    let round_trips = run("gaps = \"round_trips\"");
    let fewer = 3.0 * 15.0 * (16.0 * 14.0 - (16.0 * 2.0 + 2.0 + 14.0));
    assert_eq!(number(&calm, "measuring_messages") - number(&round_trips, "measuring_messages"), fewer);
}

/// Every key that makes no sense is refused before a run.
#[test]
fn keys_of_an_adaptive_broadcast_are_checked() {
    for keys in [
        "reselect = -0.1",
        "reselect = \"often\"",
        "selection = \"experimental\"\nalgorithms = [\"optimal\"]",
        "selection = \"experimental\"\nfocus = { cluster = \"a\", algorithm = \"linear\" }",
        "heuristics = []",
        "gaps = \"guesses\"",
        "outliers = { share = 2.0, factor = 2.0 }",
        "outliers = { share = 0.1 }",
        "background = { pairs = 1, size = \"1KiB\", interval = \"0s\" }",
    ] {
        assert!(try_read(&changing(keys)).is_err(), "{keys}");
    }
    for (key, from) in [("operations", "400"), ("repetitions", "2"), ("train", "4")] {
        let text = changing("").replacen(&format!("{key} = {from}\n"), &format!("{key} = 0\n"), 1);
        assert!(try_read(&text).is_err(), "{key}");
    }
}
