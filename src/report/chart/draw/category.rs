//! Names under an axis: in one line, in a few, or upright, whatever fits their slots.

use super::canvas::{Anchor, Canvas, TextLook};
use super::style::{Colour, SMALL_SIZE, TICK_SIZE, shorten_all, text_width, wrap};

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
