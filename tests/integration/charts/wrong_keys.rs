//! Every key of every kind of chart is checked: a wrong value of it is an error, and the chart without it is none.

use hetsim::report::spec::NOTATION;
use hetsim::scenario::key_tables;

use crate::support::try_read;

/// The machine of all scenarios.
const LAB: &str = r#"version = 1
replicas = 2
[platform.cluster.lab]
nodes = 4
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
"#;

/// Broadcasts by size and algorithm, or a task graph, whose runs keep the tables that charts draw.
const BROADCASTS: &str = r#"[workload]
kind = "broadcast"
algorithm = "binomial"
size = "1KiB"
[output]
tables = ["path"]
[sweep]
"workload.algorithm" = ["linear", "binomial"]
"workload.size" = ["1KiB", "8KiB"]
"#;

const GRAPH: &str = r#"[workload]
kind = "taskgraph"
scheduler = "heft"
generate = { shape = { family = "chain", tasks = 3 }, operations = { distribution = "constant", value = "1Mop" }, bytes = { distribution = "constant", value = "1KB" } }
"#;

const DESIGN: &str = r#"[workload]
kind = "broadcast"
algorithm = "binomial"
size = "1KiB"
[sweep]
design = { kind = "morris", trajectories = 2 }
"platform.cluster.lab.network.latency" = { from = "1us", to = "10ms" }
"workload.size" = { from = "1KiB", to = "1MiB" }
[[sensitivity]]
metric = "completion_s"
"#;

/// A chart of each kind in which nothing is wrong, and the scenario that asks for it.
const CHARTS: &[(&str, &str, &str)] = &[
    ("line", BROADCASTS, "x = 'size'\ny = 'completion_s'\nseries = 'algorithm'"),
    ("bar", BROADCASTS, "x = 'size'\ny = 'completion_s'\nseries = 'algorithm'"),
    ("stacked", BROADCASTS, "x = 'size'\ny = ['completion_s']\nwhere = { algorithm = 'linear' }"),
    ("path", BROADCASTS, "x = 'size'\nshares = true\nwhere = { algorithm = 'linear' }"),
    ("scatter", BROADCASTS, "x = 'messages'\ny = 'completion_s'\nseries = 'algorithm'"),
    ("histogram", BROADCASTS, "x = 'completion_s'\nseries = 'algorithm'"),
    ("box", BROADCASTS, "x = 'size'\ny = 'completion_s'\nseries = 'algorithm'"),
    ("heatmap", BROADCASTS, "x = 'size'\ny = 'algorithm'\nvalue = 'completion_s'"),
    ("gantt", BROADCASTS, "where = { size = '1KiB', algorithm = 'linear' }"),
    ("tree", BROADCASTS, "where = { size = '1KiB', algorithm = 'linear' }"),
    ("graph", GRAPH, ""),
    ("utilization", BROADCASTS, "where = { size = '1KiB', algorithm = 'linear' }"),
    ("sensitivity", DESIGN, "y = 'completion_s'"),
];

/// Wrong values of each key. What is a text for people has a number.
const WRONG: &[(&str, &[&str])] = &[
    ("name", &["'a/b'", "''"]),
    ("title", &["3"]),
    ("subtitle", &["3"]),
    ("where", &["{ nope = 1 }", "{ size = '3KiB' }"]),
    ("width", &["'9'", "'1mm'"]),
    ("height", &["'high'"]),
    ("panels", &["'nope'"]),
    ("free_y", &["'yes'"]),
    ("table", &["'nope'", "'path'"]),
    ("x", &["'nope'"]),
    ("y", &["'nope'"]),
    ("value", &["'nope'"]),
    ("labels", &["{ nope = 'x' }"]),
    ("names", &["{ nope = 'x' }"]),
    ("x_label", &["3"]),
    ("y_label", &["3"]),
    ("series_label", &["3"]),
    ("x_scale", &["'cubic'"]),
    ("y_scale", &["'cubic'"]),
    ("x_range", &["[2, 1]", "['low', 'high']"]),
    ("y_range", &["[2, 1]", "['low', 'high']"]),
    (
        "annotate",
        &[
            "[{ text = 'w' }]",
            "[{ text = 'w', x = 'nope' }]",
            "[{ text = 'w', y = 'nope' }]",
            "[{ text = 'w', z = 1 }]",
        ],
    ),
    ("series", &["'nope'"]),
    ("legend", &["'nowhere'"]),
    ("colours", &["{ nope = '#000000' }", "{ linear = 'red' }", "'mauve'"]),
    ("sort", &["'up'"]),
    ("horizontal", &["3"]),
    ("step", &["3"]),
    ("reference", &["['nope']"]),
    ("whiskers", &["3"]),
    ("shares", &["3"]),
    ("pareto", &["3"]),
    ("bins", &["0"]),
    ("frames", &["{ table = 'path', at = 'a', group = 'b' }"]),
    ("links", &["3"]),
    ("critical_path", &["3"]),
    ("colour_by", &["'size'"]),
    ("of", &["'size'"]),
];

/// Wrong marks, which each kind has of its own.
const MARKS: &[(&str, &[&str])] = &[
    ("line", &["{ x = 'nope', y = 1 }", "{ x = '1KiB', y = 'nope' }", "{ x = '1KiB', y = 1, series = 'nope' }"]),
    ("histogram", &["{ value = 'nope' }", "{ value = 1, series = 'nope' }"]),
    ("heatmap", &["{ x = 'nope' }", "{ x = '1KiB', y = 'nope' }"]),
];

fn with(kind: &str, scenario: &str, chart: &str, key: &str, value: &str) -> String {
    let mut keys: toml::Table = chart.parse().unwrap();
    keys.insert("name".to_owned(), "it".into());
    keys.insert("kind".to_owned(), kind.into());
    if !key.is_empty() {
        let changed: toml::Table = format!("{key} = {value}").parse().unwrap();
        keys.extend(changed);
    }
    let charts = toml::Table::from_iter([("chart".to_owned(), toml::Value::Array(vec![keys.into()]))]);
    format!("{LAB}{scenario}{charts}")
}

#[test]
fn a_wrong_value_of_any_key_of_any_chart_is_an_error() {
    let tables = key_tables(NOTATION.schema());
    let table = tables.iter().find(|table| table.path.trim_end_matches("[]") == "chart").unwrap();
    assert_eq!(table.forms.len(), CHARTS.len(), "each kind has a chart here");
    for &(kind, scenario, chart) in CHARTS {
        let plain = with(kind, scenario, chart, "", "");
        assert!(try_read(&plain).is_ok(), "{plain}: {:?}", try_read(&plain));
        let form = table.forms.iter().find(|form| form.name.as_deref() == Some(kind)).unwrap();
        for key in &form.keys {
            let wrong: Vec<String> = match key.name.as_str() {
                "mark" => {
                    let marks = MARKS.iter().find(|(own, _)| *own == kind).unwrap().1;
                    marks.iter().map(|mark| mark.replacen('{', "[{ label = 'm',", 1) + "]").collect()
                }
                name => {
                    let values = WRONG.iter().find(|(own, _)| *own == name);
                    values
                        .unwrap_or_else(|| panic!("`{name}` has a wrong value here"))
                        .1
                        .iter()
                        .map(ToString::to_string)
                        .collect()
                }
            };
            for value in wrong {
                let text = with(kind, scenario, chart, &key.name, &value);
                assert!(try_read(&text).is_err(), "{kind}: {} = {value}\n{text}", key.name);
            }
        }
    }
}

/// Words stand at a place that the chart shows, of whatever it has along x.
#[test]
fn words_of_a_chart_have_a_place() {
    let (linear, scatter) =
        ("where = { algorithm = 'linear', size = '1KiB' }\nx = 'size'\ny = 'completion_s'", CHARTS[4].2);
    for (kind, chart, words, is_right) in [
        ("line", linear, "x = '3KiB'", true),
        ("bar", linear, "x = '8KiB'", false),
        ("bar", linear, "x = '1KiB'", true),
        ("box", linear, "x = '8KiB'", false),
        ("scatter", scatter, "x = 2, y = '1ms'", true),
        ("scatter", scatter, "x = 'linear'", false),
    ] {
        let text = with(kind, BROADCASTS, chart, "annotate", &format!("[{{ text = 'w', {words} }}]"));
        assert_eq!(try_read(&text).is_ok(), is_right, "{kind}: {words}: {:?}", try_read(&text));
    }
    let log = with("line", BROADCASTS, CHARTS[0].2, "annotate", "[{ text = 'w', x = 0 }]");
    assert!(try_read(&log).is_ok(), "{:?}", try_read(&log));
    assert!(try_read(&log.replace("name = \"it\"", "name = \"it\"\nx_scale = \"log\"")).is_err());
}
