//! Sample charts: what tests inspect, and what people should look at after a change.
//!
//! `cargo test --lib gallery -- --ignored` writes them all to the folder `hetsim-gallery` among the temporary files.

use super::labels::{faults, inspect};
use crate::report::chart::*;
use crate::report::expect::Verdict;
use crate::report::page::Page;
use crate::report::text::TextTable;
use crate::statistics::compare::Estimate;
use hetsim_chart::drawing::Drawing;
use hetsim_chart::paper::{Annotation, Look, MILLIMETRES, Paper};
use hetsim_chart::style::Colour;

const ALGORITHMS: [&str; 12] = [
    "flat",
    "chain",
    "binary",
    "binomial",
    "segmented chain",
    "segmented binomial",
    "scatter + allgather",
    "two-level ECEF",
    "two-level FEF",
    "two-level bottom-up",
    "mixed",
    "hierarchical pipeline",
];
const SITES: [(&str, usize); 6] =
    [("Bordeaux", 16), ("Lille", 8), ("Lyon", 14), ("Nancy", 20), ("Rennes", 12), ("Sophia", 8)];

fn cluster_of(rank: usize) -> usize {
    let ends = SITES.iter().scan(0, |end, (_, size)| {
        *end += size;
        Some(*end)
    });
    ends.take_while(|&end| end <= rank).count()
}

fn words(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

/// A model of each algorithm that has the right shape: latency times a depth, then bandwidth times a factor.
fn time(algorithm: usize, bytes: f64) -> f64 {
    let depth = [77.0, 77.0, 12.0, 7.0, 80.0, 9.0, 30.0, 6.0, 6.2, 6.5, 8.0, 20.0][algorithm];
    let volume = [77.0, 77.0, 14.0, 7.0, 1.6, 2.5, 2.1, 3.0, 3.3, 3.1, 4.0, 1.3][algorithm];
    depth * 9e-6 + volume * bytes * 1.2e-8 + if algorithm < 7 { 4e-3 * depth.ln() } else { 8e-3 }
}

fn sizes() -> impl Iterator<Item = f64> {
    (0..=10).map(|power| 4f64.powi(power))
}

fn times(count: usize) -> LineChart {
    let series = (0..count).map(|algorithm| {
        let name =
            format!("{}{}", ALGORITHMS[algorithm % 12], ["", " again", " once more", " at last"][algorithm / 12]);
        let slower = 1.0 + (algorithm / 12) as f64 * 0.3;
        let points = sizes().map(|bytes| Point::new(bytes, slower * time(algorithm % 12, bytes)));
        let spread = |point: Point| point.within(point.y * 0.88, point.y * 1.13);
        Series::data(name, if algorithm == 3 { points.map(spread).collect() } else { points.collect() })
    });
    LineChart {
        title: "Completion time of a broadcast on six clusters".to_owned(),
        subtitle: Some("pLogP, 78 ranks, mean of 10 runs; bands are 95 % intervals".to_owned()),
        x: Axis::bytes("message size").logarithmic(),
        y: Axis::seconds("completion time").logarithmic(),
        series: series.collect(),
        ..LineChart::default()
    }
}

fn speedups() -> LineChart {
    let lines = [4, 5, 6, 7, 8, 10].map(|algorithm| {
        let points = sizes().map(|bytes| {
            let ratio = time(3, bytes) / time(algorithm, bytes);
            Point::new(bytes, ratio).within(ratio * 0.93, ratio * 1.08)
        });
        Series::data(ALGORITHMS[algorithm], points.collect())
    });
    let reference = Series::reference("binomial", sizes().map(|bytes| Point::new(bytes, 1.0)).collect());
    LineChart {
        title: "Speedup over the binomial tree".to_owned(),
        subtitle: Some("pLogP, 78 ranks".to_owned()),
        x: Axis::bytes("message size").logarithmic(),
        y: Axis::number("speedup"),
        series: lines.into_iter().chain([reference]).collect(),
        marks: [(64.0, 3.4, None), (4096.0, 2.9, None), (65536.0, 1.9, Some(2))]
            .map(|(x, y, series)| Mark { x, y, label: "printed in Table 4".to_owned(), series })
            .to_vec(),
        ..LineChart::default()
    }
}

fn policies() -> LineChart {
    let names =
        words(&["static", "dynamic", "guided", "factoring", "weighted factoring", "adaptive weighted factoring"]);
    let line = |name: &str, factor: f64| {
        let points = (0..6).map(|x| Point::new(f64::from(x), factor * (40.0 - 4.0 * f64::from(x))));
        Series::data(name, points.map(|p| p.within(p.y - 2.0, p.y + 2.0)).collect())
    };
    LineChart {
        title: "Makespan by policy".to_owned(),
        subtitle: None,
        x: Axis::category("policy", names),
        y: Axis::seconds("makespan"),
        series: vec![line("idle nodes", 1.0), line("loaded nodes", 1.6)],
        ..LineChart::default()
    }
}

fn bars(arrangement: Arrangement) -> BarChart {
    let parts = [("computing", 30.0), ("sending", 6.0), ("waiting", 12.0)];
    let series = parts.map(|(name, value)| BarSeries {
        name: name.to_owned(),
        bars: (0..6u8)
            .map(|site| {
                let value = value * (1.0 + f64::from(site * 7 % 5) / 6.0);
                (site != 4 || name != "sending")
                    .then_some(Estimate { value, interval: Some((value * 0.94, value * 1.07)) })
            })
            .collect(),
    });
    BarChart {
        title: "Where the time goes".to_owned(),
        subtitle: Some("island evolution, 78 nodes, per cluster".to_owned()),
        label: "cluster".to_owned(),
        categories: SITES.map(|(name, _)| name.to_owned()).to_vec(),
        y: Axis::seconds("time per node"),
        series: series.to_vec(),
        arrangement,
    }
}

/// What becomes of 26 processors under each policy; some lose less than nothing.
fn losses() -> BarChart {
    let parts = [
        ("speedup", [15.3, 17.9, 19.2, 21.4]),
        ("lost to idle time", [6.1, 4.2, 2.6, 0.9]),
        ("lost to distribution", [0.4, 2.9, 3.5, 5.1]),
        ("lost to heterogeneity", [4.2, 1.0, 0.7, -1.4]),
    ];
    let series = parts.map(|(name, values)| BarSeries {
        name: name.to_owned(),
        bars: values.map(|value| Some(Estimate { value, interval: None })).to_vec(),
    });
    BarChart {
        title: "Where the processors go".to_owned(),
        subtitle: Some("26 processors".to_owned()),
        label: "policy".to_owned(),
        categories: words(&["static", "dynamic", "guided", "adaptive weighted factoring"]),
        y: Axis::number("processors"),
        series: series.to_vec(),
        arrangement: Arrangement::Stacked,
    }
}

/// Quality over time, which holds until something better is found.
fn convergence() -> LineChart {
    let line = |name: &str, rate: f64| {
        let points =
            (0..40).map(|at| Point::new(f64::from(at * at) * 0.01, 100.0 * (1.0 - (-rate * f64::from(at)).exp())));
        Series::data(name, points.map(|point| point.within(0.97 * point.y, 1.03 * point.y)).collect())
    };
    LineChart {
        title: "Best quality over time".to_owned(),
        x: Axis::seconds("time"),
        y: Axis::number("quality"),
        series: vec![line("islands", 0.11), line("one population", 0.06)],
        steps: true,
        ..LineChart::default()
    }
}

/// Distributions over a thousand runs each, with marks in all of them.
fn distributions(count: usize) -> Histogram {
    let mark = |value: f64, label: &str| Threshold { value, label: label.to_owned() };
    let samples = (0..count).map(|number| Sample {
        name: ["static", "dynamic", "guided", "adaptive weighted factoring"][number].to_owned(),
        // Sums of three waves that never meet: smooth, with one hump, the same on every machine.
        values: (0..1000)
            .map(|i| {
                let wave = |step: f64| (f64::from(i) * step).rem_euclid(1.0);
                12.0 + number as f64 + 1.6 * (wave(0.618_034) + wave(0.414_214) + wave(0.732_051))
            })
            .collect(),
        marks: vec![
            mark(15.3, "printed"),
            mark(15.5, "printed with load"),
            mark(12.5, "bound"),
            mark(19.0, "processors"),
        ],
    });
    Histogram {
        title: "Speedup over a thousand loads".to_owned(),
        subtitle: Some("26 processors, loads drawn anew for each run".to_owned()),
        x: Axis::number("speedup"),
        samples: samples.collect(),
        bins: None,
    }
}

fn heat() -> Heatmap {
    let values = (0..10).map(|row| {
        (0..12).map(|column| (row != 2 || column != 5).then(|| time(column, 4f64.powi(row)) * 0.7)).collect()
    });
    Heatmap {
        title: "Completion time by algorithm and size".to_owned(),
        subtitle: Some("pLogP, 78 ranks".to_owned()),
        x_label: "algorithm".to_owned(),
        y_label: "message size".to_owned(),
        columns: words(&ALGORITHMS),
        rows: sizes().take(10).map(|bytes| Kind::Bytes.format(bytes)).collect(),
        cells: Cells::Numbers { axis: Axis::seconds("completion time").logarithmic(), values: values.collect() },
        borders: Vec::new(),
        frames: Vec::new(),
    }
}

/// Ratios of predicted to measured times.
fn errors() -> Heatmap {
    let ratio = |row: i32, column: i32| (row != 1 || column != 0).then(|| 1.3f64.powi(row + column - 5));
    let values = (0..4).map(|row| (0..9).map(|column| ratio(row, column)).collect());
    Heatmap {
        title: "Errors of predictions".to_owned(),
        columns: sizes().take(9).map(|bytes| Kind::Bytes.format(bytes)).collect(),
        rows: words(&ALGORITHMS[..4]),
        cells: Cells::Ratios { label: "error".to_owned(), values: values.collect() },
        ..heat()
    }
}

#[test]
fn ratios_are_shown_as_deviations() {
    let svg = errors().svg();
    for text in ["0\u{a0}%", "+30\u{a0}%", "−23\u{a0}%", "+100\u{a0}%", "−50\u{a0}%"] {
        assert!(svg.contains(text), "{text}");
    }
    // What is off by more than a factor of two has the colour of the end of its side, and no side that of the other.
    let colour = |ratio: f64| {
        let cells = Cells::Ratios { label: String::new(), values: vec![vec![Some(ratio)]] };
        let one = Heatmap { columns: vec!["1".to_owned()], rows: vec!["1".to_owned()], cells, ..errors() }.svg();
        let cell = one.split("<rect").nth(2).unwrap_or_default().to_owned();
        cell.split("fill=\"").nth(1).unwrap_or_default()[..7].to_owned()
    };
    assert_eq!((colour(2.0), colour(0.5)), (colour(9.0), colour(0.01)));
    assert_ne!(colour(2.0), colour(0.5));
    assert_eq!(colour(1.0), "#F6F6F6");
}

fn winners() -> Heatmap {
    let winner = |row: usize, column: usize| [3, 7, 7, 5, 6, 4, 11][(row * 2 + column) * 6 / 29];
    let values = (0..10).map(|row| (0..12).map(|column| Some(winner(row, column))).collect());
    Heatmap {
        title: "The fastest algorithm".to_owned(),
        subtitle: Some("by message size and number of ranks".to_owned()),
        x_label: "ranks".to_owned(),
        y_label: "message size".to_owned(),
        columns: (1..=12).map(|n| (n * 8).to_string()).collect(),
        rows: sizes().take(10).map(|bytes| Kind::Bytes.format(bytes)).collect(),
        cells: Cells::Names { names: words(&ALGORITHMS), values: values.collect() },
        borders: Vec::new(),
        frames: Vec::new(),
    }
}

/// The parent of each rank in a binomial tree, in the order of sending: largest subtree first.
fn binomial(count: usize) -> Vec<Edge> {
    let mut edges = Vec::new();
    let top = count.next_power_of_two();
    for parent in 0..count {
        let mut mask = if parent == 0 { top / 2 } else { (1 << parent.trailing_zeros()) >> 1 };
        while mask > 0 {
            if parent + mask < count {
                edges.push(Edge { parent, child: parent + mask });
            }
            mask /= 2;
        }
    }
    edges
}

fn tree(title: &str, count: usize, edges: Vec<Edge>) -> Tree {
    Tree {
        title: title.to_owned(),
        subtitle: Some(format!("{count} ranks; children are served from above")),
        groups: SITES.map(|(name, _)| name.to_owned()).to_vec(),
        nodes: (0..count)
            .map(|rank| TreeNode { label: rank.to_string(), group: Some(cluster_of(rank).min(5)) })
            .collect(),
        edges,
    }
}

fn chain(count: usize) -> Vec<Edge> {
    (1..count).map(|child| Edge { parent: child - 1, child }).collect()
}

fn schedule(count: usize) -> Gantt {
    let mut ready = vec![0.0; count];
    let mut lanes: Vec<Lane> = (0..count)
        .map(|rank| {
            let group = SITES[cluster_of(rank).min(5)].0;
            Lane {
                label: format!("{}-{rank}", group.to_lowercase()),
                group: group.to_owned(),
                spans: Vec::new(),
                shades: Vec::new(),
                is_link: false,
            }
        })
        .collect();
    let mut arrows = Vec::new();
    // Parents have smaller ranks, so in the order of the edges each has its message before it sends.
    for edge in binomial(count) {
        let far = cluster_of(edge.parent) != cluster_of(edge.child);
        let (gap, latency) = if far { (2.2e-3, 5e-3) } else { (1.1e-3, 0.2e-3) };
        let start: f64 = ready[edge.parent];
        let end = start + gap + latency;
        lanes[edge.parent].spans.push(Span { start, end: start + gap, kind: 0, ..Span::default() });
        lanes[edge.child].spans.push(Span { start: end - 0.6 * gap, end, kind: 1, ..Span::default() });
        arrows.push(Arrow { from: edge.parent, start, to: edge.child, end, group: usize::from(far) });
        ready[edge.parent] = start + gap;
        ready[edge.child] = end;
    }
    for (rank, lane) in lanes.iter_mut().enumerate() {
        let end = ready[rank] + 3e-3 + 1e-5 * rank as f64;
        lane.spans.push(Span { start: ready[rank], end, kind: 2, ..Span::default() });
    }
    Gantt {
        title: "A broadcast over the binomial tree".to_owned(),
        subtitle: Some(format!("pLogP, {count} ranks in six clusters, run 17")),
        kinds: words(&["sending", "receiving", "computing"]),
        groups: Vec::new(),
        arrow_groups: words(&["within a cluster", "between clusters"]),
        lanes,
        arrows,
        path: Vec::new(),
    }
}

/// Four tasks on two nodes, one of which others use for a while; names that fit and names that don't.
fn named_schedule() -> Gantt {
    let span = |label: &str, start: f64, end: f64| Span { start, end, kind: 2, label: label.to_owned(), group: None };
    let lane = |label: &str, spans: Vec<Span>, shades: Vec<Shade>| Lane {
        label: label.to_owned(),
        group: "lab".to_owned(),
        spans,
        shades,
        is_link: false,
    };
    let shades = vec![
        Shade { start: 4.0, end: Some(9.0), taken: 0.5 },
        Shade { start: 9.0, end: Some(12.0), taken: 2.0 / 3.0 },
        Shade { start: 17.0, end: None, taken: 0.5 },
    ];
    Gantt {
        title: "Four tasks on two nodes".to_owned(),
        subtitle: None,
        kinds: words(&["sends", "receives", "computes"]),
        groups: Vec::new(),
        arrow_groups: words(&["message"]),
        lanes: vec![
            lane("0", vec![span("split", 0.0, 5.0), span("a very long name", 5.0, 5.4)], shades),
            lane("1", vec![span("left half", 6.0, 13.0), span("join", 13.0, 20.0)], vec![]),
        ],
        arrows: vec![Arrow { from: 0, start: 5.0, to: 1, end: 6.0, group: 0 }],
        path: vec![(0.0, 0), (5.0, 0), (6.0, 1), (20.0, 1)],
    }
}

/// The same with links below the nodes: one that is full for a while, and one that is used a little.
fn schedule_with_links() -> Gantt {
    let link = |label: &str, shades: &[(f64, f64, f64)]| Lane {
        label: label.to_owned(),
        group: "links".to_owned(),
        spans: Vec::new(),
        shades: shades.iter().map(|&(start, end, taken)| Shade { start, end: Some(end), taken }).collect(),
        is_link: true,
    };
    let mut chart = named_schedule();
    chart.lanes.push(link("lab node 0 up", &[(5.0, 5.5, 0.5), (5.5, 6.0, 1.0), (9.0, 12.0, 0.25)]));
    chart.lanes.push(link("lab node 1 down", &[(5.0, 6.0, 0.1)]));
    chart
}

/// Links of which some are full in turn, in a grid of clusters whose names are long.
fn used(count: usize) -> Utilization {
    let share = |row: usize, part: usize| ((row * 7 + part) % 60) as f64 / 59.0 * (1.0 - row as f64 / count as f64);
    let rows = (0..count).map(|row| UsedRow {
        name: format!("{} switch 1.{row} to switch 2.0 (cable {row})", SITES[row % 6].0),
        shares: (0..200).map(|part| share(row, part)).collect(),
    });
    Utilization {
        title: "Use of links".to_owned(),
        subtitle: Some("an all-to-all, run 17".to_owned()),
        y_label: format!("the {count} most used of 132 links"),
        rows: rows.collect(),
        end: 0.0173,
    }
}

/// Ratios of twelve schedulers on a hundred graphs each, at three ratios of communication: waves that never meet.
fn ratios(count: usize, series: usize) -> BoxPlot {
    let sample = |scheduler: usize, series: usize| {
        let value = |i: u32| {
            let wave = (f64::from(i) * (0.618_034 + 0.01 * scheduler as f64)).rem_euclid(1.0);
            let far = if i % 37 == 5 { 0.6 } else { 0.0 };
            1.0 + 0.04 * scheduler as f64 + wave * wave * 0.3 * (1.0 + series as f64) + far
        };
        (0..100).map(value).collect()
    };
    BoxPlot {
        title: "Makespan over that of the best scheduler".to_owned(),
        subtitle: Some("a hundred random graphs of 100 tasks on 8 nodes".to_owned()),
        label: "scheduler".to_owned(),
        categories: (0..count).map(|index| ALGORITHMS[index % 12].to_owned()).collect(),
        y: Axis::number("makespan over the best"),
        series: (0..series)
            .map(|index| BoxSeries {
                name: format!("communication {}", [0.1, 1.0, 10.0][index % 3]),
                samples: (0..count).map(|scheduler| sample(scheduler, index)).collect(),
            })
            .collect(),
    }
}

/// How long schedulers take over the number of tasks, with its spread.
fn run_times() -> LineChart {
    let counts = || (0..10).map(|step| (10.0 * 10f64.powf(f64::from(step) * 4.0 / 9.0)).round());
    let line = |name: &str, at_ten: f64, power: f64| {
        let points = counts().map(|n| Point::new(n, at_ten * (n / 10.0).powf(power)));
        Series::data(name, points.map(|point| point.within(0.8 * point.y, 1.25 * point.y)).collect())
    };
    LineChart {
        title: "Run time of schedulers".to_owned(),
        subtitle: Some("mean of 10 graphs with its 95 % interval".to_owned()),
        x: Axis::number("tasks").logarithmic(),
        y: Axis::seconds("run time").logarithmic(),
        series: vec![line("HEFT", 1e-5, 1.1), line("DLS", 3e-5, 1.9), line("simulated annealing", 8e-3, 1.0)],
        ..LineChart::default()
    }
}

/// A graph of that many tasks in levels of that width, each task with two successors or so in later levels.
fn dag(tasks: usize, width: usize, groups: usize) -> Dag {
    let edges = (0..tasks).flat_map(|from| {
        let next = (from / width + 1) * width;
        let targets = [next + from * 3 % width, next + (from * 5 + 1) % width, next + width + from % width];
        let count = if from % 4 == 0 { 3 } else { 2 };
        targets.into_iter().take(count).filter(move |&to| to < tasks).map(move |to| (from, to))
    });
    let edges: std::collections::BTreeSet<(usize, usize)> = edges.collect();
    Dag {
        title: "A layered graph".to_owned(),
        subtitle: Some(format!("{tasks} tasks")),
        groups: (0..groups).map(|node| format!("node {node}")).collect(),
        nodes: (0..tasks)
            .map(|task| DagNode {
                label: format!("task_{task}"),
                short: task.to_string(),
                detail: format!("{} s", 5 + task * 7 % 13),
                group: (groups > 0).then(|| task * 5 % 7 % groups.max(1)),
            })
            .collect(),
        edges: edges
            .into_iter()
            .map(|(from, to)| DagEdge { from, to, label: format!("{} B", 10 + (from * to) % 90) })
            .collect(),
        path: Vec::new(),
    }
}

fn small(title: &str, x: Axis, y: Axis, points: Vec<Point>) -> LineChart {
    let series = vec![Series::data("one", points), Series::data("nothing", vec![])];
    LineChart { title: title.to_owned(), x, y, series, ..LineChart::default() }
}

/// Two algorithms that always take the same time, and one that takes another.
fn coinciding() -> LineChart {
    let line = |name: &str, algorithm: usize| {
        Series::data(name, sizes().map(|bytes| Point::new(bytes, time(algorithm, bytes))).collect())
    };
    LineChart { series: vec![line("adaptive", 7), line("binomial", 3), line("ecef", 7)], ..times(1) }
}

/// More nodes and messages than a picture can show one by one.
fn crowded(nodes: usize, segments: usize) -> Gantt {
    let lanes = (0..nodes).map(|node| {
        let span = |segment: usize, kind: usize| {
            let start = (node + 2 * segment + kind) as f64 * 1e-3;
            Span { start, end: start + 0.9e-3, kind, ..Span::default() }
        };
        Lane {
            label: node.to_string(),
            group: format!("cluster {}", 10 * node / nodes),
            spans: (0..segments).flat_map(|segment| [span(segment, 1), span(segment, 0)]).collect(),
            shades: Vec::new(),
            is_link: false,
        }
    });
    let arrow = |from: usize, segment: usize| {
        let start = (from + 2 * segment) as f64 * 1e-3;
        Arrow { from, start, to: from + 1, end: start + 1e-3, group: 0 }
    };
    let arrows = (1..nodes).flat_map(|to| (0..segments).map(move |segment| arrow(to - 1, segment)));
    Gantt { arrows: arrows.collect(), lanes: lanes.collect(), ..schedule(2) }
}

/// The chart on a sheet of this width in print.
fn printed(chart: &dyn Drawing, millimetres: f64, change: impl FnOnce(&mut Paper)) -> String {
    let mut paper = Paper::printed(Some(millimetres), None);
    change(&mut paper);
    chart.picture(&paper).document("in print", Some(MILLIMETRES))
}

/// A logarithmic x axis begins and ends at labels, also where the last one needs some of the margin.
#[test]
fn logarithmic_axes_end_at_labels_in_print() {
    for (from, to, ends) in [(10, 19, ["1\u{a0}KiB", "1\u{a0}MiB"]), (0, 20, ["1\u{a0}B", "1\u{a0}MiB"])] {
        let points = (from..=to).map(|power| Point::new(f64::from(1 << power), f64::from(power))).collect();
        let chart = LineChart {
            x: Axis::bytes("size").logarithmic(),
            y: Axis::number("y"),
            series: vec![Series::data("", points)],
            ..LineChart::default()
        };
        let svg = printed(&chart, 85.0, |_| {});
        inspect(&svg);
        let labels: Vec<&str> = svg.lines().filter(|line| line.ends_with('B')).collect();
        assert_eq!([labels[0], labels[labels.len() - 1]], ends, "{labels:?}");
    }
}

/// Samples in the column of a paper.
fn prints() -> Vec<(&'static str, String)> {
    let column = 85.0;
    let as_is = |_: &mut Paper| {};
    let words = |text: &str, x: Option<f64>, y: Option<f64>| Annotation { text: text.to_owned(), x, y };
    let long = BarChart { categories: words_of_schedulers(), ..losses() };
    vec![
        ("print-line", printed(&times(6), column, as_is)),
        ("print-line-direct", printed(&times(6), column, |paper| paper.legend = Some(LegendPlace::Direct))),
        (
            "print-line-right",
            printed(&speedups(), 180.0, |paper| {
                paper.legend = Some(LegendPlace::Right);
                paper.legend_title = "algorithm".to_owned();
                paper.notes = vec!["bands: mean, 95 % Student, n = 30".to_owned()];
            }),
        ),
        (
            "print-line-range",
            printed(&speedups(), column, |paper| {
                paper.x_ends.low = Some(32.0);
                paper.y_ends.high = Some(4.0);
                paper.annotations = vec![
                    words("rendezvous", Some(8192.0), None),
                    words("twice", None, Some(2.0)),
                    words("here", Some(256.0), Some(3.0)),
                ];
            }),
        ),
        ("print-coinciding", printed(&coinciding(), column, as_is)),
        ("print-bars", printed(&bars(Arrangement::Grouped), column, as_is)),
        ("print-bars-grey", printed(&bars(Arrangement::Stacked), column, |paper| paper.palette = Palette::Grey)),
        ("print-bars-lying", printed(&long, column, |paper| paper.horizontal = true)),
        ("print-box", printed(&ratios(6, 3), column, as_is)),
        ("print-box-lying", printed(&ratios(12, 1), column, as_is)),
        ("print-histogram", printed(&distributions(2), column, |paper| paper.free_y = true)),
        ("print-heat", printed(&heat(), 180.0, as_is)),
        ("print-heat-names", printed(&winners(), column, as_is)),
        ("print-gantt", printed(&named_schedule(), column, as_is)),
        ("print-utilization", printed(&used(12), 180.0, as_is)),
        ("print-dag", printed(&dag(10, 3, 3), column, as_is)),
        ("print-tree", printed(&tree("The binomial tree", 16, binomial(16)), column, as_is)),
        ("print-many", printed(&bars_of(11), 180.0, as_is)),
    ]
}

fn words_of_schedulers() -> Vec<String> {
    words(&[
        "heterogeneous earliest finish time",
        "critical path on a processor",
        "predict earliest finish time",
        "dynamic level scheduling with insertion",
    ])
}

/// Bars of more series than there are colours; the last look is one that another chart gave away.
fn bars_of(count: usize) -> BarChart {
    let series = (0..count).map(|index| {
        let bar = |site: u32| Some(Estimate { value: 1.0 + f64::from(site) + index as f64 * 0.4, interval: None });
        BarSeries { name: ALGORITHMS[index % 12].to_owned(), bars: (0..4).map(bar).collect() }
    });
    BarChart { categories: words(&["Lille", "Lyon", "Nancy", "Rennes"]), series: series.collect(), ..losses_by_time() }
}

fn losses_by_time() -> BarChart {
    BarChart { arrangement: Arrangement::Grouped, y: Axis::seconds("time"), ..losses() }
}

#[test]
fn charts_in_print_have_no_type_below_seven_points() {
    for (name, svg) in prints() {
        inspect(&svg);
        let document = roxmltree::Document::parse(&svg).unwrap();
        let root = document.root_element();
        let width: f64 = root.attribute("viewBox").unwrap().split(' ').nth(2).unwrap().parse().unwrap();
        let millimetres: f64 = root.attribute("width").unwrap().strip_suffix("mm").unwrap().parse().unwrap();
        let points = millimetres / width / 25.4 * 72.0;
        for text in root.descendants().filter(|node| node.has_tag_name("text")) {
            let size: f64 = text.attribute("font-size").unwrap().parse().unwrap();
            assert!(size * points > 6.99, "{name}: {:?} of {} pt", text.text(), size * points);
        }
    }
}

#[test]
fn labels_differ_and_stand_apart() {
    let all: Vec<String> = samples()
        .into_iter()
        .chain(prints())
        .flat_map(|(name, svg)| faults(&svg).into_iter().map(move |fault| format!("{name}: {fault}")))
        .collect();
    assert!(all.is_empty(), "{all:#?}");
}

/// The check finds what it looks for.
#[test]
fn labels_that_are_wrong_are_found() {
    use hetsim_chart::canvas::{Anchor, TextLook, draw};
    let found = |texts: &[(&str, f64, f64)]| {
        let picture = draw((400.0, 100.0), 5.0, |canvas| {
            for &(text, x, y) in texts {
                canvas.text(text, (x, y), TextLook::new(12.0, Colour::GREY, Anchor::Middle));
            }
        });
        faults(&picture.document("", None))
    };
    assert_eq!(found(&[("10 ms", 100.0, 50.0), ("20 ms", 160.0, 50.0)]), Vec::<String>::new());
    assert_eq!(found(&[("10 ms", 100.0, 50.0), ("10 ms", 160.0, 50.0)]), ["\"10 ms\" stands there twice"]);
    assert_eq!(found(&[("10 ms", 100.0, 50.0), ("20 ms", 120.0, 52.0)]), ["\"10 ms\" and \"20 ms\" overlap"]);
}

/// Lines on one another are drawn in turn, named by what they are, and a note says so.
#[test]
fn coinciding_lines_are_named_together() {
    let svg = coinciding().svg();
    assert!(svg.contains("\nadaptive\n") && svg.contains("\necef\n") && !svg.contains("\n= "), "{svg}");
    assert!(svg.contains("adaptive and ecef lie on one another"), "{svg}");
    let lines = |colour: &str| svg.matches(&format!("stroke=\"{colour}\" stroke-width=\"18\"")).count();
    // The first and the third colour have many pieces, the second one a line and its sample.
    assert!(lines("#0072B2") > 10 && lines("#E69F00") > 10, "{} {}", lines("#0072B2"), lines("#E69F00"));
    assert_eq!(lines("#D55E00"), 2);
}

/// A thousand nodes that pass on 256 segments: half a million bars.
#[test]
fn crowded_charts_stay_small() {
    let svg = crowded(1000, 256).svg();
    assert!(svg.len() < 2_000_000, "{} bytes", svg.len());
    assert!(svg.contains("512000 bars") && svg.contains("255744 messages are left out"), "notes");
    inspect(&svg);
    assert!(faults(&svg).is_empty(), "{:?}", faults(&svg));
}

/// What a value looks like does not depend on which others a chart shows.
#[test]
fn looks_are_those_that_the_paper_gives() {
    let paper = Paper { looks: vec![Look { number: 2, colour: None }], ..Paper::default() };
    let chart = BarChart { categories: words(&["a"]), ..bars_of(1) };
    assert!(chart.picture(&paper).document("", None).contains("#E69F00"));
    let own = Paper { looks: vec![Look { number: 2, colour: Some(Colour(1, 2, 3)) }], ..Paper::default() };
    assert!(chart.picture(&own).document("", None).contains("#010203"));
    // From the eighth on there are lines over the colour.
    let hatched = Paper { looks: vec![Look { number: 7, colour: None }], ..Paper::default() };
    let lines = |paper: &Paper| chart.picture(paper).document("", None).matches("stroke=\"#FFFFFF\"").count();
    assert!(lines(&hatched) > lines(&paper) + 10);
}

/// Every sample with its name.
fn samples() -> Vec<(&'static str, String)> {
    let number = || Axis::number("value");
    vec![
        ("line-10", times(10).svg()),
        ("line-coinciding", coinciding().svg()),
        ("bar-long", BarChart { categories: words_of_schedulers(), ..losses() }.svg()),
        ("bar-many", bars_of(11).svg()),
        ("line-speedup", speedups().svg()),
        ("line-category", policies().svg()),
        ("line-40", times(40).svg()),
        (
            "line-single",
            small("A single point", number(), number().logarithmic(), vec![Point::new(3.0, 7.0).within(5.0, 9.0)])
                .svg(),
        ),
        (
            "line-equal",
            small(
                "All equal",
                Axis::number("nodes"),
                Axis::seconds("time"),
                (1..9).map(|x| Point::new(f64::from(x), 1.0)).collect(),
            )
            .svg(),
        ),
        ("line-empty", small("Nothing to see", number(), number(), vec![]).svg()),
        ("line-steps", convergence().svg()),
        ("histogram-1", distributions(1).svg()),
        ("histogram-4", distributions(4).svg()),
        ("bar-grouped", bars(Arrangement::Grouped).svg()),
        ("bar-stacked", bars(Arrangement::Stacked).svg()),
        ("bar-losses", losses().svg()),
        ("bar-log", BarChart { y: Axis::seconds("time per node").logarithmic(), ..bars(Arrangement::Grouped) }.svg()),
        ("heat", heat().svg()),
        ("errors", errors().svg()),
        ("heat-names", winners().svg()),
        ("gantt-78", schedule(78).svg()),
        ("gantt-20", schedule(20).svg()),
        ("gantt-named", named_schedule().svg()),
        ("gantt-links", schedule_with_links().svg()),
        ("utilization-3", used(3).svg()),
        ("utilization-40", used(40).svg()),
        ("box-1", ratios(12, 1).svg()),
        ("box-3", ratios(6, 3).svg()),
        ("box-many", ratios(30, 3).svg()),
        ("box-log", BoxPlot { y: Axis::number("ratio").logarithmic(), ..ratios(12, 1) }.svg()),
        ("line-run-time", run_times().svg()),
        ("dag-10", dag(10, 3, 3).svg()),
        ("dag-60", dag(60, 8, 4).svg()),
        ("dag-wide", dag(60, 30, 0).svg()),
        ("dag-chain", dag(40, 1, 2).svg()),
        ("dag-61", dag(61, 8, 4).svg()),
        ("tree-binomial", tree("The binomial tree", 78, binomial(78)).svg()),
        ("tree-chain", tree("A chain", 78, chain(78)).svg()),
        ("tree-flat", tree("A flat tree", 40, (1..40).map(|child| Edge { parent: 0, child }).collect()).svg()),
        (
            "tree-deep",
            tree(
                "A chain with a branch",
                78,
                (1..78).map(|child| Edge { parent: if child == 60 { 3 } else { child - 1 }, child }).collect(),
            )
            .svg(),
        ),
        ("tree-small", tree("A small tree", 6, binomial(6)).svg()),
    ]
}

fn page() -> String {
    let row = |size: &str, time: &str, best: &str| words(&[size, time, "10", best]);
    let met = Verdict {
        metric: "completion_s".to_owned(),
        place: "size = 1 MiB, algorithm = two-level ECEF".to_owned(),
        shown: "0.231".to_owned(),
        simulated: 0.233.into(),
        difference_percent: 0.9.into(),
        tolerance: "5 %".to_owned(),
        met: true,
        source: "Table 3 of the paper, read from the printed page".to_owned(),
        ..Verdict::default()
    };
    let missed = Verdict { simulated: 0.4.into(), difference_percent: 73.0.into(), met: false, ..met.clone() };
    let table = TextTable {
        title: "The fastest algorithm for each size (mean ± 95 % interval)".to_owned(),
        columns: words(&["size", "completion time", "runs", "algorithm"]),
        rows: vec![row("1 B", "8.1 ± 0.2 ms", "binomial"), row("1 MiB", "56.1 ± 1.2 ms", "two-level ECEF")],
        ..TextTable::default()
    };
    let picture = |(name, svg): (&str, String)| Picture {
        name: name.to_owned(),
        caption: "A chart with what it shows in a sentence.".to_owned(),
        svg,
        ..Picture::default()
    };
    let shown = samples().into_iter().filter(|(name, _)| ["line-10", "heat", "gantt-78"].contains(name));
    Page {
        title: "Broadcasts on a grid of six clusters".to_owned(),
        set: None,
        question: Some("Which tree broadcasts a message of a given size soonest, and by how much?"),
        tables: &[table],
        sentences: vec!["binomial is faster than linear by 12 %.".to_owned()],
        pictures: &shown.map(picture).collect::<Vec<_>>(),
        verdicts: &[met, missed],
        files: Vec::new(),
        scenario: "version = 1\n\n[platform]\nkind = \"grid\" # <six> clusters\n",
        facts: vec![("version", "0.1.0".to_owned()), ("seed", "1".to_owned())],
    }
    .html()
}

#[test]
#[ignore = "writes pictures for people to look at"]
fn gallery() {
    let folder = std::env::temp_dir().join("hetsim-gallery");
    std::fs::create_dir_all(&folder).expect("a folder among the temporary files");
    let crowd = ("gantt-crowded", crowded(1000, 256).svg());
    for (name, svg) in samples().into_iter().chain(prints()).chain([crowd]) {
        std::fs::write(folder.join(format!("{name}.svg")), svg).expect("a picture");
    }
    std::fs::write(folder.join("page.html"), page()).expect("the page");
}

#[test]
fn every_sample_is_sound() {
    for (_, svg) in samples() {
        inspect(&svg);
    }
}

#[test]
fn the_same_data_give_the_same_bytes() {
    assert_eq!(samples(), samples());
    assert_eq!(page(), page());
}

/// Of too many bars there are sums, which are all of the time that the bars take.
#[test]
fn crowded_lanes_have_sums() {
    let span = |number: u32| Span {
        start: f64::from(number),
        end: f64::from(number) + 0.25,
        kind: number as usize % 2,
        ..Span::default()
    };
    let lane = |number: u32| Lane {
        label: number.to_string(),
        group: String::new(),
        spans: (0..4000).map(span).collect(),
        shades: Vec::new(),
        is_link: false,
    };
    let kinds = ["sends", "receives", "computes"].map(str::to_owned).to_vec();
    let chart = Gantt { kinds, lanes: (0..3).map(lane).collect(), arrows: Vec::new(), ..schedule(3) };
    let screen = Screen::of_drawing(&chart, "Crowd");
    assert_eq!(screen.heads, ["", "lane", "sends", "receives", "computes"]);
    assert_eq!(screen.values[2].cells, ["", "2", "500\u{a0}s", "500\u{a0}s", ""]);
    assert_eq!(screen.values.len(), 3);
}

#[test]
fn a_chart_without_data_says_so() {
    let empty = small("Empty", Axis::number(""), Axis::number("").logarithmic(), vec![Point::new(1.0, -1.0)]);
    assert!(empty.svg().contains("no data"));
    assert!(BarChart { categories: vec![], ..bars(Arrangement::Stacked) }.svg().contains("no data"));
    assert!(Histogram { samples: vec![], ..distributions(1) }.svg().contains("no data"));
    assert!(Heatmap { rows: vec![], ..heat() }.svg().contains("no data"));
    assert!(Gantt { lanes: vec![], ..schedule(4) }.svg().contains("no data"));
    assert!(Utilization { rows: vec![], ..used(3) }.svg().contains("nothing is used in this run"));
    assert!(BoxPlot { categories: vec![], ..ratios(3, 1) }.svg().contains("no data"));
    assert!(BoxPlot { series: vec![BoxSeries::default()], ..ratios(3, 1) }.svg().contains("no data"));
    assert!(Dag { nodes: vec![], ..dag(3, 2, 1) }.svg().contains("no data"));
    assert!(Tree { nodes: vec![], ..tree("Empty", 0, vec![]) }.svg().contains("no data"));
}
