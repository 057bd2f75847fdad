//! Legends: swatches with names in rows under the heading.

use super::canvas::{Anchor, Canvas, TextLook};
use super::style::{Colour, MARGIN, Stroke, TICK_SIZE, WIDTH, shorten_all, text_width};

/// What stands before a name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Swatch {
    /// A coloured square, for areas.
    Area(Colour),
    /// A short line.
    Line(Stroke),
}

/// Names with their swatches, already set in rows.
#[derive(Default)]
pub(crate) struct Legend {
    rows: Vec<Vec<(f64, Swatch, String)>>,
}

const ROW: f64 = 19.0;
const SWATCH: f64 = 12.0;
const SWATCH_GAP: f64 = 6.0;
const ENTRY_GAP: f64 = 18.0;
/// Free space below the last row.
const BELOW: f64 = 8.0;
const NAME_WIDTH: f64 = 260.0;

impl Legend {
    /// Sets `entries` in as many rows as they need.
    pub(crate) fn new<'a>(entries: impl IntoIterator<Item = (Swatch, &'a str)>) -> Self {
        let (swatches, names): (Vec<Swatch>, Vec<&str>) = entries.into_iter().unzip();
        let mut rows: Vec<Vec<_>> = Vec::new();
        let mut x = WIDTH;
        for (swatch, name) in swatches.into_iter().zip(shorten_all(&names, TICK_SIZE, NAME_WIDTH)) {
            let width = SWATCH + SWATCH_GAP + text_width(&name, TICK_SIZE);
            if x + width > WIDTH - MARGIN {
                x = MARGIN;
                rows.push(Vec::new());
            }
            if let Some(row) = rows.last_mut() {
                row.push((x, swatch, name));
            }
            x += width + ENTRY_GAP;
        }
        Self { rows }
    }

    /// The height that [`Self::draw`] takes; none without entries.
    pub(crate) fn height(&self) -> f64 {
        if self.rows.is_empty() { 0.0 } else { self.rows.len() as f64 * ROW + BELOW }
    }

    /// Draws the rows from `top` downwards.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, top: f64) {
        for (row, entries) in self.rows.iter().enumerate() {
            let y = top + (row as f64 + 0.5) * ROW;
            for (x, swatch, name) in entries {
                match *swatch {
                    Swatch::Area(colour) => {
                        canvas.rectangle((*x, y - SWATCH / 2.0), (x + SWATCH, y + SWATCH / 2.0), colour);
                    }
                    Swatch::Line(stroke) => canvas.line(&[(*x, y), (x + SWATCH, y)], stroke),
                }
                canvas.text(name, (x + SWATCH + SWATCH_GAP, y), TextLook::new(TICK_SIZE, Colour::INK, Anchor::Start));
            }
        }
    }
}
