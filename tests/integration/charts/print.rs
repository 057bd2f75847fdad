//! Charts in print and the keys that lay them out: sizes, ranges, legends, colours, orders, panels, words.

use std::fs;

use tempfile::TempDir;

use super::legibility::{chart, ran};
use crate::support;

/// Three algorithms over sizes and roots; times differ by replica.
const SCENARIO: &str = r#"version = 1
replicas = 5
[platform.cluster.lab]
nodes = 8
jitter = 0.2
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "binomial"
[sweep]
"workload.root" = [0, 3, 5, 6]
"workload.size" = { from = "1KiB", to = "1MiB", steps = 6, scale = "log" }
"workload.algorithm" = ["linear", "binomial", "binary"]
"#;

fn with(charts: &str) -> TempDir {
    ran(&format!("{SCENARIO}{charts}")).0
}

fn svg(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(format!("output/mine/charts/{name}.svg"))).unwrap()
}

/// The texts of a chart with their places along x and their colours.
fn placed(svg: &str) -> Vec<(String, f64, String)> {
    let attribute = |tag: &str, name: &str| {
        let from = tag.split_once(&format!(" {name}=\"")).expect("the attribute").1;
        from.split_once('"').unwrap().0.to_owned()
    };
    let text = |rest: &str| {
        let (tag, text) = rest.split_once('>').unwrap();
        let text = text.split_once("</text>").unwrap().0.trim().replace('\u{a0}', " ");
        (text, attribute(&format!(" {tag}"), "x").parse().unwrap(), attribute(&format!(" {tag}"), "fill"))
    };
    svg.split("<text ").skip(1).map(text).collect()
}

#[test]
fn a_chart_is_laid_out_at_its_width() {
    let folder = with(
        r#"[[chart]]
name = "column"
x = "size"
y = "completion_s"
series = "algorithm"
where = { root = 0 }
width = "85mm"
height = "60mm"
title = ""
y_scale = "log"
x_range = ["2KiB", "512KiB"]
y_range = ["100us", "1s"]
series_label = "tree"
annotate = [{ text = "rendezvous", x = "64KiB" }, { text = "goal", y = "10ms" }]
"#,
    );
    let svg = svg(&folder, "column");
    assert!(svg.contains("width=\"85mm\" height=\"60mm\""), "{}", &svg[..200]);
    let texts = chart(&folder, "column");
    let has = |text: &str| texts.iter().any(|own| own == text);
    assert!(!has("column") && svg.contains("aria-label=\"column\""), "{texts:?}");
    assert!(has("tree:") && has("rendezvous") && has("goal"), "{texts:?}");
    // The range of y ends at its ends; that of x, within them.
    assert!(has("100 µs") && has("1 s") && has("16 KiB") && !has("1 KiB") && !has("1 MiB"), "{texts:?}");
    assert!(has("bands: mean, 95 % Student, n = 5; 6 values lie outside of the picture"), "{texts:?}");
    // Nothing is drawn left of the axis: lines end where the range begins.
    let left = placed(&svg).iter().find(|(text, ..)| text == "completion").unwrap().1;
    let lines = svg.split("points=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0);
    let least = lines.flat_map(|points| points.split(' ')).filter_map(|place| place.split_once(',')?.0.parse().ok());
    assert!(least.fold(f64::INFINITY, f64::min) >= left, "{left}");
}

/// Intervals are bands along a line, or a bar at each point; a table's rows have none.
#[test]
fn intervals_are_bands_or_error_bars() {
    let keys = "x = \"size\"\ny = \"completion_s\"\nwhere = { root = 0, algorithm = \"linear\" }\n";
    let folder =
        with(&format!("[[chart]]\nname = \"bands\"\n{keys}[[chart]]\nname = \"bars\"\nwhiskers = true\n{keys}"));
    let count = |name: &str, element: &str| svg(&folder, name).matches(element).count();
    let half_clear = "<polygon opacity=\"0.16\"";
    assert_eq!((count("bands", half_clear), count("bars", half_clear)), (1, 0));
    // Each of six points has a line and its halo.
    assert_eq!(count("bars", "<polyline") - count("bands", "<polyline"), 2 * 6);
    assert!(chart(&folder, "bars").iter().any(|text| text == "error bars: mean, 95 % Student, n = 5"));
    let table = "[[chart]]\nname = \"c\"\ntable = \"series\"\nwhiskers = true\n";
    let of_table = format!("{SCENARIO}{table}x = \"size\"\ny = \"completion_s\"\n");
    support::refused(&of_table, "a chart of a table has no error bars");
}

/// A range that is swept in equal factors has an axis with equal ratios, unless the chart says otherwise.
#[test]
fn logarithmic_sweeps_have_logarithmic_axes() {
    let chart = "x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\nwhere = { root = 0 }\n";
    let folder =
        with(&format!("[[chart]]\nname = \"own\"\n{chart}[[chart]]\nname = \"linear\"\nx_scale = \"linear\"\n{chart}"));
    let places = |name: &str| {
        let texts = placed(&svg(&folder, name));
        let at = |wanted: &str| texts.iter().find(|(text, ..)| text == wanted).map(|(_, x, _)| *x);
        (at("1 KiB"), at("32 KiB"), at("1 MiB"))
    };
    let (Some(first), Some(middle), Some(last)) = places("own") else { panic!("{:?}", places("own")) };
    assert!((last + first - 2.0 * middle).abs() < 2.0, "{first} {middle} {last}");
    assert_eq!(places("linear").1, None);
}

#[test]
fn panels_share_axes_and_one_legend() {
    let chart = "x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\npanels = \"root\"\n";
    let folder = with(&format!(
        "[[chart]]\nname = \"one\"\n{chart}[[chart]]\nname = \"free\"\nfree_y = true\n{chart}\
         [[chart]]\nname = \"who\"\nkind = \"gantt\"\npanels = \"root\"\nwhere = {{ size = \"1KiB\", algorithm = \"linear\" }}\n"
    ));
    for name in ["one", "free"] {
        let texts = super::legibility::chart(&folder, name);
        let count = |wanted: &str| texts.iter().filter(|text| *text == wanted).count();
        for root in [0, 3, 5, 6] {
            assert_eq!(count(&format!("root: {root}")), 1, "{texts:?}");
        }
        assert_eq!((count("algorithm:"), count("linear"), count("binary")), (1, 1, 1), "{texts:?}");
        assert_eq!(count("bands: mean, 95 % Student, n = 5"), 1, "{texts:?}");
    }
    // The greatest tick of common axes is in each panel.
    let texts = super::legibility::chart(&folder, "one");
    let ticks: Vec<&String> = texts.iter().filter(|text| text.ends_with(" ms")).collect();
    assert!(ticks.len().is_multiple_of(4) && ticks[..ticks.len() / 4] == ticks[ticks.len() / 4..ticks.len() / 2]);
    assert_eq!(svg(&folder, "who").matches("<g transform").count(), 4);
}

/// Where the names of one panel are too long to stand below its axis, the bars and boxes of all panels lie.
#[test]
fn bars_of_all_panels_lie_or_none() {
    let platform = "nodes = 8\nnetwork = { model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }\n";
    let chart = |kind: &str| {
        format!(
            "[[chart]]\nname = \"{kind}\"\nkind = \"{kind}\"\nx = \"algorithm\"\ny = \"completion_s\"\npanels = \"operation\"\n"
        )
    };
    let text = |algorithms: &str| {
        format!(
            "version = 1\nreplicas = 2\n[platform.cluster.lab]\njitter = 0.1\n{platform}[workload]\nkind = \"collective\"\n\
             operation = \"all_gather\"\nalgorithm = \"ring\"\nsize = \"1KiB\"\n\
             [[sweep]]\n\"workload.operation\" = [\"all_gather\"]\n\"workload.algorithm\" = [{algorithms}]\n\
             [[sweep]]\n\"workload.operation\" = [\"all_to_all\"]\n\"workload.algorithm\" = [\"bruck\", \"pairwise\"]\n{}{}",
            chart("bar"),
            chart("box")
        )
    };
    let long = "\"ring\", \"neighbour_exchange\", \"recursive_doubling\", \"bruck\"";
    for (algorithms, lie) in [(long, true), ("\"ring\", \"bruck\"", false)] {
        let folder = ran(&text(algorithms)).0;
        for kind in ["bar", "box"] {
            // What the categories are stands at the edge of a panel whose bars lie, and else below the middle of its axis.
            let drawn = svg(&folder, kind);
            let tags: Vec<&str> = drawn.split("<text ").filter(|text| text.contains("\nalgorithm\n")).collect();
            assert_eq!(tags.len(), 2, "{kind}");
            assert!(tags.iter().all(|tag| tag.contains("text-anchor=\"start\"") == lie), "{kind}: {tags:?}");
        }
    }
}

/// A value of a key has one colour in all charts, whichever others they show; a chart may say otherwise.
#[test]
fn a_value_looks_the_same_in_every_chart() {
    let line = |name: &str, algorithms: &str, more: &str| {
        format!(
            "[[chart]]\nname = \"{name}\"\nx = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n\
             where = {{ root = 0, algorithm = {algorithms} }}\n{more}"
        )
    };
    let folder = with(
        &[
            line("all", "[\"linear\", \"binomial\", \"binary\"]", ""),
            line("two", "[\"binary\", \"binomial\"]", ""),
            line("own", "[\"binary\", \"binomial\"]", "colours = { binary = \"#102030\" }\n"),
            line("grey", "[\"binary\", \"binomial\"]", "colours = \"grey\"\nlegend = \"right\"\n"),
            line("none", "[\"binary\", \"binomial\"]", "legend = \"none\"\n"),
        ]
        .concat(),
    );
    let colour = |chart: &str, name: &str| {
        placed(&svg(&folder, chart)).into_iter().find(|(text, ..)| text == name).map(|(.., colour)| colour)
    };
    for name in ["binary", "binomial"] {
        assert!(colour("all", name).is_some());
        assert_eq!(colour("all", name), colour("two", name));
    }
    assert_ne!(colour("all", "binary"), colour("all", "binomial"));
    assert_ne!(colour("own", "binary"), colour("all", "binary"));
    assert_eq!(colour("own", "binomial"), colour("all", "binomial"));
    assert!(svg(&folder, "own").contains("#102030"));
    // At the right names are in ink, and no line has a colour.
    assert_eq!(colour("grey", "binary").as_deref(), Some("#222222"));
    assert!(!svg(&folder, "grey").contains("#0072B2"));
    assert_eq!(colour("none", "binary"), None);
}

/// A pair of runs whose metric is a name.
const CHOICES: &str = r#"version = 1
[platform.cluster.lab]
nodes = 4
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[workload]
kind = "adaptive"
models = ["logp", "loggp"]
algorithms = ["linear", "binomial"]
size = "1KiB"
focus = { cluster = "lab", algorithm = "linear" }
[sweep]
"workload.size" = ["1KiB", "64KiB"]
"platform.cluster.lab.nodes" = [4, 5]
"#;

/// The names in a heat map's cells have the colours that it gives, and those of the palette otherwise.
#[test]
fn a_heat_map_takes_colours_of_names() {
    let map = |value: &str, more: &str| {
        format!(
            "{CHOICES}[[chart]]\nname = \"map\"\nkind = \"heatmap\"\nx = \"size\"\ny = \"nodes\"\n\
             value = \"{value}\"\n{more}"
        )
    };
    let each = "colours = { logp = \"#102030\", loggp = \"#405060\" }\n";
    let drawn = |more: &str| svg(&ran(&map("nearest_model", more)).0, "map");
    let has_own = |picture: &str| picture.contains("#102030") || picture.contains("#405060");
    assert!(!has_own(&drawn("")));
    assert!(has_own(&drawn(each)));
    support::refused(&map("completion_s", each), "the cells of this chart have numbers");
}

#[test]
fn bars_are_sorted_by_their_values() {
    let bars = |name: &str, more: &str| {
        format!(
            "[[chart]]\nname = \"{name}\"\nkind = \"bar\"\nx = \"algorithm\"\ny = \"completion_s\"\n\
             where = {{ root = 0, size = \"1KiB\" }}\nhorizontal = true\n{more}"
        )
    };
    let folder = with(
        &[bars("given", ""), bars("rising", "sort = \"ascending\"\n"), bars("falling", "sort = \"descending\"\n")]
            .concat(),
    );
    let names = |name: &str| {
        let known = ["linear", "binomial", "binary"];
        chart(&folder, name).into_iter().filter(|text| known.contains(&text.as_str())).collect::<Vec<_>>()
    };
    assert_eq!(names("given"), ["linear", "binomial", "binary"]);
    assert_eq!(names("rising").into_iter().rev().collect::<Vec<_>>(), names("falling"));
    // By the means of the runs themselves.
    let csv = fs::read_to_string(folder.path().join("output/mine/results.csv")).unwrap();
    let rows: Vec<Vec<&str>> =
        csv.lines().filter(|line| !line.starts_with('#')).map(|l| l.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|own| *own == name).unwrap();
    let [root, size, algorithm, time] = ["root", "size", "algorithm", "completion_s"].map(column);
    let sum = |wanted: &str| -> f64 {
        let own = rows[1..].iter().filter(|row| row[root] == "0" && row[algorithm] == wanted);
        let own = own.filter(|row| row[size].parse::<f64>().unwrap() == 1024.0);
        own.map(|row| row[time].parse::<f64>().unwrap()).sum()
    };
    let sums: Vec<f64> = names("rising").iter().map(|name| sum(name)).collect();
    assert!(sums[0] > 0.0 && sums.is_sorted(), "{sums:?}");
}

/// A pipeline of 256 segments over a thousand nodes: half a million bars in one chart, on a page that opens.
#[test]
fn a_crowded_gantt_chart_and_its_page_stay_small() {
    let text = r#"version = 1
[platform.cluster.lab]
nodes = 1000
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[workload]
kind = "broadcast"
size = "256KiB"
segment = "1KiB"
algorithm = "pipeline"
[[chart]]
name = "who"
kind = "gantt"
[[chart]]
name = "way"
kind = "tree"
"#;
    let (folder, _) = ran(text);
    let svg = svg(&folder, "who");
    assert!(svg.len() < 2_000_000, "{} bytes", svg.len());
    assert!(svg.contains("255744 messages are left out"), "{}", &svg[svg.len() - 600..]);
    let page = fs::metadata(folder.path().join("output/mine/report.html")).unwrap().len();
    assert!(page < 10_000_000, "{page} bytes");
    assert!(chart(&folder, "who").iter().any(|label| label == "0"));
}

#[test]
fn what_a_chart_cannot_be_is_said() {
    let folder = TempDir::new().unwrap();
    let line = "x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\nwhere = { root = 0 }\n";
    for (keys, said) in [
        (format!("{line}width = \"85\"\n"), "`85` is not a length"),
        (format!("{line}width = \"1mm\"\n"), "1mm is too narrow for type of 7 pt"),
        (
            "x = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\npanels = \"root\"\nwidth = \"50mm\"\nlegend = \"right\"\n"
                .to_owned(),
            "50mm is too narrow for type of 7 pt in panels beside a legend",
        ),
        (format!("{line}height = \"2m\"\n"), "`2m` is not a length"),
        (format!("{line}x_range = [\"1MiB\", \"1KiB\"]\n"), "a range begins below its end"),
        (format!("{line}x_range = [\"soon\", \"1MiB\"]\n"), "`soon` is not a value of `size`"),
        (format!("{line}y_scale = \"log\"\ny_range = [0, 1]\n"), "0 has no place on this axis"),
        // The sweep along x is logarithmic.
        (format!("{line}x_range = [\"0B\", \"1MiB\"]\n"), "0 has no place on this axis"),
        (format!("{line}y_range = [1]\n"), "y_range"),
        (format!("{line}legend = \"left\"\n"), "legend"),
        (format!("{line}colours = {{ linear = \"blue\" }}\n"), "`blue` is not a colour"),
        (format!("{line}colours = {{ linaer = \"#000000\" }}\n"), "did you mean `linear`"),
        (format!("{line}free_y = true\n"), "this chart has no panels"),
        (format!("{line}panels = \"rot\"\n"), "`rot` is not a swept key"),
        (format!("{line}panels = \"size\"\n"), "`size` is `x` already"),
        (format!("{line}annotate = [{{ text = \"nowhere\" }}]\n"), "words stand at `x`, at `y`, or at both"),
        (format!("{line}annotate = [{{ text = \"t\", x = \"soon\" }}]\n"), "`size` is never `soon` in the sweep"),
        (format!("{line}sort = \"ascending\"\n"), "sort"),
        (
            "kind = \"bar\"\nx = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\nwhere = { root = 0 }\n\
             legend = \"direct\"\n"
                .to_owned(),
            "names stand at the ends of lines only",
        ),
        (
            "kind = \"histogram\"\nx = \"completion_s\"\nlegend = \"right\"\n".to_owned(),
            "a histogram has its names above its panels",
        ),
        ("kind = \"tree\"\nheight = \"6cm\"\n".to_owned(), "a tree is as high as its nodes need"),
    ] {
        fs::write(folder.path().join("mine.toml"), format!("{SCENARIO}[[chart]]\nname = \"c\"\n{keys}")).unwrap();
        let output =
            support::hetsim(folder.path()).env("COLUMNS", "200").args(["check", "mine.toml"]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{keys}{error}");
        assert!(error.contains(said), "{keys}{error}");
    }
}

/// Panels that would be strips beside each other, or beside a legend, stand one under another.
#[test]
fn narrow_panels_stand_one_under_another() {
    let chart = |name: &str, legend: &str, width: &str| {
        format!(
            "[[chart]]\nname = \"{name}\"\nx = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n\
             panels = \"root\"\nwidth = \"{width}\"\nlegend = \"{legend}\"\n"
        )
    };
    let folder = with(
        &[chart("direct", "direct", "40mm"), chart("right", "right", "60mm"), chart("two", "right", "100mm")].concat(),
    );
    let columns = |name: &str| {
        let svg = svg(&folder, name);
        let places = svg.split("translate(").skip(1).map(|rest| rest.split_once(' ').unwrap().0.to_owned());
        places.collect::<std::collections::BTreeSet<String>>().len()
    };
    assert_eq!(["direct", "right", "two"].map(columns), [1, 1, 2]);
    let narrow = support::hetsim(folder.path()).args(["plot", "output/mine", "--width", "50mm"]).output().unwrap();
    let said = String::from_utf8_lossy(&narrow.stderr).into_owned();
    assert!(said.contains("50mm is too narrow for type of 7 pt in panels beside"), "{said}");
}

/// A matrix between machines of two clusters, which another table tells apart.
const MATRIX: &str = r#"version = 1
[platform.cluster.near]
nodes = 3
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[platform.cluster.far]
nodes = 2
network = { model = "hockney", latency = "60us", bandwidth = "1Gbit/s" }
[platform.between]
network = { model = "hockney", latency = "5ms", bandwidth = "1Gbit/s" }
[study]
kind = "partition"
[output]
tables = ["nodes", "latencies"]
[[chart]]
name = "matrix"
kind = "heatmap"
table = "latencies"
x = "to_ordered"
y = "from_ordered"
value = "latency_s"
"#;

#[test]
fn groups_of_a_matrix_are_framed_and_named() {
    let plain = ran(MATRIX).0;
    let of_group =
        |column: &str| format!("{MATRIX}frames = {{ table = \"nodes\", at = \"ordered\", group = \"{column}\" }}\n");
    let framed = ran(&of_group("group")).0;
    // A frame is a black line on a white one, and nothing else is added.
    let lines = |folder: &TempDir| svg(folder, "matrix").matches("<polyline").count();
    assert_eq!(lines(&framed), lines(&plain) + 2 * 2);
    let texts = chart(&framed, "matrix");
    assert!(["near", "far"].iter().all(|name| texts.iter().any(|text| text == name)), "{texts:?}");
    // Numbers of clusters say what they are the numbers of.
    let texts = chart(&ran(&of_group("cluster")).0, "matrix");
    assert!(texts.iter().any(|text| text == "cluster 1"), "{texts:?}");
    support::refused(&of_group("grup"), "the table `nodes` has no column `grup`");
    let unkept = of_group("group").replace("tables = [\"nodes\", ", "tables = [");
    support::refused(&unkept, "the runs don't keep the table `nodes`");
}
