//! Sample charts: what tests inspect, and what people should look at after a change.
//!
//! `cargo test -p hetsim --lib gallery -- --ignored` writes them all to the folder `hetsim-gallery` among the temporary
//! files.

use super::labels::{faults, inspect};
use super::samples::*;
use crate::report::chart::*;
use crate::report::expect::Verdict;
use crate::report::page::Page;
use crate::report::text::TextTable;
use crate::statistics::compare::Estimate;
use hetsim_chart::drawing::Drawing;
use hetsim_chart::paper::{Annotation, Ends, Look, MILLIMETRES, Paper};
use hetsim_chart::style::Colour;

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

/// What a range leaves out is counted below, and a picture that shows nothing says why.
#[test]
fn ranges_say_what_they_leave_out() {
    let values = [1.0, 2.0, 9.0];
    let of = |style| LineChart {
        series: vec![Series { style, ..Series::data("a", values.map(|value| Point::new(value, value)).to_vec()) }],
        ..LineChart::default()
    };
    let bars = BarChart {
        categories: values.map(|value| value.to_string()).to_vec(),
        series: vec![BarSeries {
            name: "a".to_owned(),
            bars: values.map(|value| Some(Estimate { value, interval: None })).to_vec(),
        }],
        ..bars(Arrangement::Grouped)
    };
    let boxes = BoxPlot {
        categories: vec!["a".to_owned()],
        series: vec![BoxSeries { name: String::new(), samples: vec![values.to_vec()] }],
        ..BoxPlot::default()
    };
    let charts: [&dyn Drawing; 4] = [&of(SeriesStyle::Data), &of(SeriesStyle::Points), &bars, &boxes];
    for (number, chart) in charts.into_iter().enumerate() {
        let within = |low, high| {
            let y_ends = Ends { low: Some(low), high: Some(high) };
            let picture = chart.picture(&Paper { y_ends, ..Paper::default() });
            (picture.notes.last().cloned().unwrap_or_default(), picture.document("", None))
        };
        let nothing = "all values lie outside of the picture";
        let (note, svg) = within(0.0, 5.0);
        assert_eq!(note, "1 value lies outside of the picture", "{number}");
        assert!(!svg.contains(nothing), "{number}");
        let (note, svg) = within(20.0, 30.0);
        assert_eq!(note, "3 values lie outside of the picture", "{number}");
        assert!(svg.contains(nothing) && !svg.contains("no data"), "{number}");
        assert!(!within(0.0, 9.0).0.contains("outside"), "{number}");
    }
}

/// No leader goes to a line that is not in the picture.
#[test]
fn a_line_outside_has_no_leader() {
    let line = |name: &str, height: f64| Series::data(name, [1.0, 2.0].map(|x| Point::new(x, height)).to_vec());
    let chart = LineChart { series: vec![line("in", 1.0), line("out", 9.0)], ..LineChart::default() };
    let drawn = |x_ends, y_ends| chart.picture(&Paper { x_ends, y_ends, ..Paper::default() }).document("", None);
    let ends = |low, high| Ends { low: Some(low), high: Some(high) };
    let leaders = |svg: &str| svg.matches(" opacity=\"0.45\"").count();
    let all = Ends::default();
    assert_eq!((leaders(&drawn(all, ends(0.0, 10.0))), leaders(&drawn(all, ends(0.0, 5.0)))), (2, 1));
    assert!(drawn(ends(5.0, 6.0), all).contains("all values lie outside of the picture"));
}

/// Values that no axis has a place for are counted below.
#[test]
fn values_too_large_for_an_axis_are_counted() {
    let points = [1.0, 1e100, -1e300].map(|value| Point::new(1.0, value)).to_vec();
    let chart = LineChart { series: vec![Series::data("a", points)], ..LineChart::default() };
    let notes = chart.picture(&Paper::default()).notes;
    assert_eq!(notes, ["2 values of a size of 1e100 or more have no place on an axis"]);
    let cells = Cells::Numbers { axis: Axis::number(""), values: vec![vec![Some(1e200)]] };
    let notes = Heatmap { columns: vec!["1".to_owned()], rows: vec!["1".to_owned()], cells, ..heat() };
    let notes = notes.picture(&Paper::default()).notes;
    assert_eq!(notes, ["1 value of a size of 1e100 or more has no place on an axis"]);
}

/// The heading of the scale of colours stands above it, also where a legend is at its right.
#[test]
fn a_legend_at_the_right_leaves_the_scale_its_heading() {
    let borders = vec![Border { label: "printed".to_owned(), column: 3, row: None }];
    let chart = Heatmap { borders, ..heat() };
    let svg = chart.picture(&Paper { legend: Some(LegendPlace::Right), ..Paper::default() }).document("", None);
    assert!(svg.contains("printed") && svg.contains("completion time"), "{svg}");
    assert_eq!(faults(&svg), [""; 0]);
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
    let picture = crowded(1000, 256).picture(&Paper::default());
    assert!(picture.notes.iter().any(|note| note.contains("`hetsim trace --trace FILE` writes them")));
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
