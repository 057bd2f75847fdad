//! A critical look at finished charts, for tests: whatever the data, they are XML, and no text leaves the sheet.

use proptest::prelude::*;

use crate::report::chart::draw::style::text_width;
use crate::report::chart::*;
use crate::statistics::compare::Estimate;

/// Panics where `svg` is not well-formed or a text is cut off at an edge.
pub(super) fn inspect(svg: &str) {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error} in {svg}"));
    let root = document.root_element();
    let view: Vec<f64> = root.attribute("viewBox").expect("a viewBox").split(' ').map(|n| n.parse().unwrap()).collect();
    for Label { text, left, right, top, bottom, .. } in labels(&document) {
        let inside = left >= -1.0 && right <= view[2] + 1.0 && top >= -1.0 && bottom <= view[3] + 1.0;
        assert!(inside, "{text:?} at {left}..{right}, {top}..{bottom} of {view:?}");
    }
}

/// A text with the box that it fills, in fine units.
#[derive(Debug)]
struct Label {
    text: String,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    colour: String,
    anchor: String,
    /// The panel that it is in.
    panel: String,
}

fn labels(document: &roxmltree::Document<'_>) -> Vec<Label> {
    let texts = document.root_element().descendants().filter(|node| node.has_tag_name("text"));
    let label = |text: roxmltree::Node<'_, '_>| {
        let content = text.text().unwrap_or_default().trim();
        let number = |name: &str| text.attribute(name).expect("texts have it").parse::<f64>().expect("a number");
        let (x, y, size) = (number("x"), number("y"), number("font-size"));
        let width = text_width(content, size) * if text.has_attribute("font-weight") { 1.06 } else { 1.0 };
        let anchor = text.attribute("text-anchor").unwrap_or("start");
        let start = match anchor {
            "end" => -width,
            "middle" => -width / 2.0,
            _ => 0.0,
        };
        let panel = text.ancestors().skip(1).find_map(|node| node.attribute("transform")).unwrap_or_default();
        let shift = panel.trim_start_matches("translate(").trim_end_matches(')').split_once(' ');
        let (dx, dy): (f64, f64) = shift.map_or((0.0, 0.0), |(x, y)| (x.parse().unwrap(), y.parse().unwrap()));
        let (left, right, top, bottom) = match text.attribute("transform") {
            // Upright text reads towards smaller y.
            Some(_) => (x, x + size, y - start - width, y - start),
            None => (x + start, x + start + width, y, y + size),
        };
        Label {
            text: content.to_owned(),
            left: left + dx,
            right: right + dx,
            top: top + dy,
            bottom: bottom + dy,
            colour: text.attribute("fill").unwrap_or_default().to_owned(),
            anchor: anchor.to_owned(),
            panel: panel.to_owned(),
        }
    };
    texts.map(label).collect()
}

/// The labels with the lines of one name put together: centred or at one end, and close under each other.
fn whole(labels: Vec<Label>) -> Vec<Label> {
    let mut whole: Vec<Label> = Vec::new();
    for line in labels {
        let goes_on = |above: &&mut Label| {
            let middles = above.left + above.right - line.left - line.right;
            let aligned = match line.anchor.as_str() {
                "middle" => middles.abs() < 1.0,
                "end" => (above.right - line.right).abs() < 0.5,
                _ => false,
            };
            aligned && above.anchor == line.anchor && (line.top - above.bottom).abs() < 35.0
        };
        match whole.last_mut().filter(goes_on) {
            Some(above) => {
                above.text = format!("{} {}", above.text, line.text);
                (above.left, above.right) = (above.left.min(line.left), above.right.max(line.right));
                above.bottom = line.bottom;
            }
            None => whole.push(line),
        }
    }
    whole
}

/// What is wrong with the labels of a chart: boxes that overlap, and equal labels in one row or one column of one axis
/// or one legend. Values in cells, in bars and beside rows may be equal, as may the ticks of the axes of a histogram,
/// which stand one under another.
pub(super) fn faults(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}"));
    let labels = whole(labels(&document));
    let several_axes = labels.iter().any(|label| label.text.starts_with("number of values in each bin"));
    let mut faults = Vec::new();
    for (index, a) in labels.iter().enumerate() {
        // Widths are estimated on the safe side, and a line has free space above and below its letters.
        let [air, apart] = [0.14 * (a.bottom - a.top).min(80.0), 12.0];
        for b in &labels[index + 1..] {
            let beside = a.right - apart <= b.left || b.right - apart <= a.left;
            let above = a.bottom - air <= b.top + air || b.bottom - air <= a.top + air;
            if !beside && !above {
                faults.push(format!("{:?} and {:?} overlap", a.text, b.text));
            }
            let is_tick = |label: &Label| label.colour == "#606060" && !label.text.ends_with('%');
            let is_named = |label: &Label| is_tick(label) || label.anchor == "start";
            let in_row = (a.top - b.top).abs() < 0.5 && a.anchor == "middle";
            let in_column = a.anchor != "middle"
                && !several_axes
                && ((a.left - b.left).abs() < 0.5 || (a.right - b.right).abs() < 0.5);
            if a.text == b.text && a.panel == b.panel && is_named(a) && is_named(b) && (in_row || in_column) {
                faults.push(format!("{:?} stands there twice", a.text));
            }
        }
    }
    faults
}

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
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn any_line_chart_is_sound(
        title in text(),
        subtitle in prop::option::of(text()),
        x in axis(),
        y in axis(),
        lines in prop::collection::vec((text(), prop::collection::vec(point(), 0..20), any::<bool>()), 0..50),
        marks in prop::collection::vec((value(), value(), text(), prop::option::of(0..60usize)), 0..20),
        steps in any::<bool>(),
    ) {
        let style = |reference| if reference { SeriesStyle::Reference } else { SeriesStyle::Data };
        let series = lines.into_iter().map(|(name, points, reference)| Series { name, points, style: style(reference) });
        let marks = marks.into_iter().map(|(x, y, label, series)| Mark { x, y, label, series });
        inspect(&LineChart { title, subtitle, x, y, series: series.collect(), marks: marks.collect(), steps }.svg());
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
            Cells::Names { names: rows.clone(), values }
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
