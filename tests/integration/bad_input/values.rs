//! Values: units, numbers out of range, and names that nothing has.

use super::{GOOD, after, one, problems_with, rendered, with};

#[test]
fn units_as_others_write_them() {
    let latency = |text: &str| with("latency = \"50us\"", &format!("latency = \"{text}\""));
    one(&latency("50usec"), &[], "\"50usec\"", &["\"usec\" is not a unit of duration", "did you mean `us`?"]);
    one(&latency("1,5us"), &[], "\"1,5us\"", &["decimals follow a point, not a comma"]);
    let unit = |text: &str| with("gap_per_byte = \"8ns/B\"", &format!("gap_per_byte = \"{text}\""));
    one(&unit("8ns"), &[], "\"8ns\"", &["\"ns\" is not a unit of time per byte", "did you mean `ns/B`?"]);
    one(&unit("125MB/s"), &[], "\"125MB/s\"", &["`125MB/s` is a bandwidth; the time per byte is `8ns/B`"]);
    let bandwidth =
        |text: &str| with("\"50us\", bandwidth = \"1Gbit/s\"", &format!("\"50us\", bandwidth = \"{text}\""));
    one(&bandwidth("8ns/B"), &[], "\"8ns/B\"", &["`8ns/B` is a time per byte; the bandwidth is `125MB/s`"]);
    for (text, meant) in
        [("1Gbps", "Gbit/s"), ("1Gb/s", "Gbit/s"), ("1GBps", "GB/s"), ("1GB", "GB/s"), ("100Mbps", "Mbit/s")]
    {
        one(&bandwidth(text), &[], &format!("\"{text}\""), &[&format!("did you mean `{meant}`?")]);
    }
    // Where a name may stand as well, and at the ends of a range.
    one(&after("root = 0", "segment = \"16kb\""), &[], "\"16kb\"", &["did you mean `kB`?"]);
    let range = "\"platform.cluster.north.network.bandwidth\" = { from = \"1Gbps\", to = \"2Gbit/s\", steps = 2 }";
    one(&after("[sweep]", range), &[], "\"1Gbps\"", &["did you mean `Gbit/s`?"]);
}

#[test]
fn units() {
    one(
        &with("latency = \"50us\"", "latency = \"50kg\""),
        &[],
        "\"50kg\"",
        &["`latency`: \"kg\" is not a unit of duration", "expected one of s, ms, us"],
    );
    one(&with("latency = \"50us\"", "latency = \"50KiB\""), &[], "\"50KiB\"", &["\"KiB\" is not a unit of duration"]);
    one(
        &with("latency = \"50us\"", "latency = \"50\""),
        &[],
        "\"50\"",
        &["the duration needs a unit, as in \"48.39us\""],
    );
    one(
        &with("latency = \"50us\"", "latency = \"fast\""),
        &[],
        "\"fast\"",
        &["\"fast\" does not start with a number", "\"48.39us\""],
    );
    one(&with("latency = \"50us\"", "latency = 50"), &[], "50", &["`latency` needs a unit", "\"48.39us\""]);
    one(&with("size = \"8KiB\"", "size = 8192"), &[], "8192", &["`size` needs a unit", "\"512KiB\""]);
    one(&with("gap_per_byte = \"8ns/B\"", "gap_per_byte = 8e-9"), &[], "8e-9", &["time per byte", "\"6ns/B\""]);
    one(
        &with("latency = \"50us\", bandwidth = \"1Gbit/s\"", "latency = \"50us\", bandwidth = 125"),
        &[],
        "125",
        &["bandwidth", "\"1Gbit/s\""],
    );
}

#[test]
fn numbers_out_of_range() {
    one(
        &with("latency = \"50us\"", "latency = \"-50us\""),
        &[],
        "\"-50us\"",
        &["the duration must be zero or more, and finite"],
    );
    one(
        &with("latency = \"50us\"", "latency = \"1e999s\""),
        &[],
        "\"1e999s\"",
        &["the duration must be zero or more, and finite"],
    );
    one(&with("size = \"8KiB\"", "size = \"1.5B\""), &[], "\"1.5B\"", &["a whole number of bytes"]);
    one(
        &with("latency = \"50us\", bandwidth = \"1Gbit/s\"", "latency = \"50us\", bandwidth = \"0B/s\""),
        &[],
        "\"0B/s\"",
        &["bandwidth", "above zero"],
    );
    one(&with("root = 0", "root = -1"), &[], "-1", &["`root` must be at least 0"]);
    one(&with("root = 0", "root = 5000000000"), &[], "5000000000", &["`root` must be at most 4294967295"]);
    one(&with("root = 0", "root = 99999999999999999999"), &[], "99999999999999999999", &["out of range"]);
    for number in ["nan", "inf", "-inf"] {
        one(&after("nodes = 4", &format!("jitter = {number}")), &[], number, &["`jitter` must be finite"]);
    }
    one(&after("nodes = 4", "jitter = -0.1"), &[], "-0.1", &["`jitter` must be at least 0"]);
    one(&after("nodes = 4", "jitter = 4"), &[], "4", &["`jitter` must be at most 3"]);
    one(&after("nodes = 4", "speed = \"0op/s\""), &[], "\"0op/s\"", &["`speed` must be above zero"]);
    one(
        &after("nodes = 4", "speed_factor = { distribution = \"uniform\", from = 0, to = 2 }"),
        &[],
        "0",
        &["`from` must be above 0"],
    );
    one(&after("version = 1", "replicas = 0"), &[], "0", &["`replicas` must be at least 1"]);
    one(
        &after("version = 1", "platform.tick = \"0.5ps\""),
        &[],
        "\"0.5ps\"",
        &["`tick` must be a whole number of picoseconds"],
    );
    one(&with("version = 1", "version = 2"), &[], "2", &["`version` must be 1"]);
}

#[test]
fn names_that_are_not_known() {
    one(
        &with("algorithm = \"binomial\"\nroot", "algorithm = \"bynomial\"\nroot"),
        &[],
        "\"bynomial\"",
        &["`bynomial` is not a value of `algorithm`", "did you mean `binomial`?"],
    );
    one(
        &with("algorithm = \"binomial\"\nroot", "algorithm = \"ecef+bynomial\"\nroot"),
        &[],
        "\"ecef+bynomial\"",
        &["did you mean `ecef+binomial`?"],
    );
    one(
        &with("algorithm = \"binomial\"\nroot", "algorithm = \"nothing like it\"\nroot"),
        &[],
        "\"nothing like it\"",
        &["name an algorithm (binomial)", "hetsim list"],
    );
    one(
        &with("model = \"loggp\"", "model = \"hockny\""),
        &[],
        "\"hockny\"",
        &["`hockny` is not a value of `model`", "did you mean `hockney`?"],
    );
    one(&with("kind = \"broadcast\"", "kind = \"brodcast\""), &[], "\"brodcast\"", &["did you mean `broadcast`?"]);
    one(&with("how = \"speedup\"", "how = \"speed-up\""), &[], "\"speed-up\"", &["did you mean `speedup`?"]);
    one(&after("name = \"completion\"", "kind = \"pie\""), &[], "\"pie\"", &["expected one of: line, bar, stacked, "]);
    one(
        &after("root = 0", "placement = \"random\""),
        &[],
        "\"random\"",
        &["expected one of: cluster, round_robin, spread"],
    );
    one(&after("root = 0", "candidates = [\"binomial\", \"chian\"]"), &[], "\"chian\"", &["did you mean `chain`?"]);
    one(
        &after("nodes = 4", "load = [{ profile = { kind = \"periodical\" } }]"),
        &[],
        "\"periodical\"",
        &["did you mean `periodic`?"],
    );
    one(
        &after("version = 1", "output.tables = [\"node\"]"),
        &[],
        "\"node\"",
        &["makes no table `node`", "did you mean `nodes`?"],
    );
}

#[test]
fn roots() {
    one(&with("root = 0", "root = 7"), &[], "7", &["there is no rank 7: the ranks are 0 to 6"]);
    let text = after("[sweep]", "\"workload.root\" = [0, 7]");
    one(&text, &[], "7", &["there is no rank 7", "the sweep gets there with root = 7"]);
}

#[test]
fn values_of_the_command_line() {
    let set = |overrides: &[&str], parts: &[&str]| {
        let problems = problems_with(GOOD, &[], overrides);
        let shown = rendered(&problems);
        assert_eq!(problems.reports().len(), 1, "{shown}");
        for part in parts {
            assert!(shown.contains(part), "`{part}` should be in\n{shown}");
        }
    };
    set(&["workload.size"], &["[--set:1:1]", "key=value, such as workload.size=8KiB"]);
    set(&["=5"], &["[--set:1:1]", "key=value"]);
    set(&["workload.sise=8KiB"], &["[--set:1:1]", "there is no key `workload.sise`", "did you mean `size`?"]);
    set(&["platform.cluster.nort.nodes=5"], &["did you mean `north`?"]);
    set(&["workload.size=8192"], &["[--set:1:15]", "needs a unit"]);
    set(&["workload.size=8kg"], &["\"kg\" is not a unit of size"]);
    set(&["workload.candidates=[linear]"], &["[--set:1:21]", "this is not a TOML value", "quote strings"]);
    set(&["workload.candidates=[\"linear\", \"chian\"]"], &["[--set:1:32]", "did you mean `chain`?"]);
    set(&["platform.link.3.jitter=0.1"], &["the list has no item 3"]);
    // What is compared with is no longer there.
    let left = "`--set workload.algorithm=linear` leaves only `linear` of the sweep";
    let linear = rendered(&problems_with(GOOD, &[], &["workload.algorithm=linear"]));
    let words = linear.replace(['\n', '│'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("`algorithm` is never `binomial` in the sweep") && words.contains(left), "{linear}");
    set(&["question.deep=1"], &["there is no key `question.deep`"]);
    set(&["seed=-1"], &["`seed` must be at least 0"]);
    set(&["seed=99999999999999999999"], &["out of range"]);
}

/// A value put within a table that the sweep varies as a whole would change nothing, so it is refused.
#[test]
fn a_value_within_a_swept_table() {
    let tables = "version = 1\n[platform.cluster.c]\nnodes = 4\n[platform.cluster.c.network]\nmodel = \"fair\"\nlatency = \"1us\"\n\
        bandwidth = \"1MB/s\"\ntopology = { kind = \"star\" }\n[workload]\nkind = \"broadcast\"\nsize = \"1KiB\"\n\
        algorithm = \"linear\"\n[sweep]\n\"platform.cluster.c.network.topology\" = { star = { kind = \"star\" }, \
        ring = { kind = \"torus\", dimensions = [4] } }\n";
    let shown = rendered(&problems_with(tables, &[], &["platform.cluster.c.network.topology.kind=backbone"]));
    assert!(shown.contains("`platform.cluster.c.network.topology` is varied by the sweep"), "{shown}");
    let shown = rendered(&problems_with(tables, &[], &["platform.cluster.c.network.topology=rign"]));
    assert!(shown.contains("no alternative of this name") && shown.contains("did you mean `ring`?"), "{shown}");
}
