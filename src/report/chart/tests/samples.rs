//! Charts with data that look like those of real runs.

use crate::report::chart::*;
use crate::statistics::compare::Estimate;

pub(super) const ALGORITHMS: [&str; 12] = [
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
pub(super) const SITES: [(&str, usize); 6] =
    [("Bordeaux", 16), ("Lille", 8), ("Lyon", 14), ("Nancy", 20), ("Rennes", 12), ("Sophia", 8)];

pub(super) fn cluster_of(rank: usize) -> usize {
    let ends = SITES.iter().scan(0, |end, (_, size)| {
        *end += size;
        Some(*end)
    });
    ends.take_while(|&end| end <= rank).count()
}

pub(super) fn words(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

/// A model of each algorithm that has the right shape: latency times a depth, then bandwidth times a factor.
pub(super) fn time(algorithm: usize, bytes: f64) -> f64 {
    let depth = [77.0, 77.0, 12.0, 7.0, 80.0, 9.0, 30.0, 6.0, 6.2, 6.5, 8.0, 20.0][algorithm];
    let volume = [77.0, 77.0, 14.0, 7.0, 1.6, 2.5, 2.1, 3.0, 3.3, 3.1, 4.0, 1.3][algorithm];
    depth * 9e-6 + volume * bytes * 1.2e-8 + if algorithm < 7 { 4e-3 * depth.ln() } else { 8e-3 }
}

pub(super) fn sizes() -> impl Iterator<Item = f64> {
    (0..=10).map(|power| 4f64.powi(power))
}

pub(super) fn times(count: usize) -> LineChart {
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

pub(super) fn speedups() -> LineChart {
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

pub(super) fn policies() -> LineChart {
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

pub(super) fn bars(arrangement: Arrangement) -> BarChart {
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
pub(super) fn losses() -> BarChart {
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
pub(super) fn convergence() -> LineChart {
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
pub(super) fn distributions(count: usize) -> Histogram {
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

pub(super) fn heat() -> Heatmap {
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
pub(super) fn errors() -> Heatmap {
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

pub(super) fn winners() -> Heatmap {
    let winner = |row: usize, column: usize| [3, 7, 7, 5, 6, 4, 11][(row * 2 + column) * 6 / 29];
    let values = (0..10).map(|row| (0..12).map(|column| Some(winner(row, column))).collect());
    Heatmap {
        title: "The fastest algorithm".to_owned(),
        subtitle: Some("by message size and number of ranks".to_owned()),
        x_label: "ranks".to_owned(),
        y_label: "message size".to_owned(),
        columns: (1..=12).map(|n| (n * 8).to_string()).collect(),
        rows: sizes().take(10).map(|bytes| Kind::Bytes.format(bytes)).collect(),
        cells: Cells::Names { names: words(&ALGORITHMS), values: values.collect(), counts: [].into() },
        borders: Vec::new(),
        frames: Vec::new(),
    }
}

/// The parent of each rank in a binomial tree, in the order of sending: largest subtree first.
pub(super) fn binomial(count: usize) -> Vec<Edge> {
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

pub(super) fn tree(title: &str, count: usize, edges: Vec<Edge>) -> Tree {
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

pub(super) fn chain(count: usize) -> Vec<Edge> {
    (1..count).map(|child| Edge { parent: child - 1, child }).collect()
}

pub(super) fn schedule(count: usize) -> Gantt {
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
pub(super) fn named_schedule() -> Gantt {
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
pub(super) fn schedule_with_links() -> Gantt {
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
pub(super) fn used(count: usize) -> Utilization {
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
pub(super) fn ratios(count: usize, series: usize) -> BoxPlot {
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
pub(super) fn run_times() -> LineChart {
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
pub(super) fn dag(tasks: usize, width: usize, groups: usize) -> Dag {
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

pub(super) fn small(title: &str, x: Axis, y: Axis, points: Vec<Point>) -> LineChart {
    let series = vec![Series::data("one", points), Series::data("nothing", vec![])];
    LineChart { title: title.to_owned(), x, y, series, ..LineChart::default() }
}

/// Two algorithms that always take the same time, and one that takes another.
pub(super) fn coinciding() -> LineChart {
    let line = |name: &str, algorithm: usize| {
        Series::data(name, sizes().map(|bytes| Point::new(bytes, time(algorithm, bytes))).collect())
    };
    LineChart { series: vec![line("adaptive", 7), line("binomial", 3), line("ecef", 7)], ..times(1) }
}

/// More nodes and messages than a picture can show one by one.
pub(super) fn crowded(nodes: usize, segments: usize) -> Gantt {
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
