//! The cells of a matrix, with what stands in them.

use super::canvas::{Anchor, Canvas, SheetPoint, TextLook};
use super::frame::Plot;
use super::palette::Fill;
use super::style::{Colour, SMALL_SIZE, TICK_SIZE, text_width};

/// A cell as it is drawn.
pub(super) struct Look {
    pub(super) fill: Fill,
    pub(super) text: String,
    /// What stands behind the text where there is space.
    pub(super) count: Option<String>,
}

impl Look {
    pub(super) const fn new(fill: Fill, text: String) -> Self {
        Self { fill, text, count: None }
    }
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
                    draw_word(canvas, (&look.text, look.fill), (corner.0 + slot / 2.0, corner.1 + row / 2.0), size);
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
        let name = |look: &Option<Look>| look.as_ref().map(|look| (look.text.clone(), look.count.clone()));
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
                    let whole = look.count.as_ref().map(|count| format!("{} {count}", look.text));
                    let fits = |text: &&str| SMALL_SIZE + 4.0 <= row && text_width(text, SMALL_SIZE) <= width - 8.0;
                    if let Some(text) = whole.as_deref().into_iter().chain([&*look.text]).find(fits) {
                        let middle = plot.left + f64::midpoint(from as f64, to as f64) * slot;
                        draw_word(canvas, (text, look.fill), (middle, top + row / 2.0), SMALL_SIZE);
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
fn draw_word(canvas: &mut Canvas<'_>, (text, fill): (&str, Fill), (x, y): SheetPoint, size: f64) {
    if fill != Fill::plain(fill.colour) {
        let half = (text_width(text, size) / 2.0 + 1.5, 0.62 * size);
        canvas.rectangle((x - half.0, y - half.1), (x + half.0, y + half.1), fill.colour);
    }
    canvas.text(text, (x, y), TextLook::new(size, fill.colour.contrast(), Anchor::Middle));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::axis::Axis;
    use crate::drawing::Drawing as _;
    use crate::matrix::{Border, Cells, Heatmap};
    use crate::paper::Paper;

    fn map(columns: usize, cells: Cells) -> Heatmap {
        Heatmap {
            title: String::new(),
            subtitle: None,
            x_label: String::new(),
            y_label: String::new(),
            columns: (0..columns).map(|column| format!("c{column}")).collect(),
            rows: vec!["r".to_owned()],
            cells,
            borders: Vec::new(),
            frames: Vec::new(),
        }
    }

    /// How many of the replicas a name is of stands behind it where there is space; its colour is that of the name.
    #[test]
    fn names_have_their_counts() {
        let map = |columns: usize| {
            let counts = BTreeMap::from([((0, 1), "(4 of 7)".to_owned())]);
            map(
                columns,
                Cells::Names { names: vec!["guided".to_owned()], values: vec![vec![Some(0); columns]], counts },
            )
        };
        let svg = map(2).svg();
        assert!(svg.contains("guided (4 of 7)\n"));
        assert_eq!(svg.matches("\nguided\n").count(), 2, "the other cell and the legend");
        assert!(!map(12).svg().contains("(4 of 7)\n"));
    }

    /// A value without a place on the scale of colours is grey, and said below.
    #[test]
    fn what_has_no_place_is_grey() {
        let axis = Axis::number("").logarithmic();
        let picture = map(3, Cells::Numbers { axis, values: vec![vec![Some(0.0), Some(1.0), Some(9.0)]] });
        let drawn = picture.picture(&Paper::default());
        let Colour(red, green, blue) = Colour::MIST;
        assert_eq!(drawn.notes, ["1 value of 0 or below has no place on a logarithmic axis"]);
        assert!(drawn.document("", None).contains(&format!("#{red:02X}{green:02X}{blue:02X}")));
    }

    /// A border beside all cells is not drawn, so the legend has none of it.
    #[test]
    fn the_legend_names_what_is_drawn() {
        let border = |column: usize, label: &str| Border { label: label.to_owned(), column, row: None };
        let cells = Cells::Numbers { axis: Axis::number(""), values: vec![vec![Some(1.0), Some(9.0)]] };
        let svg = Heatmap { borders: vec![border(1, "inside"), border(2, "beyond")], ..map(2, cells) }.svg();
        assert!(svg.contains("inside\n") && !svg.contains("beyond\n"));
    }
}
