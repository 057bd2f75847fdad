//! Charts and tables tell what they are of: no interval vanishes, quantities stand in order, no two names look alike.

use std::fs;

use hetsim::report::chart::{Arrangement, Axis, BarChart, BarSeries, BoxPlot, BoxSeries, LineChart, Point, Series};
use hetsim::statistics::compare::Estimate;
use tempfile::TempDir;

use crate::support::{here, printed, typed};

fn count(svg: &str, element: &str) -> usize {
    svg.matches(&format!("<{element} ")).count()
}

/// The texts of a picture in the order in which they are drawn.
fn texts(svg: &str) -> Vec<String> {
    let inside = svg.split("<text ").skip(1).filter_map(|rest| rest.split_once('>')?.1.split_once("</text>"));
    inside.map(|(text, _)| text.trim().replace('\u{a0}', " ")).collect()
}

fn lines(low: f64) -> String {
    let points = vec![Point::new(1.0, 10.0).within(5.0, 20.0), Point::new(2.0, 10.0).within(low, 30.0)];
    let y = Axis::number("y").logarithmic();
    LineChart { y, series: vec![Series::data("", points)], ..LineChart::default() }.svg()
}

fn bars(low: f64) -> String {
    let bars =
        [(5.0, 20.0), (low, 30.0)].map(|interval| Some(Estimate { value: 10.0, interval: Some(interval) })).to_vec();
    let chart = BarChart {
        title: String::new(),
        subtitle: None,
        label: String::new(),
        categories: vec!["a".to_owned(), "b".to_owned()],
        y: Axis::number("y").logarithmic(),
        series: vec![BarSeries { name: String::new(), bars }],
        arrangement: Arrangement::Grouped,
    };
    chart.svg()
}

/// Each reference line has a dash of its own: equally long ones are of differently many pieces.
#[test]
fn reference_lines_differ_by_their_dashes() {
    let pieces = |references: usize| {
        let line = |height: usize| {
            let points = [1.0, 2.0].map(|x| Point::new(x, height as f64)).to_vec();
            Series::reference("", points)
        };
        let mut series: Vec<Series> = (0..references).map(line).collect();
        series.push(Series::data("", vec![Point::new(1.0, 0.0), Point::new(2.0, 3.0)]));
        count(&LineChart { series, ..LineChart::default() }.svg(), "polyline")
    };
    let of: Vec<usize> = (1..4).map(|all| pieces(all) - pieces(all - 1)).collect();
    assert!(of[0] != of[1] && of[1] != of[2] && of[0] != of[2], "{of:?}");
}

/// An interval that reaches zero has no end on a logarithmic axis: it ends there with an arrow, and the rest of it is
/// drawn.
#[test]
fn intervals_that_reach_zero_end_with_an_arrow() {
    let whole = count(&lines(2.0), "polygon");
    for low in [0.0, -1.0, -1e6] {
        // The band is there as before, and an arrow.
        assert_eq!(count(&lines(low), "polygon"), whole + 1, "{low}");
        assert_eq!(count(&bars(low), "polygon"), count(&bars(2.0), "polygon") + 1, "{low}");
    }
    let boxes = |sample: &[f64]| {
        let series = vec![BoxSeries { name: String::new(), samples: vec![sample.to_vec()] }];
        let y = Axis::number("y").logarithmic();
        BoxPlot { categories: vec!["a".to_owned()], y, series, ..BoxPlot::default() }.svg()
    };
    assert_eq!(count(&boxes(&[1.0, 2.0, 3.0, 4.0, 5.0]), "polygon"), 0);
    assert_eq!(count(&boxes(&[-1.0, 2.0, 3.0, 4.0, 5.0]), "polygon"), 1);
    assert!(boxes(&[-1.0, -2.0]).contains("no data"));
}

const TWO_BLOCKS: &str = r#"version = 1
[platform.cluster.lab]
nodes = 8
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "binomial"
[[sweep]]
"workload.algorithm" = ["scatter_ring", "linear"]
"workload.size" = ["64B", "1KiB", "64KiB"]
[[sweep]]
"workload.algorithm" = ["scatter_ring", "binary"]
"workload.size" = ["16B", "4KiB"]
[[table]]
title = "By size"
rows = "size"
columns = "algorithm"
metric = "completion_s"
[[table]]
title = "By algorithm"
rows = "algorithm"
columns = "size"
metric = "completion_s"
[[chart]]
name = "bars"
kind = "bar"
x = "size"
y = "completion_s"
series = "algorithm"
[[chart]]
name = "heat"
kind = "heatmap"
x = "size"
y = "algorithm"
value = "completion_s"
[[chart]]
name = "series"
x = "algorithm"
y = "completion_s"
kind = "bar"
series = "size"
"#;

pub(super) fn ran(text: &str) -> (TempDir, String) {
    let folder = here(&[("mine.toml", text)]);
    let said = printed(&mut typed(&folder, "mine.toml")).replace('\u{a0}', " ");
    (folder, said)
}

pub(super) fn chart(folder: &TempDir, name: &str) -> Vec<String> {
    texts(&fs::read_to_string(folder.path().join(format!("output/mine/charts/{name}.svg"))).unwrap())
}

/// Whether all of `words` are there, in this order.
fn in_order<T: AsRef<str>>(texts: &[T], words: &[&str]) -> bool {
    let places: Vec<_> = words.iter().map(|word| texts.iter().position(|text| text.as_ref() == *word)).collect();
    places.iter().all(Option::is_some) && places.is_sorted()
}

/// A bare number says nothing without its key; a name that the chart gives stays as it is.
#[test]
fn series_of_bare_values_are_named_by_their_key() {
    let scenario = r#"version = 1
[platform.cluster.lab]
nodes = 8
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "binomial"
[sweep]
"workload.root" = [0, 3]
"workload.algorithm" = ["linear", "binomial"]
[[chart]]
name = "bare"
kind = "bar"
x = "algorithm"
y = "completion_s"
series = "root"
[[chart]]
name = "given"
kind = "bar"
x = "algorithm"
y = "completion_s"
series = "root"
names = { 3 = "the third" }
"#;
    let (folder, _) = ran(scenario);
    assert!(in_order(&chart(&folder, "bare"), &["root:", "0", "3"]), "{:?}", chart(&folder, "bare"));
    assert!(in_order(&chart(&folder, "given"), &["root:", "0", "the third"]), "{:?}", chart(&folder, "given"));
}

/// Several sweeps name sizes in turn; people look for them by size, and for names where they come.
#[test]
fn quantities_stand_in_order_whatever_sweep_names_them() {
    let (folder, said) = ran(TWO_BLOCKS);
    let sizes = ["16 B", "64 B", "1 KiB", "4 KiB", "64 KiB"];
    let names = ["scatter_ring", "linear", "binary"];
    for name in ["bars", "heat", "series"] {
        let texts = chart(&folder, name);
        assert!(in_order(&texts, &sizes), "{name}: {texts:?}");
        assert!(in_order(&texts, &names), "{name}: {texts:?}");
    }
    let lines: Vec<&str> = said.lines().collect();
    let rows: Vec<String> =
        lines.iter().map(|line| line.split("  ").next().unwrap_or_default().trim().to_owned()).collect();
    assert!(in_order(&rows, &sizes), "{said}");
    let heading = lines.iter().find(|line| line.contains("16 B") && line.contains("64 KiB")).expect("a heading");
    let cells: Vec<&str> = heading.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert!(in_order(&cells, &sizes), "{heading}");
}

/// What `hetsim check` says of a scenario, with the exit code that it must have.
fn checked(scenario: &str, code: i32) -> String {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("mine.toml"), scenario).unwrap();
    let output = typed(&folder, "check mine.toml").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

/// Sizes that differ by a byte, and names that differ at the end of a long one.
#[test]
fn no_two_names_look_alike() {
    let near = TWO_BLOCKS
        .replace("\"64B\", \"1KiB\", \"64KiB\"", "\"1000000B\", \"1000001B\"")
        .replace("\"16B\", \"4KiB\"", "\"64B\"");
    let (folder, said) = ran(&near);
    for texts in [chart(&folder, "bars"), chart(&folder, "heat"), chart(&folder, "series")] {
        assert!(in_order(&texts, &["976.562 KiB", "976.563 KiB"]), "{texts:?}");
    }
    assert!(said.contains("976.562 KiB") && said.contains("976.563 KiB"), "{said}");

    let common = "an algorithm with a name that is much longer than any legend can be, at the end";
    let names = format!("names = {{ scatter_ring = \"{common} one\", linear = \"{common} two\" }}\n");
    let series = "[[chart]]\nname = \"named\"\nx = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n";
    for kind in ["", "kind = \"bar\"\n"] {
        let (folder, _) = ran(&format!("{TWO_BLOCKS}{series}{kind}{names}"));
        let shown: Vec<String> =
            chart(&folder, "named").into_iter().filter(|text| text.starts_with("an alg")).collect();
        assert_eq!(shown.len(), 2, "{shown:?}");
        assert!(shown[0].ends_with("one") && shown[1].ends_with("two"), "{shown:?}");
    }
    // Who gives one name to two of them is told.
    for (given, place) in [
        (
            "names = { scatter_ring = \"ring\", linear = \"ring\" }\n",
            "`scatter_ring` and `linear` would both be called `ring`",
        ),
        ("names = { linear = \"binary\" }\n", "`linear` and `binary` would both be called `binary`"),
        // What counts is what is drawn: `1 KiB`, though the scenario writes `1KiB`.
        ("names = { \"64B\" = \"1 KiB\" }\n", "`64B` and `1KiB` would both be called `1 KiB`"),
        (
            "reference = [\"predicted_s\"]\nlabels = { completion_s = \"predicted\" }\n",
            "`completion_s` and `predicted_s` would both be called `predicted`",
        ),
    ] {
        let said = checked(&format!("{TWO_BLOCKS}{series}{given}"), 2);
        assert!(said.contains(place), "{said}");
    }
    // One of the two is not drawn.
    let one = "names = { scatter_ring = \"ring\", linear = \"ring\" }\nwhere = { algorithm = \"linear\" }\n";
    checked(&format!("{TWO_BLOCKS}{series}{one}"), 0);
}

/// What a logarithmic axis has no place for is counted below.
#[test]
fn what_a_logarithmic_axis_hides_is_counted() {
    let y = || Axis::number("y").logarithmic();
    let categories = || vec!["a".to_owned(), "b".to_owned()];
    let bars = [-1.0, 5.0].map(|value| Some(Estimate { value, interval: None })).to_vec();
    let bars = BarChart {
        title: String::new(),
        subtitle: None,
        label: String::new(),
        categories: categories(),
        y: y(),
        series: vec![BarSeries { name: String::new(), bars }],
        arrangement: Arrangement::Grouped,
    };
    let samples = vec![vec![0.0], vec![2.0, 3.0]];
    let boxes = vec![BoxSeries { name: String::new(), samples }];
    let boxes = BoxPlot { categories: categories(), y: y(), series: boxes, ..BoxPlot::default() };
    for svg in [bars.svg(), boxes.svg()] {
        let said = texts(&svg).join(" ");
        assert!(said.contains("1 value of 0 or below has no place on a logarithmic axis"), "{said}");
    }
}
