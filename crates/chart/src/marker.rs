//! The marks on the points of a line: shapes that stay distinct in black and white.

use super::canvas::{Canvas, SheetPoint};
use super::style::{Colour, Stroke};

/// The corners of the shapes, for a radius of one. The first shape, a disc, has none.
const SHAPES: [&[SheetPoint]; 6] = [
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.25), (1.15, 0.85), (-1.15, 0.85)],
    &[(0.0, -1.35), (1.35, 0.0), (0.0, 1.35), (-1.35, 0.0)],
    &[(0.0, 1.25), (1.15, -0.85), (-1.15, -0.85)],
    // A cross with arms of equal width.
    &[
        (-0.4, -1.25),
        (0.4, -1.25),
        (0.4, -0.4),
        (1.25, -0.4),
        (1.25, 0.4),
        (0.4, 0.4),
        (0.4, 1.25),
        (-0.4, 1.25),
        (-0.4, 0.4),
        (-1.25, 0.4),
        (-1.25, -0.4),
        (-0.4, -0.4),
    ],
];

/// The radius of a mark on a line.
pub(crate) const MARKER_RADIUS: f64 = 3.0;
/// The radius of a mark of what was not simulated.
pub(crate) const OPEN_RADIUS: f64 = 4.2;

/// Draws the `index`-th shape with a thin white rim, which keeps marks apart from lines that cross them.
pub(crate) fn mark(canvas: &mut Canvas<'_>, index: usize, (x, y): SheetPoint, radius: f64, colour: Colour) {
    if !canvas.holds((x, y)) {
        return;
    }
    let corners = SHAPES[index % SHAPES.len()];
    if corners.is_empty() {
        canvas.disc((x, y), radius + 0.8, Colour::WHITE);
        canvas.disc((x, y), radius, colour);
        return;
    }
    let mut outline: Vec<SheetPoint> = corners.iter().map(|(dx, dy)| (x + dx * radius, y + dy * radius)).collect();
    outline.push(outline[0]);
    canvas.line(&outline, Stroke::new(Colour::WHITE, 1.6));
    canvas.polygon(&outline, colour, 1.0);
}

/// Draws an arrow, upright or level, whose tip lies on the edge of the plot: what it belongs to goes on beyond.
pub fn arrow(canvas: &mut Canvas<'_>, from: SheetPoint, tip: SheetPoint, colour: Colour) {
    canvas.line(&[from, tip], Stroke::new(colour, 1.2));
    let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
    let (ux, uy) = if dx.abs() > dy.abs() { (dx.signum(), 0.0) } else { (0.0, if dy > 0.0 { 1.0 } else { -1.0 }) };
    let base = (tip.0 - 7.0 * ux, tip.1 - 7.0 * uy);
    let wing = (3.6 * uy, 3.6 * ux);
    canvas.polygon(&[tip, (base.0 - wing.0, base.1 - wing.1), (base.0 + wing.0, base.1 + wing.1)], colour, 1.0);
}

/// Draws a line of an interval, with a white halo that keeps it apart from what is behind.
pub(crate) fn whisker(canvas: &mut Canvas<'_>, places: &[SheetPoint], colour: Colour) {
    canvas.line(places, Stroke::new(Colour::WHITE, 3.0));
    canvas.line(places, Stroke::new(colour, 1.1));
}

/// Draws the outline of the `index`-th shape on white: what is open was not simulated.
pub(crate) fn open_mark(canvas: &mut Canvas<'_>, index: usize, (x, y): SheetPoint, radius: f64, colour: Colour) {
    if !canvas.holds((x, y)) {
        return;
    }
    let corners = SHAPES[index % SHAPES.len()];
    if corners.is_empty() {
        canvas.disc((x, y), radius + 0.8, colour);
        canvas.disc((x, y), radius - 0.8, Colour::WHITE);
        return;
    }
    let mut outline: Vec<SheetPoint> = corners.iter().map(|(dx, dy)| (x + dx * radius, y + dy * radius)).collect();
    outline.push(outline[0]);
    canvas.polygon(&outline, Colour::WHITE, 1.0);
    canvas.line(&outline, Stroke::new(colour, 1.6));
}
