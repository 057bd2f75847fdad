//! A critical look at finished charts, for tests: whatever the data, they are XML, and no text leaves the sheet.

use proptest::prelude::*;

use super::labels::inspect;
use crate::report::chart::*;
use crate::statistics::compare::Estimate;

/// Any float at all, and often one of an ordinary size.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![prop::num::f64::ANY, -1e3..1e3, Just(0.0), Just(1.0)]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{0,60}", "[ -~]{0,200}", any::<String>()]
}

fn axis() -> impl Strategy<Value = Axis> {
    let kind = prop_oneof![
        Just(Kind::Number),
        Just(Kind::Bytes),
        Just(Kind::Seconds),
        prop::collection::vec(text(), 0..30).prop_map(Kind::Category)
    ];
    (text(), any::<bool>(), kind).prop_map(|(label, log, kind)| Axis {
        label,
        scale: if log { Scale::Log } else { Scale::Linear },
        kind,
    })
}

fn point() -> impl Strategy<Value = Point> {
    (value(), value(), prop::option::of(value()), prop::option::of(value())).prop_map(|(x, y, low, high)| Point {
        x,
        y,
        low,
        high,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(50) })]

    #[test]
    fn any_line_chart_is_sound(
        title in text(),
        subtitle in prop::option::of(text()),
        x in axis(),
        y in axis(),
        lines in prop::collection::vec((text(), prop::collection::vec(point(), 0..20), any::<bool>()), 0..50),
        marks in prop::collection::vec((value(), value(), text(), prop::option::of(0..60usize)), 0..20),
        steps in any::<bool>(),
        whiskers in any::<bool>(),
    ) {
        let style = |reference| if reference { SeriesStyle::Reference } else { SeriesStyle::Data };
        let series = lines.into_iter().map(|(name, points, reference)| Series { name, points, style: style(reference) });
        let marks = marks.into_iter().map(|(x, y, label, series)| Mark { x, y, label, series });
        inspect(&LineChart { title, subtitle, x, y, series: series.collect(), marks: marks.collect(), steps, whiskers }.svg());
    }

    #[test]
    fn any_histogram_is_sound(
        title in text(),
        x in axis(),
        samples in prop::collection::vec(
            (text(), prop::collection::vec(value(), 0..60), prop::collection::vec((value(), text()), 0..5)),
            0..6,
        ),
        bins in prop::option::of(0..500usize),
    ) {
        let mark = |(value, label)| Threshold { value, label };
        let samples = samples.into_iter().map(|(name, values, marks)| Sample {
            name,
            values,
            marks: marks.into_iter().map(mark).collect(),
        });
        inspect(&Histogram { title, subtitle: None, x, samples: samples.collect(), bins }.svg());
    }

    #[test]
    fn any_bar_chart_is_sound(
        label in text(),
        categories in prop::collection::vec(text(), 0..50),
        y in axis(),
        series in prop::collection::vec((text(), prop::collection::vec(prop::option::of(point()), 0..9)), 0..25),
        stacked in any::<bool>(),
    ) {
        let bar = |point: Point| Estimate { value: point.y, interval: point.low.zip(point.high) };
        let series = series.into_iter().map(|(name, bars)| BarSeries {
            name,
            bars: bars.into_iter().map(|point| point.map(bar)).collect(),
        });
        let arrangement = if stacked { Arrangement::Stacked } else { Arrangement::Grouped };
        let series = series.collect();
        inspect(&BarChart { title: label.clone(), subtitle: None, label, categories, y, series, arrangement }.svg());
    }

    #[test]
    fn any_heatmap_is_sound(
        x_label in text(),
        columns in prop::collection::vec(text(), 0..40),
        rows in prop::collection::vec(text(), 0..40),
        axis in axis(),
        values in prop::collection::vec(prop::collection::vec(prop::option::of(value()), 0..40), 0..40),
        named in any::<bool>(),
        borders in prop::collection::vec((text(), 0..50usize, prop::option::of(0..50usize)), 0..6),
    ) {
        let border = |(label, column, row)| Border { label, column, row };
        let borders = borders.into_iter().map(border).collect();
        let cells = if named {
            let index = |cell: Option<f64>| cell.map(|value| value as usize);
            let values = values.into_iter().map(|row| row.into_iter().map(index).collect()).collect();
            let counts = [((0, 0), "(1 of 2)".to_owned())].into();
            Cells::Names { names: rows.clone(), values, counts }
        } else {
            Cells::Numbers { axis, values }
        };
        let y_label = x_label.clone();
        let title = x_label.clone();
        let frame = |name: &String| Framed { name: name.clone(), columns: 0..columns.len().min(2), rows: 0..rows.len().min(3) };
        let frames = rows.iter().skip(3).take(1).map(frame).collect();
        inspect(&Heatmap { title, subtitle: None, x_label, y_label, columns, rows, cells, borders, frames }.svg());
    }

    #[test]
    fn any_gantt_chart_is_sound(
        lanes in prop::collection::vec((text(), text(), prop::collection::vec((value(), value(), 0..9usize, text()), 0..9)), 0..120),
        loads in prop::collection::vec((value(), prop::option::of(value()), value()), 0..9),
        arrows in prop::collection::vec((0..130usize, value(), 0..130usize, value(), 0..9usize), 0..50),
        names in prop::collection::vec(text(), 0..12),
        is_link in any::<bool>(),
    ) {
        let span = |(start, end, kind, label)| Span { start, end, kind, label, group: None };
        let shades: Vec<Shade> = loads.into_iter().map(|(start, end, taken)| Shade { start, end, taken }).collect();
        let lanes = lanes.into_iter().map(|(label, group, spans)| Lane {
            label,
            group,
            spans: spans.into_iter().map(span).collect(),
            is_link,
            shades: shades.clone(),
        });
        let arrows = arrows.into_iter().map(|(from, start, to, end, group)| Arrow { from, start, to, end, group });
        let (lanes, arrows) = (lanes.collect(), arrows.collect());
        let chart = Gantt { title: String::new(), subtitle: None, kinds: names.clone(), groups: Vec::new(), arrow_groups: names, lanes, arrows, path: Vec::new() };
        inspect(&chart.svg());
    }

    #[test]
    fn any_utilization_chart_is_sound(
        title in text(),
        y_label in text(),
        rows in prop::collection::vec((text(), prop::collection::vec(value(), 0..30)), 0..50),
        end in value(),
    ) {
        let rows = rows.into_iter().map(|(name, shares)| UsedRow { name, shares }).collect();
        inspect(&Utilization { title, subtitle: None, y_label, rows, end }.svg());
    }

    #[test]
    fn any_tree_is_sound(
        nodes in prop::collection::vec((text(), prop::option::of(0..20usize)), 0..90),
        edges in prop::collection::vec((0..95usize, 0..95usize), 0..150),
        groups in prop::collection::vec(text(), 0..20),
    ) {
        let nodes = nodes.into_iter().map(|(label, group)| TreeNode { label, group }).collect();
        let edges = edges.into_iter().map(|(parent, child)| Edge { parent, child }).collect();
        inspect(&Tree { title: "Any".to_owned(), subtitle: None, groups, nodes, edges }.svg());
    }

    #[test]
    fn any_box_plot_is_sound(
        label in text(),
        categories in prop::collection::vec(text(), 0..40),
        y in axis(),
        series in prop::collection::vec((text(), prop::collection::vec(prop::collection::vec(value(), 0..9), 0..9)), 0..12),
    ) {
        let series = series.into_iter().map(|(name, samples)| BoxSeries { name, samples }).collect();
        inspect(&BoxPlot { title: label.clone(), subtitle: None, label, categories, y, series }.svg());
    }

    #[test]
    fn any_graph_is_sound(
        nodes in prop::collection::vec((text(), text(), prop::option::of(0..20usize)), 0..70),
        edges in prop::collection::vec((0..75usize, 0..75usize, text()), 0..150),
        groups in prop::collection::vec(text(), 0..20),
    ) {
        let node = |(label, detail, group): (String, String, _)| DagNode { short: detail.clone(), label, detail, group };
        let edges = edges.into_iter().map(|(from, to, label)| DagEdge { from, to, label }).collect();
        let nodes = nodes.into_iter().map(node).collect();
        inspect(&Dag { title: "Any".to_owned(), subtitle: None, groups, nodes, edges, path: vec![0] }.svg());
    }
}
