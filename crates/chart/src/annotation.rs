//! Single values and words put into a chart, such as the metrics that a paper prints.

use super::canvas::{Anchor, Canvas, SheetPoint, TextLook};
use super::frame::Plot;
use super::legend::Swatch;
use super::marker::{OPEN_RADIUS, open_mark};
use super::paper::{Annotation, Paper};
use super::style::{Colour, SMALL_SIZE, Stroke, shorten, text_width};

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

impl<'a> Marks<'a> {
    /// The groups of those marks that `shows` lets through, in the order in which they come.
    pub(crate) fn of(marks: &'a [Mark], paper: &Paper, shows: impl Fn(&Mark) -> bool) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        let mut labels: Vec<&str> = Vec::new();
        for mark in marks.iter().filter(|mark| shows(mark)) {
            let name = mark.label.trim();
            let shape = labels.iter().position(|label| *label == name).unwrap_or_else(|| {
                labels.push(name);
                labels.len() - 1
            });
            let colour = mark.series.map_or(Colour::BLACK, |series| paper.colour(series));
            let point = (mark.x, mark.y);
            match groups.iter_mut().find(|group| group.shape == shape && group.colour == colour) {
                Some(group) => group.points.push(point),
                None => groups.push(Self { name, points: vec![point], shape, colour }),
            }
        }
        groups
    }

    /// Their look in a legend.
    pub(crate) const fn swatch(&self) -> Swatch {
        Swatch::Open { shape: self.shape, colour: self.colour }
    }

    /// Draws one of them.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, at: SheetPoint) {
        open_mark(canvas, self.shape, at, OPEN_RADIUS, self.colour);
    }
}

/// Draws the words that a chart asks for; `x` and `y` give the pixels of values. A point has its words above it, a line
/// at its right or upper end, on white, where they meet no words before them.
pub(crate) fn draw_annotations(
    canvas: &mut Canvas<'_>,
    annotations: &[Annotation],
    plot: Plot,
    x: impl Fn(f64) -> f64,
    y: impl Fn(f64) -> f64,
) {
    let size = SMALL_SIZE;
    let inside = |value: f64, (low, high): (f64, f64)| (low - 0.5..=high + 0.5).contains(&value);
    let mut taken: Vec<[f64; 4]> = Vec::new();
    for annotation in annotations {
        let across = annotation.x.map(&x).filter(|&x| inside(x, (plot.left, plot.right)));
        let up = annotation.y.map(&y).filter(|&y| inside(y, (plot.top, plot.bottom)));
        // What lies outside is not drawn.
        if across.is_some() != annotation.x.is_some() || up.is_some() != annotation.y.is_some() {
            continue;
        }
        let text = shorten(annotation.text.trim(), size, plot.right - plot.left - 8.0);
        let width = text_width(&text, size);
        let stroke = Stroke::new(Colour::GREY, 1.0);
        let (left, mut middle) = match (across, up) {
            (Some(x), Some(y)) => {
                canvas.disc((x, y), 2.2, Colour::INK);
                (x - width / 2.0, y - size)
            }
            (Some(x), None) => {
                canvas.line(&[(x, plot.top), (x, plot.bottom)], stroke.dashed(&[4.0, 3.0]));
                (x + 4.0, plot.top + size)
            }
            (None, Some(y)) => {
                canvas.line(&[(plot.left, y), (plot.right, y)], stroke.dashed(&[4.0, 3.0]));
                (plot.right - width - 4.0, y - size * 0.75)
            }
            (None, None) => continue,
        };
        let most = plot.right - width - 2.0;
        let left = left.clamp((plot.left + 2.0).min(most), most);
        let field = |middle: f64| [left - 2.0, left + width + 2.0, middle - size * 0.62, middle + size * 0.62];
        let meets = |a: [f64; 4], b: &[f64; 4]| a[0] < b[1] && b[0] < a[1] && a[2] < b[3] && b[2] < a[3];
        while taken.iter().any(|other| meets(field(middle), other)) && middle < plot.bottom - size {
            middle += size * 0.5;
        }
        let own = field(middle.max(plot.top + size * 0.62));
        canvas.rectangle((own[0], own[2]), (own[1], own[3]), Colour::WHITE);
        canvas.text(&text, (left, f64::midpoint(own[2], own[3])), TextLook::new(size, Colour::INK, Anchor::Start));
        taken.push(own);
    }
}
