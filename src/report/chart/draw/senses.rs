//! What a picture says besides its lines: which value stands where, and what belongs to which series. Files of
//! pictures go without; pages use it.

use std::fmt::Write as _;
use std::ops::Range;

use crate::printable::escape;

/// A value, and where it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spot {
    /// The rectangle to point at, in fine units: left, top, width, height; nothing for what lies outside of the plot.
    pub(crate) field: Option<[i32; 4]>,
    /// The series that it belongs to; empty for none.
    pub(crate) series: String,
    /// What it says, a cell for each heading.
    pub(crate) cells: Vec<String>,
}

/// Elements that belong to a series.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    /// From where to where they reach: elements while they are drawn, then bytes.
    range: Range<usize>,
    series: String,
    /// Whether they are its name in a legend.
    is_name: bool,
}

/// What a picture says besides its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Senses {
    /// The headings of the values' cells.
    pub(crate) heads: Vec<String>,
    pub(crate) spots: Vec<Spot>,
    /// How many values are not listed, for there are too many.
    pub(crate) left_out: usize,
    parts: Vec<Part>,
}

/// More values than this are not listed: a table of them is no help.
const MOST_SPOTS: usize = 10_000;

impl Senses {
    /// Notes that these elements, counted as they are drawn, belong to a series.
    pub(super) fn part(&mut self, range: Range<usize>, series: &str, is_name: bool) {
        if range.is_empty() || series.is_empty() {
            return;
        }
        match self.parts.last_mut() {
            // What follows on what belongs to the same series is one part with it.
            Some(last) if last.range.end == range.start && last.series == series && last.is_name == is_name => {
                last.range.end = range.end;
            }
            _ => self.parts.push(Part { range, series: series.to_owned(), is_name }),
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
        if self.spots.len() > MOST_SPOTS {
            self.left_out = std::mem::take(&mut self.spots).len();
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
        let moved = |[left, top, width, height]: [i32; 4]| [left + x, top + y, width, height];
        self.spots.extend(other.spots.iter().map(|spot| Spot {
            field: spot.field.map(moved),
            series: spot.series.clone(),
            cells: [panel.to_owned()].into_iter().chain(spot.cells.iter().cloned()).collect(),
        }));
        self.parts.extend(
            other
                .parts
                .iter()
                .map(|part| Part { range: part.range.start + bytes..part.range.end + bytes, ..part.clone() }),
        );
    }

    /// The text with the elements of each series in a group that has its name.
    pub(super) fn marked(&self, body: &str) -> String {
        // Ends before starts, and of two starts the longer part first: the innermost series has the elements.
        let mut cuts: Vec<(usize, bool, std::cmp::Reverse<usize>, &Part)> = Vec::new();
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
                let class = if part.is_name { " class=\"name\"" } else { "" };
                let _ = writeln!(marked, "<g{class} data-s=\"{}\">", escape(&part.series));
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
        let mut senses = Senses::default();
        senses.part(1..3, "a&b", false);
        senses.part(3..4, "c", true);
        senses.part(2..2, "nothing", false);
        let marked = senses.placed(body).marked(body);
        assert_eq!(
            marked,
            "<rect/>\n<g data-s=\"a&amp;b\">\n<text>\n&lt;b>\n</text>\n<line/>\n</g>\n\
             <g class=\"name\" data-s=\"c\">\n<circle/>\n</g>\n"
        );
    }

    #[test]
    fn panels_name_their_values() {
        let spot = Spot { field: Some([1, 2, 3, 4]), series: String::new(), cells: vec!["7".to_owned()] };
        let panel = Senses { heads: vec!["x".to_owned()], spots: vec![spot], ..Senses::default() };
        let mut whole = Senses::default();
        whole.add(&panel, 0, (10, 20), "left");
        assert_eq!(whole.heads, ["", "x"]);
        assert_eq!(whole.spots[0].field, Some([11, 22, 3, 4]));
        assert_eq!(whole.spots[0].cells, ["left", "7"]);
    }
}
