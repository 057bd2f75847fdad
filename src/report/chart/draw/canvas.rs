//! A sheet of pixels to draw on, and the one place that talks to plotters.
//!
//! plotters draws SVG in whole units. The sheet therefore has [`FINE`] units to a pixel, and the root element maps
//! them back, so that a line is where the data are and not at the nearest pixel.

use plotters::backend::SVGBackend;
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, RGBAColor, RGBColor, ShapeStyle, TextStyle};

use super::style::{Colour, FONT, Stroke};
use crate::printable::{escape, is_obeyed};

/// Units of the SVG to a pixel.
const FINE: f64 = 10.0;

/// A place on the sheet: pixels from the left and from the top.
pub(crate) type Place = (f64, f64);

/// Which end of a text is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks. Its place is on its middle height.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextLook {
    pub(crate) size: f64,
    pub(crate) colour: Colour,
    pub(crate) anchor: Anchor,
    pub(crate) bold: bool,
    /// Read from below to above instead of from left to right.
    pub(crate) upward: bool,
}

impl TextLook {
    pub(crate) const fn new(size: f64, colour: Colour, anchor: Anchor) -> Self {
        Self { size, colour, anchor, bold: false, upward: false }
    }

    pub(crate) const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(crate) const fn upward(self) -> Self {
        Self { upward: true, ..self }
    }
}

/// The sheet. Drawing into a string cannot fail, so the results of the backend are not looked at.
pub(crate) struct Canvas<'a> {
    backend: SVGBackend<'a>,
}

/// Lets `paint` draw on a white sheet and gives the finished SVG; `title` is for readers who cannot see it.
pub(crate) fn draw(title: &str, width: f64, height: f64, paint: impl FnOnce(&mut Canvas<'_>)) -> String {
    let mut body = String::new();
    let (fine_width, fine_height) = (fine(width), fine(height));
    let mut canvas =
        Canvas { backend: SVGBackend::with_string(&mut body, (fine_width.unsigned_abs(), fine_height.unsigned_abs())) };
    canvas.rectangle((0.0, 0.0), (width, height), Colour::WHITE);
    paint(&mut canvas);
    canvas.backend.present().ok();
    drop(canvas);
    // The first line is the root element with the size in fine units; ours says what a pixel is.
    let (_, content) = body.split_once('\n').unwrap_or_default();
    let label = escape(&printable(title));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {fine_width} {fine_height}\" stroke-linejoin=\"round\" role=\"img\" aria-label=\"{label}\">\n\
         {content}"
    )
}

/// A length in the units of the SVG. The cast takes what is out of range to the ends, and NaN to zero.
fn fine(pixels: f64) -> i32 {
    (pixels * FINE).round().clamp(-1e8, 1e8) as i32
}

fn fine_place((x, y): Place) -> (i32, i32) {
    (fine(x), fine(y))
}

/// Characters that XML does not allow become spaces, and those that would turn the text around.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || is_obeyed(c) { ' ' } else { c }).collect()
}

fn rgba(colour: Colour, alpha: f64) -> RGBAColor {
    RGBColor(colour.0, colour.1, colour.2).mix(alpha)
}

fn shape(colour: Colour, alpha: f64, width: f64) -> ShapeStyle {
    ShapeStyle { color: rgba(colour, alpha), filled: true, stroke_width: fine(width).unsigned_abs() }
}

impl Canvas<'_> {
    /// A line through `places`.
    pub(crate) fn line(&mut self, places: &[Place], stroke: Stroke) {
        let style = shape(stroke.colour, stroke.alpha, stroke.width);
        if stroke.dash.is_empty() {
            self.backend.draw_path(places.iter().copied().map(fine_place), &style).ok();
            return;
        }
        for piece in dashes(places, stroke.dash) {
            self.backend.draw_path(piece.into_iter().map(fine_place), &style).ok();
        }
    }

    /// An area with the corners `places`.
    pub(crate) fn polygon(&mut self, places: &[Place], colour: Colour, alpha: f64) {
        self.backend.fill_polygon(places.iter().copied().map(fine_place), &shape(colour, alpha, 0.0)).ok();
    }

    /// A filled rectangle between two opposite corners.
    pub(crate) fn rectangle(&mut self, a: Place, b: Place, colour: Colour) {
        let low = (a.0.min(b.0), a.1.min(b.1));
        let high = (a.0.max(b.0), a.1.max(b.1));
        self.backend.draw_rect(fine_place(low), fine_place(high), &shape(colour, 1.0, 0.0), true).ok();
    }

    /// A disc.
    pub(crate) fn disc(&mut self, centre: Place, radius: f64, colour: Colour) {
        self.backend.draw_circle(fine_place(centre), fine(radius).unsigned_abs(), &shape(colour, 1.0, 0.0), true).ok();
    }

    /// One line of text.
    pub(crate) fn text(&mut self, text: &str, place: Place, look: TextLook) {
        if text.trim().is_empty() {
            return;
        }
        // The backend hangs a text by its top, 0.76 of the font size above the base line; capitals and digits are
        // some 0.72 high, so their middle is 0.4 of the size below the top.
        let lift = 0.4 * look.size;
        let at = if look.upward { (place.0 - lift, place.1) } else { (place.0, place.1 - lift) };
        let horizontal = match look.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        // The backend divides the size by 1.24.
        let font = (FONT, look.size * FINE * 1.24).into_font();
        let font = if look.bold { font.style(plotters::style::FontStyle::Bold) } else { font };
        let font = if look.upward { font.transform(FontTransform::Rotate270) } else { font };
        let colour = rgba(look.colour, 1.0);
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(horizontal, VPos::Top));
        self.backend.draw_text(&printable(text), &style, fine_place(at)).ok();
    }
}

/// A smooth line that leaves and arrives level (a cubic with level tangents), in so many steps.
pub(crate) fn smooth(from: Place, to: Place, steps: u32) -> Vec<Place> {
    let place = |step| {
        let t = f64::from(step) / f64::from(steps);
        // Control points lie halfway: x is 3/2 t (1 − t) + t³ of the way, y is 3t² − 2t³.
        let along = 1.5 * t * (1.0 - t) + t * t * t;
        (from.0 + (to.0 - from.0) * along, from.1 + (to.1 - from.1) * t * t * (3.0 - 2.0 * t))
    };
    (0..=steps).map(place).collect()
}

/// The inked pieces of the line through `places`, for a pattern of ink and gap in turn.
fn dashes(places: &[Place], pattern: &[f64]) -> Vec<Vec<Place>> {
    let mut pieces = Vec::new();
    let mut piece: Vec<Place> = places.first().copied().into_iter().collect();
    let (mut step, mut left) = (0, pattern[0]);
    for pair in places.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        let mut done = 0.0;
        while length - done >= left {
            done += left;
            let turn = (x0 + (x1 - x0) * done / length, y0 + (y1 - y0) * done / length);
            if step % 2 == 0 {
                piece.push(turn);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![turn];
            }
            step = (step + 1) % pattern.len();
            left = pattern[step];
        }
        left -= length - done;
        if step % 2 == 0 {
            piece.push((x1, y1));
        }
    }
    if step % 2 == 0 && piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_cover_the_line_in_turn() {
        let pieces = dashes(&[(0.0, 0.0), (10.0, 0.0), (10.0, 5.0)], &[4.0, 2.0]);
        assert_eq!(
            pieces,
            [vec![(0.0, 0.0), (4.0, 0.0)], vec![(6.0, 0.0), (10.0, 0.0)], vec![(10.0, 2.0), (10.0, 5.0)]]
        );
        assert!(dashes(&[], &[4.0, 2.0]).is_empty());
    }

    #[test]
    fn control_characters_never_reach_the_document() {
        let svg = draw("a\u{0}<b>", 10.0, 10.0, |canvas| {
            canvas.text("x\u{1}&y", (0.0, 5.0), TextLook::new(10.0, Colour::INK, Anchor::Start));
        });
        assert!(svg.contains("a &lt;b&gt;") && svg.contains("x &amp;y"), "{svg}");
    }
}
