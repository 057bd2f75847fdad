//! Single values put into a chart of lines, such as the metrics that a paper prints.

use super::canvas::{Canvas, Place};
use super::marker::open_mark;
use super::style::{Colour, line_colour};

/// A value to compare a line with: an open mark, named beside the lines. Marks of one label and colour share their
/// name.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Where, along the horizontal axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// What it is.
    pub label: String,
    /// The line whose colour it has, by its number (or by its family's); black without one.
    pub series: Option<usize>,
}

/// Marks with one name and one look.
pub(crate) struct Marks<'a> {
    pub(crate) name: &'a str,
    pub(crate) points: Vec<(f64, f64)>,
    shape: usize,
    colour: Colour,
}

const RADIUS: f64 = 4.2;

impl<'a> Marks<'a> {
    /// The groups of those marks that `shows` lets through, in the order in which they come.
    pub(crate) fn of(marks: &'a [Mark], shows: impl Fn(&Mark) -> bool) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        let mut labels: Vec<&str> = Vec::new();
        for mark in marks.iter().filter(|mark| shows(mark)) {
            let name = mark.label.trim();
            let shape = labels.iter().position(|label| *label == name).unwrap_or_else(|| {
                labels.push(name);
                labels.len() - 1
            });
            let colour = mark.series.map_or(Colour::BLACK, line_colour);
            let point = (mark.x, mark.y);
            match groups.iter_mut().find(|group| group.shape == shape && group.colour == colour) {
                Some(group) => group.points.push(point),
                None => groups.push(Self { name, points: vec![point], shape, colour }),
            }
        }
        groups
    }

    /// The colour of the name.
    pub(crate) fn text_colour(&self) -> Colour {
        self.colour.as_text()
    }

    /// Draws one of them.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, at: Place) {
        open_mark(canvas, self.shape, at, RADIUS, self.colour);
    }
}
