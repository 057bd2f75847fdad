//! Frames around groups of a matrix, and their names beside its rows.

use std::ops::Range;

use super::canvas::{Anchor, Canvas, TextLook};
use super::frame::Plot;
use super::style::{Colour, Stroke, TICK_SIZE, shorten_all};

/// A group of neighbouring rows and columns of a matrix, such as those of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Framed {
    /// What it is called, beside its rows.
    pub name: String,
    /// Its columns, from 0.
    pub columns: Range<usize>,
    /// Its rows, from 0 at the top.
    pub rows: Range<usize>,
}

impl Framed {
    /// The groups of rows and columns that belong to the same thing: neighbours of one name along both axes.
    #[must_use]
    pub fn all(columns: &[Option<String>], rows: &[Option<String>]) -> Vec<Self> {
        let columns = runs(columns);
        let mut frames = Vec::new();
        for (name, rows) in runs(rows) {
            let same = columns.iter().filter(|(other, _)| *other == name);
            frames.extend(same.map(|(_, columns)| Self {
                name: name.clone(),
                columns: columns.clone(),
                rows: rows.clone(),
            }));
        }
        frames
    }

    /// Draws the frame, white around its own stroke, so that it shows on any colour.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, plot: Plot, (slot, row): (f64, f64)) {
        let [left, right] = [self.columns.start, self.columns.end].map(|column| plot.left + column as f64 * slot);
        let [top, bottom] = [self.rows.start, self.rows.end].map(|number| plot.top + number as f64 * row);
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        canvas.line(&corners, Stroke::new(Colour::WHITE, 3.2));
        canvas.line(&corners, Stroke::new(Colour::BLACK, 1.4));
    }
}

/// Neighbours of one name, with their places.
fn runs(names: &[Option<String>]) -> Vec<(String, Range<usize>)> {
    let mut start = 0;
    let mut runs = Vec::new();
    for run in names.chunk_by(|a, b| a == b) {
        let end = start + run.len();
        runs.extend(run[0].clone().map(|name| (name, start..end)));
        start = end;
    }
    runs
}

/// Writes the names of frames beside their rows, each once, apart from one another.
pub(super) fn draw_names(canvas: &mut Canvas<'_>, frames: &[Framed], plot: Plot, (row, width): (f64, f64)) {
    let mut shown: Vec<&Framed> = frames.iter().collect();
    shown.dedup_by(|a, b| a.rows == b.rows);
    let names = shorten_all(&shown.iter().map(|frame| &frame.name).collect::<Vec<_>>(), TICK_SIZE, width);
    let middle = |frame: &&Framed| plot.top + f64::midpoint(frame.rows.start as f64, frame.rows.end as f64) * row;
    let places = apart(shown.iter().map(middle).collect(), TICK_SIZE + 2.0, plot.bottom);
    for (name, y) in names.iter().zip(places) {
        canvas.text(name, (plot.left - 8.0, y), TextLook::new(TICK_SIZE, Colour::GREY, Anchor::End));
    }
}

/// Places from above to below, moved as little as it takes to stand this far apart, the last not below `bottom`.
fn apart(mut places: Vec<f64>, distance: f64, bottom: f64) -> Vec<f64> {
    for index in 1..places.len() {
        places[index] = places[index].max(places[index - 1] + distance);
    }
    let mut most = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - distance;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<Option<String>> {
        text.chars().map(|letter| (letter != '.').then(|| letter.to_string())).collect()
    }

    #[test]
    fn neighbours_along_both_axes_are_framed() {
        let frame = |name: &str, columns, rows| Framed { name: name.to_owned(), columns, rows };
        let frames = Framed::all(&names("aab.c"), &names("aabca"));
        let wanted = [frame("a", 0..2, 0..2), frame("b", 2..3, 2..3), frame("c", 4..5, 3..4), frame("a", 0..2, 4..5)];
        assert_eq!(frames, wanted);
        assert!(Framed::all(&names("ab"), &names("..")).is_empty());
    }

    #[test]
    fn names_stand_apart() {
        assert_eq!(apart(vec![10.0, 40.0, 70.0], 14.0, 100.0), [10.0, 40.0, 70.0]);
        assert_eq!(apart(vec![10.0, 12.0, 70.0], 14.0, 100.0), [10.0, 24.0, 70.0]);
        assert_eq!(apart(vec![80.0, 98.0, 99.0], 14.0, 100.0), [72.0, 86.0, 100.0]);
    }
}
