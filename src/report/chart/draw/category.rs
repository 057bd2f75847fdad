//! Names under an axis: in one line, in a few, or upright, whatever fits their slots.

use super::axis::Ruler;
use super::canvas::{Anchor, Canvas, TextLook};
use super::frame::{AXIS_LABEL_HEIGHT, Plot, Sheet, ticks_width};
use super::style::{Colour, HEIGHT, MARGIN, SMALL_SIZE, TICK_SIZE, WIDTH, shorten_all, text_width, wrap};

/// A plot with a slot for each category beside a vertical axis.
pub(crate) struct Slots {
    pub(crate) plot: Plot,
    /// The height of the sheet.
    pub(crate) height: f64,
    /// The width of a slot.
    pub(crate) width: f64,
    names: CategoryNames,
}

impl Slots {
    pub(crate) fn new(sheet: &Sheet<'_>, categories: &[String], ruler: &Ruler) -> Self {
        let (left, right) = (MARGIN + ticks_width(ruler), WIDTH - MARGIN);
        let width = (right - left) / categories.len() as f64;
        let names = CategoryNames::new(categories, width);
        let top = sheet.top() + 34.0;
        let height = HEIGHT.max(top + 240.0 + names.height() + AXIS_LABEL_HEIGHT);
        let bottom = height - names.height() - AXIS_LABEL_HEIGHT - 8.0;
        Self { plot: Plot { left, right, top, bottom }, height, width, names }
    }

    /// The left and right side of what is number `place` of so many beside each other in a slot, of which they fill a
    /// share; none is wider than `widest`.
    pub(crate) fn sides(
        &self,
        category: usize,
        (place, beside): (usize, usize),
        (filled, widest): (f64, f64),
    ) -> (f64, f64) {
        let beside = beside as f64;
        let width = (self.width * filled / beside).min(widest);
        let left = self.plot.left + (category as f64 + 0.5) * self.width + (place as f64 - beside / 2.0) * width;
        (left, left + width)
    }

    /// Draws the names of the categories, and what they are.
    pub(crate) fn draw_names(&self, canvas: &mut Canvas<'_>, label: &str) {
        let middle = |index: usize| self.plot.left + (index as f64 + 0.5) * self.width;
        self.names.draw(canvas, self.plot.bottom, middle);
        self.plot.draw_horizontal_label(canvas, label, self.plot.bottom + self.names.height());
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
const UPRIGHT_LENGTH: f64 = 130.0;
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
                    canvas.text(line, (middle(index), y + down), look);
                }
            }
        }
    }
}
