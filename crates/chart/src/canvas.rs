//! A sheet of pixels to draw on, and the one place that talks to plotters.
//!
//! plotters draws SVG in whole units. The sheet therefore has `FINE` units to a pixel, and the root element maps
//! them back, so that a line is where the data are and not at the nearest pixel.

use std::fmt::Write as _;

use plotters::backend::SVGBackend;
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, RGBAColor, RGBColor, ShapeStyle, TextStyle};

use super::clip::Clip;
pub use super::clip::SheetPoint;
use super::overlay::{Field, Overlay, Role, Target};
use super::palette::{Fill, Hatch};
use super::style::{Colour, FONT, Stroke};
use hetsim_base::printable::{escape, is_obeyed};

/// From one line of a hatch to the next, along the edge.
const HATCH: f64 = 7.0;
/// Units of the SVG to a pixel.
const FINE: f64 = 10.0;

/// Which end of a text is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Where it begins.
    Start,
    /// Its middle.
    Middle,
    /// Where it ends.
    End,
}

/// How a text looks. Its place is on its middle height.
#[derive(Debug, Clone, Copy)]
pub struct TextLook {
    /// The size of its font, in pixels.
    pub size: f64,
    /// Its colour.
    pub colour: Colour,
    /// Which end of it is at its place.
    pub anchor: Anchor,
    /// Whether its letters are bold.
    pub bold: bool,
    /// Read from below to above instead of from left to right.
    pub upward: bool,
}

impl TextLook {
    /// A text of this size that is neither bold nor upward.
    #[must_use]
    pub const fn new(size: f64, colour: Colour, anchor: Anchor) -> Self {
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
pub struct Canvas<'a> {
    backend: SVGBackend<'a>,
    pub(crate) width: f64,
    /// The space that stays free at every edge.
    pub(crate) margin: f64,
    /// What lies beyond is not drawn, but for texts.
    clip: Option<Clip>,
    /// How many elements are drawn.
    elements: usize,
    overlay: Overlay,
}

/// What is drawn on a sheet: elements of SVG, in fine units.
#[derive(Debug, Clone)]
pub struct Picture {
    /// The width of the sheet, in pixels.
    pub width: f64,
    /// Its height, in pixels.
    pub height: f64,
    /// What is said below the chart.
    pub notes: Vec<String>,
    body: String,
    overlay: Overlay,
}

/// Lets `paint` draw on a white sheet.
pub fn draw((width, height): (f64, f64), margin: f64, paint: impl FnOnce(&mut Canvas<'_>)) -> Picture {
    let mut body = String::new();
    let size = (fine(width).unsigned_abs(), fine(height).unsigned_abs());
    let mut canvas = Canvas {
        backend: SVGBackend::with_string(&mut body, size),
        width,
        margin,
        clip: None,
        elements: 0,
        overlay: Overlay::default(),
    };
    canvas.rectangle((0.0, 0.0), (width, height), Colour::WHITE);
    paint(&mut canvas);
    canvas.backend.present().ok();
    let overlay = std::mem::take(&mut canvas.overlay);
    drop(canvas);
    // The first line is the root element with the size in fine units, the last one its end.
    let (_, content) = body.split_once('\n').unwrap_or_default();
    let content = content.strip_suffix("</svg>\n").unwrap_or(content);
    Picture { width, height, notes: Vec::new(), body: content.to_owned(), overlay: overlay.placed(content) }
}

impl Picture {
    /// The same, below which this is said.
    pub(crate) fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// The finished document; `title` is for readers who cannot see it, and a pixel has so many millimetres where it is
    /// to be printed.
    #[must_use]
    pub fn document(&self, title: &str, millimetres: Option<f64>) -> String {
        self.root(title, millimetres, &self.body)
    }

    /// The document for a page, with the elements of each series in a group.
    #[must_use]
    pub fn marked(&self, title: &str, millimetres: Option<f64>) -> String {
        self.root(title, millimetres, &self.overlay.marked(&self.body))
    }

    /// What it says besides its lines.
    #[must_use]
    pub const fn overlay(&self) -> &Overlay {
        &self.overlay
    }

    fn root(&self, title: &str, millimetres: Option<f64>, body: &str) -> String {
        let (fine_width, fine_height) = (fine(self.width), fine(self.height));
        let label = escape(&printable(title));
        let length = |pixels: f64| {
            millimetres.map_or_else(|| pixels.to_string(), |each| format!("{}mm", (pixels * each * 1e3).round() / 1e3))
        };
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" \
             viewBox=\"0 0 {fine_width} {fine_height}\" stroke-linejoin=\"round\" role=\"img\" \
             aria-label=\"{label}\">\n{body}</svg>\n",
            length(self.width),
            length(self.height),
        )
    }

    /// Puts another sheet on this one, with its upper left corner at a place: the panel of this name.
    pub fn put(&mut self, other: &Self, at: SheetPoint, panel: &str) {
        let (x, y) = fine_place(at);
        let _ = writeln!(self.body, "<g transform=\"translate({x} {y})\">");
        self.overlay.add(&other.overlay, self.body.len(), (x, y), panel);
        let _ = writeln!(self.body, "{}</g>", other.body);
    }
}

/// A length in the units of the SVG. The cast takes what is out of range to the ends, and NaN to zero.
fn fine(pixels: f64) -> i32 {
    (pixels * FINE).round().clamp(-1e8, 1e8) as i32
}

fn fine_place((x, y): SheetPoint) -> (i32, i32) {
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
    /// Lets `paint` draw inside of an area only.
    pub fn clipped(&mut self, clip: Clip, paint: impl FnOnce(&mut Self)) {
        let before = self.clip.replace(clip);
        paint(self);
        self.clip = before;
    }

    /// Lets `paint` draw what belongs to a series.
    pub fn series(&mut self, name: &str, paint: impl FnOnce(&mut Self)) {
        self.part(Role::Series(name), paint);
    }

    /// Lets `paint` draw the name of a series.
    pub(crate) fn name(&mut self, name: &str, paint: impl FnOnce(&mut Self)) {
        self.part(Role::Name(name), paint);
    }

    /// Lets `paint` draw what a page looks at closely between two corners, with a time axis from `ends` if it has one.
    pub fn plot(
        &mut self,
        (low, high): (SheetPoint, SheetPoint),
        ends: Option<(f64, f64)>,
        paint: impl FnOnce(&mut Self),
    ) {
        let ((left, top), (right, bottom)) = (fine_place(low), fine_place(high));
        self.part(Role::Plot([left, top, right - left, bottom - top], ends), paint);
    }

    /// Lets `paint` write the name of what reaches from one height of the plot to another.
    pub(crate) fn side_of(&mut self, (from, to): (f64, f64), paint: impl FnOnce(&mut Self)) {
        self.part(Role::SideOf(fine(from), fine(to)), paint);
    }

    /// Lets `paint` draw what has this in common.
    pub(crate) fn part(&mut self, role: Role<'_>, paint: impl FnOnce(&mut Self)) {
        let before = self.elements;
        paint(self);
        self.overlay.part(before..self.elements, role);
    }

    /// Says what the cells of the values are.
    pub fn heads(&mut self, heads: &[&str]) {
        self.overlay.heads = heads.iter().map(|head| (*head).to_owned()).collect();
    }

    /// Says what stands between two corners, or at a place, in a cell for each heading.
    pub fn target(&mut self, series: &str, (a, b): (SheetPoint, SheetPoint), cells: Vec<String>) {
        let (low, high) = ((a.0.min(b.0), a.1.min(b.1)), (a.0.max(b.0), a.1.max(b.1)));
        let clip = self.clip.unwrap_or(Clip { low, high });
        let inside = low.0 <= clip.high.0 && high.0 >= clip.low.0 && low.1 <= clip.high.1 && high.1 >= clip.low.1;
        let field = || {
            let (left, top) = fine_place((low.0.max(clip.low.0), low.1.max(clip.low.1)));
            let (right, bottom) = fine_place((high.0.min(clip.high.0), high.1.min(clip.high.1)));
            Field { area: [left, top, right - left, bottom - top], way: Vec::new() }
        };
        self.overlay.targets.push(Target { field: inside.then(field), series: series.trim().to_owned(), cells });
    }

    /// The same of what is shown by a line, too, with or without an area.
    pub fn target_along(
        &mut self,
        series: &str,
        area: Option<(SheetPoint, SheetPoint)>,
        way: &[SheetPoint],
        cells: Vec<String>,
    ) {
        let middle = way.get(way.len() / 2).copied().unwrap_or_default();
        let ends = way.first().zip(way.last()).filter(|_| way.len() == 2);
        let middle = ends.map_or(middle, |(a, b)| (f64::midpoint(a.0, b.0), f64::midpoint(a.1, b.1)));
        self.target(series, area.unwrap_or((middle, middle)), cells);
        // Of a curve every fourth corner will do.
        let few = way.iter().step_by(if way.len() > 8 { 4 } else { 1 }).chain(way.last().filter(|_| way.len() > 8));
        let few: Vec<(i32, i32)> = few.map(|&place| fine_place(place)).collect();
        if let Some(field) = self.overlay.targets.last_mut().and_then(|target| target.field.as_mut()) {
            field.way = few;
        }
    }

    /// Whether something that is drawn whole or not at all may stand at a place.
    pub(crate) fn holds(&self, place: SheetPoint) -> bool {
        self.clip.is_none_or(|clip| clip.holds(place))
    }

    /// A line through `places`.
    pub fn line(&mut self, places: &[SheetPoint], stroke: Stroke) {
        self.dashed(places, stroke, stroke.dash, 0.0);
    }

    /// The `part`-th of so many lines that lie one on another: each has its pieces in turn.
    pub(crate) fn line_in_turn(&mut self, places: &[SheetPoint], stroke: Stroke, (part, all): (usize, usize)) {
        let piece = 13.0;
        let pattern = [piece, piece * (all - 1) as f64];
        self.dashed(places, stroke, if all > 1 { &pattern } else { stroke.dash }, piece * part as f64);
    }

    /// A line with a pattern of ink and gap in turn, which begins after so much of it.
    fn dashed(&mut self, places: &[SheetPoint], stroke: Stroke, pattern: &[f64], skip: f64) {
        let style = shape(stroke.colour, stroke.alpha, stroke.width);
        let pieces = self.clip.map_or_else(|| vec![places.to_vec()], |clip| clip.line(places));
        let pieces = pieces
            .into_iter()
            .flat_map(|piece| if pattern.is_empty() { vec![piece] } else { dashes(&piece, pattern, skip) });
        for piece in pieces.filter(|piece| !piece.is_empty()) {
            self.count(stroke.alpha);
            self.backend.draw_path(piece.into_iter().map(fine_place), &style).ok();
        }
    }

    /// An area with the corners `places`.
    pub fn polygon(&mut self, places: &[SheetPoint], colour: Colour, alpha: f64) {
        let clipped = self.clip.map_or_else(|| places.to_vec(), |clip| clip.polygon(places));
        if !clipped.is_empty() {
            self.count(alpha);
            self.backend.fill_polygon(clipped.into_iter().map(fine_place), &shape(colour, alpha, 0.0)).ok();
        }
    }

    /// A filled rectangle between two opposite corners.
    pub fn rectangle(&mut self, a: SheetPoint, b: SheetPoint, colour: Colour) {
        let (mut low, mut high) = ((a.0.min(b.0), a.1.min(b.1)), (a.0.max(b.0), a.1.max(b.1)));
        if let Some(clip) = self.clip {
            low = (low.0.max(clip.low.0), low.1.max(clip.low.1));
            high = (high.0.min(clip.high.0), high.1.min(clip.high.1));
            if low.0 > high.0 || low.1 > high.1 {
                return;
            }
        }
        self.count(1.0);
        self.backend.draw_rect(fine_place(low), fine_place(high), &shape(colour, 1.0, 0.0), true).ok();
    }

    /// A rectangle between two opposite corners, hatched where its fill is.
    pub fn filled(&mut self, a: SheetPoint, b: SheetPoint, fill: Fill) {
        self.rectangle(a, b, fill.colour);
        if fill.hatch == Hatch::None {
            return;
        }
        let (low, high) = ((a.0.min(b.0), a.1.min(b.1)), (a.0.max(b.0), a.1.max(b.1)));
        let inside = Clip { low, high };
        let before = self.clip;
        let inside = before.map_or(inside, |clip| clip.and(inside));
        self.clip = Some(inside);
        let Clip { low, high } = inside;
        let stroke = Stroke::new(Colour::WHITE, 1.3);
        let height = high.1 - low.1;
        // Of all lines in the plane, so that neighbours go on in one another.
        let first = ((low.0 - height) / HATCH).floor();
        let count = ((high.0 + height) / HATCH).ceil() - first;
        for index in 0..count.clamp(0.0, 4000.0) as u32 {
            let x = (first + f64::from(index)) * HATCH;
            if matches!(fill.hatch, Hatch::Rising | Hatch::Crossed) {
                self.line(&[(x, high.1), (x + height, low.1)], stroke);
            }
            if matches!(fill.hatch, Hatch::Falling | Hatch::Crossed) {
                self.line(&[(x, low.1), (x + height, high.1)], stroke);
            }
        }
        self.clip = before;
    }

    /// A disc, where its middle is inside.
    pub fn disc(&mut self, centre: SheetPoint, radius: f64, colour: Colour) {
        if !self.holds(centre) {
            return;
        }
        self.count(1.0);
        self.backend.draw_circle(fine_place(centre), fine(radius).unsigned_abs(), &shape(colour, 1.0, 0.0), true).ok();
    }

    /// Counts an element; the backend leaves out what nobody sees.
    fn count(&mut self, alpha: f64) {
        self.elements += usize::from(alpha != 0.0);
    }

    /// One line of text.
    pub fn text(&mut self, text: &str, place: SheetPoint, look: TextLook) {
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
        self.count(1.0);
        self.backend.draw_text(&printable(text), &style, fine_place(at)).ok();
    }
}

/// A smooth line that leaves and arrives level (a cubic with level tangents), in so many steps.
#[must_use]
pub fn smooth(from: SheetPoint, to: SheetPoint, steps: u32) -> Vec<SheetPoint> {
    let place = |step| {
        let t = f64::from(step) / f64::from(steps);
        // Control points lie halfway: x is 3/2 t (1 − t) + t³ of the way, y is 3t² − 2t³.
        let along = 1.5 * t * (1.0 - t) + t * t * t;
        (from.0 + (to.0 - from.0) * along, from.1 + (to.1 - from.1) * t * t * (3.0 - 2.0 * t))
    };
    (0..=steps).map(place).collect()
}

/// The inked pieces of the line through `places`, for a pattern of ink and gap in turn after a first gap.
fn dashes(places: &[SheetPoint], pattern: &[f64], skip: f64) -> Vec<Vec<SheetPoint>> {
    let mut pieces = Vec::new();
    // What is skipped is a gap.
    let (mut step, mut left) = if skip > 0.0 { (pattern.len() - 1, skip) } else { (0, pattern[0]) };
    let mut piece: Vec<SheetPoint> = places.first().copied().into_iter().filter(|_| step == 0).collect();
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
        let pieces = dashes(&[(0.0, 0.0), (10.0, 0.0), (10.0, 5.0)], &[4.0, 2.0], 0.0);
        assert_eq!(
            pieces,
            [vec![(0.0, 0.0), (4.0, 0.0)], vec![(6.0, 0.0), (10.0, 0.0)], vec![(10.0, 2.0), (10.0, 5.0)]]
        );
        assert!(dashes(&[], &[4.0, 2.0], 0.0).is_empty());
        // Two lines in turn cover the whole, none of it twice.
        let line = [(0.0, 0.0), (11.0, 0.0)];
        assert_eq!(dashes(&line, &[4.0, 4.0], 0.0), [vec![(0.0, 0.0), (4.0, 0.0)], vec![(8.0, 0.0), (11.0, 0.0)]]);
        assert_eq!(dashes(&line, &[4.0, 4.0], 4.0), [vec![(4.0, 0.0), (8.0, 0.0)]]);
    }

    #[test]
    fn control_characters_never_reach_the_document() {
        let svg = draw((10.0, 10.0), 1.0, |canvas| {
            canvas.text("x\u{1}&y", (0.0, 5.0), TextLook::new(10.0, Colour::INK, Anchor::Start));
        });
        let svg = svg.document("a\u{0}<b>", None);
        assert!(svg.contains("a &lt;b&gt;") && svg.contains("x &amp;y"), "{svg}");
    }
}
