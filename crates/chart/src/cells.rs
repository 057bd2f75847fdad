//! The cells of a matrix, with what stands in them.

use super::canvas::{Anchor, Canvas, SheetPoint, TextLook};
use super::frame::Plot;
use super::palette::Fill;
use super::style::{Colour, SMALL_SIZE, TICK_SIZE, text_width};

/// A cell as it is drawn.
pub(super) struct Look {
    pub(super) fill: Fill,
    pub(super) text: String,
}

/// Where the cells are, and how wide and high each is.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) plot: Plot,
    pub(super) slot: f64,
    pub(super) row: f64,
}

impl Field {
    /// Draws a cell for each value, with the number in it if all have space: a few alone would seem to be chosen.
    pub(super) fn draw_numbers(self, canvas: &mut Canvas<'_>, looks: &[Vec<Option<Look>>], least: f64) {
        let Self { plot, slot, row } = self;
        let fits = |look: &Look, size: f64| size + 4.0 <= row && text_width(&look.text, size) <= slot - 4.0;
        let sizes = [TICK_SIZE - 1.0, SMALL_SIZE, 9.0, least];
        let all_fit = |&size: &f64| size >= least && looks.iter().flatten().flatten().all(|look| fits(look, size));
        let size = sizes.into_iter().find(all_fit);
        for (y, cells) in looks.iter().enumerate() {
            for (x, look) in cells.iter().enumerate() {
                let corner = (plot.left + x as f64 * slot, plot.top + y as f64 * row);
                draw_cell(canvas, corner, (slot, row), look.as_ref());
                if let (Some(look), Some(size)) = (look, size) {
                    draw_word(canvas, look, (corner.0 + slot / 2.0, corner.1 + row / 2.0), size);
                }
            }
        }
    }

    /// Draws neighbours in a row that have the same name as one field, with the name in it where it has space: colours
    /// are not for everyone. It stands in the widest span without a border.
    pub(super) fn draw_names(
        self,
        canvas: &mut Canvas<'_>,
        looks: &[Vec<Option<Look>>],
        borders: impl Fn(usize) -> Vec<usize>,
    ) {
        let Self { plot, slot, row } = self;
        let name = |look: &Option<Look>| look.as_ref().map(|look| look.text.clone());
        for (y, cells) in looks.iter().enumerate() {
            let top = plot.top + y as f64 * row;
            let borders = borders(y);
            let mut start = 0;
            for run in cells.chunk_by(|a, b| name(a) == name(b)) {
                let end = start + run.len();
                let left = plot.left + start as f64 * slot;
                draw_cell(canvas, (left, top), (run.len() as f64 * slot, row), run[0].as_ref());
                let mut cuts: Vec<usize> =
                    borders.iter().copied().filter(|cut| (start + 1..end).contains(cut)).collect();
                cuts.extend([start, end]);
                cuts.sort_unstable();
                let widest = cuts.windows(2).max_by_key(|pair| (pair[1] - pair[0], std::cmp::Reverse(pair[0])));
                if let (Some(look), Some(&[from, to])) = (&run[0], widest) {
                    let width = (to - from) as f64 * slot;
                    if SMALL_SIZE + 4.0 <= row && text_width(&look.text, SMALL_SIZE) <= width - 8.0 {
                        let middle = plot.left + f64::midpoint(from as f64, to as f64) * slot;
                        draw_word(canvas, look, (middle, top + row / 2.0), SMALL_SIZE);
                    }
                }
                start = end;
            }
        }
    }
}

/// Draws one field.
fn draw_cell(canvas: &mut Canvas<'_>, (left, top): SheetPoint, (width, height): (f64, f64), look: Option<&Look>) {
    let gap = if width.min(height) > 8.0 { 0.7 } else { 0.0 };
    let fill = look.map_or(Fill::plain(Colour::MIST), |look| look.fill);
    canvas.filled((left + gap, top + gap), (left + width - gap, top + height - gap), fill);
}

/// Writes into a field, with a contrast that is read; a hatch is covered behind the word.
fn draw_word(canvas: &mut Canvas<'_>, look: &Look, (x, y): SheetPoint, size: f64) {
    let fill = look.fill;
    if fill != Fill::plain(fill.colour) {
        let half = (text_width(&look.text, size) / 2.0 + 1.5, 0.62 * size);
        canvas.rectangle((x - half.0, y - half.1), (x + half.0, y + half.1), fill.colour);
    }
    canvas.text(&look.text, (x, y), TextLook::new(size, fill.colour.contrast(), Anchor::Middle));
}
