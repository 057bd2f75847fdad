//! What a picture says besides its lines: which value stands where, and what belongs to which series. Files of
//! pictures go without; pages use it.

use std::fmt::{self, Write as _};
use std::ops::Range;

use hetsim_base::printable::escape;

/// What a pointer finds a value by, in fine units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// A rectangle: left, top, width, height. Without a size it is a place.
    pub(crate) area: [i32; 4],
    /// The corners of a line that belongs to the value, too, such as an arrow.
    pub(crate) way: Vec<(i32, i32)>,
}

impl Field {
    fn moved(&self, (x, y): (i32, i32)) -> Self {
        let [left, top, width, height] = self.area;
        let way = self.way.iter().map(|&(at, down)| (at + x, down + y)).collect();
        Self { area: [left + x, top + y, width, height], way }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [left, top, width, height] = self.area;
        write!(f, "{left} {top} {width} {height}")?;
        self.way.iter().try_for_each(|(x, y)| write!(f, " {x} {y}"))
    }
}

/// A value, and where it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Where to point at; nothing for what lies outside of the plot.
    pub field: Option<Field>,
    /// The series that it belongs to; empty for none.
    pub series: String,
    /// What it says, a cell for each heading.
    pub cells: Vec<String>,
}

/// Elements that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ElementGroup {
    /// From where to where they reach: elements while they are drawn, then bytes.
    range: Range<usize>,
    /// What they are, as attributes of their group.
    attributes: String,
}

/// What elements have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Role<'a> {
    /// They show a series.
    Series(&'a str),
    /// They are its name in a legend.
    Name(&'a str),
    /// They lie in a plot that can be looked at closely: left, top, width, height in fine units, and the ends of its
    /// time axis in seconds if it has one.
    Plot([i32; 4], Option<(f64, f64)>),
    /// They are the ticks of a horizontal axis.
    Ticks,
    /// They stand beside the plot, at the height of what they name.
    Side,
    /// The name of what reaches from one height of the plot to another, in fine units.
    SideOf(i32, i32),
}

impl Role<'_> {
    /// The attributes of the group; nothing for a series without a name.
    fn attributes(self) -> Option<String> {
        let named = |name: &str| (!name.is_empty()).then(|| format!("data-s=\"{}\"", escape(name)));
        match self {
            Self::Series(name) => named(name.trim()),
            Self::Name(name) => named(name.trim()).map(|series| format!("class=\"name\" {series}")),
            Self::Plot([left, top, width, height], ends) => {
                let ends = ends.map_or_else(String::new, |(low, high)| format!(" data-ends=\"{low} {high}\""));
                Some(format!("class=\"plot\" data-at=\"{left} {top} {width} {height}\"{ends}"))
            }
            Self::Ticks => Some("class=\"ticks\"".to_owned()),
            Self::Side => Some("class=\"side\"".to_owned()),
            Self::SideOf(from, to) => Some(format!("class=\"side\" data-span=\"{from} {to}\"")),
        }
    }
}

/// What a picture says besides its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overlay {
    /// The headings of the values' cells.
    pub heads: Vec<String>,
    /// What can be pointed at.
    pub targets: Vec<Target>,
    /// How many values are not listed, for there are too many.
    pub left_out: usize,
    parts: Vec<ElementGroup>,
}

/// More values than this are not listed: a table of them is no help.
const MOST_SPOTS: usize = 10_000;

impl Overlay {
    /// Notes what these elements, counted as they are drawn, have in common.
    pub(super) fn part(&mut self, range: Range<usize>, role: Role<'_>) {
        let Some(attributes) = role.attributes().filter(|_| !range.is_empty()) else { return };
        match self.parts.last_mut() {
            // What follows on what belongs to the same series is one part with it.
            Some(last) if last.range.end == range.start && last.attributes == attributes => {
                last.range.end = range.end;
            }
            _ => self.parts.push(ElementGroup { range, attributes }),
        }
    }

    /// Where the drawn elements are in the text, instead of their numbers; and nothing of what is too much.
    pub(super) fn placed(mut self, body: &str) -> Self {
        // The backend writes an element a line; a text has its end in a line of its own.
        let mut starts: Vec<usize> = Vec::new();
        let mut offset = 0;
        for line in body.split_inclusive('\n') {
            if line.starts_with('<') && !line.starts_with("</") {
                starts.push(offset);
            }
            offset += line.len();
        }
        let at = |element: usize| starts.get(element).copied().unwrap_or(body.len());
        for part in &mut self.parts {
            part.range = at(part.range.start)..at(part.range.end);
        }
        if self.targets.len() > MOST_SPOTS {
            self.left_out = std::mem::take(&mut self.targets).len();
        }
        self
    }

    /// Adds those of another picture that was put into this one, so many bytes and fine units farther, as the values
    /// of a panel.
    pub(super) fn add(&mut self, other: &Self, bytes: usize, (x, y): (i32, i32), panel: &str) {
        if self.heads.is_empty() && !other.heads.is_empty() {
            self.heads = [String::new()].into_iter().chain(other.heads.iter().cloned()).collect();
        }
        self.left_out += other.left_out;
        self.targets.extend(other.targets.iter().map(|target| Target {
            field: target.field.as_ref().map(|field| field.moved((x, y))),
            series: target.series.clone(),
            cells: [panel.to_owned()].into_iter().chain(target.cells.iter().cloned()).collect(),
        }));
        self.parts.extend(
            other
                .parts
                .iter()
                .map(|part| ElementGroup { range: part.range.start + bytes..part.range.end + bytes, ..part.clone() }),
        );
    }

    /// The text with the elements of each part in a group of their own.
    pub(super) fn marked(&self, body: &str) -> String {
        // Ends before starts, and of two starts the longer part first: the innermost series has the elements.
        let mut cuts: Vec<(usize, bool, std::cmp::Reverse<usize>, &ElementGroup)> = Vec::new();
        for part in &self.parts {
            let length = std::cmp::Reverse(part.range.len());
            cuts.push((part.range.start, true, length, part));
            cuts.push((part.range.end, false, length, part));
        }
        cuts.sort_by_key(|&(at, is_start, length, _)| (at, is_start, length));
        let (mut marked, mut done) = (String::with_capacity(body.len()), 0);
        for (at, is_start, _, part) in cuts {
            marked.push_str(&body[done..at]);
            done = at;
            if is_start {
                let _ = writeln!(marked, "<g {}>", part.attributes);
            } else {
                marked.push_str("</g>\n");
            }
        }
        marked.push_str(&body[done..]);
        marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stand_in_the_group_of_their_series() {
        let body = "<rect/>\n<text>\n&lt;b>\n</text>\n<line/>\n<circle/>\n";
        let mut overlay = Overlay::default();
        overlay.part(1..3, Role::Series("a&b"));
        overlay.part(3..4, Role::Name("c"));
        overlay.part(2..2, Role::Series("nothing"));
        let marked = overlay.placed(body).marked(body);
        assert_eq!(
            marked,
            "<rect/>\n<g data-s=\"a&amp;b\">\n<text>\n&lt;b>\n</text>\n<line/>\n</g>\n\
             <g class=\"name\" data-s=\"c\">\n<circle/>\n</g>\n"
        );
    }

    #[test]
    fn a_plot_holds_the_series_in_it() {
        let body = "<rect/>\n<line/>\n<circle/>\n";
        let mut overlay = Overlay::default();
        overlay.part(1..2, Role::Series("a"));
        overlay.part(2..3, Role::Series("b"));
        overlay.part(1..3, Role::Plot([1, 2, 3, 4], Some((0.0, 0.5))));
        assert_eq!(
            overlay.placed(body).marked(body),
            "<rect/>\n<g class=\"plot\" data-at=\"1 2 3 4\" data-ends=\"0 0.5\">\n<g data-s=\"a\">\n<line/>\n</g>\n\
             <g data-s=\"b\">\n<circle/>\n</g>\n</g>\n"
        );
    }

    #[test]
    fn panels_name_their_values() {
        let field = Field { area: [1, 2, 3, 4], way: vec![(1, 2), (4, 6)] };
        let target = Target { field: Some(field), series: String::new(), cells: vec!["7".to_owned()] };
        let panel = Overlay { heads: vec!["x".to_owned()], targets: vec![target], ..Overlay::default() };
        let mut whole = Overlay::default();
        whole.add(&panel, 0, (10, 20), "left");
        assert_eq!(whole.heads, ["", "x"]);
        assert_eq!(whole.targets[0].field.as_ref().unwrap().to_string(), "11 22 3 4 11 22 14 26");
        assert_eq!(whole.targets[0].cells, ["left", "7"]);
    }
}
