//! Sweeps: keys that are left out, and values that were computed.

use std::fs;

use hetsim::batch::identity::RunId;
use hetsim::record::Value;
use hetsim::report::Reported as _;
use hetsim::scenario::{Scenario, Source};
use tempfile::TempDir;

use crate::support::{printed, typed};

const SCENARIO: &str = r#"
version = 1
[platform.cluster.lab]
nodes = 8
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
power = { idle = "90W", active = "200W" }
[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "binomial"
"#;

fn read(text: &str) -> Result<Scenario, String> {
    let source = Source { name: "s".to_owned(), folder: ".".into(), text: text.into() };
    Scenario::read("s".to_owned(), source, &[]).map_err(|problems| format!("{problems:?}"))
}

fn energy(scenario: &Scenario, point: usize) -> Option<f64> {
    scenario.run(point, 0).unwrap().get("energy_j").and_then(Value::number)
}

/// Values of several sweeps of one key stand on one axis, where no two look alike.
#[test]
fn values_of_several_sweeps_look_different() {
    let sweep = |from: &str, to: &str| {
        let key = "platform.cluster.lab.network.bandwidth";
        format!("[[sweep]]\n\"{key}\" = {{ from = \"{from}B/s\", to = \"{to}B/s\", steps = 3 }}\n")
    };
    let sweeps = [sweep("123456789", "223456789"), sweep("123456000", "223455000")].concat();
    let scenario = read(&format!("{SCENARIO}{sweeps}")).unwrap();
    let shown: std::collections::BTreeSet<&str> = scenario.axes[0].values.iter().map(|value| &*value.shown).collect();
    assert_eq!((scenario.points.len(), shown.len()), (6, 6), "{shown:?}");
}

#[test]
fn none_leaves_out_an_optional_table() {
    for values in
        [r#"["none", { idle = "9W", active = "20W" }]"#, r#"{ off = "none", on = { idle = "9W", active = "20W" } }"#]
    {
        let scenario = read(&format!("{SCENARIO}[sweep]\n\"platform.cluster.lab.power\" = {values}")).unwrap();
        let without = read(&SCENARIO.replace("power = {", "#")).unwrap();
        let with = read(&SCENARIO.replace("90W", "9W").replace("200W", "20W")).unwrap();
        assert_eq!(scenario.points.len(), 2);
        // The same runs, whichever way they are asked for.
        assert_eq!(RunId::of(&scenario, 0, 0), RunId::of(&without, 0, 0));
        assert_eq!(RunId::of(&scenario, 1, 0), RunId::of(&with, 0, 0));
        assert_eq!(energy(&scenario, 0), energy(&without, 0));
        assert!(energy(&scenario, 0).is_none() && energy(&scenario, 1).is_some_and(|joules| joules > 0.0));
        // And again when it is read from what was resolved.
        let again = read(&scenario.resolved().unwrap()).unwrap();
        assert_eq!(RunId::of(&again, 0, 0), RunId::of(&scenario, 0, 0));
    }
}

/// A single value is left out likewise, in items of lists too, and within a design.
#[test]
fn none_leaves_out_any_optional_key() {
    let load = "[[platform.cluster.lab.load]]\nnodes = [1]\nprofile = { kind = \"constant\", tasks = 1 }\n[sweep]\n";
    let scenario = read(&format!("{SCENARIO}{load}\"platform.cluster.lab.load.0.nodes\" = [\"none\", [2]]")).unwrap();
    let without = read(&format!("{SCENARIO}{}", load.replace("nodes = [1]\n", ""))).unwrap();
    assert_eq!(RunId::of(&scenario, 0, 0), RunId::of(&without, 0, 0));
    let jitter = read(&format!("{SCENARIO}[sweep]\n\"platform.cluster.lab.jitter\" = [\"none\", 0.1]")).unwrap();
    assert_eq!(RunId::of(&jitter, 0, 0), RunId::of(&read(SCENARIO).unwrap(), 0, 0));
    let design = "[sweep]\ndesign = { kind = \"random\", points = 20 }\n\
        \"workload.size\" = { from = \"1B\", to = \"1MiB\" }\n\
        \"platform.cluster.lab.power\" = { among = [\"none\", { idle = \"9W\", active = \"20W\" }] }";
    let design = read(&format!("{SCENARIO}{design}")).unwrap();
    let metered = (0..20).filter(|&point| energy(&design, point).is_some()).count();
    assert!(metered > 0 && metered < 20, "{metered}");
}

/// A key that is needed can't be left out, and a name `none` is that name.
#[test]
fn none_is_no_value_of_a_required_key() {
    let sweep = |line: &str| read(&format!("{SCENARIO}[sweep]\n{line}"));
    for line in [
        "\"workload.size\" = [\"none\", \"1KiB\"]",
        "\"platform.cluster.lab.network\" = [\"none\"]",
        "\"platform.cluster.lab.nodes\" = [\"none\", 3]",
    ] {
        assert!(sweep(line).is_err(), "{line}");
    }
    // A key that takes any text takes this one, too: a graph may be called so, here one of a file that is not given.
    let graph = "\n[workload]\nkind = \"taskgraph\"\nscheduler = \"heft\"\n\
        generate = { shape = { family = \"chain\", tasks = 3 }, operations = { distribution = \"constant\", value = \"1Mop\" }, \
        bytes = { distribution = \"constant\", value = \"1KB\" } }\n";
    let (platform, _) = SCENARIO.split_once("[workload]").unwrap();
    assert!(read(&format!("{platform}{graph}")).is_ok());
    let refused = read(&format!("{platform}{graph}[sweep]\n\"workload.instance\" = [\"none\"]")).unwrap_err();
    assert!(refused.contains("instance"), "{refused}");
    let factor = "latency_factor = { period = \"1s\", drawn = { every = \"1ms\", spread = \"exponential\", factor = \
        { distribution = \"uniform\", from = 0.5, to = 1.0 } } }\n";
    let text = SCENARIO.replace("power", &format!("{factor}power"));
    let key = "platform.cluster.lab.latency_factor.drawn.spread";
    let scenario = read(&format!("{text}[sweep]\n\"{key}\" = [\"none\", \"exponential\"]")).unwrap();
    assert_eq!(RunId::of(&scenario, 1, 0), RunId::of(&read(&text).unwrap(), 0, 0));
    // `spread = "none"` is the default, and so the same run as without the key.
    let plain = read(&text.replace("spread = \"exponential\", ", "")).unwrap();
    assert_eq!(RunId::of(&scenario, 0, 0), RunId::of(&plain, 0, 0));
}

fn said(folder: &TempDir, line: &str) -> String {
    printed(&mut typed(folder, line))
}

/// What a design chose is rounded for people, with its unit; the results hold all digits.
#[test]
fn values_of_a_design_are_read_rounded() {
    let folder = TempDir::new().unwrap();
    let sweep = r#"
[sweep]
design = { kind = "sobol", points = 8 }
"platform.cluster.lab.network.latency" = { from = "1us", to = "10ms", scale = "log" }
"platform.cluster.lab.network.bandwidth" = { from = "1MB/s", to = "1GB/s", scale = "log" }
"workload.algorithm" = ["linear", "binomial"]
[[table]]
rows = "bandwidth"
columns = "algorithm"
metric = "completion_s"
[[chart]]
kind = "heatmap"
name = "map"
title = "Times"
x = "algorithm"
y = "bandwidth"
value = "completion_s"
[[chart]]
kind = "line"
name = "lines"
title = "Times"
x = "bandwidth"
x_scale = "log"
y = "completion_s"
series = "algorithm"
"#;
    fs::write(folder.path().join("d.toml"), format!("{SCENARIO}{sweep}")).unwrap();
    // No number that anyone reads has more than four digits, but for the names of files and the count of runs.
    let digits = |text: &str| {
        let runs = text.split(|c: char| !c.is_ascii_digit() && c != '.');
        runs.map(|run| run.trim_start_matches(['0', '.']).chars().filter(char::is_ascii_digit).count())
            .max()
            .unwrap_or(0)
    };
    for line in ["check d.toml", "d.toml"] {
        let text = said(&folder, line);
        // The keys stand first in a line, before the metrics.
        let keys: Vec<&str> = text.lines().filter_map(|line| line.trim().split("  ").next()).collect();
        assert!(digits(&keys.join("\n")) <= 4, "{line}: {text}");
        assert!(text.contains("MB/s"), "{line}: {text}");
    }
    let results = fs::read_to_string(folder.path().join("output/d/results.csv")).unwrap();
    let bandwidth = results.lines().next().unwrap().split(',').position(|name| name == "bandwidth").unwrap();
    let longest = results.lines().skip(1).map(|row| digits(row.split(',').nth(bandwidth).unwrap())).max();
    assert!(longest > Some(8), "{results}");
    // The axis has its unit.
    for chart in ["map", "lines"] {
        let svg = fs::read_to_string(folder.path().join(format!("output/d/charts/{chart}.svg"))).unwrap();
        assert!(svg.contains("MB/s"), "{chart}");
    }
}

#[test]
fn the_list_is_filtered() {
    let folder = TempDir::new().unwrap();
    let (all, broadcast) = (said(&folder, "list"), said(&folder, "list broadcast"));
    assert!(broadcast.len() * 2 < all.len());
    // Whole sections of the kind, and single lines of others.
    for word in ["Algorithms of these operations", "binomial", "scatter_ring", "ecef", "Workloads"] {
        assert!(broadcast.contains(word), "{word}: {broadcast}");
    }
    for word in ["heft", "gamma", "fat_tree"] {
        assert!(all.contains(word) && !broadcast.contains(word), "{word}: {broadcast}");
    }
    let networks = said(&folder, "list networks");
    assert!(networks.contains("hockney") && networks.contains("plogp") && !networks.contains("heft"), "{networks}");
    let both = said(&folder, "list scheduler heft");
    assert!(both.contains("heft") && !both.contains("olb"), "{both}");
    let nothing = typed(&folder, "list binomail").output().unwrap();
    assert_eq!(nothing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("did you mean `binomial`"));
}

/// A key that is zipped with another one goes along with it: in tables, in charts, in derived metrics.
#[test]
fn a_key_that_another_determines_does_not_vary() {
    let zipped = r#"
[sweep]
zip = [["platform.cluster.lab.nodes", "platform.cluster.lab.network.bandwidth"]]
"platform.cluster.lab.nodes" = [2, 4, 8]
"platform.cluster.lab.network.bandwidth" = ["1MB/s", "2MB/s", "4MB/s"]
"workload.algorithm" = ["linear", "binomial"]
[[derive]]
name = "over_two"
how = "ratio"
metric = "completion_s"
to = { nodes = 2 }
[[derive]]
name = "best_nodes"
how = "best_of"
metric = "completion_s"
over = "nodes"
[[table]]
rows = "nodes"
columns = "algorithm"
metric = "completion_s"
[[table]]
rows = "nodes"
metric = "over_two"
also = ["best_nodes"]
where = { algorithm = "linear" }
[[chart]]
name = "lines"
x = "bandwidth"
y = "completion_s"
series = "algorithm"
[[chart]]
name = "bars"
kind = "bar"
x = "nodes"
y = "over_two"
where = { algorithm = "linear" }
"#;
    let text = format!("{SCENARIO}{zipped}");
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("it.toml"), &text).unwrap();
    let text_of = said(&folder, "it.toml");
    assert!(text_of.contains("best nodes"), "{text_of}");
    let results = fs::read_to_string(folder.path().join("output/it/summary.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(results.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let at = |name: &str| headers.iter().position(|own| own == name).unwrap_or_else(|| panic!("{name} in {results}"));
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    for row in &rows {
        let number = |row: &csv::StringRecord, name: &str| row[at(name)].parse::<f64>().unwrap();
        let with_two = rows.iter().find(|two| &two[at("nodes")] == "2" && two[at("algorithm")] == row[at("algorithm")]);
        let ratio = number(row, "completion_s_mean") / number(with_two.unwrap(), "completion_s_mean");
        assert!((number(row, "over_two_mean") - ratio).abs() < 1e-12, "{results}");
        assert!(["2", "4", "8"].contains(&&row[at("best_nodes")]), "{results}");
    }
    // Without the zip both keys vary.
    let (before, after) = text.split_once("zip = ").unwrap();
    let crossed = format!("{before}{}", after.split_once('\n').unwrap().1);
    let refused = read(&crossed).unwrap_err();
    assert!(refused.contains("`bandwidth` varies as well"), "{refused}");
}

/// A key that is a size or a name has the values of a size: equal ones are one, it takes ranges, and has a unit.
#[test]
fn a_size_in_whose_place_a_name_may_stand() {
    let sweep = |values: &str| read(&format!("{SCENARIO}[sweep]\n\"workload.segment\" = {values}\n"));
    let values =
        |scenario: &Scenario| scenario.axes[0].values.iter().map(|value| value.cell.clone()).collect::<Vec<_>>();
    let listed = sweep("[\"1KiB\", \"1024B\", \"2KiB\", \"best\"]").unwrap();
    let wanted = [Value::Count(1024), Value::Count(2048), Value::Text("best".to_owned())];
    assert_eq!((values(&listed), listed.axes[0].format.as_deref()), (wanted.to_vec(), Some("size")));
    let ranged = sweep("{ from = \"1KiB\", to = \"4KiB\", steps = 3, scale = \"log\" }").unwrap();
    assert_eq!(values(&ranged), [1024, 2048, 4096].map(Value::Count));
}
