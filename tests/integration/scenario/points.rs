//! What sweeps expand to: grids, ranges, zipped keys, and what columns are called.

use std::collections::BTreeSet;
use std::path::Path;

use hetsim::record::Value;
use hetsim::scenario::Scenario;
use hetsim::units::{Quantity, Seconds};

use super::{BROADCAST, LAB, TWO, id, lab, points, read_in};
use crate::support::{ids, near, read, try_read_in};

fn names(scenario: &Scenario) -> Vec<&str> {
    scenario.axes.iter().map(|axis| axis.name.as_str()).collect()
}

#[test]
fn lists_make_a_grid_whose_last_key_varies_fastest() {
    let scenario = lab("[sweep]\n\"workload.root\" = [0, 1]\n\"workload.algorithm\" = [\"chain\", \"linear\"]");
    assert_eq!(points(&scenario), ["0 chain", "0 linear", "1 chain", "1 linear"]);
    assert_eq!(names(&scenario), ["root", "algorithm"]);
    // Tables say the same as dotted keys.
    let tables = lab("[sweep.workload]\nroot = [0, 1]\nalgorithm = [\"chain\", \"linear\"]");
    assert_eq!((points(&tables), ids(&tables)), (points(&scenario), ids(&scenario)));
}

/// A value put over a swept key is its only one, whatever form its values have; all else varies as before.
#[test]
fn a_value_for_a_swept_key() {
    let with =
        |sweep: &str, set: &str| read_in(Path::new("."), &format!("version = 1\n{LAB}{BROADCAST}{sweep}"), &[set]);
    let of = |sweep: &str, set: &str| points(&with(sweep, set));
    let grid = "[sweep]\n\"workload.root\" = [0, 1]\n\"workload.algorithm\" = [\"chain\", \"linear\"]";
    assert_eq!(of(grid, "workload.algorithm=linear"), ["0 linear", "1 linear"]);
    assert_eq!(of(grid, "workload.algorithm=binomial"), ["0 binomial", "1 binomial"], "one that the sweep has not");
    let tables = "[sweep.workload]\nroot = [0, 1]\nalgorithm = [\"chain\", \"linear\"]";
    assert_eq!(of(tables, "workload.root=1"), ["1 chain", "1 linear"]);
    let range = "[sweep]\n\"workload.size\" = { from = \"1KiB\", to = \"8KiB\", steps = 4 }";
    assert_eq!(of(range, "workload.size=3KiB"), ["3KiB"]);
    let named = "[sweep]\n\"platform.cluster.lab.load\" = { quiet = [], busy = [{ profile = { kind = \"constant\", tasks = 1 } }] }";
    assert_eq!(of(named, "platform.cluster.lab.load=busy"), ["busy"]);
    // A sweep that leaves the key out has the value as well, and the same point is one point.
    let several = "[[sweep]]\n\"workload.root\" = [0, 1]\n\"workload.algorithm\" = [\"chain\", \"linear\"]\n\
        [[sweep]]\n\"workload.root\" = [1, 2]";
    assert_eq!(of(several, "workload.algorithm=linear"), ["0 linear", "1 linear", "2 linear"]);
    let named = named.trim_start_matches("[sweep]\n");
    let two = format!("[[sweep]]\n\"workload.root\" = [0]\n{named}\n[[sweep]]\n\"workload.root\" = [1]");
    let narrowed = with(&two, "platform.cluster.lab.load=busy");
    assert_eq!(points(&narrowed), ["0 busy", "1 default"]);
    let load = "platform.cluster.lab.load=[{ profile = { kind = \"constant\", tasks = 1 } }]";
    assert_eq!(ids(&narrowed), ids(&with("[sweep]\n\"workload.root\" = [0, 1]", load)));
    // The value of a sweep that leaves a key out is no alternative of that name.
    let text = format!("version = 1\n{LAB}{BROADCAST}{}", two.replace("busy =", "default ="));
    let refused = try_read_in(Path::new("."), &text, &[]).unwrap_err().to_string();
    assert!(refused.contains("has in other sweeps is called `default`, too"), "{refused}");
    let same = text.replace("default = [{ profile = { kind = \"constant\", tasks = 1 } }]", "default = []");
    assert_eq!(points(&read_in(Path::new("."), &same, &[])), ["0 quiet", "0 default", "1 default"]);
    // Keys that go together have as many values as before, or none.
    let zipped = "[sweep]\n\"workload.root\" = [0, 1]\n\"workload.size\" = [\"1B\", \"2B\"]\nzip = [[\"workload.root\", \"workload.size\"]]";
    let text = format!("version = 1\n{LAB}{BROADCAST}{zipped}");
    let refused = try_read_in(Path::new("."), &text, &["workload.root=1"]).unwrap_err().to_string();
    assert!(refused.contains("zipped keys need equally many values"), "{refused}");
    assert!(refused.contains("set all keys of the zip"), "{refused}");
    let both = ["workload.root=1", "workload.size=2B"];
    assert_eq!(points(&read_in(Path::new("."), &text, &both)), ["1 2B"]);
    // Of two values the last one counts.
    let twice = ["platform.cluster.lab.load=busy", "platform.cluster.lab.load=quiet"];
    let text = format!("version = 1\n{LAB}{BROADCAST}[sweep]\n{named}");
    assert_eq!(points(&read_in(Path::new("."), &text, &twice)), ["quiet"]);
}

#[test]
fn without_a_sweep_there_is_one_point() {
    let scenario = lab("");
    assert_eq!((scenario.points.len(), scenario.runs(), names(&scenario).len()), (1, 1, 0));
    assert_eq!(read(&format!("version = 1\nreplicas = 3\n{LAB}{BROADCAST}")).runs(), 3);
}

#[test]
fn ranges() {
    let sizes = |range: &str| points(&lab(&format!("[sweep]\n\"workload.size\" = {range}")));
    assert_eq!(sizes("{ from = \"0B\", to = \"8KiB\", steps = 3 }"), ["0B", "4KiB", "8KiB"]);
    assert_eq!(
        sizes("{ from = \"1KiB\", to = \"64KiB\", steps = 4, scale = \"log\" }"),
        ["1KiB", "4KiB", "16KiB", "64KiB"]
    );
    // Whole numbers stay whole, and none comes twice.
    assert_eq!(sizes("{ from = \"1B\", to = \"3B\", steps = 9 }"), ["1B", "2B", "3B"]);
    assert_eq!(sizes("{ from = \"4KiB\", to = \"1KiB\", steps = 2 }"), ["4KiB", "1KiB"], "downwards");
    let roots = lab("[sweep]\n\"workload.root\" = { from = 0, to = 3, steps = 4 }");
    assert_eq!(points(&roots), ["0", "1", "2", "3"]);
    let jitter = lab("[sweep]\n\"platform.cluster.lab.jitter\" = { from = 0, to = 1, steps = 5 }");
    assert_eq!(points(&jitter), ["0", "0.25", "0.5", "0.75", "1"]);
    let latency = lab(
        "[sweep]\n\"platform.cluster.lab.network.latency\" = { from = \"1us\", to = \"1ms\", steps = 4, scale = \"log\" }",
    );
    assert_eq!(points(&latency), ["1us", "10us", "100us", "1ms"]);
}

#[test]
fn zipped_keys_go_together() {
    let scenario = lab(
        "[sweep]\n\"workload.root\" = [0, 1]\n\"workload.algorithm\" = [\"chain\", \"linear\"]\n\"workload.size\" = [\"1B\", \"2B\"]\n\
         zip = [[\"workload.root\", \"workload.size\"]]",
    );
    assert_eq!(names(&scenario), ["root", "algorithm", "size"]);
    assert_eq!(points(&scenario), ["0 chain 1B", "0 linear 1B", "1 chain 2B", "1 linear 2B"]);
}

#[test]
fn alternatives_have_names() {
    let scenario = lab(
        "[sweep]\n\"platform.cluster.lab.network\" = { slow = { model = \"delay\", latency = \"1ms\", bandwidth = \"1MB/s\" }, free = { model = \"ideal\" } }\n\
         \"workload.candidates\" = { all = [], two = [\"linear\", \"chain\"] }\n\"workload.size\" = { small = \"1B\" }",
    );
    assert_eq!(names(&scenario), ["network", "candidates", "size"]);
    assert_eq!(points(&scenario), ["slow all small", "slow two small", "free all small", "free two small"]);
    assert_eq!(scenario.axes[2].values[0].cell.to_string(), "small", "the column holds the name");
    let completion = |point| scenario.run(point, 0).expect("a run").get("completion_s").and_then(Value::number);
    assert_eq!(completion(2), Some(0.0));
    near(completion(0).expect("a number"), 2.0 * (1e-3 + 1e-6));
}

#[test]
fn several_sweeps_follow_each_other_without_repetition() {
    let scenario = lab("[[sweep]]\n\"workload.size\" = [\"1KiB\", \"8KiB\"]\n[[sweep]]\n\"workload.root\" = [1, 0]\n\
         [[sweep]]\n\"workload.size\" = [\"8192B\", \"2KiB\"]\n\"workload.placement\" = [\"round_robin\", \"cluster\"]");
    assert_eq!(names(&scenario), ["size", "root", "placement"]);
    // Outside of its sweeps a key has its value of the scenario, or its default; 8192B is 8KiB.
    assert_eq!(
        points(&scenario),
        [
            "1KiB 0 cluster",
            "8KiB 0 cluster",
            "8KiB 1 cluster",
            "8KiB 0 round_robin",
            "2KiB 0 round_robin",
            "2KiB 0 cluster"
        ]
    );
    assert_eq!(ids(&scenario).into_iter().collect::<BTreeSet<_>>().len(), scenario.points.len());
}

#[test]
fn columns_are_called_by_the_last_part_unless_it_is_ambiguous() {
    let scenario = read(&format!(
        "version = 1\n{TWO}[platform.between]\nnetwork = {{ model = \"ideal\" }}\n{BROADCAST}[sweep]\n\
         \"platform.cluster.a.nodes\" = [2]\n\"platform.cluster.b.nodes\" = [2]\n\"workload.root\" = [0]"
    ));
    assert_eq!(names(&scenario), ["platform.cluster.a.nodes", "platform.cluster.b.nodes", "root"]);
}

/// Kinds of workloads that share the keys in use can be swept, and their runs are told apart.
#[test]
fn kinds_can_be_swept() {
    let keys = "population = 8\ngenerations = 2\ntask = { distribution = \"constant\", operations = \"1Gop\" }";
    let of_kind =
        |kind: &str, more: &str| read(&format!("version = 1\n{LAB}[workload]\nkind = \"{kind}\"\n{keys}\n{more}"));
    let swept = of_kind("island", "[sweep]\n\"workload.kind\" = [\"genetic\", \"island\"]");
    assert_eq!(points(&swept), ["genetic", "island"]);
    assert_eq!(ids(&swept), [id(&of_kind("genetic", "")), id(&of_kind("island", ""))]);
    assert_ne!(ids(&swept)[0], ids(&swept)[1]);
    let models = lab("[sweep]\n\"platform.cluster.lab.network.model\" = [\"hockney\", \"delay\"]");
    assert_ne!(ids(&models)[0], ids(&models)[1]);
    assert_eq!(ids(&models)[0], id(&lab("")));
}

#[test]
fn values_read_as_quantities() {
    let scenario = lab("[sweep]\n\"platform.cluster.lab.network.latency\" = [\"50us\", \"0.05ms\", \"1ms\"]");
    assert_eq!(points(&scenario), ["50us", "1ms"], "the same latency in two units is one value");
    let latency = scenario.axes[0].values[0].cell.number().expect("a number");
    near(latency, "50us".parse::<Seconds>().expect("a duration").base());
}
