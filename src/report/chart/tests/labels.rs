//! The texts of a finished chart, read from its SVG: none leaves the sheet, none overlap, and no two are alike.
//!
//! Also part of the test that draws all shipped scenarios, so it uses nothing of the crate but the widths of letters.

use super::text_width;

/// Panics where `svg` is not well-formed or a text is cut off at an edge.
pub(crate) fn inspect(svg: &str) {
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
pub(crate) fn faults(svg: &str) -> Vec<String> {
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
