//! Categories along an axis: a slot each, and their names in one line, in a few, or upright, whatever fits.

use super::annotation::draw_annotations;
use super::axis::{Axis, Reach, Ruler};
use super::canvas::{Anchor, Canvas, SheetPoint, TextLook};
use super::frame::{AXIS_LABEL_HEIGHT, Plot, Sheet, TICKS_HEIGHT, ticks_width};
use super::paper::Annotation;
use super::style::{Colour, LABEL_SIZE, SMALL_SIZE, Stroke, TICK_SIZE, shorten, shorten_all, text_width, wrap};

/// A plot with a slot for each category beside an axis of values.
pub struct Slots {
    /// The area of the data.
    pub plot: Plot,
    /// The height of the sheet.
    pub height: f64,
    /// The length of a slot along the axis of categories.
    pub width: f64,
    /// Whether the values lie along x, and the categories one under another.
    pub lying: bool,
    names: CategoryNames,
}

/// The least height of a slot, and of what stands beside each other in it.
const LYING_SLOT: (f64, f64) = (19.0, 9.0);
/// Up to this many long names make a chart lie.
const MOST_LYING: usize = 60;

impl Slots {
    /// Slots for categories with so many things beside each other in each, and the ruler of the axis of values, which
    /// reaches all of these, what other panels show, and words; nothing if the axis has none of them.
    pub fn within(
        sheet: &Sheet<'_>,
        categories: &[String],
        (axis, values, reach): (&Axis, impl Iterator<Item = f64>, Reach),
        beside: usize,
    ) -> Option<(Ruler, Self)> {
        let paper = sheet.paper;
        let room = if paper.is_narrow() { 4 } else { 7 };
        let values: Vec<f64> = values.chain(paper.shared.1.values()).collect();
        let words = paper.beyond(&values, |words| words.y);
        let ruler = Ruler::within(axis, values.into_iter().chain(words), paper.y_ends, reach, room)?;
        let slots = Self::new(sheet, categories, &ruler, beside);
        Some((ruler, slots))
    }

    /// Names that are too long to stand level below the axis make the chart lie.
    fn new(sheet: &Sheet<'_>, categories: &[String], ruler: &Ruler, beside: usize) -> Self {
        let paper = sheet.paper;
        let top = sheet.top() + 34.0;
        let (left, right) = (paper.margin + ticks_width(ruler), sheet.right());
        let width = (right - left) / categories.len() as f64;
        let names = CategoryNames::new(categories, width);
        if paper.horizontal || (names.upright && names.is_long() && categories.len() <= MOST_LYING) {
            return Self::lying(sheet, categories, beside);
        }
        let height = sheet.height().max(top + paper.least_plot() + names.height() + AXIS_LABEL_HEIGHT);
        let bottom = height - names.height() - AXIS_LABEL_HEIGHT - 8.0;
        Self { plot: Plot { left, right, top, bottom }, height, width, lying: false, names }
    }

    fn lying(sheet: &Sheet<'_>, categories: &[String], beside: usize) -> Self {
        let paper = sheet.paper;
        let names = CategoryNames::beside(categories, 0.36 * paper.width);
        let right = sheet.right() - 8.0;
        let left = paper.margin + names.width() + 10.0;
        let top = sheet.top() + 26.0;
        let below = TICKS_HEIGHT + AXIS_LABEL_HEIGHT + 8.0;
        let least = LYING_SLOT.0.max(LYING_SLOT.1 * beside as f64 + 5.0).max(names.lines() * TICK_SIZE * LEADING + 3.0);
        let count = categories.len().max(1) as f64;
        let wanted = (sheet.height() - top - below) / count;
        let width = if paper.has_height() { wanted.max(least) } else { wanted.clamp(least, least.max(34.0)) };
        let bottom = top + width * count;
        Self { plot: Plot { left, right, top, bottom }, height: bottom + below, width, lying: true, names }
    }

    /// From where to where, along the axis of categories, what is number `place` of so many beside each other in a slot
    /// reaches, of which they fill a share; none is wider than `widest`.
    #[must_use]
    pub fn sides(&self, category: usize, (place, beside): (usize, usize), (filled, widest): (f64, f64)) -> (f64, f64) {
        let beside = beside as f64;
        let width = (self.width * filled / beside).min(widest);
        let start = if self.lying { self.plot.top } else { self.plot.left };
        let left = start + (category as f64 + 0.5) * self.width + (place as f64 - beside / 2.0) * width;
        (left, left + width)
    }

    /// The place at `across`, along the axis of categories, and at a pixel of the axis of values.
    #[must_use]
    pub const fn at(&self, across: f64, value: f64) -> SheetPoint {
        if self.lying { (value, across) } else { (across, value) }
    }

    /// The pixel of a share of the axis of values.
    #[must_use]
    pub fn value(&self, fraction: f64) -> f64 {
        if self.lying { self.plot.x(fraction) } else { self.plot.y(fraction) }
    }

    /// The pixels of both ends of the axis of values, the low one first.
    #[must_use]
    pub fn ends(&self) -> (f64, f64) {
        (self.value(0.0), self.value(1.0))
    }

    /// Draws both axes, with what the values and what the categories are.
    pub fn draw_axes(&self, canvas: &mut Canvas<'_>, ruler: &Ruler, values: &str, categories: &str) {
        let plot = self.plot;
        if self.lying {
            for tick in ruler.ticks.iter().filter(|tick| tick.label.is_some()) {
                let x = plot.x(ruler.fraction(tick.at));
                canvas.line(&[(x, plot.top), (x, plot.bottom)], Stroke::new(Colour::MIST, 0.8));
            }
            plot.draw_horizontal_axis(canvas, ruler, values);
            let look = TextLook::new(LABEL_SIZE, Colour::GREY, Anchor::Start);
            let label = shorten(categories, LABEL_SIZE, canvas.width - 2.0 * canvas.margin);
            canvas.text(&label, (canvas.margin, plot.top - 14.0), look);
            self.names.draw_beside(canvas, plot.left - 8.0, |index| plot.top + (index as f64 + 0.5) * self.width);
        } else {
            plot.draw_vertical_axis(canvas, ruler, values);
            self.names.draw(canvas, plot.bottom, |index| plot.left + (index as f64 + 0.5) * self.width);
            plot.draw_horizontal_label(canvas, categories, plot.bottom + self.names.height());
        }
    }

    /// Draws words; `value` gives the pixel of a value, and a category is its number.
    pub fn annotate(&self, canvas: &mut Canvas<'_>, words: &[Annotation], value: impl Fn(f64) -> f64) {
        let start = if self.lying { self.plot.top } else { self.plot.left };
        let category = |number: f64| start + (number + 0.5) * self.width;
        if self.lying {
            let turned = |words: &Annotation| Annotation { text: words.text.clone(), x: words.y, y: words.x };
            draw_annotations(canvas, &words.iter().map(turned).collect::<Vec<_>>(), self.plot, value, category);
        } else {
            draw_annotations(canvas, words, self.plot, category, value);
        }
    }

    /// The line on which bars stand, at a pixel of the axis of values.
    pub fn draw_base_line(&self, canvas: &mut Canvas<'_>, value: f64) {
        if self.lying {
            let stroke = Stroke::new(Colour::GREY, 1.0);
            canvas.line(&[(value, self.plot.top), (value, self.plot.bottom)], stroke);
        } else {
            self.plot.draw_base_line(canvas, value);
        }
    }
}

/// The names under a row of slots, set to fit.
pub(crate) struct CategoryNames {
    /// Lines per name; upright names have one.
    names: Vec<Vec<String>>,
    upright: bool,
    /// Every how many slots a name is shown.
    stride: usize,
    size: f64,
}

/// No upright name is longer than this.
const UPRIGHT_LENGTH: f64 = 300.0;
/// Upright names that are longer turn a chart that can lie.
const LONG: f64 = 44.0;
/// Names that lie flat have no more lines.
const MOST_LINES: usize = 3;
/// Space between the axis and the names.
const OFFSET: f64 = 8.0;
const LEADING: f64 = 1.25;

impl CategoryNames {
    /// Sets `names` for slots that are `slot` pixels wide.
    pub(crate) fn new(names: &[String], slot: f64) -> Self {
        let one_line = |names: &[String]| names.iter().map(|name| vec![name.clone()]).collect();
        let (size, gap) = (TICK_SIZE, 8.0);
        if names.iter().all(|name| text_width(name, size) <= slot - gap) {
            return Self { names: one_line(names), upright: false, stride: 1, size };
        }
        for (size, gap) in [(TICK_SIZE, 8.0), (SMALL_SIZE, 5.0)] {
            let lines: Vec<_> = names.iter().map(|name| wrap(name, size, slot - gap, MOST_LINES)).collect();
            // Wrapping cuts what does not fit; then it is no help.
            if names.iter().zip(&lines).all(|(name, lines)| lines.join(" ") == *name) {
                return Self { names: lines, upright: false, stride: 1, size };
            }
        }
        // Numbers in order need not all be there; a few of them are easier to read than all of them upright.
        let widest = names.iter().map(|name| text_width(name, size)).fold(0.0, f64::max);
        let numeric = names.iter().all(|name| name.starts_with(|c: char| c.is_ascii_digit()));
        let stride = ((widest + gap) / slot).ceil().max(1.0) as usize;
        if numeric && widest < 60.0 && stride <= 10 {
            return Self { names: one_line(names), upright: false, stride, size };
        }
        let names = shorten_all(names, size, UPRIGHT_LENGTH).into_iter().map(|name| vec![name]).collect();
        Self { names, upright: true, stride: (size * 1.1 / slot).ceil().max(1.0) as usize, size }
    }

    /// Sets `names` one under another at the left of an axis, in lines of this width at most.
    pub(crate) fn beside(names: &[String], width: f64) -> Self {
        let size = TICK_SIZE;
        let lines: Vec<Vec<String>> = names.iter().map(|name| wrap(name, size, width, 3)).collect();
        let whole = names.iter().zip(&lines).all(|(name, lines)| lines.join(" ") == *name);
        // What is cut is cut such that no two names look alike.
        let short = || shorten_all(names, size, width).into_iter().map(|name| vec![name]).collect();
        Self { names: if whole { lines } else { short() }, upright: false, stride: 1, size }
    }

    /// Whether the names are longer than is read with a turned head.
    fn is_long(&self) -> bool {
        self.names.iter().flatten().any(|name| text_width(name, self.size) > LONG)
    }

    /// The most lines of a name.
    fn lines(&self) -> f64 {
        self.names.iter().map(Vec::len).max().unwrap_or(0) as f64
    }

    /// The width of the longest line.
    fn width(&self) -> f64 {
        self.names.iter().flatten().map(|name| text_width(name, self.size)).fold(0.0, f64::max)
    }

    /// Draws the names ending at `x`; `middle` gives the middle of a slot.
    fn draw_beside(&self, canvas: &mut Canvas<'_>, x: f64, middle: impl Fn(usize) -> f64) {
        let look = TextLook::new(self.size, Colour::INK, Anchor::End);
        for (index, lines) in self.names.iter().enumerate() {
            let first = middle(index) - (lines.len() as f64 - 1.0) / 2.0 * self.size * LEADING;
            for (row, line) in lines.iter().enumerate() {
                canvas.text(line, (x, first + row as f64 * self.size * LEADING), look);
            }
        }
    }

    /// The height under the axis.
    pub(crate) fn height(&self) -> f64 {
        let shown = self.names.iter().step_by(self.stride);
        let extent = if self.upright {
            shown.flatten().map(|name| text_width(name, self.size)).fold(0.0, f64::max)
        } else {
            shown.map(Vec::len).max().unwrap_or(0) as f64 * self.size * LEADING
        };
        OFFSET + extent
    }

    /// Draws the names under `y`; `middle` gives the middle of a slot.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, y: f64, middle: impl Fn(usize) -> f64) {
        for (index, lines) in self.names.iter().enumerate().step_by(self.stride) {
            for (row, line) in lines.iter().enumerate() {
                let look = TextLook::new(self.size, Colour::GREY, Anchor::Middle);
                if self.upright {
                    canvas.text(line, (middle(index), y + OFFSET), TextLook { anchor: Anchor::End, ..look }.upward());
                } else {
                    let down = OFFSET + (row as f64 + 0.5) * self.size * LEADING;
                    let half = text_width(line, self.size) / 2.0;
                    // One of some may be left out where it would leave the sheet.
                    if self.stride == 1 || (half..=canvas.width - half).contains(&middle(index)) {
                        canvas.text(line, (middle(index), y + down), look);
                    }
                }
            }
        }
    }
}
