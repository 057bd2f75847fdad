//! Messages without a program behind them, under several networks: times by hand, draws that nothing shifts, refusals.

use hetsim::record::{Record, Table, Value};
use hetsim::scenario::Scenario;

use crate::support::try_read;

const FAIR: &str = "model = \"fair\", latency = \"1us\", bandwidth = \"1GB/s\", topology = { kind = \"star\" }";
const HOCKNEY: &str = "model = \"hockney\", latency = \"2us\", bandwidth = \"1GB/s\"";
const LOGGP: &str = "model = \"loggp\", latency = \"2us\", overhead = \"1us\", gap = \"3us\", gap_per_byte = \"1ns/B\"";

fn read(nodes: u32, network: &str, traffic: &str) -> Result<Scenario, String> {
    let text = format!(
        "version = 1\n[platform.cluster.net]\nnodes = {nodes}\nnetwork = {{ {network} }}\n[workload]\nkind = \"traffic\"\n\
         {traffic}\n[output]\ntables = [\"messages\"]\n"
    );
    try_read(&text)
}

#[track_caller]
fn run(nodes: u32, network: &str, traffic: &str) -> Record {
    read(nodes, network, traffic).unwrap().run(0, 0).unwrap()
}

#[track_caller]
fn is(record: &Record, metric: &str, expected: f64) {
    let found = record.get(metric).and_then(Value::number).unwrap_or_else(|| panic!("no {metric}"));
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{metric}: {found} is not {expected}");
}

fn messages(record: &Record) -> &Table {
    &record.tables[0]
}

/// A column of the messages' table.
fn column(record: &Record, name: &str) -> Vec<f64> {
    let table = messages(record);
    let at = table.columns.iter().position(|column| column == name).unwrap();
    table.rows.iter().filter_map(|row| row[at].number()).collect()
}

/// Five nodes send 1 MB each to the sixth over its link of 1 GB/s: all end after 2 us + 5 ms, alone 2 us + 1 ms.
#[test]
fn the_figures_of_an_incast() {
    let record = run(6, FAIR, "pattern = { kind = \"incast\", to = 5 }\nsize = \"1MB\"");
    for metric in ["completion_s", "mean_time_s", "median_time_s", "p99_time_s"] {
        is(&record, metric, 5.002e-3);
    }
    is(&record, "slowdown_mean", 5.002 / 1.002);
    is(&record, "slowdown_max", 5.002 / 1.002);
    is(&record, "moved_bytes", 5e6);
    is(&record, "throughput_bytes_per_s", 5e6 / 5.002e-3);
    is(&record, "messages", 5.0);
    assert_eq!(messages(&record).rows.len(), 5);
}

/// A node's port sends one message after the other under Hockney: the k-th of a flood waits for k - 1 others. Under
/// LogGP, each g + (m - 1) G after the one before, and the last ends L + 2o + (m - 1) G after its start.
#[test]
fn floods_by_the_port() {
    let flood = "pattern = { kind = \"outcast\", from = 2 }\nsize = \"1001B\"";
    let record = run(5, HOCKNEY, flood);
    let alone = 2e-6 + 1001e-9;
    is(&record, "completion_s", 4.0 * alone);
    is(&record, "mean_time_s", 2.5 * alone);
    is(&record, "median_time_s", 2.5 * alone);
    is(&record, "slowdown_max", 4.0);
    let record = run(5, LOGGP, flood);
    is(&record, "completion_s", 3.0 * (3e-6 + 1e-6) + 2e-6 + 2e-6 + 1e-6);
}

/// Where nothing is in the way under a network without contention, nothing is slowed down.
#[test]
fn messages_alone_have_no_slowdown() {
    for network in [FAIR, HOCKNEY, LOGGP, "model = \"delay\", latency = \"1us\", bandwidth = \"1GB/s\""] {
        let record = run(16, network, "pattern = { kind = \"ring\", shift = 3 }\nsize = \"10kB\"");
        // A processor that sends and receives may be asked for both at once.
        if network != LOGGP {
            is(&record, "slowdown_max", 1.0);
        }
        assert!(column(&record, "slowdown").iter().all(|slowdown| *slowdown >= 1.0 - 1e-9));
    }
    // Under an ideal network a message takes no time, and there is nothing to compare.
    let record = run(4, "model = \"ideal\"", "pattern = { kind = \"ring\" }\nsize = \"10kB\"");
    is(&record, "completion_s", 0.0);
    assert_eq!(record.get("slowdown_mean"), Some(&Value::Blank));
    assert_eq!(record.get("throughput_bytes_per_s"), Some(&Value::Blank));
}

/// A round starts when the one before has ended.
#[test]
fn rounds_follow_each_other() {
    let record = run(4, FAIR, "pattern = { kind = \"ring\" }\nsize = \"1MB\"\nrounds = 3");
    is(&record, "completion_s", 3.0 * 1.002e-3);
    is(&record, "mean_time_s", 1.002e-3);
    let starts = column(&record, "start_s");
    assert_eq!(starts.len(), 12);
    assert!((starts[8] - 2.004e-3).abs() < 1e-12 && starts[..4] == [0.0; 4], "{starts:?}");
}

/// Starts are a Poisson process: 20 000 gaps of mean 1 us sum up to 20 ms by five standard deviations of 0.14 ms, also
/// in the second round, which starts anew. No start waits for a message before it.
#[test]
fn starts_are_drawn() {
    let keys = "pattern = { kind = \"random\", messages = 20_000 }\nsize = \"100B\"\ngap = \"1us\"\nrounds = 2";
    let record = run(50, FAIR, keys);
    let starts = column(&record, "start_s");
    let (first, second) = starts.split_at(20_000);
    let arrivals = column(&record, "arrival_s");
    let end = arrivals[..20_000].iter().copied().fold(0.0, f64::max);
    for (round, from) in [(first, 0.0), (second, end)] {
        assert!(round.windows(2).all(|pair| pair[0] <= pair[1]), "starts are in order");
        assert!((round[19_999] - from - 20e-3).abs() < 0.7e-3, "{} {from}", round[19_999]);
        // Of exponential gaps a share of 1/e is longer than the mean, by five standard deviations of 0.0034.
        let long = round.windows(2).filter(|pair| pair[1] - pair[0] > 1e-6).count();
        assert!((long as f64 / 19_999.0 - (-1f64).exp()).abs() < 0.017, "{long}");
    }
    assert!(second[0] >= end && second[0] < end + 20e-6);
}

/// More messages shift none of those before, and sizes do not depend on how messages start.
#[test]
fn draws_are_named_not_ordered() {
    let keys = |messages: u32, more: &str| {
        format!(
            "pattern = {{ kind = \"random\", messages = {messages} }}\n\
             sizes = {{ distribution = \"uniform\", from = \"1kB\", to = \"20kB\" }}\n{more}"
        )
    };
    let (few, many, slow) = (keys(50, ""), keys(500, ""), keys(500, "gap = \"1ms\""));
    let (few, many, slow) = (run(9, FAIR, &few), run(9, FAIR, &many), run(9, HOCKNEY, &slow));
    for name in ["from", "to", "bytes"] {
        assert_eq!(column(&few, name), column(&many, name)[..50]);
        assert_eq!(column(&slow, name), column(&many, name));
    }
    let bytes = column(&many, "bytes");
    assert!(bytes.iter().all(|bytes| (1e3..=20e3).contains(bytes)));
    // Uniform: 10.5 kB by five standard deviations of 0.25 kB.
    assert!((bytes.iter().sum::<f64>() / 500.0 - 10.5e3).abs() < 1.25e3);
}

#[test]
fn what_is_wrong_is_said() {
    for (nodes, keys, said) in [
        (4, "pattern = { kind = \"ring\" }", "give either `size`"),
        (
            4,
            "pattern = { kind = \"ring\" }\nsize = \"1B\"\nsizes = { distribution = \"constant\", value = \"1B\" }",
            "give either",
        ),
        (
            4,
            "pattern = { kind = \"ring\" }\nsizes = { distribution = \"uniform\", from = \"2B\", to = \"1B\" }",
            "`sizes` has `from`",
        ),
        (1, "pattern = { kind = \"ring\" }\nsize = \"1B\"", "at least two nodes"),
        (4, "pattern = { kind = \"incast\", to = 4 }\nsize = \"1B\"", "there is no node 4: they are 0 to 3"),
        (4, "pattern = { kind = \"ring\", shift = 4 }\nsize = \"1B\"", "each of the 4 nodes itself"),
        (5, "pattern = { kind = \"pairs\" }\nsize = \"1B\"", "an even number of nodes, not 5"),
        (12, "pattern = { kind = \"bit_reversal\" }\nsize = \"1B\"", "a power of two of nodes"),
        (12, "pattern = { kind = \"transpose\" }\nsize = \"1B\"", "a square number of nodes, not 12"),
        (
            20_000,
            "pattern = { kind = \"all_to_all\" }\nsize = \"1B\"",
            "1 rounds of this pattern are 399980000 messages",
        ),
        (4, "pattern = { kind = \"rings\" }\nsize = \"1B\"", "`rings` is not a value of `kind`"),
    ] {
        let refused = read(nodes, FAIR, keys).err().unwrap_or_default();
        assert!(refused.contains(said), "{refused} should say {said}");
    }
}
