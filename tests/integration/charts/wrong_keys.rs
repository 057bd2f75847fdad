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
tables = ["path", "tolerance"]
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
    ("tolerance", BROADCASTS, "where = { size = '1KiB', algorithm = 'linear' }"),
];

/// The chart of a kind: its name, its scenario and its keys.
fn chart_of(kind: &str) -> (&'static str, &'static str, &'static str) {
    *CHARTS.iter().find(|(own, ..)| *own == kind).expect("a chart of each kind")
}

/// Charts of the rows of a long table.
const OF_TABLES: &[(&str, &str, &str)] = &[
    (
        "line",
        BROADCASTS,
        "table = 'path'\nx = 'start_s'\ny = 'end_s'\nseries = 'part'\nwhere = { size = '1KiB', algorithm = 'linear' }",
    ),
    ("bar", BROADCASTS, "table = 'path'\nx = 'part'\ny = 'end_s'\nwhere = { size = '1KiB', algorithm = 'linear' }"),
    (
        "heatmap",
        BROADCASTS,
        "table = 'path'\nx = 'start_s'\ny = 'part'\nvalue = 'end_s'\nwhere = { size = '1KiB', algorithm = 'linear' }",
    ),
];

/// Lines of keys that are wrong for every kind that has the key, and what is said of them. What is a text for people
/// has a number.
const WRONG: &[(&str, &str, &str)] = &[
    ("name", "name = 'a/b'", "a chart's name is the stem of a file"),
    ("name", "name = ''", "a chart's name is the stem of a file"),
    ("title", "title = 3", "a string"),
    ("subtitle", "subtitle = 3", "a string"),
    ("where", "where = { nope = 1 }", "`nope`"),
    ("where", "where = { size = '3KiB' }", "size"),
    ("width", "width = '9'", "`9` is not a length"),
    ("width", "width = '1mm'", "too narrow"),
    ("height", "height = 'high'", "`high` is not a length"),
    ("panels", "panels = 'nope'", "`nope`"),
    ("free_y", "free_y = 'yes'", "must be true or false"),
    ("table", "table = 'nope'", "`nope`"),
    ("x", "x = 'nope'", "`nope`"),
    ("y", "y = 'nope'", "`nope`"),
    ("value", "value = 'nope'", "`nope`"),
    ("labels", "labels = { nope = 'x' }", "does not show `nope`"),
    ("names", "names = { nope = 'x' }", "`nope`"),
    ("x_label", "x_label = 3", "a string"),
    ("y_label", "y_label = 3", "a string"),
    ("series_label", "series_label = 3", "a string"),
    ("x_scale", "x_scale = 'cubic'", "cubic"),
    ("y_scale", "y_scale = 'cubic'", "cubic"),
    ("x_range", "x_range = [2, 1]", "a range begins below its end"),
    ("x_range", "x_range = ['low', 'high']", "low"),
    ("y_range", "y_range = [2, 1]", "a range begins below its end"),
    ("y_range", "y_range = ['low', 'high']", "low"),
    ("annotate", "annotate = [{ text = 'w' }]", "words stand at `x`, at `y`, or at both"),
    ("annotate", "annotate = [{ text = 'w', x = 'nope' }]", "nope"),
    ("annotate", "annotate = [{ text = 'w', y = 'nope' }]", "nope"),
    ("annotate", "annotate = [{ text = 'w', z = 1 }]", "`z`"),
    ("series", "series = 'nope'", "`nope`"),
    ("legend", "legend = 'nowhere'", "nowhere"),
    ("colours", "colours = { linear = 'red' }", "`red` is not a colour"),
    ("colours", "colours = 'mauve'", "mauve"),
    ("sort", "sort = 'up'", "up"),
    ("horizontal", "horizontal = 3", "must be true or false"),
    ("step", "step = 3", "must be true or false"),
    ("reference", "reference = ['nope']", "`nope`"),
    ("whiskers", "whiskers = 3", "must be true or false"),
    ("shares", "shares = 3", "must be true or false"),
    ("pareto", "pareto = 3", "must be true or false"),
    ("bins", "bins = 0", "bins"),
    ("frames", "frames = { table = 'path', at = 'a', group = 'b' }", "frames"),
    ("links", "links = 3", "must be true or false"),
    ("critical_path", "critical_path = 3", "must be true or false"),
    ("colour_by", "colour_by = 'size'", "size"),
    ("of", "of = 'size'", "size"),
];

/// Lines that are wrong for some kinds, and what is said of them.
const WRONG_FOR: &[(&[&str], &str, &str)] = &[
    (&["line", "bar", "stacked"], "y = []", "this chart needs `y`"),
    (&["scatter", "box"], "y = []", "this chart needs `y`"),
    (&["line", "bar", "stacked", "scatter", "box"], "y = ['completion_s', 'completion_s']", "given twice"),
    (&["line", "stacked"], "y = ['completion_s', 'messages']", "different units"),
    (&["bar"], "y = ['completion_s', 'predicted_s']", "bars stand for"),
    (&["box"], "y = ['completion_s', 'predicted_s']", "boxes stand for"),
    (
        &["bar", "stacked", "path", "box", "heatmap", "sensitivity", "tolerance"],
        "legend = 'direct'",
        "names stand at the ends of lines only",
    ),
    (&["line", "bar", "box"], "series = 'size'", "already"),
    (&["heatmap"], "y = 'size'", "`x` already"),
    (&["scatter"], "x = 'completion_s'", "`y` already"),
    (&["line", "bar", "stacked", "path", "box", "heatmap"], "panels = 'size'", "already"),
    (&["line", "bar", "scatter", "histogram", "box", "heatmap"], "panels = 'algorithm'", "already"),
    (
        &["line", "bar", "scatter", "histogram", "box"],
        "names = { linear = 'one', binomial = 'one' }",
        "would both be called `one`",
    ),
    (&["line", "bar", "scatter", "histogram", "box"], "colours = { nope = '#000000' }", "this chart has no `nope`"),
    (&["stacked", "path", "gantt", "tree", "utilization"], "where = {}", "varies"),
    (&["tree", "graph"], "height = '50mm'", "is as high as its nodes need"),
    (&["line", "bar"], "free_y = true", "this chart has no panels"),
    (&["gantt", "tree", "graph", "utilization"], "free_y = true", "has no scale of y"),
    (&["path"], "shares = true\nfree_y = true", "stacks of shares are all as high"),
    (&["line"], "mark = [{ label = 'm', x = 'nope', y = 1 }]", "nope"),
    (&["line"], "mark = [{ label = 'm', x = '1KiB', y = 'nope' }]", "nope"),
    (&["line"], "mark = [{ label = 'm', x = '1KiB', y = 1, series = 'nope' }]", "`nope`"),
    (&["histogram"], "mark = [{ label = 'm', value = 'nope' }]", "nope"),
    (&["histogram"], "mark = [{ label = 'm', value = 1, series = 'nope' }]", "`nope`"),
    (&["heatmap"], "mark = [{ label = 'm', x = 'nope' }]", "nope"),
    (&["heatmap"], "mark = [{ label = 'm', x = '1KiB', y = 'nope' }]", "nope"),
];

/// Lines that are wrong for charts of a table.
const WRONG_FOR_TABLES: &[(&[&str], &str, &str)] = &[
    (&["line", "bar", "heatmap"], "table = 'nope'", "`nope`"),
    (&["line", "bar", "heatmap"], "table = 'phases'", "`phases`"),
    (&["line", "bar", "heatmap"], "x = 'nope'", "has no column `nope`"),
    (&["line", "bar", "heatmap"], "y = 'nope'", "has no column `nope`"),
    (&["heatmap"], "value = 'nope'", "has no column `nope`"),
    (&["line", "bar"], "y = 'part'", "a number is needed here"),
    (&["line", "bar"], "series = 'nope'", "has no column `nope`"),
    (&["line", "bar", "heatmap"], "where = {}", "varies"),
    (&["line", "bar"], "labels = { nope = 'x' }", "does not show `nope`"),
    (&["line", "bar"], "annotate = [{ text = 'w' }]", "words stand at `x`, at `y`, or at both"),
    (&["line"], "annotate = [{ text = 'w', x = 'nope' }]", "nope"),
    (&["bar"], "annotate = [{ text = 'w', x = 'up' }]", "have no words at `x`"),
    (&["line"], "reference = ['completion_s']", "a chart of a table has no `reference`"),
    (&["line"], "whiskers = true", "a chart of a table has no error bars"),
    (&["line", "heatmap"], "mark = [{ label = 'm', x = 1, y = 1 }]", "a chart of a table has no marks"),
    (&["line"], "x_range = [2, 1]", "a range begins below its end"),
    (&["heatmap"], "frames = { table = 'path', at = 'nope', group = 'part' }", "has no column `nope`"),
    (&["heatmap"], "frames = { table = 'path', at = 'start_s', group = 'nope' }", "has no column `nope`"),
    (&["heatmap"], "frames = { table = 'nope', at = 'start_s', group = 'part' }", "`nope`"),
];

/// A chart of this kind with lines of keys changed.
fn with(kind: &str, scenario: &str, chart: &str, changed: &str) -> String {
    let mut keys: toml::Table = chart.parse().unwrap();
    keys.insert("name".to_owned(), "it".into());
    keys.insert("kind".to_owned(), kind.into());
    keys.extend(changed.parse::<toml::Table>().unwrap());
    let charts = toml::Table::from_iter([("chart".to_owned(), toml::Value::Array(vec![keys.into()]))]);
    format!("{LAB}{scenario}{charts}")
}

/// A chart of this kind among `charts` with a wrong line is refused by a message that has this part; else what is said.
fn unsaid(charts: &[(&str, &str, &str)], kind: &str, line: &str, says: &str) -> Option<String> {
    let &(_, scenario, chart) = charts.iter().find(|(own, ..)| *own == kind).unwrap();
    let said = try_read(&with(kind, scenario, chart, line)).err().unwrap_or_default();
    (!said.contains(says)).then(|| format!("{kind}: {line}: `{says}` should be in `{said}`"))
}

#[test]
fn a_wrong_value_of_any_key_of_any_chart_is_an_error() {
    for &(kind, scenario, chart) in CHARTS.iter().chain(OF_TABLES) {
        let plain = with(kind, scenario, chart, "");
        assert!(try_read(&plain).is_ok(), "{plain}: {:?}", try_read(&plain));
    }
    let tables = key_tables(NOTATION.schema());
    let table = tables.iter().find(|table| table.path.trim_end_matches("[]") == "chart").unwrap();
    assert_eq!(table.forms.len(), CHARTS.len(), "each kind has a chart here");
    let mut unsaid_ones = Vec::new();
    for form in &table.forms {
        let kind = form.name.as_deref().unwrap();
        for key in &form.keys {
            let of_key = |line: &str| line.split(' ').next() == Some(key.name.as_str());
            let everywhere = WRONG.iter().filter(|(own, ..)| *own == key.name).map(|(_, line, says)| (*line, *says));
            let here = WRONG_FOR.iter().filter(|(kinds, line, _)| kinds.contains(&kind) && of_key(line));
            let lines: Vec<(&str, &str)> = everywhere.chain(here.map(|(_, line, says)| (*line, *says))).collect();
            assert!(!lines.is_empty(), "{kind}: `{}` has a wrong value here", key.name);
            unsaid_ones.extend(lines.into_iter().filter_map(|(line, says)| unsaid(CHARTS, kind, line, says)));
        }
    }
    for (kinds, line, says) in WRONG_FOR_TABLES {
        unsaid_ones.extend(kinds.iter().filter_map(|kind| unsaid(OF_TABLES, kind, line, says)));
    }
    assert!(unsaid_ones.is_empty(), "{}", unsaid_ones.join("\n"));
}

/// A kind that needs several values of a key, a kept table or a place on a logarithmic axis says so.
#[test]
fn what_a_chart_needs_of_its_scenario_is_there() {
    let refused = |kind: &str, from: &str, to: &str, line: &str, says: &str| {
        let (_, scenario, chart) = chart_of(kind);
        let text = with(kind, scenario, chart, line);
        assert!(text.contains(from), "{text}");
        let said = try_read(&text.replace(from, to)).expect_err(&text);
        assert!(said.contains(says), "{kind}: `{says}` should be in `{said}`");
    };
    for (kind, line) in [("histogram", "where = { size = '1KiB' }"), ("box", "")] {
        refused(kind, "replicas = 2", "replicas = 1", line, "one value makes no distribution");
    }
    for (kind, kept) in [("path", "tolerance"), ("tolerance", "path")] {
        let says = format!("don't keep the table `{kind}`");
        refused(kind, "tables = [\"path\", \"tolerance\"]", &format!("tables = [\"{kept}\"]"), "", &says);
    }
    let roots = ("\"workload.size\" = [\"1KiB\", \"8KiB\"]", "\"workload.root\" = [0, 1]");
    refused("line", roots.0, roots.1, "x = 'root'\nx_scale = 'log'", "has no place on a logarithmic axis");
    refused("line", "", "", "x = 'algorithm'\nx_scale = 'log'", "the values of `algorithm` are names");
}

/// Words stand at a place that the chart shows, of whatever it has along x.
#[test]
fn words_of_a_chart_have_a_place() {
    let (linear, scatter) =
        ("where = { algorithm = 'linear', size = '1KiB' }\nx = 'size'\ny = 'completion_s'", chart_of("scatter").2);
    for (kind, chart, words, is_right) in [
        ("line", linear, "x = '3KiB'", true),
        ("bar", linear, "x = '8KiB'", false),
        ("bar", linear, "x = '1KiB'", true),
        ("box", linear, "x = '8KiB'", false),
        ("scatter", scatter, "x = 2, y = '1ms'", true),
        ("scatter", scatter, "x = 'linear'", false),
    ] {
        let text = with(kind, BROADCASTS, chart, &format!("annotate = [{{ text = 'w', {words} }}]"));
        assert_eq!(try_read(&text).is_ok(), is_right, "{kind}: {words}: {:?}", try_read(&text));
    }
    let log = with("line", BROADCASTS, chart_of("line").2, "annotate = [{ text = 'w', x = 0 }]");
    assert!(try_read(&log).is_ok(), "{:?}", try_read(&log));
    assert!(try_read(&log.replace("name = \"it\"", "name = \"it\"\nx_scale = \"log\"")).is_err());
}
